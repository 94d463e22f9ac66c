"""What changes in the runs, as server-sent events: one loop looks for all clients."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from typing import Any

from starlette.concurrency import run_in_threadpool

from env_service.index.store import Index, IndexUnavailableError
from env_service.index.sync import SyncReport
from env_service.index.verifications import verified_after

LOG = logging.getLogger(__name__)
SECONDS = 0.5
"""Between two looks at the folder of runs."""
MOST_CLIENTS = 64
"""Pages that may listen at once."""
_WAITING = 64
"""Events that wait for a slow client, before it is asked to load everything again."""
_ALIVE_SECONDS = 15.0
"""After which a comment is sent, so that proxies and clients keep the connection."""


class Changes:
    """Keeps the index up to date, and passes on what changed."""

    def __init__(self, index: Index, seconds: float = SECONDS) -> None:
        self._index, self._seconds = index, seconds
        self._clients: set[asyncio.Queue[str | None]] = set()
        self._known: tuple[tuple[str, str], ...] = ()
        self._number = 0
        self._verified: int | None = None
        self.problem = ""
        """Why the last look failed; empty if it did not."""

    async def run(self) -> None:
        """Looks until it is cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(self._seconds)

    async def look(self) -> None:
        """Looks once. A problem is an event, and does not end the loop."""
        try:
            report, verified = await run_in_threadpool(self._look)
        except (OSError, IndexUnavailableError) as error:
            if self.problem != str(error):
                LOG.warning("%s", error)
                self.problem = str(error)
                self._send("problem", {"error": self.problem})
            return
        if self.problem:
            self.problem = ""
            self._send("recovered", {})
        if report or verified or report.problems != self._known:
            self._known = report.problems
            self._send("change", _change(report, verified))

    def _look(self) -> tuple[SyncReport, tuple[str, ...]]:
        """What changed in the folder, and which runs were verified since the last look."""
        report = self._index.sync()
        newest, runs = verified_after(self._index, self._verified or 0)
        first, self._verified = self._verified is None, newest
        return report, () if first else runs

    @property
    def full(self) -> bool:
        """Whether no more clients are taken."""
        return len(self._clients) >= MOST_CLIENTS

    async def listen(self) -> AsyncIterator[str]:
        """The stream of one client, in the format of server-sent events."""
        queue: asyncio.Queue[str | None] = asyncio.Queue(_WAITING)
        self._clients.add(queue)
        try:
            # The client loads its page again: it may have missed what happened before.
            yield f"retry: 1000\n{_event('ready', {'problem': self.problem}, self._number)}"
            while True:
                try:
                    event = await asyncio.wait_for(queue.get(), _ALIVE_SECONDS)
                except TimeoutError:
                    event = ": alive\n\n"
                if event is None:
                    return
                yield event
        finally:
            self._clients.discard(queue)

    def close(self) -> None:
        """Ends the stream of every client."""
        for queue in self._clients:
            while not queue.empty():
                queue.get_nowait()
            queue.put_nowait(None)

    def _send(self, kind: str, data: dict[str, Any]) -> None:
        self._number += 1
        for queue in self._clients:
            if queue.full():
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait(_event("reload", {}, self._number))
            else:
                queue.put_nowait(_event(kind, data, self._number))


def _change(report: SyncReport, verified: tuple[str, ...]) -> dict[str, Any]:
    return {
        "new": report.new,
        "changed": sorted({*report.changed, *verified}),
        "vanished": report.vanished,
        "episodes": report.episodes,
        "problems": [{"run": run, "problem": problem} for run, problem in report.problems],
    }


def _event(kind: str, data: dict[str, Any], number: int) -> str:
    # JSON in ASCII has no line end, which would end the event.
    return f"id: {number}\nevent: {kind}\ndata: {json.dumps(data)}\n\n"
