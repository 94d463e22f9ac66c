"""How far judges agree with people: the paper's Table 5, and ours beside it."""

from __future__ import annotations

from collections.abc import Sequence

from env_service.domain.task import TaskSet
from env_service.suites.actplan.judges.measured import Measured, measured
from env_service.suites.actplan.report_published import LEARNED, LEARNED_SOURCE
from env_service.suites.reporting import FactRow, TaskFacts, Unit

_MODELS = {"gpt-4v": "GPT-4V", "gemini": "Gemini-Pro-1.5"}
_SPLITS = ("val", "train")
"""Judges were tuned on train: val is what counts."""


def _rows(task_set: TaskSet) -> Sequence[FactRow]:
    """The same for every task set: it is the judges that were measured."""
    del task_set
    ours = [_row(each) for split in _SPLITS for each in measured() if each.split == split]
    published = [
        FactRow(
            (
                *(each.judge, each.plans, each.split, None, each.matthews, None),
                *(each.constant, each.accuracy),
            ),
            LEARNED_SOURCE,
        )
        for each in LEARNED
    ]
    return [*ours, *published]


def _row(row: Measured) -> FactRow:
    found = row.confusion
    plans = _MODELS.get(row.model, row.model)
    interval = f"{row.interval.low:.2f} to {row.interval.high:.2f}"
    shares = (found.baseline, found.accuracy)
    return FactRow((row.judge, plans, row.split, found.count, found.mcc, interval, *shares))


AGREEMENT = TaskFacts(
    id="agreement",
    title="How far judges agree with people",
    columns=(
        ("judge", None),
        ("plans of", None),
        ("split", None),
        ("plans", Unit.NUMBER),
        ("Matthews correlation", Unit.NUMBER),
        ("95 %", None),
        ("constant answer", Unit.PERCENT),
        ("accuracy", Unit.PERCENT),
    ),
    rows=_rows,
    note=(
        "On published plans that people judged, whatever was played here. The judge correct was"
        " tuned on train. Intervals: whole activities drawn anew. Constant answer: the accuracy of"
        " always saying what is commonest; an accuracy means nothing but beside it."
    ),
)
