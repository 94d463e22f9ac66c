"""The events of one run: the newest in memory, the others in a file."""

from __future__ import annotations

import asyncio
import json
import logging
from bisect import bisect_right
from dataclasses import asdict
from operator import itemgetter
from pathlib import Path

from env_service.gateway.apart import in_thread
from env_service.gateway.run_state import RunEvent, RunState

LOG = logging.getLogger(__name__)

BATCH = 100
"""Events that go to the file together, and that one call of ``after`` reads from it."""
RECENT = 1000
"""Events that stay in memory while a run is played. A watcher that follows finds its own there."""


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
    def crowded(self) -> bool:
        """Whether it is time to call ``make_room``."""
        return len(self._recent) >= RECENT + BATCH and not self._storing.locked()

    def append(self, event: RunEvent) -> None:
        """Adds the newest event."""
        self._recent.append(event)

    async def make_room(self) -> None:
        """Moves older events to the file, and leaves the newest in memory."""
        await self._store_while(RECENT + BATCH)

    async def shelve(self) -> None:
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
