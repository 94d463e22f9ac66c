"""A declared table of runs in pairs: one agent's, which differ in some settings alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from env_service.results.report.pairing import Pairing
from env_service.results.report.pairs import (
    compare_runs,
    difference_cell,
    p_in_words,
    pairing_of,
)
from env_service.results.report.runs import Family, ReportedRun, agent_name
from env_service.results.report.tables import Cell, Column, Row, TableData
from env_service.results.statistics import Comparison, holm
from env_service.suites.reporting import Paired, Unit

_UNNAMED = "–"
_Pair = tuple[ReportedRun, ReportedRun, Pairing, Comparison]


def pair_runs(paired: Paired, family: Family) -> TableData | None:
    """A row for each pair; None where no two runs are one."""
    found = list(_pairs(paired, family))
    if not found:
        return None
    adjusted = holm([each.p_value for *_, each in found])
    rows = tuple(
        Row(
            (
                Cell(agent_name(other.manifest)),
                Cell(_called(other, paired, family)),
                Cell(_called(baseline, paired, family)),
                Cell(one.tasks),
                Cell(one.second_rate),
                Cell(one.first_rate),
                difference_cell(one),
                Cell(one.p_value),
                Cell(float(p_value)),
            )
        )
        for (baseline, other, _, one), p_value in zip(found, adjusted, strict=True)
    )
    words = paired.by.heading or paired.by.name.replace("_", " ")
    return TableData(
        id=paired.id,
        title=paired.title,
        columns=(
            Column("key", "agent"),
            Column("condition", words),
            Column("baseline", "baseline"),
            Column("tasks", "tasks", Unit.NUMBER),
            Column("success", "success", Unit.PERCENT),
            Column("baseline_success", "of the baseline", Unit.PERCENT),
            Column("difference", "difference", Unit.POINTS),
            Column("p", "p", Unit.PROBABILITY),
            Column("p_holm", "p, Holm", Unit.PROBABILITY),
        ),
        rows=rows,
        note=_note(paired, [how for _, _, how, _ in found]),
    )


def _pairs(paired: Paired, family: Family) -> Iterator[_Pair]:
    """Each run with the baseline of its kind, where both have scored a task."""
    kinds: dict[tuple[object, ...], list[ReportedRun]] = {}
    for run in family.runs:
        rest = {k: v for k, v in run.manifest.condition.items() if k not in paired.settings}
        kinds.setdefault((agent_name(run.manifest), *sorted(rest.items())), []).append(run)
    for runs in kinds.values():
        baseline = _baseline(paired, runs)
        for run in runs:
            how = pairing_of(family, baseline, run)
            met = how.scored(run.text) & how.scored(baseline.text)
            if met and _values(run, paired) != _values(baseline, paired):
                yield baseline, run, how, compare_runs(baseline, run, how)


def _baseline(paired: Paired, runs: Sequence[ReportedRun]) -> ReportedRun:
    wanted = dict(paired.baseline)
    fitting = (r for r in runs if wanted.items() <= r.manifest.condition.items())
    return next(fitting, runs[0])


def _values(run: ReportedRun, paired: Paired) -> list[str | None]:
    return [run.manifest.condition.get(name) for name in paired.settings]


def _called(run: ReportedRun, paired: Paired, family: Family) -> str:
    """What the label says of the run; with its mark, where it says so of others of the agent."""
    name = _label(run, paired)
    alike = [
        each
        for each in family.runs
        if _label(each, paired) == name and agent_name(each.manifest) == agent_name(run.manifest)
    ]
    return name if len(alike) == 1 else f"{name} (run {run.mark})"


def _label(run: ReportedRun, paired: Paired) -> str:
    labels = (record.labels.get(paired.by.name) for record in run.text.episodes)
    return next((label for label in labels if label), _UNNAMED)


def _note(paired: Paired, pairings: Sequence[Pairing]) -> str:
    several = any(how.averaged for how in pairings)
    averaged = "Where one is played as several, their mean counts. " if several else ""
    return (
        f"{paired.note} On the tasks that both have scored. {averaged}Difference: in percentage"
        " points, with its 95 % interval, in which tasks of one cluster count together."
        f" {p_in_words(pairings)} `houseguest compare` lists the tasks that came out"
        " differently."
    ).strip()
