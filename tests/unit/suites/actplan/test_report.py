"""What a report on actplan shows of the paper."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.domain.task import TaskSet
from env_service.suites.actplan.report import (
    AGREEMENT,
    CIRCUMSTANCES_SHARED,
    DESIGN,
    GOLD_STEPS,
    PLANS_COMPARED,
    SIZES,
)
from env_service.suites.actplan.suite import ActPlanSuite
from tests.unit.suites.actplan.dataset.packs import use_pack


def test_every_accuracy_stands_beside_the_constant_answers() -> None:
    rows = AGREEMENT.rows(TaskSet("problems", "", ()))
    names = [name for name, _ in AGREEMENT.columns]
    for row in rows:
        told = dict(zip(names, row.cells, strict=True))
        assert isinstance(told["accuracy"], float)
        assert isinstance(told["constant answer"], float)


def test_what_the_tasks_are_is_told_with_the_published_sizes_beside() -> None:
    task_set = ActPlanSuite().task_sets()["builtin-4"]
    rows = SIZES.rows(task_set)
    assert [each.cells[:3] for each in rows if not each.source] == [
        ("normal", 2.0, 2.0),
        ("counterfactual", 2.0, 2.0),
        ("total", 4.0, 4.0),
    ]
    assert [each.cells[1] for each in rows if each.source] == [825.0, 362.0]
    shares = [each.cells[1] for each in CIRCUMSTANCES_SHARED.rows(task_set) if not each.source]
    assert sum(map(float, filter(None, shares))) == 1.0


def test_lengths_of_gold_plans_are_looked_up_by_task(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use_pack(monkeypatch, tmp_path)
    assert GOLD_STEPS.of_tasks is not None
    assert GOLD_STEPS.of_tasks("problems")["storing_cups/0"] == 3
    rows = SIZES.rows(ActPlanSuite().task_sets()["problems"])
    names = [name for name, _ in SIZES.columns]
    assert dict(zip(names, rows[0].cells, strict=True))["steps of gold plans"] == 3.5


def test_table_4_stands_beside_what_is_scored_as_published() -> None:
    published = {
        (each.agent, each.column): (each.value, each.n, each.row)
        for each in DESIGN.references
        if each.table == PLANS_COMPARED.id
    }
    assert published["GPT-4V", "normalised (compat)"] == (0.55, 402, "total")
    assert published["Gemini-Pro-1.5", "LCS (compat)"] == (18.0, 402, "total")
    assert not [column for _, column in published if "clean" in column]


def test_only_published_tasks_have_gold_plans_to_compare_with() -> None:
    after = PLANS_COMPARED.afterwards
    assert after is not None
    assert {"problems", "labelled/val", "archive"} <= set(after.task_sets)
    assert not [name for name in after.task_sets if "builtin" in name or name.startswith("folder")]


def test_normal_tasks_have_no_circumstances_to_share() -> None:
    task_set = ActPlanSuite().task_sets()["builtin-4"]
    normal = tuple(each for each in task_set.tasks if each.group == "normal")
    assert CIRCUMSTANCES_SHARED.rows(TaskSet("normal", "Normal ones.", normal)) == []
