"""An organiser's queue of submissions: its limits, the leases of its workers, and its database."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from enum import Enum
from pathlib import Path
from typing import Any

from env_service.domain.names import UnknownNameError
from env_service.submissions.failures import LimitReachedError, QueueError, SubmissionFailure
from env_service.submissions.job import AttemptEnd, Clock, Job, JobState, NewJob, iso, utc_day
from env_service.submissions.phases import FILE, Phase, SecretSeeds, read_phases

MOST_TRIES = 3
"""Number of attempts at a job before it fails as the service's fault."""
RETRY_SECONDS = 60.0
"""Seconds that a job waits after a fault of the service, multiplied by its number of attempts."""


class LeaseBeat(Enum):
    """The queue's answer when a worker renews its lease."""

    KEPT = "kept"
    LOST = "lost"
    """Another worker holds the job, or may hold it."""
    CANCELLED = "cancelled"


class Queue:
    """A queue in a folder: ``phases.toml``, ``private/`` (mode 0700), and ``public/``, which may be
    published."""

    def __init__(self, folder: Path, clock: Clock = time.time) -> None:
        """Creates whatever is missing, except ``phases.toml``. Raises OSError and QueueError."""
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
        """The phases that ``phases.toml`` defines now. Raises PhasesError."""
        return read_phases(self.folder / FILE)

    def place(self, job: Job) -> Path:
        """The folder for a job's runs, score and logs; created if it does not exist."""
        place = self.private / job.id
        place.mkdir(exist_ok=True, mode=0o700)
        return place

    # --- for organisers

    def add(self, new: NewJob, phase: Phase) -> Job:
        """Queues a submission. Raises LimitReachedError, and QueueError for a closed phase."""
        with self._store.change() as jobs:
            # Within the transaction, so that two simultaneous submissions cannot both be the last.
            now = self._clock()
            if phase.closes is not None and now >= phase.closes.timestamp():
                closed = iso(phase.closes.timestamp())
                raise QueueError(f"phase {phase.name} closed at {closed}")
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
        """Removes a job from the queue, or makes its worker stop it.

        A job that never began does not count against its team. Raises QueueError for a finished
        job.
        """
        with self._store.change() as jobs:
            job = jobs.get(job_id)
            if job.state.final:
                raise QueueError(f"submission {job_id} has already ended: {job.state.value}")
            if job.state is JobState.RUNNING:
                return jobs.update(job_id, cancelling=1)
            counts = int(job.tries > 0)
            return jobs.update(
                job_id, state=JobState.CANCELLED, finished=self._clock(), counts=counts
            )

    # --- for workers

    def take(self, worker: str, lease_seconds: float) -> Job | None:
        """Takes the oldest job that is due and leases it for ``lease_seconds``; None if there is
        none."""
        with self._store.change() as jobs:
            now = self._clock()
            for job in jobs.select(state=JobState.RUNNING.value):
                if job.lease_until < now or is_gone(self.workers, job.worker):
                    self._give_up_or_requeue(jobs, job, f"its worker {job.worker} ended", wait=0)
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

    def beat(self, job_id: str, worker: str, lease_seconds: float) -> LeaseBeat:
        """Renews the worker's lease on the job."""
        with self._store.change() as jobs:
            job = jobs.get(job_id)
            if job.state is not JobState.RUNNING or job.worker != worker:
                return LeaseBeat.LOST
            jobs.update(job_id, lease_until=self._clock() + lease_seconds)
            return LeaseBeat.CANCELLED if job.cancelling else LeaseBeat.KEPT

    def finish(self, job_id: str, worker: str, end: AttemptEnd) -> Job | None:
        """Ends an attempt and returns the job; None if the worker has lost the job meanwhile.

        A job that failed because of the service is queued again, up to MOST_TRIES attempts.
        """
        with self._store.change() as jobs:
            job = jobs.get(job_id)
            if job.state is not JobState.RUNNING or job.worker != worker:
                return None
            service_fault = end.failure is SubmissionFailure.SERVICE_FAULT
            if service_fault and end.state is JobState.FAILED:
                return self._give_up_or_requeue(jobs, job, end.detail)
            blameless = end.failure is not None and end.failure.of_the_service
            return jobs.update(
                job_id,
                state=end.state,
                finished=self._clock(),
                failure=end.failure,
                detail=end.detail,
                result=dict(end.result),
                counts=int(not blameless),
            )

    def give_back(self, job_id: str, worker: str, wait: float = 0.0) -> None:
        """Queues a job again after its worker was stopped; the attempt does not count."""
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
        """The number of queued jobs, due or not."""
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
                detail=f"gave up after {job.tries} attempts: {why}",
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
            f"team {team} has used all {phase.per_day} submissions of {today} in phase"
            f" {phase.name}: try again after {tomorrow}"
        )
    if phase.total and len(held) >= phase.total:
        raise LimitReachedError(
            f"team {team} has used all {phase.total} submissions of phase {phase.name}"
        )


# --- The queue's database: SQLite, safe for concurrent workers and if a worker is killed

VERSION = 1
_BUSY_SECONDS = 60.0
_SCHEMA = """
CREATE TABLE jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    team TEXT NOT NULL,
    phase TEXT NOT NULL,
    reference TEXT NOT NULL,
    digest TEXT NOT NULL,
    manifest TEXT NOT NULL,
    manifest_digest TEXT NOT NULL,
    added REAL NOT NULL,
    day TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'queued',
    counts INTEGER NOT NULL DEFAULT 1,
    tries INTEGER NOT NULL DEFAULT 0,
    worker TEXT NOT NULL DEFAULT '',
    lease_until REAL NOT NULL DEFAULT 0,
    not_before REAL NOT NULL DEFAULT 0,
    finished REAL,
    failure TEXT,
    detail TEXT NOT NULL DEFAULT '',
    cancelling INTEGER NOT NULL DEFAULT 0,
    result TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX jobs_by_state ON jobs (state, number);
CREATE INDEX jobs_by_team ON jobs (phase, team, day);
"""


