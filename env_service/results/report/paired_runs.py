"""Comparisons of two runs, on tasks that both have scored."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from env_service.results.report.content import Cell, Column, Row, TableData
from env_service.results.report.runs import (
    BY_TASK,
    Family,
    Pairing,
    ReportedRun,
    agent_name,
    pairing,
)
from env_service.results.statistics import Comparison, compare, detectable_difference, holm
from env_service.suites.reporting import Paired, Unit


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs and how they compare: ``first`` of ``found`` is the baseline.

    ``adjusted_p`` is Holm's over all pairs of the report. ``detectable`` is the smallest difference
    that a test finds with 80 % power on as many tasks, as many of them solved by one run only; None
    if there is none. ``better`` and ``worse`` are the tasks that the other run solved more often,
    or less often, in the repeats that both have. ``pairing`` says by what episodes are paired.
    """

    baseline: ReportedRun
    other: ReportedRun
    found: Comparison
    adjusted_p: float
    detectable: float | None
    better: tuple[str, ...]
    worse: tuple[str, ...]
    pairing: Pairing = BY_TASK

    @property
    def name(self) -> str:
        """``B − A``."""
        return f"{self.other.mark} − {self.baseline.mark}"

    def to_json(self) -> dict[str, Any]:
        """For ``--json``."""
        found = self.found
        return {
            "baseline": str(self.baseline.contents.path),
            "other": str(self.other.contents.path),
            "tasks": found.tasks,
            "baseline_rate": found.first_rate,
            "other_rate": found.second_rate,
            "difference": found.difference.difference,
            "interval_95": [found.difference.low, found.difference.high],
            "p_value": found.p_value,
            "p_value_holm": self.adjusted_p,
            "smallest_detectable_difference": self.detectable,
            "better_in_other": list(self.better),
            "better_in_baseline": list(self.worse),
        }


def compare_pairs(family: Family, *, all_pairs: bool) -> tuple[Pair, ...]:
    """Each run with the first, or all pairs of runs."""
    runs = family.runs
    chosen = list(combinations(runs, 2)) if all_pairs else [(runs[0], run) for run in runs[1:]]
    pairings = [pairing_of(family, *two) for two in chosen]
    found = [compare_runs(*two, how) for two, how in zip(chosen, pairings, strict=True)]
    adjusted = holm([one.p_value for one in found])
    pairs = []
    for two, how, one, p_value in zip(chosen, pairings, found, adjusted, strict=True):
        better, worse = _flipped(*two, how)
        # The detectable difference is defined for tasks that succeed or fail, not for means.
        seen = None if how.averaged else _detectable(one)
        pairs.append(Pair(*two, one, float(p_value), seen, better, worse, how))
    return tuple(pairs)


def pairing_of(family: Family, first: ReportedRun, second: ReportedRun) -> Pairing:
    """How to pair two runs: by tasks if they have the same ones."""
    return pairing((first.contents, second.contents), family.pairing.label)


def compare_runs(
    first: ReportedRun,
    second: ReportedRun,
    how: Pairing,
    among: Collection[str] | None = None,
) -> Comparison:
    """Compares two runs on what both have scored, limited to ``among`` if given."""
    one, other = how.scores(first.contents, among), how.scores(second.contents, among)
    return compare(one, other, averaged=how.averaged)


def difference_cell(found: Comparison) -> Cell:
    """The difference with its interval."""
    difference = found.difference
    return Cell(difference.difference, difference.low, difference.high, difference.n)


def p_in_words(pairings: Collection[Pairing]) -> str:
    """How the p-values of pairs, and Holm's, were computed."""
    mcnemar = (
        "exact McNemar test on the tasks that one run solved more often, in the repeats that both"
        " have"
    )
    student = (
        "Student's test of the difference, because a mean of several episodes is compared with one"
    )
    averaged = {each.averaged for each in pairings}
    how = student if averaged == {True} else mcnemar
    if len(averaged) > 1:
        how = f"{mcnemar}; for a task with several episodes, {student}"
    return f"p: {how}. Holm: adjusted for the number of pairs."


def _flipped(
    first: ReportedRun, second: ReportedRun, how: Pairing
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The tasks that the second run solved more often, and those it solved less often."""
    one = how.scores(first.contents).by_episode()
    other = how.scores(second.contents).by_episode()
    gains = dict.fromkeys(first.manifest.task_ids, 0.0)
    for key in one.keys() & other.keys():
        gains[key[0]] = gains.get(key[0], 0.0) + other[key] - one[key]
    return (
        tuple(task for task, gain in gains.items() if gain > 0),
        tuple(task for task, gain in gains.items() if gain < 0),
    )


def _detectable(found: Comparison) -> float | None:
    discordant = (found.first_better + found.second_better) / found.tasks
    return detectable_difference(found.tasks, discordant) if discordant else None


# --- A declared table of paired runs: runs of one agent that differ in some settings

_UNNAMED = "–"
_Pair = tuple[ReportedRun, ReportedRun, Pairing, Comparison]


def pair_runs(paired: Paired, family: Family) -> TableData | None:
    """A row for each pair; None without any pair."""
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
    """Each run with its baseline, if both have scored a common task."""
    kinds: dict[tuple[object, ...], list[ReportedRun]] = {}
    for run in family.runs:
        rest = {k: v for k, v in run.manifest.condition.items() if k not in paired.settings}
        kinds.setdefault((agent_name(run.manifest), *sorted(rest.items())), []).append(run)
    for runs in kinds.values():
        baseline = _baseline(paired, runs)
        for run in runs:
            how = pairing_of(family, baseline, run)
            met = how.scored(run.contents) & how.scored(baseline.contents)
            if met and _values(run, paired) != _values(baseline, paired):
                yield baseline, run, how, compare_runs(baseline, run, how)


def _baseline(paired: Paired, runs: Sequence[ReportedRun]) -> ReportedRun:
    wanted = dict(paired.baseline)
    fitting = (r for r in runs if wanted.items() <= r.manifest.condition.items())
    return next(fitting, runs[0])


def _values(run: ReportedRun, paired: Paired) -> list[str | None]:
    return [run.manifest.condition.get(name) for name in paired.settings]


def _called(run: ReportedRun, paired: Paired, family: Family) -> str:
    """The run's label, with its mark if another run of the agent has the same label."""
    name = _label(run, paired)
    alike = [
        each
        for each in family.runs
        if _label(each, paired) == name and agent_name(each.manifest) == agent_name(run.manifest)
    ]
    return name if len(alike) == 1 else f"{name} (run {run.mark})"


def _label(run: ReportedRun, paired: Paired) -> str:
    labels = (record.labels.get(paired.by.name) for record in run.contents.episodes)
    return next((label for label in labels if label), _UNNAMED)


def _note(paired: Paired, pairings: Sequence[Pairing]) -> str:
    several = any(how.averaged for how in pairings)
    averaged = "For a task with several episodes, their mean counts. " if several else ""
    return (
        f"{paired.note} On the tasks that both have scored. {averaged}Difference: in percentage"
        " points, with its 95 % interval, which treats tasks of one cluster together."
        f" {p_in_words(pairings)} `houseguest compare` lists the tasks that came out"
        " differently."
    ).strip()
