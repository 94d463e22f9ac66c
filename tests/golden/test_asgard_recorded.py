"""Recorded solutions of AsgardBench as questions: counts, and what the rules say of what was done.

The reference data have the steps of 58 solutions, and the pictures of 12.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from env_service.domain.action import SkillCall
from env_service.domain.observation import ObservationRequest
from env_service.domain.task import TaskSet
from env_service.suites.asgard.action_language import Command, Verb
from env_service.suites.asgard.recorded.episode import read_frame
from env_service.suites.asgard.recorded.feasibility import Doable, FeasibilityJudge, judge
from env_service.suites.asgard.recorded.task_set import (
    VIEWER,
    RecordedQuestion,
    load_recorded,
    questions_of,
    read_question,
)
from env_service.suites.asgard.recorded.viewer import read_viewer
from env_service.suites.asgard.rules import RULES
from env_service.suites.asgard.task_sets import load_task_set, read_task
from env_service.suites.base import EpisodeOrder
from tests.support.asgard import SUITE
from tests.support.asgard_recorded import FakePack
from tests.support.data import reference_data

pytestmark = pytest.mark.data

STEPS = 1807
"""Of the 58 solutions."""

FIRST_BREACHES = {
    "coffee__Mug(d)_FloorPlan7_V1#19",
    "putaway__Dishes_Bowl(d)_FloorPlan6_V1-Bowl Plate#26",
    "settable__Mug(d)_FloorPlan7_V1#68",
    "settable__has_coffee_FloorPlan11_V1#29",
    "settable__has_coffee_FloorPlan7_V1#35",
}
"""Where published solutions first do what the paper's rules refuse."""

ALIASED = "settable__has_coffee_FloorPlan7_V1#35"
"""A PUT on a CounterTop with an empty hand, which the released code may tell to have worked."""


@pytest.fixture(scope="module")
def recorded() -> Any:
    return FakePack(reference_data("asgard-recorded"))


@pytest.fixture(scope="module")
def plans() -> Any:
    return FakePack(reference_data("asgard"))


@pytest.fixture(scope="module")
def task_set(recorded: Any, plans: Any) -> TaskSet:
    loaded = load_recorded(recorded, plans)
    assert loaded.problems == ()
    return loaded.task_set


@pytest.fixture(scope="module")
def steps(recorded: Any, plans: Any) -> tuple[RecordedQuestion, ...]:
    """A question for every step, as if all pictures were here."""
    viewer = read_viewer(recorded.path(VIEWER).read_text(encoding="utf-8"), VIEWER)
    assert viewer.problems == ()
    assert len(viewer.plans) == 58
    official = load_task_set(plans, "official").task_set
    tasks = {task.id: read_task(task) for task in official.tasks}
    frames = frozenset(step.frame for plan in viewer.plans for step in plan.steps)
    return tuple(
        question
        for plan in viewer.plans
        for question in questions_of(
            plan, tasks[plan.name].plan, tasks[plan.name].available, frames
        )
    )


def test_the_steps_with_pictures_are_the_questions(task_set: TaskSet) -> None:
    assert len(task_set.tasks) == 325
    assert len({task.cluster for task in task_set.tasks}) == 12
    assert len({task.group for task in task_set.tasks}) == 12
    assert f"Left out for want of a picture: {STEPS - 325}" in task_set.description


def test_every_step_has_a_picture_and_its_object_is_among_the_words(
    steps: tuple[RecordedQuestion, ...],
) -> None:
    assert len(steps) == STEPS
    assert all(each.answer.object_type in each.available for each in steps)
    counts = Counter(each.answer.verb for each in steps)
    assert [counts[verb] for verb in Verb] == [601, 405, 402, 90, 90, 69, 67, 38, 34, 4, 5, 2]


def test_pictures_are_as_they_were_published(task_set: TaskSet, recorded: Any) -> None:
    for task in task_set.tasks[::40]:
        pixels = read_frame(recorded.path(read_question(task).frame), 1024)
        assert pixels.shape == (512, 512, 3)
        assert pixels.std() > 10


def test_the_expert_agrees_with_every_published_action(task_set: TaskSet) -> None:
    condition = {setting.name: setting.default for setting in SUITE.settings}
    for task in task_set.tasks:
        order = EpisodeOrder(task, "recorded", condition, ObservationRequest(), seed=0)
        answer = read_question(task).answer
        (action,) = SUITE.expert(order).actions
        assert action == SkillCall(answer.verb.value, (("object", answer.object_type),))


@pytest.mark.parametrize(
    ("rules", "refused", "doable"),
    [("paper", FIRST_BREACHES, 1802), ("upstream", FIRST_BREACHES - {ALIASED}, 1803)],
)
def test_what_was_published_could_be_done_but_for_known_breaches(
    rules: str, refused: set[str], doable: int, steps: tuple[RecordedQuestion, ...]
) -> None:
    verdicts = {each.id: judge(each.answer, each, RULES[rules]).doable for each in steps}
    assert {name for name, found in verdicts.items() if found is Doable.NO} == refused
    assert Counter(verdicts.values())[Doable.YES] == doable


@pytest.mark.parametrize(("rules", "known"), [("paper", 1016), ("upstream", 993)])
def test_more_than_half_of_it_is_known_without_a_look(
    rules: str, known: int, steps: tuple[RecordedQuestion, ...]
) -> None:
    found = [FeasibilityJudge(each, RULES[rules]).by_rules(each.answer).doable for each in steps]
    assert Counter(found)[Doable.YES] == known


def test_random_actions_are_mostly_refused_for_certain(steps: tuple[RecordedQuestion, ...]) -> None:
    rng = random.Random(0)
    drawn = [Command(rng.choice(list(Verb)), rng.choice(each.available)) for each in steps]
    found = Counter(
        judge(command, each, RULES["paper"]).doable
        for command, each in zip(drawn, steps, strict=True)
    )
    assert found[Doable.NO] > 0.75 * STEPS
    assert found[Doable.YES] < 0.05 * STEPS
