"""A practice: leases that each pin one task, may be reset, and leave nothing behind."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass

from env_service.domain.observation import ObservationOffer
from env_service.domain.practice import house_seeds
from env_service.domain.reasons import ProtocolError, Reason
from env_service.domain.task import Task
from env_service.gateway.apart import in_thread
from env_service.gateway.practice_seat import PracticeDealer, PracticeSeat
from env_service.gateway.records import NoRecords
from env_service.gateway.run_state import Counts
from env_service.gateway.seat_queue import SeatQueue
from env_service.gateway.settings import HouseLimits
from env_service.gateway.table import Attached, Table

LOG = logging.getLogger(__name__)
TICK_SECONDS = 0.1
NAME = "practice"
"""What every agent goes by here: nothing of it is recorded."""


@dataclass(frozen=True, slots=True)
class PracticeTerms:
    """What is practised: one session for each of ``tasks``, which are of ``task_set``.

    ``unused_seconds``: it closes itself when no session has lived for so long; None: never.
    """

    task_set: str
    tasks: tuple[Task, ...]
    unused_seconds: float | None


class Practice:
    """A Room (see gateway.room) for practice. Lives on one event loop.

    The session of a seat makes room for the next one when it has ended, or when nobody holds
    its Attach open any more: a script that is started again gets its seat at once.
    """

    def __init__(
        self,
        table: Table[NoRecords],
        terms: PracticeTerms,
        limits: HouseLimits,
        queue: SeatQueue,
    ) -> None:
        """``table.engine`` has been started."""
        self.run_id = table.run_id
        self.table = table
        self.task_set = terms.task_set
        self.tasks = terms.tasks
        self.limits = limits
        self.sessions = len(self.tasks)
        self.offer: ObservationOffer = table.suite.offer(table.condition)
        self.agent_name = NAME
        self.over = self.draining = False
        self.drained_by = 0.0
        self.stopped = ""
        """Why it closed itself; empty where it was closed."""
        self.closed = asyncio.Event()
        self._queue = queue
        self._unused_seconds = terms.unused_seconds
        self._used_at = time.monotonic()
        self._seats: dict[int, PracticeSeat] = {}
        self._held: set[str] = set()
        self._closing: asyncio.Task[None] | None = None
        self._dealers = [
            PracticeDealer(table, task, house_seeds(table.seed, k, self.sessions), self._break_down)
            for k, task in enumerate(self.tasks)
        ]
        self._ticker = asyncio.ensure_future(self._tick_for_ever())

    # --- Room

    def counts(self) -> Counts:
        """Nothing is counted."""
        return Counts()

    async def declare(self, claims: Mapping[str, object]) -> None:
        """What an agent says of itself is not kept."""

    def serial(self, number: int) -> int:
        """Leases are never reissued."""
        del number
        return 0

    def seat(self, number: int, serial: int) -> PracticeSeat | None:
        """The seat of a lease; None before it is attached."""
        del serial
        return self._seats.get(number)

    def check_seat(self, number: int) -> None:
        """Ends a session that nobody holds. Raises ProtocolError SEAT_TAKEN for one that is
        held, DRAINING when the practice closes."""
        if self.draining:
            raise ProtocolError(Reason.DRAINING)
        seat = self._seats.get(number)
        if seat is None or seat.session.ended is not None:
            return
        if seat.heard:
            raise ProtocolError(Reason.SEAT_TAKEN, "Another process practises with this token.")
        seat.leave()
        self._release(seat)

    def take_seat(self, number: int, attached: Attached) -> PracticeSeat:
        """A fresh session, with a place of the queue. Raises as check_seat."""
        self.check_seat(number)
        if (earlier := self._seats.get(number)) is not None:
            self._release(earlier)
        session = f"s-{secrets.token_hex(8)}"
        seat = PracticeSeat(session, self._dealers[number], self.limits, attached)
        self._seats[number] = seat
        self._held.add(session)
        return seat

    # --- the end

    async def close(self) -> None:
        """Ends every session and stops the workers. Idempotent."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        self.draining = self.over = True
        self._ticker.cancel()
        for dealer in self._dealers:
            dealer.over = True
        try:
            await asyncio.gather(*(seat.abandon() for seat in self._seats.values()))
            for seat in self._seats.values():
                self._release(seat)
            await self.table.engine.close()
        finally:
            await in_thread(self.table.folder.close)
            self.closed.set()

    def _break_down(self, why: str) -> None:
        LOG.error("practice %s closes: %s", self.run_id, why)
        self._stop(why)

    def _stop(self, why: str) -> None:
        self.stopped = self.stopped or why
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())

    def _release(self, seat: PracticeSeat) -> None:
        """Gives the seat's place in the house back, once."""
        if seat.session_id in self._held:
            self._held.discard(seat.session_id)
            self._queue.release()

    async def _tick_for_ever(self) -> None:
        while True:
            for seat in list(self._seats.values()):
                seat.tick()
                if seat.session.ended is not None:
                    self._release(seat)
            self._look_for_use()
            await asyncio.sleep(TICK_SECONDS)

    def _look_for_use(self) -> None:
        now, longest = time.monotonic(), self._unused_seconds
        if self._held:
            self._used_at = now
        elif longest is not None and now - self._used_at > longest:
            self._stop(f"nobody used it for {longest:g} s")
