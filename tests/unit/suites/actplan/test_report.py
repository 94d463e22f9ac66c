"""What a report on actplan shows of the paper."""

from __future__ import annotations

from env_service.domain.task import TaskSet
from env_service.suites.actplan.report_judges import AGREEMENT
from env_service.suites.actplan.report_tasks import CIRCUMSTANCES_SHARED, SIZES
from env_service.suites.actplan.suite import ActPlanSuite


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


def test_normal_tasks_have_no_circumstances_to_share() -> None:
    task_set = ActPlanSuite().task_sets()["builtin-4"]
    normal = tuple(each for each in task_set.tasks if each.group == "normal")
    assert CIRCUMSTANCES_SHARED.rows(TaskSet("normal", "Normal ones.", normal)) == []
