"""How varied commands are."""

from __future__ import annotations

import pytest

from env_service.domain.task import TaskSet
from env_service.suites.alfred.dataset.statistics import Recipe, Variety, by_wording, variety
from env_service.suites.alfred.task import AlfredTask, Goal, SceneSetup, TaskType, make_task

COMMANDS = ("Put the Mug down.", "put  it down, please.")


def test_case_does_not_count_and_punctuation_belongs_to_its_word() -> None:
    found = variety(COMMANDS)
    assert (found.commands, found.words, found.unique) == (2, 8, 7)
    assert found.diversity == 7 / 8
    assert found.entropy == pytest.approx(6 * 3 / 8 + 2 / 8 * 2)


def test_recipe_b_drops_the_last_full_stop() -> None:
    assert variety(["Go.", "go"]).unique == 2
    assert variety(["Go.", "go"], Recipe.B).unique == 1


def test_nothing_has_no_variety() -> None:
    assert variety([]) == Variety(0, 0, 0, 0.0, 0.0)
    assert variety([" "]).entropy == 0.0


def test_each_wording_is_pooled_by_itself_and_a_drawn_annotation_counts_alone() -> None:
    goal, setup = Goal(TaskType.SIMPLE, "Mug", "Desk"), SceneSetup("FloorPlan1")
    first = AlfredTask("a", goal, setup, {"B": "Put it.", "K": "놓아."}, ("one two", "three"))
    second = AlfredTask("b/1", goal, setup, {"B": "Put it."}, ("four", "five six"), annotation=1)
    tasks = TaskSet("some", "Some.", (make_task(first), make_task(second)))
    found = by_wording(tasks)
    assert list(found) == ["B", "K", "original"]
    assert (found["B"].commands, found["B"].unique) == (2, 2)
    assert found["original"].words == 5
