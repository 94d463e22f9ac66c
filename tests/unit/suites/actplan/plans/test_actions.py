"""Whatever form an action has, the same plan is read."""

from __future__ import annotations

import pytest

from env_service.domain.action import Plan, SkillCall, Text, Unreadable
from env_service.suites.actplan.plans.plan_reader import PlanProblem, action_space, read_action
from env_service.worlds.activity.actions import Verb


def test_words_and_skills_are_the_same_plan() -> None:
    words = read_action(Text("grab(cup)\nplace_inside(sink, cup)"))
    skills = read_action(
        Plan(
            (
                SkillCall("grab", (("object", "cup"),)),
                SkillCall("place_inside", (("item", "cup"), ("target", "sink"))),
            )
        )
    )
    assert words == skills


def test_a_skill_without_arguments_is_a_step() -> None:
    plan = read_action(SkillCall("wait"))
    assert [step.verb for step in plan.steps] == [Verb.WAIT]


def test_a_skill_that_does_not_exist_is_an_unknown_verb() -> None:
    plan = read_action(SkillCall("fly away", (("to", "roof (flat), or so"),)))
    assert plan.steps[0].verb is None
    assert plan.steps[0].arguments == ("roof flat or so",)


def test_an_empty_plan_is_none() -> None:
    assert [each.problem for each in read_action(Plan(())).diagnoses] == [PlanProblem.EMPTY]


def test_what_the_gateway_could_not_read_is_told_in_its_words() -> None:
    plan = read_action(Unreadable("too long", "digest"))
    assert [each.text for each in plan.diagnoses] == ["too long"]


def test_every_skill_is_read_as_the_verb_of_its_name() -> None:
    for skill in action_space().skills:
        call = SkillCall(skill.name, tuple((each.name, each.name) for each in skill.parameters))
        (step,) = read_action(call).steps
        assert step.verb is Verb(skill.name)
        assert not read_action(call).repairs


@pytest.mark.parametrize("tool", ["", "nothing", " Nothing ", "none"])
def test_no_tool_can_be_said(tool: str) -> None:
    call = SkillCall("clean", (("object", "table"), ("tool", tool)))
    assert read_action(call).steps[0].arguments == ("table",)
