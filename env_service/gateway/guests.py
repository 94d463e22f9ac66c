"""Keeps the seats of a run taken: starts guests, replaces lost ones, stops them at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from env_service.domain.episode import FinishReason
from env_service.gateway.house import House
from env_service.gateway.run import Run
from env_service.sandbox.agents import GuestCommand
from env_service.sandbox.process import ProcessGuest
from env_service.sandbox.seating import Seating

RESTARTS = 3
"""How often in a row a guest may die before its first episode, until its seat is given up."""

MISUSED = 2
"""The exit status by which a guest says that it was started wrongly: once more would not help."""

START_SECONDS = 300.0
"""How long a guest may take until it attaches: a model has to be loaded."""

GOODBYE_SECONDS = 5.0
"""How long guests have to leave after the last episode."""


@dataclass(frozen=True, slots=True)
class LostGuest:
    """Seats that were given up: how their guest last died, how often in a row, what it wrote.

    ``exit_code`` is None for one that was stopped because it did not play.
    """

    seats: tuple[int, ...]
    exit_code: int | None
    times: int
    log_tail: str


class Guests:
    """The guest processes of one run: one a seat, or one for all seats if it is shared.

    A guest writes to ``logs/guest-N.log``, N being the first seat that was ever its; the one
    that replaces it writes on there.
    """

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
        numbers = tuple(range(self._run.sessions))
        groups = [numbers] if self._command.shared else [(number,) for number in numbers]
        keepers = [asyncio.ensure_future(self._keep(seats)) for seats in groups]
        over: asyncio.Future[object] = asyncio.ensure_future(self._run.wait_until_over())
        everyone: asyncio.Future[object] = asyncio.ensure_future(_all(keepers))
        try:
            await asyncio.wait({over, everyone}, return_when=asyncio.FIRST_COMPLETED)
            if over.done():
                await asyncio.wait({everyone}, timeout=GOODBYE_SECONDS)
        finally:
            over.cancel()
            everyone.cancel()
            await asyncio.gather(over, *keepers, return_exceptions=True)
        for keeper in keepers:
            if not keeper.cancelled() and (error := keeper.exception()) is not None:
                raise error

    async def _keep(self, seats: tuple[int, ...]) -> None:
        """Has one guest at a time play these seats to the end of the run.

        One that dies, or whose sessions have all ended, is replaced; a single seat that is lost
        stays vacant until then.
        """
        log = self._run.table.folder.logs / f"guest-{seats[0]}.log"
        tokens = [self._house.lease_token(self._run, number) for number in seats]
        failures = 0
        while True:
            seating = Seating(self._address, tuple(tokens), self._run.table.seed)
            guest = await ProcessGuest.start(self._command, seating, log)
            try:
                code = await self._attend(guest, seats)
            finally:
                await guest.stop()
            began = any(map(self._run.has_begun, seats))
            seats = tuple(number for number in seats if not self._run.satisfied(number))
            if self._run.over or self._run.draining or not seats:
                return
            failures = 0 if began else failures + 1
            tokens = await self._renew(seats, code)
            if self._run.over:
                return
            if failures > RESTARTS or (code == MISUSED and not began):
                self.lost.append(LostGuest(seats, code, failures, guest.log_tail()))
                return
            await asyncio.sleep(0.2 * (1 + failures))

    async def _attend(self, guest: ProcessGuest, seats: tuple[int, ...]) -> int | None:
        """Waits until the guest has gone (its exit code) or all its sessions are over (None)."""
        gone = asyncio.ensure_future(guest.wait())
        vacant = [self._run.wait_until_vacant(number, START_SECONDS) for number in seats]
        silent = asyncio.ensure_future(_all(vacant))
        try:
            await asyncio.wait({gone, silent}, return_when=asyncio.FIRST_COMPLETED)
            if not gone.done() and (self._run.over or all(map(self._run.satisfied, seats))):
                with suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(gone), GOODBYE_SECONDS)
            return gone.result() if gone.done() else None
        finally:
            gone.cancel()
            silent.cancel()

    async def _renew(self, seats: tuple[int, ...], code: int | None) -> list[str]:
        """New leases for the seats of a guest that is gone."""
        crashed = code is not None and code != 0
        finish = FinishReason.AGENT_CRASH if crashed else FinishReason.AGENT_LOST
        return [await self._house.renew_lease(self._run, number, finish) for number in seats]


async def _all(work: Iterable[Awaitable[None]]) -> None:
    await asyncio.gather(*work)
