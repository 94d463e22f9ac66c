"""One submission in a queue, and its state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from env_service.submissions.failures import SubmissionFailure

Clock = Callable[[], float]
"""Returns seconds since the epoch: ``time.time``, except in tests."""


class JobState(Enum):
    """The state of a submission. SCORED, FAILED and CANCELLED are final."""

    QUEUED = "queued"
    RUNNING = "running"
    SCORED = "scored"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def final(self) -> bool:
        """Whether the state is final."""
        return self in (JobState.SCORED, JobState.FAILED, JobState.CANCELLED)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """A new submission. ``digest`` pins the image; ``manifest`` has the form of ``to_json``."""

    team: str
    phase: str
    reference: str
    digest: str
    manifest: Mapping[str, Any]
    manifest_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A submission in the queue.

    ``day`` is the UTC day whose limit it counts against if ``counts`` is true. ``tries`` is the
    number of attempts. ``worker`` holds the job until ``lease_until``, or longer if it renews its
    lease. ``failure`` is set if the score is missing or incomplete; ``detail`` explains it to the
    organiser. ``result`` is the score without its episodes. Times are seconds since the epoch.
    """

    id: str
    team: str
    phase: str
    reference: str
    digest: str
    manifest: Mapping[str, Any]
    manifest_digest: str
    added: float
    day: str
    state: JobState
    counts: bool = True
    tries: int = 0
    worker: str = ""
    lease_until: float = 0.0
    not_before: float = 0.0
    finished: float | None = None
    failure: SubmissionFailure | None = None
    detail: str = ""
    cancelling: bool = False
    result: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The job as JSON for the organiser."""
        return {
            "id": self.id,
            "team": self.team,
            "phase": self.phase,
            "image": self.reference,
            "digest": self.digest,
            "manifest": dict(self.manifest),
            "added": iso(self.added),
            "day": self.day,
            "state": self.state.value,
            "counts_against_the_day": self.counts,
            "tries": self.tries,
            "worker": self.worker,
            "finished": None if self.finished is None else iso(self.finished),
            "failure": None if self.failure is None else self.failure.value,
            "detail": self.detail,
            "result": dict(self.result),
        }


@dataclass(frozen=True, slots=True)
class AttemptEnd:
    """How an attempt ended. ``result`` is empty without a score."""

    state: JobState
    failure: SubmissionFailure | None = None
    detail: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)


def utc_day(now: float) -> str:
    """The UTC date in the form ``2026-11-22``."""
    return datetime.fromtimestamp(now, UTC).date().isoformat()


def iso(now: float) -> str:
    """The UTC time in the form ``2026-11-22T06:30:00+00:00``."""
    return datetime.fromtimestamp(now, UTC).isoformat(timespec="seconds")
