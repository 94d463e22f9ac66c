"""Tells whoever listens that something has changed."""

from __future__ import annotations

import asyncio


class Announcer:
    """Hands out queues. For one event loop."""

    def __init__(self) -> None:
        self._listeners: set[asyncio.Queue[None]] = set()

    @property
    def heard(self) -> bool:
        """Whether anybody listens."""
        return bool(self._listeners)

    def listen(self) -> asyncio.Queue[None]:
        """A queue that gets an item whenever something has changed."""
        queue: asyncio.Queue[None] = asyncio.Queue()
        self._listeners.add(queue)
        return queue

    def unlisten(self, queue: asyncio.Queue[None]) -> None:
        """The listener has gone."""
        self._listeners.discard(queue)

    def notify(self) -> None:
        """Something has changed."""
        for queue in self._listeners:
            queue.put_nowait(None)
