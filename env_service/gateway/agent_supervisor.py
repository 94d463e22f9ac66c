"""Keeps the seats of a run taken: starts guests, replaces lost ones, stops them at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from env_service.domain.episode import FinishReason
from env_service.domain.failure import AgentLossClass, LostAgent
from env_service.domain.reasons import Reason
from env_service.gateway.environment_service import EnvironmentService
from env_service.gateway.run import Run
from env_service.gateway.tokens import Lease
from env_service.gateway.violations import LeaseViolations
from env_service.results.run_notes import GuestFailures
from env_service.sandbox.errors import AgentStartError, ImageMissingError
from env_service.sandbox.interface import AgentExit, AgentStart, RunningAgent, Sandbox

RESTARTS = 3
"""How often in a row a guest may die before its first episode, until its seat is given up."""

MISUSED = 2
"""The exit status by which a guest says that it was started wrongly: once more would not help."""

START_SECONDS = 300.0
"""How long a guest may take until it attaches: a model has to be loaded."""

GOODBYE_SECONDS = 5.0
"""How long guests have to leave after the last episode."""

POLL_SECONDS = 0.5

NOTICE_SECONDS = 0.2
"""Between two looks at what a guest tells the operator."""

QUIET_SECONDS = 10.0
"""How long a guest may neither attach nor tell the operator anything, until its log is named."""

OnNotice = Callable[[tuple[int, ...], str], None]
"""Is given the seats of a guest, and one line that the operator should see now."""

_FINISH = {
    AgentLossClass.AGENT_CRASH: FinishReason.AGENT_CRASH,
    AgentLossClass.AGENT_OOM: FinishReason.AGENT_OOM,
    AgentLossClass.AGENT_TIMEOUT: FinishReason.AGENT_TIMEOUT,
    AgentLossClass.PROTOCOL_ERROR: FinishReason.PROTOCOL_ERROR,
}


class AgentSupervisor:
    """The guests of one run: one a seat, or one for all seats if the sandbox's are shared.

    A guest writes to ``logs/guest-N.log``, N being the first seat that was ever its; the one
    that replaces it writes on there. Each that is lost is noted in
    ``logs/lost-guests.jsonl``; ``lost`` has those whose seats were given up.
    """

    def __init__(
        self,
        service: EnvironmentService,
        run: Run,
        sandbox: Sandbox,
        address: str,
        start_seconds: float = START_SECONDS,
    ) -> None:
        self._service = service
        self._run = run
        self._sandbox = sandbox
        self._address = address
        self._start_seconds = start_seconds
        self.on_notice: OnNotice = lambda _seats, _text: None
        """Called with what guests tell the operator; to be set before ``serve``."""
        self._failures = GuestFailures(run.context.folder.logs)
        self.lost: list[LostAgent] = []

    async def serve(self) -> None:
        """Returns when the run is over, or no guest is left that could play it.

        Cancelling it stops every guest.
        """
        numbers = tuple(range(self._run.sessions))
        groups = [numbers] if self._sandbox.shared else [(number,) for number in numbers]
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
        log = self._run.context.folder.logs / f"guest-{seats[0]}.log"
        failures = 0
        while True:
            lost = await self._play(seats, log)
            began = any(map(self._run.has_begun, seats))
            if self._run.over and self._failed_at_the_end(seats, lost):
                self._note(lost)
            seats = tuple(number for number in seats if not self._run.satisfied(number))
            if self._run.over or self._run.draining or not seats:
                return
            failures = 0 if began else failures + 1
            useless = lost.final or (lost.exit_code == MISUSED and not began)
            lost = replace(lost, seats=seats, times=failures, final=useless or failures > RESTARTS)
            self._note(lost)
            for number in seats:
                finish = _FINISH.get(lost.failure, FinishReason.AGENT_LOST)
                await self._service.renew_lease(self._run, number, finish)
            if self._run.over:
                return
            if lost.final:
                self.lost.append(lost)
                return
            await asyncio.sleep(0.2 * (1 + failures))

    def _failed_at_the_end(self, seats: tuple[int, ...], lost: LostAgent) -> bool:
        """Whether a guest failed although the run needs it no more: it was dismissed, or it died
        after it had played and before it heard that nothing is left to play, of the last episode
        as a rule. One that never played may have come too late."""
        if any(self._violations(number).broken for number in seats):
            return True
        played = any(map(self._run.has_begun, seats))
        return bool(lost.exit_code) and played and not all(map(self._run.satisfied, seats))

    def _note(self, lost: LostAgent) -> None:
        self._run.lost.append(lost)
        self._failures.note(lost)

    async def _play(self, seats: tuple[int, ...], log: Path) -> LostAgent:
        """Has one guest play these seats. Returns how it was lost, if it is found that it was:
        one that has played to the end of the run has done well."""
        tokens = tuple(self._service.lease_token(self._run, number) for number in seats)
        try:
            guest = await self._sandbox.start(
                AgentStart(self._address, tokens, self._run.context.seed), log
            )
        except AgentStartError as error:
            missing = isinstance(error, ImageMissingError)
            kind = AgentLossClass.IMAGE_MISSING if missing else AgentLossClass.START_FAILED
            return LostAgent(kind, seats, None, 0, "", problem=str(error), final=True)
        telling = asyncio.ensure_future(self._tell(guest, seats, log))
        try:
            ending = await self._attend(guest, seats)
            lost = self._judge(seats, ending)
        finally:
            telling.cancel()
            await guest.stop()
            self._pass_on(guest, seats)
        return replace(lost, log_tail=guest.log_tail())

    async def _tell(self, guest: RunningAgent, seats: tuple[int, ...], log: Path) -> None:
        """Passes on what the guest tells the operator, and names the log of one that is silent
        and has not attached. Never returns."""
        loop = asyncio.get_running_loop()
        silent_since: float | None = loop.time()
        while True:
            await asyncio.sleep(NOTICE_SECONDS)
            if self._pass_on(guest, seats) or any(seat in self._run.seats for seat in seats):
                silent_since = None
            elif silent_since is not None and loop.time() - silent_since >= QUIET_SECONDS:
                silent_since = None
                self.on_notice(seats, f"the agent has not called yet; what it writes is in {log}")

    def _pass_on(self, guest: RunningAgent, seats: tuple[int, ...]) -> bool:
        """Whether there was anything to pass on."""
        notices = guest.notices()
        for text in notices:
            self.on_notice(seats, text)
        return bool(notices)

    async def _attend(self, guest: RunningAgent, seats: tuple[int, ...]) -> AgentExit | None:
        """Waits until the guest has gone (how) or all its sessions are over (None)."""
        gone = asyncio.ensure_future(guest.wait())
        silent = asyncio.ensure_future(_all(map(self._until_vacant, seats)))
        try:
            await asyncio.wait({gone, silent}, return_when=asyncio.FIRST_COMPLETED)
            dismissed = any(self._violations(number).broken for number in seats)
            leaving = self._run.over or all(map(self._run.satisfied, seats))
            if leaving and not dismissed and not gone.done():
                with suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(gone), GOODBYE_SECONDS)
            return gone.result() if gone.done() else None
        finally:
            gone.cancel()
            silent.cancel()

    async def _until_vacant(self, number: int) -> None:
        """Returns when the guest will not play on this seat: its session is over, it never
        came, or it was refused too often."""
        violations = self._violations(number)
        vacant = asyncio.ensure_future(self._run.wait_until_vacant(number, self._start_seconds))
        try:
            while not (vacant.done() or violations.broken):
                await asyncio.wait({vacant}, timeout=POLL_SECONDS)
        finally:
            vacant.cancel()

    def _judge(self, seats: tuple[int, ...], ending: AgentExit | None) -> LostAgent:
        """Names how a guest was lost that the run needs still."""
        violations = [self._violations(number) for number in seats]
        offence = next((each.offence for each in violations if each.offence), None)
        held = [seat for number in seats if (seat := self._run.seats.get(number)) is not None]
        lost = LostAgent(
            failure=AgentLossClass.AGENT_LOST,
            seats=seats,
            exit_code=None if ending is None else ending.code,
            times=0,
            log_tail="",
            place=next((seat.place for seat in held if seat.place), None),
            offence=offence,
        )
        if ending is not None and ending.out_of_time:
            problem = "its time limit was over"
            kind = AgentLossClass.AGENT_TIMEOUT
            return replace(lost, failure=kind, problem=problem, final=True)
        if ending is not None and ending.out_of_memory:
            return replace(lost, failure=AgentLossClass.AGENT_OOM)
        crashed = ending is not None and ending.code != 0
        if any(each.broken for each in violations) or (crashed and offence is not None):
            return replace(lost, failure=AgentLossClass.PROTOCOL_ERROR)
        if not any(map(self._run.has_begun, seats)):
            problem = "" if ending is not None or held else self._late
            return replace(lost, failure=AgentLossClass.START_FAILED, problem=problem)
        if crashed:
            return replace(lost, failure=AgentLossClass.AGENT_CRASH)
        if any(seat.session.ended is Reason.SESSION_IDLE for seat in held):
            problem = "it began no further episode in the time that it has for a decision"
            return replace(lost, failure=AgentLossClass.AGENT_TIMEOUT, problem=problem)
        return lost

    @property
    def _late(self) -> str:
        return f"it did not attach in {self._start_seconds:g} s"

    def _violations(self, number: int) -> LeaseViolations:
        return self._service.violations.of(
            Lease(self._run.run_id, number, self._run.serial(number))
        )


async def _all(work: Iterable[Awaitable[None]]) -> None:
    await asyncio.gather(*work)
