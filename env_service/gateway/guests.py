"""Keeps the seats of a run taken: starts guests, replaces lost ones, stops them at the end."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from env_service.domain.episode import FinishReason
from env_service.gateway.house import House
from env_service.gateway.run import Run
from env_service.sandbox.agents import GuestCommand
from env_service.sandbox.process import ProcessGuest, Seating

RESTARTS = 3
"""How often in a row a guest may die before its first episode, until its seat is given up."""

START_SECONDS = 300.0
"""How long a guest may take until it attaches: a model has to be loaded."""

GOODBYE_SECONDS = 5.0
"""How long guests have to leave after the last episode."""


@dataclass(frozen=True, slots=True)
class LostGuest:
    """A seat that was given up: how its guest last died, and what it wrote.

    ``exit_code`` is None for one that was stopped because it did not play.
    """

    session_number: int
    exit_code: int | None
    log_tail: str


class Guests:
    """The guest processes of one run, one a session."""

    def __init__(self, house: House, run: Run, command: GuestCommand, address: str) -> None:
        self._house = house
        self._run = run
        self._command = command
        self._address = address
        self.lost: list[LostGuest] = []

    async def serve(self) -> None:
        """Returns when the run is over, or no guest is left that could play it.

        Cancelling it stops every guest.
        """
        seats = [asyncio.ensure_future(self._keep(n)) for n in range(self._run.sessions)]
        over: asyncio.Future[object] = asyncio.ensure_future(self._run.wait_until_over())
        everyone: asyncio.Future[object] = asyncio.ensure_future(_all(seats))
        try:
            await asyncio.wait({over, everyone}, return_when=asyncio.FIRST_COMPLETED)
            if over.done():
                await asyncio.wait({everyone}, timeout=GOODBYE_SECONDS)
        finally:
            over.cancel()
            everyone.cancel()
            await asyncio.gather(over, *seats, return_exceptions=True)
        for seat in seats:
            if not seat.cancelled() and (error := seat.exception()) is not None:
                raise error

    async def _keep(self, number: int) -> None:
        """Plays one seat to the end of the run, replacing a guest that dies or falls silent."""
        failures = 0
        token = self._house.lease_token(self._run, number)
        while True:
            guest = await self._start(number, token)
            try:
                code = await self._attend(guest, number)
            finally:
                await guest.stop()
            if self._run.over or self._run.draining or self._run.satisfied(number):
                return
            failures = 0 if self._run.has_begun(number) else failures + 1
            crashed = code is not None and code != 0
            finish = FinishReason.AGENT_CRASH if crashed else FinishReason.AGENT_LOST
            token = await self._house.renew_lease(self._run, number, finish)
            if self._run.over:
                return
            if failures > RESTARTS:
                self.lost.append(LostGuest(number, code, guest.log_tail()))
                return
            await asyncio.sleep(0.2 * (1 + failures))

    async def _attend(self, guest: ProcessGuest, number: int) -> int | None:
        """Waits until the guest has gone (its exit code) or its session is over (None)."""
        gone = asyncio.ensure_future(guest.wait())
        silent = asyncio.ensure_future(self._run.wait_until_vacant(number, START_SECONDS))
        try:
            await asyncio.wait({gone, silent}, return_when=asyncio.FIRST_COMPLETED)
            if not gone.done() and (self._run.over or self._run.satisfied(number)):
                with suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(gone), GOODBYE_SECONDS)
            return gone.result() if gone.done() else None
        finally:
            gone.cancel()
            silent.cancel()

    async def _start(self, number: int, token: str) -> ProcessGuest:
        seating = Seating(self._address, token, self._run.table.seed)
        log = self._run.table.folder.logs / f"guest-{number}.log"
        return await ProcessGuest.start(self._command, seating, log)


async def _all(tasks: list[asyncio.Task[None]]) -> None:
    await asyncio.gather(*tasks)
