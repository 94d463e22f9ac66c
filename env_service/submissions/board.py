"""A leaderboard: one line a team."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from env_service.submissions.job import Job, JobState
from env_service.submissions.phases import BEST, Phase
from env_service.submissions.score_rates import ALL_PLANNED, GAINED, MET, PLAYED


@dataclass(frozen=True, slots=True)
class Entry:
    """A team's place. Equal rates share a ``rank``; ``submissions`` is how many were scored."""

    rank: int
    job: Job
    submissions: int

    @property
    def rate(self) -> float:
        """The reported rate: successes over all planned episodes."""
        return _rate(self.job)

    @property
    def suites(self) -> tuple[tuple[str, str, str], ...]:
        """The suite, the world and the task set of each of its runs."""
        told = self.job.result["results"]
        return tuple((each["suite"], each["world"], each["task_set"]) for each in told)

    def to_json(self) -> dict[str, Any]:
        """A line of the public board. The shares of goal conditions are None in scores from before
        the start of an episode was recorded."""
        rates = self.job.result["overall"]
        return {
            "rank": self.rank,
            "team": self.job.team,
            "id": self.job.id,
            "agent": self.job.manifest.get("name", ""),
            "version": self.job.manifest.get("version", ""),
            "day": self.job.day,
            "submissions": self.submissions,
            "success_rate": rates[ALL_PLANNED]["success_rate"],
            "interval_95": rates[ALL_PLANNED]["interval_95"],
            "successes": rates[ALL_PLANNED]["successes"],
            "planned": rates[ALL_PLANNED]["n"],
            "played": rates[PLAYED]["n"],
            "success_rate_over_played": rates[PLAYED]["success_rate"],
            GAINED: rates[ALL_PLANNED].get(GAINED),
            MET: rates[ALL_PLANNED].get(MET),
        }


def board(jobs: Iterable[Job], phase: Phase) -> tuple[Entry, ...]:
    """The scored submissions of a phase, each team's best or latest, the highest rate first.

    Rates that are equal share a rank, and the next rank counts them all; among them the one that
    was handed in earlier stands first. Submissions of an image that was handed in several times
    are several.
    """
    by_team: dict[str, list[Job]] = {}
    for job in jobs:
        if job.phase == phase.name and job.state is JobState.SCORED:
            by_team.setdefault(job.team, []).append(job)
    # Of equal ones the first: max keeps the earliest in order of adding.
    chosen = [
        (max(held, key=_rate) if phase.ranking == BEST else held[-1], len(held))
        for held in by_team.values()
    ]
    chosen.sort(key=lambda each: (-_rate(each[0]), each[0].added))
    rates = [_rate(job) for job, _ in chosen]
    return tuple(Entry(1 + rates.index(_rate(job)), job, held) for job, held in chosen)


def _rate(job: Job) -> float:
    return float(job.result["overall"][ALL_PLANNED]["success_rate"] or 0.0)
