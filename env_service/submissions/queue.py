"""An organiser's queue: who may hand in, who plays it, and what becomes of a worker that dies."""

from __future__ import annotations

import time
from collections.abc import Iterable
from enum import Enum
from pathlib import Path

from env_service.submissions.errors import LimitReachedError, QueueError
from env_service.submissions.failures import SubmissionFailure
from env_service.submissions.job import Clock, Job, JobState, NewJob, Outcome, iso, utc_day
from env_service.submissions.phases import FILE, Phase, read_phases
from env_service.submissions.presence import is_gone
from env_service.submissions.secret_sets import SecretSeeds
from env_service.submissions.store import Jobs, Store

MOST_TRIES = 3
"""How often a job is taken up, until it is given up as the house's failure."""
RETRY_SECONDS = 60.0
"""How long a job waits after the house failed it, times its tries."""


class Beat(Enum):
    """What a worker hears when it shows a sign of life."""

    KEPT = "kept"
    LOST = "lost"
    """Another worker has the job, or may have it."""
    CANCELLED = "cancelled"


class Queue:
    """A folder: ``phases.toml``, ``private/`` (mode 0700) and ``public/``, which may be shown."""

    def __init__(self, folder: Path, clock: Clock = time.time) -> None:
        """Makes what is not there, but for ``phases.toml``. Raises OSError and QueueError."""
        self.folder = folder
        self.private, self.public = folder / "private", folder / "public"
        self.workers = self.private / "workers"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.private.mkdir(exist_ok=True, mode=0o700)
        self.private.chmod(0o700)
        self.public.mkdir(exist_ok=True)
        self._clock = clock
        self._store = Store(self.private / "queue.sqlite")
        self.secrets = SecretSeeds(self.private / "secrets.json")

    def phases(self) -> dict[str, Phase]:
        """As ``phases.toml`` has them now. Raises PhasesError."""
        return read_phases(self.folder / FILE)

    def place(self, job: Job) -> Path:
        """The folder of a job's runs, score and logs; made where it is not there."""
        place = self.private / job.id
        place.mkdir(exist_ok=True, mode=0o700)
        return place

    # --- for organisers

    def add(self, new: NewJob, phase: Phase) -> Job:
        """Queues a submission. Raises LimitReachedError, and QueueError for a closed phase."""
        with self._store.change() as jobs:
            # Within the transaction: two that come at once must not both be the last one.
            now = self._clock()
            if phase.closes is not None and now >= phase.closes.timestamp():
                closed = iso(phase.closes.timestamp())
                raise QueueError(f"phase {phase.name} takes no more submissions since {closed}")
            _check_limits(jobs.select(phase=new.phase, team=new.team, counts=1), phase, now)
            return jobs.insert(new, now, utc_day(now))

    def jobs(self, **wanted: object) -> list[Job]:
        """The jobs whose fields have these values, oldest first."""
        with self._store.change() as jobs:
            return jobs.select(**wanted)

    def get(self, job_id: str) -> Job:
        """A job. Raises UnknownNameError."""
        with self._store.change() as jobs:
            return jobs.get(job_id)

    def cancel(self, job_id: str) -> Job:
        """Takes a job out of the queue, or has its worker stop it. Raises QueueError for one that
        is over. A job that was never begun costs its team nothing."""
        with self._store.change() as jobs:
            job = jobs.get(job_id)
            if job.state.final:
                raise QueueError(f"submission {job_id} is over already: {job.state.value}")
            if job.state is JobState.RUNNING:
                return jobs.update(job_id, cancelling=1)
            counts = int(job.tries > 0)
            return jobs.update(
                job_id, state=JobState.CANCELLED, finished=self._clock(), counts=counts
            )

    # --- for workers

    def take(self, worker: str, lease_seconds: float) -> Job | None:
        """Takes up the oldest job that is due, for ``lease_seconds`` from now on."""
        with self._store.change() as jobs:
            now = self._clock()
            for job in jobs.select(state=JobState.RUNNING.value):
                if job.lease_until < now or is_gone(self.workers, job.worker):
                    self._give_up_or_requeue(jobs, job, f"its worker {job.worker} is gone", wait=0)
            due = jobs.due(now)
            if due is None:
                return None
            return jobs.update(
                due.id,
                state=JobState.RUNNING,
                worker=worker,
                lease_until=now + lease_seconds,
                tries=due.tries + 1,
                failure=None,
                detail="",
            )

    def beat(self, job_id: str, worker: str, lease_seconds: float) -> Beat:
        """Says that the worker is alive, and still has the job."""
        with self._store.change() as jobs:
            job = jobs.get(job_id)
            if job.state is not JobState.RUNNING or job.worker != worker:
                return Beat.LOST
            jobs.update(job_id, lease_until=self._clock() + lease_seconds)
            return Beat.CANCELLED if job.cancelling else Beat.KEPT

    def finish(self, job_id: str, worker: str, outcome: Outcome) -> Job | None:
        """Ends an attempt; None where the worker has lost the job meanwhile.

        What the house failed is queued again, MOST_TRIES times in all.
        """
        with self._store.change() as jobs:
            job = jobs.get(job_id)
            if job.state is not JobState.RUNNING or job.worker != worker:
                return None
            house = outcome.failure is SubmissionFailure.SERVICE_FAULT
            if house and outcome.state is JobState.FAILED:
                return self._give_up_or_requeue(jobs, job, outcome.detail)
            blameless = outcome.failure is not None and outcome.failure.of_the_house
            return jobs.update(
                job_id,
                state=outcome.state,
                finished=self._clock(),
                failure=outcome.failure,
                detail=outcome.detail,
                result=dict(outcome.result),
                counts=int(not blameless),
            )

    def give_back(self, job_id: str, worker: str, wait: float = 0.0) -> None:
        """Queues a job again that the worker was stopped in; the try is not counted."""
        with self._store.change() as jobs:
            job = jobs.get(job_id)
            if job.state is JobState.RUNNING and job.worker == worker:
                jobs.update(
                    job_id,
                    state=JobState.QUEUED,
                    worker="",
                    tries=job.tries - 1,
                    not_before=self._clock() + wait,
                )

    def waiting(self) -> int:
        """How many jobs are queued, due or not."""
        return len(self.jobs(state=JobState.QUEUED.value))

    def _give_up_or_requeue(
        self, jobs: Jobs, job: Job, why: str, wait: float = RETRY_SECONDS
    ) -> Job:
        now = self._clock()
        if job.cancelling:
            return jobs.update(job.id, state=JobState.CANCELLED, finished=now)
        if job.tries >= MOST_TRIES:
            return jobs.update(
                job.id,
                state=JobState.FAILED,
                finished=now,
                failure=SubmissionFailure.SERVICE_FAULT,
                detail=f"given up after {job.tries} tries: {why}",
                counts=0,
            )
        return jobs.update(
            job.id,
            state=JobState.QUEUED,
            worker="",
            detail=why,
            not_before=now + wait * job.tries,
        )


def _check_limits(counted: Iterable[Job], phase: Phase, now: float) -> None:
    held = list(counted)
    today = utc_day(now)
    team = held[0].team if held else ""
    if phase.per_day and sum(job.day == today for job in held) >= phase.per_day:
        tomorrow = iso((int(now) // 86400 + 1) * 86400)
        raise LimitReachedError(
            f"team {team} has used the {phase.per_day} submissions of {today} in phase"
            f" {phase.name}: the next day begins at {tomorrow}"
        )
    if phase.total and len(held) >= phase.total:
        raise LimitReachedError(
            f"team {team} has used all {phase.total} submissions of phase {phase.name}"
        )
