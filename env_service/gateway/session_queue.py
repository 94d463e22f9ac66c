"""First come, first served: who waits for one of the service's session places."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

REPEAT_SECONDS = 5.0
"""Seconds between two announcements of the same position. They show that the queue still works."""


class SessionQueue:
    """``capacity`` places. A place is held by a session until ``release``."""

    def __init__(self, capacity: int) -> None:
        self._free = capacity
        self._waiting: list[QueueTicket] = []

    def ticket(self) -> QueueTicket:
        """A stay in the queue, to be used as an async context manager.

        Leaving the block without an exception keeps what was won; the holder then calls
        ``release`` when its session ends.
        """
        return QueueTicket(self)

    def release(self) -> None:
        """A session ended: the first in the queue moves up."""
        self._free += 1
        self._move()

    def _enter(self, ticket: QueueTicket) -> None:
        self._waiting.append(ticket)
        self._move()

    def _leave(self, ticket: QueueTicket, *, keep: bool) -> None:
        if ticket in self._waiting:
            self._waiting.remove(ticket)
            self._move()
        elif not keep:
            self.release()

    def _move(self) -> None:
        moved = list(self._waiting)
        while self._free and self._waiting:
            self._free -= 1
            self._waiting.pop(0).won = True
        for ticket in moved:
            ticket.changed.set()

    def position(self, ticket: QueueTicket) -> int:
        """1 for the next to be served."""
        return self._waiting.index(ticket) + 1


class QueueTicket:
    """One stay in the queue."""

    def __init__(self, queue: SessionQueue) -> None:
        self.won = False
        self.changed = asyncio.Event()
        self._queue = queue

    async def __aenter__(self) -> QueueTicket:
        self._queue._enter(self)
        return self

    async def __aexit__(self, error: object, *_: object) -> None:
        self._queue._leave(self, keep=error is None)

    async def positions(self) -> AsyncIterator[int]:
        """Yields the position when it changes, and now and then; ends when the place is won."""
        while not self.won:
            # Cleared first: while a position is announced, the place may be won.
            self.changed.clear()
            yield self._queue.position(self)
            with suppress(TimeoutError):
                await asyncio.wait_for(self.changed.wait(), REPEAT_SECONDS)
