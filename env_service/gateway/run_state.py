"""The state of a run, its events, and what is kept of it when it is over."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from bisect import bisect_right
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from operator import itemgetter
from pathlib import Path
from typing import Protocol

from env_service.domain.usage import Usage
from env_service.gateway.background import in_thread
from env_service.gateway.episode_in_play import EpisodeInPlay


class RunState(IntEnum):
    """The state of a run. Values equal ``houseguest.control.v1.RunState``."""

    PENDING = 1
    RUNNING = 2
    SUCCEEDED = 3
    FAILED = 4
    CANCELLED = 5


@dataclass(frozen=True, slots=True)
class RunEvent:
    """Something happened in a run.

    ``kind`` is ``opened``, ``closed``, ``voided`` or ``withdrawn`` for an episode, ``left``
    for a session that withdrew, or ``state``. ``time`` is seconds since the epoch;
    ``success`` and ``failure`` are set for ``closed``, ``failure`` also for ``voided`` and
    ``withdrawn``; ``session``, ``failure`` (a WithdrawReason's value) and ``message`` for
    ``left``; ``state`` for ``state``.
    """

    kind: str
    time: float
    episode_id: str = ""
    task_id: str = ""
    repeat: int = 0
    success: bool = False
    failure: str = ""
    steps: int = 0
    state: RunState | None = None
    session: int = 0
    message: str = ""


def episode_event(
    kind: str, episode: EpisodeInPlay, *, success: bool = False, failure: str = ""
) -> RunEvent:
    """Something has just happened to an episode."""
    return RunEvent(
        kind,
        time.time(),
        episode.episode_id,
        episode.assignment.task.id,
        episode.assignment.repeat,
        success,
        failure,
        episode.steps,
    )


@dataclass(slots=True)
class Counts:
    """Numbers of episodes: final ones, and those that did not count; also of earlier processes.

    ``usage`` is what agents say that their models used, for all of them.
    """

    done: int = 0
    succeeded: int = 0
    total: int = 0
    voided: int = 0
    withdrawn: int = 0
    unscored: int = 0
    playing: int = 0
    waiting: int = 0
    """Sessions whose BeginEpisode waits for a place in a worker, and not only for a moment."""
    usage: Usage = field(default_factory=Usage)


# --- The events of one run: the newest in memory, the others in a file

LOG = logging.getLogger(__name__)

BATCH = 100
"""Events that go to the file together, and that one call of ``after`` reads from it."""
RECENT = 1000
"""Events that stay in memory while a run is played, for its watchers."""


class EventLog:
    """Every event since the service opened the run, numbered from 1. For one event loop.

    The file belongs to this log: the first batch replaces what an earlier process left there.
    While the file cannot be written, all events stay in memory.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._recent: list[RunEvent] = []
        self._batches: list[tuple[int, int]] = []
        """Of each batch in the file, the number of events before it, and the byte it begins at."""
        self._stored = 0
        self._size = 0
        self._complained = False
        self._storing = asyncio.Lock()

    @property
    def count(self) -> int:
        """The number of the newest event; 0 before the first."""
        return self._stored + len(self._recent)

    @property
    def overfull(self) -> bool:
        """Whether it is time to call ``store_oldest``."""
        return len(self._recent) >= RECENT + BATCH and not self._storing.locked()

    def append(self, event: RunEvent) -> None:
        """Adds the newest event."""
        self._recent.append(event)

    async def store_oldest(self) -> None:
        """Moves older events to the file, and leaves the newest in memory."""
        await self._store_while(RECENT + BATCH)

    async def store_all(self) -> None:
        """Moves what is in memory to the file, once a run has ended."""
        await self._store_while(1)

    async def after(self, cursor: int) -> list[RunEvent]:
        """Some of the events with a number above ``cursor``, from the next one on; empty where
        there are none. Raises OSError where the file cannot be read."""
        if cursor >= self._stored:
            return self._recent[cursor - self._stored :][:BATCH]
        place = bisect_right(self._batches, cursor, key=itemgetter(0))
        before, start = self._batches[place - 1]
        end = self._batches[place][1] if place < len(self._batches) else self._size
        events = await asyncio.to_thread(self._read, start, end)
        return events[cursor - before :]

    async def _store_while(self, least: int) -> None:
        """Moves the oldest events to the file, as long as so many are in memory."""
        async with self._storing:
            while len(self._recent) >= least and await self._store():
                pass

    async def _store(self) -> bool:
        """Moves the oldest events to the file; returns whether that was possible."""
        batch = self._recent[:BATCH]
        try:
            size = await in_thread(self._write, batch)
        except OSError as error:
            if not self._complained:
                LOG.warning("events stay in memory: %s cannot be written: %s", self._path, error)
            self._complained = True
            return False
        self._batches.append((self._stored, self._size))
        self._stored += len(batch)
        self._size += size
        del self._recent[: len(batch)]
        return True

    def _write(self, batch: list[RunEvent]) -> int:
        """Writes some events behind those in the file; returns how many bytes they take."""
        data = b"".join(json.dumps(asdict(event)).encode() + b"\n" for event in batch)
        with self._path.open("r+b" if self._batches else "wb") as file:
            # A batch that was written in part before is written again.
            file.seek(self._size)
            return file.write(data)

    def _read(self, start: int, end: int) -> list[RunEvent]:
        with self._path.open("rb") as file:
            file.seek(start)
            return [_event(json.loads(line)) for line in file.read(end - start).splitlines()]


def _event(fields: dict[str, object]) -> RunEvent:
    state = fields.pop("state")
    return RunEvent(**fields, state=None if state is None else RunState(state))  # type: ignore[arg-type]


# --- What a service keeps of a run that is over

KEEP_SECONDS = 900.0
"""How long a run that is over still answers its agents: longer than an agent may think between two
episodes. Later calls get RUN_OVER."""

MOST_WHOLE = 8
"""Runs that are over and still answer their agents. A further one replaces one of these early: one
whose agents all know that it is over or, beyond twice as many, the oldest."""

MOST_PAST = 1000
"""Other runs that are over, and that the operator can still ask about. Each takes about 2 KiB."""


class KnownRun(Protocol):
    """What the operator may ask of a run, whether it is being played or over."""

    @property
    def run_id(self) -> str:
        """Names the run, and its folder."""

    @property
    def task_set_digest(self) -> str:
        """Of the task set that it plays."""

    @property
    def path(self) -> Path:
        """The run's folder."""

    @property
    def events(self) -> EventLog:
        """What happened in it, in this process."""

    @property
    def created(self) -> float:
        """When it was opened in this process, in seconds since the epoch."""

    @property
    def state(self) -> RunState:
        """Where it is in its life."""

    @property
    def over(self) -> bool:
        """Whether no episode of it will be played any more in this process."""

    @property
    def stopped(self) -> str:
        """Why it stopped before its last episode; empty where nothing stopped it."""

    def counts(self) -> Counts:
        """How many episodes are done, unscored, and left."""

    async def drain(self) -> None:
        """Stops it, if it is not over."""

    async def events_after(self, cursor: int) -> list[RunEvent]:
        """Some events with a cursor above ``cursor``; empty when there will be none."""


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run that is over, without its sessions, records and workers."""

    run_id: str
    task_set_digest: str
    path: Path
    created: float
    state: RunState
    stopped: str
    final: Counts
    events: EventLog

    @property
    def over(self) -> bool:
        """Always true."""
        return True

    def counts(self) -> Counts:
        """The counts at its end."""
        return self.final

    async def drain(self) -> None:
        """Does nothing."""

    async def events_after(self, cursor: int) -> list[RunEvent]:
        """Some events with a cursor above ``cursor``, from the next one on; empty where there are
        none. Raises OSError where older ones cannot be read."""
        return await self.events.after(cursor)
