"""What ``houseguest actplan judge`` and ``agreement`` print: a row a plan, a part of the tasks, a
judge."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from env_service.suites.actplan.judges.judgement import Judgement
    from env_service.suites.actplan.judges.measured import Measured
    from env_service.suites.actplan.judges.plan_files import GivenPlan
    from env_service.suites.actplan.task import ActPlanTask

COLUMNS = (
    *("tasks", "#plans", "#correct", "#correct %", "#95 %"),
    *("#goal strict %", "#goal relaxed %", "#no violation %"),
)

MEASURED_COLUMNS = (
    *("judge", "plans of", "split", "#plans", "#MCC", "#95 %"),
    *("#accuracy %", "#constant answer %", "#precision %", "#recall %"),
)

BESIDE_COLUMNS = (
    *("plans of", "split", "#plans", "#MCC", "#95 %", "#accuracy %", "#constant answer %"),
    *("#correct by people %", "#by this judge %"),
)

_LISTED = "; "


@dataclass(frozen=True, slots=True)
class Row:
    """One plan's verdicts; of a task without a plan all are no. ``unmet``: what keeps it from being
    correct; ``errors``: classes of the paper's Figure 6; ``readings``: names that were not read
    literally, each with its score."""

    task: str
    activity: str
    variant: str
    source: str
    correct: bool = False
    goal_strict: bool = False
    goal_names: bool = False
    goal_relaxed: bool = False
    goal_collective: bool = False
    goal_share: float = 0.0
    violations: int = 0
    sensible: bool = False
    errors: str = ""
    unmet: str = ""
    readings: str = ""

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the plans. Shares in 0 … 1; ``low`` and ``high``: the 95 % interval of that of the
    correct ones."""

    plans: int
    correct: int
    low: float
    high: float
    goal_strict: float
    goal_relaxed: float
    sensible: float

    def to_json(self, name: str) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return {"tasks": name, **asdict(self), "share": self.correct / self.plans}


def row_of(plan: GivenPlan, task: ActPlanTask, judgement: Judgement) -> Row:
    """The row of a plan that was judged."""
    from env_service.suites.actplan.grounding.grounded import Level
    from env_service.suites.actplan.judges.verdicts import reaches

    relaxed = next(each for each in judgement.goals if each.level is Level.RELAXED)
    return Row(
        task=plan.task,
        activity=task.activity,
        variant=task.variant.value,
        source=plan.source,
        correct=judgement.correct,
        goal_strict=reaches(judgement, Level.STRICT),
        goal_names=reaches(judgement, Level.NAMES),
        goal_relaxed=relaxed.reached,
        goal_collective=reaches(judgement, Level.COLLECTIVE),
        goal_share=relaxed.fraction,
        violations=len(judgement.violations),
        sensible=judgement.sensible,
        errors=_LISTED.join(each.value for each in judgement.errors),
        unmet=_LISTED.join(each.undone or each.text for each in judgement.unmet),
        readings=_LISTED.join(each.told for each in judgement.readings),
    )


def missing_row(task: ActPlanTask) -> Row:
    """The row of a task without a plan."""
    return Row(task.id, task.activity, task.variant.value, "", unmet="there is no plan")


def parts_of(rows: Sequence[Row]) -> list[tuple[str, Part]]:
    """The normal ones, the counterfactual ones, all; without those of which there is nothing."""
    variants = [
        (name, [each for each in rows if each.variant == name])
        for name in ("normal", "counterfactual")
    ]
    return [(name, _part(some)) for name, some in (*variants, ("total", list(rows))) if some]


def part_cells(name: str, part: Part) -> tuple[str, ...]:
    """A line of the table."""
    return (
        *(name, str(part.plans), str(part.correct), _percent(part.correct / part.plans)),
        f"{_percent(part.low)}-{_percent(part.high)}",
        *map(_percent, (part.goal_strict, part.goal_relaxed, part.sensible)),
    )


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """A line for each plan, under a line with the names. Raises OSError."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [each.name for each in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(each.to_json() for each in rows)


def agreement_rows() -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The table of how far `correct` agrees with people, as it was measured for this release, and
    of how many plans either calls correct."""
    from env_service.suites.actplan.judges.measured import measured

    return BESIDE_COLUMNS, [_beside(row) for row in measured() if row.judge == "correct"]


def _beside(row: Measured) -> tuple[str, ...]:
    found = row.confusion
    called = found.true_positives + found.false_positives
    shares = (each / found.count for each in (found.correct, called))
    return (*measured_cells(row)[1:8], *map(_percent, shares))


def measured_cells(row: Measured) -> tuple[str, ...]:
    """A line of that table."""
    found = row.confusion
    return (
        *(row.judge, row.model, row.split, str(found.count), f"{found.mcc:.3f}"),
        f"{row.interval.low:.3f} to {row.interval.high:.3f}",
        *(_percent(found.accuracy), _percent(found.baseline)),
        *("-" if each is None else _percent(each) for each in (found.precision, found.recall)),
    )


def _part(rows: Sequence[Row]) -> Part:
    from env_service.results.statistics.interval import rate_interval

    scores = [float(each.correct) for each in rows]
    low, high = rate_interval(
        scores, [each.activity for each in rows], [each.task for each in rows]
    )
    return Part(
        plans=len(rows),
        correct=sum(each.correct for each in rows),
        low=low,
        high=high,
        goal_strict=sum(each.goal_strict for each in rows) / len(rows),
        goal_relaxed=sum(each.goal_relaxed for each in rows) / len(rows),
        sensible=sum(each.sensible for each in rows) / len(rows),
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
