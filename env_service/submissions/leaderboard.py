"""The leaderboard with one line per team, and the public data of a submission: totals only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from env_service.domain.failure import FailureClass
from env_service.storage.atomic_files import document, write_atomically
from env_service.submissions.job import Job, JobState
from env_service.submissions.phases import BEST, Phase
from env_service.submissions.queue import Queue
from env_service.submissions.score_file import ALL_PLANNED, GAINED, MET, PLAYED


@dataclass(frozen=True, slots=True)
class LeaderboardEntry:
    """A team's line. Equal rates share a ``rank``; ``submissions`` is the number scored."""

    rank: int
    job: Job
    submissions: int

    @property
    def rate(self) -> float:
        """The reported rate: successes over all planned episodes."""
        return _rate(self.job)

    @property
    def suites(self) -> tuple[tuple[str, str, str], ...]:
        """The suite, the world and the task set of each run."""
        results = self.job.result["results"]
        return tuple((each["suite"], each["world"], each["task_set"]) for each in results)

    def to_json(self) -> dict[str, Any]:
        """A line of the public leaderboard.

        The shares of goal conditions are None in scores of earlier releases, which did not record
        the start of an episode.
        """
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


def leaderboard(jobs: Iterable[Job], phase: Phase) -> tuple[LeaderboardEntry, ...]:
    """The best or latest scored submission of each team in a phase, the highest rate first.

    Equal rates share a rank, the earliest of them comes first, and the next rank counts them all.
    Repeated submissions of the same image count separately.
    """
    by_team: dict[str, list[Job]] = {}
    for job in jobs:
        if job.phase == phase.name and job.state is JobState.SCORED:
            by_team.setdefault(job.team, []).append(job)
    # Among equal rates, max keeps the submission that was added first.
    chosen = [
        (max(held, key=_rate) if phase.ranking == BEST else held[-1], len(held))
        for held in by_team.values()
    ]
    chosen.sort(key=lambda each: (-_rate(each[0]), each[0].added))
    rates = [_rate(job) for job, _ in chosen]
    return tuple(LeaderboardEntry(1 + rates.index(_rate(job)), job, held) for job, held in chosen)


def _rate(job: Job) -> float:
    return float(job.result["overall"][ALL_PLANNED]["success_rate"] or 0.0)


# --- The public data of a submission: totals, and nothing that an agent could have chosen

_DECLARED = ("name", "version", "model", "licence", "url")
"""Public fields of the manifest, which the team wrote before its agent saw a task."""
_COUNTED = {each.value for each in FailureClass}


def public_json(job: Job, phase: Phase | None) -> dict[str, Any]:
    """The public data of a submission. ``phase`` is None if it no longer exists; it then counts as
    hidden.

    The result is built from a list of public fields, rather than by removing private ones. It
    contains no task, no task set of a hidden phase, and no seed, transcript, picture, log or
    detail. It also contains none of the numbers and texts that an agent chooses when it plays (its
    Hello, usage, messages and steps), because they could leak observations. An agent also chooses
    how often it fails in which way: with forty episodes and eight ways to fail, these counts alone
    would leak 28 bits, enough for a task set's seed, so a hidden phase omits them.
    """
    document: dict[str, Any] = {
        "id": job.id,
        "team": job.team,
        "phase": job.phase,
        "agent": {key: job.manifest.get(key, "") for key in _DECLARED},
        "digest": job.digest,
        "day": job.day,
        "state": job.state.value,
        "failure": None if job.failure is None else job.failure.value,
        "score": None,
    }
    if job.result:
        document["score"] = _totals(job.result)
        if phase is not None and not phase.hidden:
            document["score"]["failures"] = _failures(job.result)
            document["score"]["task_sets"] = [
                {
                    "suite": result["suite"],
                    "task_set": result["task_set"],
                    "world": result["world"],
                    "condition": dict(result["condition"]),
                    "rates": _rates(result["rates"]),
                }
                for result in job.result["results"]
            ]
    return document


def publish(queue: Queue, job: Job, phase: Phase | None) -> None:
    """Writes ``public/ID.json``. Raises OSError."""
    path = queue.public / f"{job.id}.json"
    write_atomically(path, document(public_json(job, phase)))
    path.chmod(0o644)


def _totals(result: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "reported": ALL_PLANNED,
        "rates": _rates(result["overall"]),
        "not_scored": sum(each["not_scored"] for each in result["results"]),
    }


def _failures(result: Mapping[str, Any]) -> dict[str, int]:
    failures: Counter[str] = Counter()
    for each in result["results"]:
        failures.update({name: n for name, n in each["failures"].items() if name in _COUNTED})
    return dict(failures.most_common())


def _rates(rates: Mapping[str, Any]) -> dict[str, Any]:
    fields = ("n", "successes", "success_rate", "interval_95", GAINED, MET)
    return {
        name: {field: rates[name][field] for field in fields if field in rates[name]}
        for name in (ALL_PLANNED, PLAYED)
    }
