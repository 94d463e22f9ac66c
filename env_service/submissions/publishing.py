"""What everybody may know of a submission: totals, and nothing that an agent could have said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from env_service.domain.failure import FailureClass
from env_service.results.atomic import document, write_atomically
from env_service.submissions.job import Job
from env_service.submissions.phases import Phase
from env_service.submissions.queue import Queue
from env_service.submissions.score_rates import ALL_PLANNED, GAINED, MET, PLAYED

_DECLARED = ("name", "version", "model", "licence", "url")
"""Of the manifest, which was written before any task was seen."""
_COUNTED = {each.value for each in FailureClass}


def public_json(job: Job, phase: Phase | None) -> dict[str, Any]:
    """The public side of a submission. ``phase`` None: it is no more, and taken for hidden.

    Built up from what may be told rather than cut down: no task, no task set of a hidden phase, no
    seed, transcript, picture, log or detail; and none of the numbers and texts that an agent
    chooses when it plays (its Hello, its usage, its words, its steps), which could carry
    observations outside. How often it failed in which way is such a choice, too: with forty
    episodes and eight ways these counts alone would carry 28 bits, enough for a task set's seed.
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
