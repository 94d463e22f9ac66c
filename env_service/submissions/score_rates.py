"""Success rates of a score, computed from runs alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from env_service.results.fields import Fields, FormatError
from env_service.results.reading import RunText
from env_service.results.statistics import rate_interval

ALL_PLANNED = "over_all_planned"
"""The strict rate, which is the reported one: what was not scored counts as not succeeded."""
PLAYED = "over_played"
"""The rate over what was played to an end and scored."""
GAINED, MET = "goal_conditions_gained", "goal_condition_rate"
"""Means over episodes that stand beside a rate."""
UNPLAYED, UNSCORED = "unplayed", "unscored"


@dataclass(frozen=True, slots=True)
class NotScored:
    """A planned episode without a score.

    ``why`` is UNPLAYED, or UNSCORED where the house voided it to the end; ``fault`` is then the
    class of its last fault. ``cluster`` is the task's, for the interval.
    """

    task_id: str
    repeat: int
    cluster: str
    why: str
    fault: str | None = None

    def to_json(self) -> dict[str, Any]:
        """As a score lists it."""
        return {
            "task_id": self.task_id,
            "repeat": self.repeat,
            "cluster": self.cluster,
            "why": self.why,
            "fault": self.fault,
        }

    @staticmethod
    def from_json(value: object) -> NotScored:
        """Reads one. Raises FormatError."""
        fields = Fields(value, "not_scored")
        why = fields.text("why")
        if why not in (UNPLAYED, UNSCORED):
            raise FormatError(f"not_scored.why has to be {UNPLAYED} or {UNSCORED}, not {why!r}")
        return NotScored(
            task_id=fields.text("task_id"),
            repeat=fields.integer("repeat"),
            cluster=fields.text("cluster"),
            why=why,
            fault=fields.optional_text("fault"),
        )


@dataclass(frozen=True, slots=True)
class Trial:
    """One planned episode, as far as a rate needs it.

    ``gained`` and ``met`` are the shares of goal conditions that were gained, and that hold at the
    end; None where an episode has none, and 0 for an episode without a score.
    """

    task_id: str
    cluster: str
    success: bool
    scored: bool
    gained: float | None = None
    met: float | None = None


def not_scored(run: RunText, clusters: Mapping[str, str]) -> tuple[NotScored, ...]:
    """The planned episodes of a run that have no score, in playing order.

    ``clusters`` has the cluster of every task that may be among them.
    """
    summary = run.summary
    faults = {(each.task_id, each.repeat): each.fault for each in summary.unscored}
    scored = {(each.task_id, each.repeat) for each in run.episodes if each.fault is None}
    return tuple(
        NotScored(
            task_id=task,
            repeat=repeat,
            cluster=clusters[task],
            why=UNSCORED if (task, repeat) in faults else UNPLAYED,
            fault=faults.get((task, repeat)),
        )
        for task, repeat in run.manifest.episodes()
        if (task, repeat) not in scored
    )


def trials(run: RunText, missing: Iterable[NotScored], prefix: str = "") -> list[Trial]:
    """Every planned episode of a run; ``prefix`` keeps tasks of several suites apart."""
    played = [
        Trial(
            prefix + each.task_id,
            prefix + each.cluster,
            each.success,
            scored=True,
            gained=each.goals_gained,
            met=each.goals_met,
        )
        for each in run.episodes
        if each.fault is None
    ]
    lost = [
        Trial(
            prefix + each.task_id,
            prefix + each.cluster,
            success=False,
            scored=False,
            gained=0.0,
            met=0.0,
        )
        for each in missing
    ]
    return [*played, *lost]


def rates_json(planned: Sequence[Trial]) -> dict[str, Any]:
    """Both rates, by name, each with its 95 % interval (``rate_interval``).

    With goal conditions gained, and the share of them that hold at the end, as means over
    episodes, where any episode that was played tells them; scores from before the start of an
    episode was recorded are without.
    """
    known = any(trial.scored and trial.gained is not None for trial in planned)
    played = [trial for trial in planned if trial.scored]
    return {
        name: _rate(counted) | (_goals(counted) if known else {})
        for name, counted in ((ALL_PLANNED, planned), (PLAYED, played))
    }


def _goals(counted: Sequence[Trial]) -> dict[str, float]:
    gained = [trial.gained for trial in counted if trial.gained is not None]
    met = [trial.met for trial in counted if trial.met is not None]
    return {GAINED: fmean(gained), MET: fmean(met)}


def _rate(counted: Sequence[Trial]) -> dict[str, Any]:
    n, successes = len(counted), sum(trial.success for trial in counted)
    if not n:
        return {"n": 0, "successes": 0, "success_rate": None, "interval_95": None}
    low, high = rate_interval(
        [float(trial.success) for trial in counted],
        [trial.cluster for trial in counted],
        [trial.task_id for trial in counted],
    )
    return {
        "n": n,
        "successes": successes,
        "success_rate": successes / n,
        "interval_95": [low, high],
    }
