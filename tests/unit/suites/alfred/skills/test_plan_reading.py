from __future__ import annotations

import pytest

from env_service.domain.action import Plan, SkillCall, Text, Unreadable
from env_service.suites.alfred.skills.plan_reader import (
    LONGEST_SAID,
    MOST_PLAN_STEPS,
    PlanProblem,
    read_plan,
    read_step,
)
from env_service.suites.alfred.skills.steps import SkillStep, Verb

FIND = SkillStep(Verb.FIND, "Mug")
TAKE = SkillStep(Verb.PICK_UP, "Mug")
DONE = SkillStep(Verb.DONE)


@pytest.mark.parametrize(
    "text",
    [
        "find a mug, pick up the mug, done",
        "1. find a mug, 2. pick up the mug, 3. done.",
        "Robot: 1. find a mug, 2. pick up the mug, 3. done.",
        "1) find a mug\n2) pick up the mug\n3) done\n",
        "- find a mug\n- pick up the mug\n- done",
        '"find a mug", "pick up the mug", "done"',
        '["find a mug", "pick up the mug", "done"]',
        '```json\n["find a mug", "pick up the mug", "done"]\n```',
        "Sure!\n```\nfind a mug,\npick up the mug,\ndone\n```\nThat is it.",
        "find a mug, pick up the mug, done, find an apple",
    ],
)
def test_a_plan_is_read_in_whatever_dress(text):
    reading = read_plan(Text(text))
    assert reading.problem is None
    assert [step for _, step in reading.steps] == [FIND, TAKE, DONE]
    assert [said for said, _ in reading.steps] == ["find a mug", "pick up the mug", "done"]


def test_a_plan_of_calls_is_read_by_parameter_or_by_whole_string():
    plan = Plan(
        (
            SkillCall("find", (("object", "a mug"),)),
            SkillCall("pick up", (("object", "mug"),)),
            SkillCall("put down the mug"),
            SkillCall("done"),
        )
    )
    steps = [step for _, step in read_plan(plan).steps]
    assert steps == [FIND, TAKE, SkillStep(Verb.PUT_DOWN, "Mug"), DONE]


def test_one_call_is_a_plan_of_one_step():
    assert read_plan(SkillCall("done")).steps == (("done", DONE),)


def test_what_is_no_skill_is_kept_as_a_step_without_one():
    reading = read_plan(Text("find a couch, find a mug"))
    assert reading.steps == (("find a couch", None), ("find a mug", FIND))
    assert reading.problem is None


@pytest.mark.parametrize("action", [Text(""), Text(" 1. , 2. \n"), Plan(()), Text("[]")])
def test_an_empty_plan_is_named(action):
    reading = read_plan(action)
    assert reading.problem is PlanProblem.EMPTY
    assert reading.steps == ()
    assert "empty" in reading.explanation


def test_a_plan_is_as_long_as_allowed_and_no_longer():
    longest = read_plan(Text("find a mug, " * MOST_PLAN_STEPS))
    assert longest.problem is None
    assert len(longest.steps) == MOST_PLAN_STEPS
    too_long = read_plan(Plan((SkillCall("find a mug"),) * 10_000))
    assert too_long.problem is PlanProblem.TOO_LONG
    assert str(MOST_PLAN_STEPS) in too_long.explanation


@pytest.mark.parametrize(
    "action", [Text("I am sorry, I cannot help with that."), Unreadable("no kind is set", "00")]
)
def test_an_answer_without_any_skill_is_unreadable(action):
    reading = read_plan(action)
    assert reading.problem is PlanProblem.UNREADABLE
    assert reading.explanation


@pytest.mark.parametrize("text", ["[" * 100_000, '["find a mug", 3]', '[{"a": 1}]'])
def test_bad_json_is_read_as_words(text):
    assert read_plan(Text(text)).problem in (None, PlanProblem.EMPTY, PlanProblem.UNREADABLE)


def test_long_words_are_kept_in_part():
    ((said, step),) = read_plan(Text("find a " + "mug" * 1000)).steps
    assert (len(said), step) == (LONGEST_SAID, None)


@pytest.mark.parametrize(
    "action", [Text("2. pick up the mug."), SkillCall("pick up", (("object", "the mug"),))]
)
def test_a_step_is_read_alone(action):
    assert read_step(action) == ("pick up the mug", TAKE)


@pytest.mark.parametrize("action", [Text("find a mug, pick up the mug"), Text(""), Plan(())])
def test_several_steps_or_none_are_no_step(action):
    assert read_step(action)[1] is None


def test_synonyms_are_read_with_what_there_is():
    found = read_plan(Text("find a table"), synonyms=True, present={"Desk"})
    assert found.steps[0][1] == SkillStep(Verb.FIND, "Desk")
    assert read_step(Text("find a table"))[1] is None
