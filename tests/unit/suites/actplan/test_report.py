"""What a report on actplan shows of the paper."""

from __future__ import annotations

from env_service.domain.task import TaskSet
from env_service.suites.actplan.report_judges import AGREEMENT


def test_every_accuracy_stands_beside_the_constant_answers() -> None:
    rows = AGREEMENT.rows(TaskSet("problems", "", ()))
    names = [name for name, _ in AGREEMENT.columns]
    for row in rows:
        told = dict(zip(names, row.cells, strict=True))
        assert isinstance(told["accuracy"], float)
        assert isinstance(told["constant answer"], float)
