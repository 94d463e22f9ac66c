"""A plan as the actions that an agent would send."""

from __future__ import annotations

from env_service.domain.action import Plan, SkillCall
from env_service.suites.alfred.expert.solver import MOST_STEPS, actions_of
from env_service.suites.alfred.skills.plan_reader import read_plan
from env_service.suites.alfred.skills.steps import SkillStep, Verb

STEPS = (SkillStep(Verb.FIND, "Apple"), SkillStep(Verb.PICK_UP, "Apple"))


def test_a_plan_is_one_action_that_is_read_as_the_same_steps() -> None:
    (plan,) = actions_of(STEPS, "plan")
    assert isinstance(plan, Plan)
    assert [step for _, step in read_plan(plan).steps] == [*STEPS, SkillStep(Verb.DONE)]


def test_steps_are_a_skill_each_and_done_at_the_end() -> None:
    assert actions_of(STEPS, "steps") == (
        SkillCall("find", (("object", "an apple"),)),
        SkillCall("pick up", (("object", "the apple"),)),
        SkillCall("done"),
    )


def test_the_last_step_that_an_episode_allows_leaves_no_turn_for_done() -> None:
    actions = actions_of(STEPS[:1] * MOST_STEPS, "steps")
    assert len(actions) == MOST_STEPS
    assert SkillCall("done") not in actions


def test_no_more_steps_are_sent_than_an_episode_allows() -> None:
    assert len(actions_of(STEPS * MOST_STEPS, "steps")) == MOST_STEPS