class Store:
    """A database file of jobs, read and changed in transactions."""

    def __init__(self, path: Path) -> None:
        """Creates the database if it does not exist. Raises QueueError if it is of a newer
        version."""
        self._path = path
        with path.with_suffix(".lock").open("w", encoding="utf-8") as lock:
            # Two processes that create it at once would meet a lock for which SQLite does not wait.
            fcntl.flock(lock, fcntl.LOCK_EX)
            with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS)) as database:
                database.execute("PRAGMA journal_mode = WAL")
            with self.change() as jobs:
                jobs.prepare(path)

    @contextmanager
    def change(self) -> Iterator[Jobs]:
        """An exclusive transaction, rolled back if an exception leaves it."""
        # One connection per transaction: threads and forked processes may not share one.
        database = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            database.row_factory = sqlite3.Row
            database.execute("PRAGMA synchronous = FULL")
            database.execute("BEGIN IMMEDIATE")
            try:
                yield Jobs(database)
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")
        finally:
            database.close()


class Jobs:
    """The jobs within one transaction."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def prepare(self, path: Path) -> None:
        """Creates the tables of a new database. Raises QueueError if it is of a newer version."""
        (version,) = self._database.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise QueueError(f"{path} was written by a newer Houseguest: upgrade Houseguest")
        if version < VERSION:
            for statement in filter(str.strip, _SCHEMA.split(";")):
                self._database.execute(statement)
            self._database.execute(f"PRAGMA user_version = {VERSION}")

    def insert(self, new: NewJob, now: float, day: str) -> Job:
        """Adds a queued job under a new id."""
        name = f"sub-{secrets.token_hex(6)}"
        self._database.execute(
            "INSERT INTO jobs (id, team, phase, reference, digest, manifest, manifest_digest,"
            " added, day) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(name, new.team, new.phase, new.reference, new.digest),
                *(json.dumps(dict(new.manifest)), new.manifest_digest, now, day),
            ),
        )
        return self.get(name)

    def get(self, job_id: str) -> Job:
        """A job. Raises UnknownNameError."""
        row = self._database.execute("SELECT * FROM jobs WHERE id = ?", (job_id,)).fetchone()
        if row is None:
            known = [each["id"] for each in self._database.execute("SELECT id FROM jobs")]
            raise UnknownNameError("submission", job_id, known)
        return _job(row)

    def select(self, **wanted: object) -> list[Job]:
        """The jobs whose columns have these values, oldest first."""
        clauses = " AND ".join(f"{column} = ?" for column in wanted) or "1"
        query = f"SELECT * FROM jobs WHERE {clauses} ORDER BY number"  # noqa: S608 - our own names
        return [_job(row) for row in self._database.execute(query, tuple(wanted.values()))]

    def due(self, now: float) -> Job | None:
        """The oldest queued job that may be taken now."""
        row = self._database.execute(
            "SELECT * FROM jobs WHERE state = ? AND not_before <= ? ORDER BY number LIMIT 1",
            (JobState.QUEUED.value, now),
        ).fetchone()
        return None if row is None else _job(row)

    def update(self, job_id: str, **values: object) -> Job:
        """Sets columns of a job."""
        assignments = ", ".join(f"{column} = ?" for column in values)
        query = f"UPDATE jobs SET {assignments} WHERE id = ?"  # noqa: S608 - our own names
        self._database.execute(query, (*map(_plain, values.values()), job_id))
        return self.get(job_id)


def _plain(value: object) -> object:
    if isinstance(value, JobState | SubmissionFailure):
        return value.value
    return json.dumps(dict(value)) if isinstance(value, Mapping) else value


def _job(row: sqlite3.Row) -> Job:
    values: dict[str, Any] = {name: row[name] for name in row.keys() if name != "number"}  # noqa: SIM118 - a Row iterates over its values
    failure = values["failure"]
    values |= {
        "state": JobState(values["state"]),
        "counts": bool(values["counts"]),
        "cancelling": bool(values["cancelling"]),
        "failure": None if failure is None else SubmissionFailure(failure),
        "manifest": json.loads(values["manifest"]),
        "result": json.loads(values["result"]),
    }
    return Job(**values)


# --- Detecting whether a worker of a queue still runs


class WorkerPresence:
    """A file that a worker keeps locked while it runs. The kernel releases the lock of a killed
    worker. A context manager."""

    def __init__(self, folder: Path, worker: str) -> None:
        """Does not lock the file yet."""
        self._path = folder / f"{worker}.lock"
        self._held = -1

    def __enter__(self) -> WorkerPresence:
        self._path.parent.mkdir(exist_ok=True, mode=0o700)
        self._held = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise QueueError(f"another worker has the name {self._path.stem}") from error
        return self

    def __exit__(self, *_: object) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._held)


def is_gone(folder: Path, worker: str) -> bool:
    """Whether a worker has certainly ended. A worker on another machine may still run; its lease
    decides."""
    path = folder / f"{worker}.lock"
    try:
        found = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
    except BlockingIOError:
        return False
    finally:
        os.close(found)
    return True
