"""What task sets and plans are made of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from env_service.domain.task import TaskSet
from env_service.suites.actplan.dataset.labelled_plans import GPT_4V, read_labelled
from env_service.suites.actplan.dataset.statistics import (
    Spread,
    plan_statistics,
    spread,
    task_statistics,
)
from env_service.suites.actplan.task import (
    ActPlanTask,
    Circumstance,
    Pictures,
    Variant,
    make_task,
)
from tests.unit.suites.actplan.dataset.packs import PROBLEM, RECORDS, SPLITS, lines

NORMAL = ActPlanTask(
    "Rs_int/storing_cups/0/sample_0",
    "storing_cups",
    Variant.NORMAL,
    PROBLEM,
    "Put the cups away.",
    scene="Rs_int",
)
ELSEWHERE = replace(NORMAL, id="b", scene="Ihlen_0_int")
FORMER = replace(NORMAL, id="c", pictures=Pictures(("a.png",)))
COUNTERFACTUAL = replace(
    NORMAL, id="d", variant=Variant.COUNTERFACTUAL, circumstance=Circumstance.FUNCTION
)
LENGTHS = {NORMAL.id: 4.0, "b": 7.0, "elsewhere": 90.0}
BROKEN = replace(NORMAL, id="e", activity="juggling", problem="(define")


def task_set(*tasks: ActPlanTask) -> TaskSet:
    return TaskSet("some", "Some.", tuple(map(make_task, tasks)))


def test_numbers_are_spread() -> None:
    assert spread([4, 1, 1, 10]) == Spread(4, 1, 2.5, 4, 10)
    assert spread([]) == Spread()


def test_tasks_are_counted_by_variant() -> None:
    found = task_statistics(task_set(NORMAL, ELSEWHERE, FORMER, COUNTERFACTUAL), LENGTHS)
    normal = found.counts[Variant.NORMAL]
    assert (normal.tasks, normal.pictured, normal.problems, normal.scenes) == (3, 1, 1, 2)
    assert (normal.gold_steps.count, normal.gold_steps.mean) == (2, 5.5)
    assert normal.objects == Spread(1, 4, 4, 4, 4)
    assert (normal.conjuncts.mean, normal.words.mean) == (2, 4)
    assert found.counts[None].tasks == 4
    assert found.counts[None].problems == 2


def test_scenes_circumstances_categories_and_rooms_are_counted() -> None:
    found = task_statistics(task_set(NORMAL, ELSEWHERE, FORMER, COUNTERFACTUAL), LENGTHS)
    assert found.scenes == {"Rs_int": 3, "Ihlen_0_int": 1}
    assert found.scenes_per_problem == {1: 1, 2: 1}
    assert found.circumstances == {Circumstance.FUNCTION: 1}
    assert found.categories["cup.n.01"] == 4
    assert next(iter(found.categories)) == "cup.n.01"
    assert found.rooms == {"kitchen": 2}


def test_a_definition_that_cannot_be_read_is_counted() -> None:
    found = task_statistics(task_set(NORMAL, BROKEN), {})
    assert (found.counts[None].problems, found.counts[None].unreadable) == (2, 1)
    assert found.counts[None].objects.count == 1


def test_nothing_has_statistics_too() -> None:
    assert task_statistics(task_set(), {}).counts == {}
    assert plan_statistics(()).verbs == ()


def test_plans_are_counted() -> None:
    found = plan_statistics(read_labelled(lines(*RECORDS), "plans.jsonl", SPLITS))
    assert found.instances == 4
    assert found.steps["gold_1"][None] == Spread(4, 4, 4, 4, 4)
    assert found.steps["gold_2"][None] == Spread(3, 2, 2, 2, 2)
    assert found.steps["gpt-4v"][Variant.COUNTERFACTUAL].count == 1
    label = found.labels[GPT_4V][Variant.NORMAL]
    assert (label.plans, label.correct, label.share) == (3, 3, 1.0)
    assert found.labels["gemini"][None].share == 0.0


def test_verbs_are_counted_as_they_are_spelled() -> None:
    first = {**RECORDS[0], "gold_gpt": ["Switch-off(tv) place_inside(a, b) place_inside(a)"]}
    found = plan_statistics(read_labelled(lines(first), "plans.jsonl", SPLITS))
    by_word = {each.word: each for each in found.verbs}
    assert by_word["Switch-off"].meaning == "switch_off"
    assert by_word["place_inside"].uses == {"gold_1": 2, "gold_2": 0}
    assert by_word["place_inside"].arities == {1: 1, 2: 1}
    assert found.verbs[0].word == "place_inside"


@pytest.mark.parametrize("text", ["grab()", "grab( )"])
def test_a_verb_may_have_no_argument(text: str) -> None:
    first = {**RECORDS[0], "gold_gpt": [text], "gold_gemini": []}
    (verb,) = plan_statistics(read_labelled(lines(first), "plans.jsonl", SPLITS)).verbs
    assert verb.arities == {0: 1}
