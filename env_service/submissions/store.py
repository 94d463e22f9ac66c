"""The queue's database: SQLite, for several workers at once, and whole after any of them dies."""

from __future__ import annotations

import fcntl
import json
import secrets
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from env_service.domain.names import UnknownNameError
from env_service.submissions.errors import QueueError
from env_service.submissions.failures import SubmissionFailure
from env_service.submissions.job import Job, JobState, NewJob

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
    """Jobs in a file. Every method of a transaction sees, and changes, all or nothing."""

    def __init__(self, path: Path) -> None:
        """Makes the database where there is none. Raises QueueError for one of another version."""
        self._path = path
        with path.with_suffix(".lock").open("w", encoding="utf-8") as lock:
            # Two that make it at once would meet a locked database, which SQLite does not wait for.
            fcntl.flock(lock, fcntl.LOCK_EX)
            with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS)) as database:
                database.execute("PRAGMA journal_mode = WAL")
            with self.change() as jobs:
                jobs.prepare(path)

    @contextmanager
    def change(self) -> Iterator[Jobs]:
        """A transaction that nobody else writes beside; undone where an exception leaves it."""
        # A connection for each: threads and forked processes may not share one.
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
    """The jobs, within one transaction."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def prepare(self, path: Path) -> None:
        """Makes the tables of a new database. Raises QueueError for a newer one."""
        (version,) = self._database.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise QueueError(f"{path} was made by a newer houseguest: install that")
        if version < VERSION:
            for statement in filter(str.strip, _SCHEMA.split(";")):
                self._database.execute(statement)
            self._database.execute(f"PRAGMA user_version = {VERSION}")

    def insert(self, new: NewJob, now: float, day: str) -> Job:
        """Adds a job, queued, under a fresh id."""
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
        """The oldest queued job that may be taken up now."""
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
