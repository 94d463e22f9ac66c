"""Runs in pairs, on tasks that all of them have scored."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from env_service.results.report.runs import Family, ReportedRun
from env_service.results.statistics import Comparison, compare, detectable_difference, holm
from env_service.results.statistics import Episodes as Scores


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs and how they compare: ``first`` of ``found`` is the baseline.

    ``adjusted_p`` is Holm's over all pairs of the report. ``detectable`` is the smallest
    difference that a test on so many tasks, of which so many are solved by one run alone, finds
    with a power of 80 %; None where there is none. ``better`` and ``worse`` are the
    tasks that the other run solved more often, or less often, in the repeats that both have.
    """

    baseline: ReportedRun
    other: ReportedRun
    found: Comparison
    adjusted_p: float
    detectable: float | None
    better: tuple[str, ...]
    worse: tuple[str, ...]

    @property
    def name(self) -> str:
        """``B − A``."""
        return f"{self.other.mark} − {self.baseline.mark}"

    def to_json(self) -> dict[str, Any]:
        """For ``--json``."""
        found = self.found
        return {
            "baseline": str(self.baseline.text.path),
            "other": str(self.other.text.path),
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
    found = [compare(scores(first), scores(second)) for first, second in chosen]
    adjusted = holm([one.p_value for one in found])
    pairs = []
    for (first, second), one, p_value in zip(chosen, found, adjusted, strict=True):
        better, worse = _flipped(first, second)
        pairs.append(Pair(first, second, one, float(p_value), _detectable(one), better, worse))
    return tuple(pairs)


def scores(run: ReportedRun, tasks: Collection[str] | None = None) -> Scores:
    """The run's scored episodes, of ``tasks`` alone if given, for the statistics."""
    records = [
        record
        for record in run.text.episodes
        if record.fault is None and (tasks is None or record.task_id in tasks)
    ]
    return Scores(
        [record.task_id for record in records],
        [record.repeat for record in records],
        [float(record.success) for record in records],
        [record.cluster for record in records],
    )


def _flipped(first: ReportedRun, second: ReportedRun) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The tasks that the second run solved more often, and those it solved less often."""
    one, other = scores(first).by_episode(), scores(second).by_episode()
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
