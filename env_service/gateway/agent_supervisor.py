"""Keeps agents at the sessions of a run: starts them, replaces lost ones, stops them at the end."""

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
from env_service.results.run_notes import AgentFailures
from env_service.sandbox.errors import AgentStartError, ImageMissingError
from env_service.sandbox.interface import AgentExit, AgentStart, RunningAgent, Sandbox

RESTARTS = 3
"""How often in a row an agent may die before its first episode, until its session is given up."""

MISUSED = 2
"""The exit status of an agent that was started wrongly. It is not started again."""

START_SECONDS = 300.0
"""How long an agent may take until it attaches: a model has to be loaded."""

GOODBYE_SECONDS = 5.0
"""How long agents have to leave after the last episode."""

POLL_SECONDS = 0.5

NOTICE_SECONDS = 0.2
"""Seconds between two checks for an agent's notices."""

QUIET_SECONDS = 10.0
"""Seconds without an attach or a notice after which the operator sees the name of the log."""

OnNotice = Callable[[tuple[int, ...], str], None]
"""Called with the numbers of an agent's sessions, and one line for the operator."""

BeforeRestart = Callable[[], Awaitable[str]]
"""Returns one line for the operator, or nothing."""

_FINISH = {
    AgentLossClass.AGENT_CRASH: FinishReason.AGENT_CRASH,
    AgentLossClass.AGENT_OOM: FinishReason.AGENT_OOM,
    AgentLossClass.AGENT_TIMEOUT: FinishReason.AGENT_TIMEOUT,
    AgentLossClass.PROTOCOL_ERROR: FinishReason.PROTOCOL_ERROR,
}


class AgentSupervisor:
    """The agents of one run: one a session, or one for all sessions if the sandbox's are shared.

    An agent and its replacements write to ``logs/guest-N.log``, where N is the first of their
    sessions. ``logs/lost-guests.jsonl`` lists the lost agents. ``lost`` has those whose sessions
    were given up.
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
        self.on_notice: OnNotice = lambda _numbers, _text: None
        """Called with what agents tell the operator; to be set before ``serve``."""
        self.before_restart: BeforeRestart = _unchanged
        """Called before an agent process replaces another; to be set before ``serve``."""
        self._failures = AgentFailures(run.context.folder.logs)
        self.lost: list[LostAgent] = []

    async def serve(self) -> None:
        """Returns when the run is over, or no agent is left to play it.

        Cancelling it stops every agent.
        """
        numbers = tuple(range(self._run.session_count))
        groups = [numbers] if self._sandbox.shared else [(number,) for number in numbers]
        watchers = [asyncio.ensure_future(self._replace_until_over(group)) for group in groups]
        over: asyncio.Future[object] = asyncio.ensure_future(self._run.wait_until_over())
        everyone: asyncio.Future[object] = asyncio.ensure_future(_all(watchers))
        try:
            await asyncio.wait({over, everyone}, return_when=asyncio.FIRST_COMPLETED)
            if over.done():
                await asyncio.wait({everyone}, timeout=GOODBYE_SECONDS)
        finally:
            over.cancel()
            everyone.cancel()
            await asyncio.gather(over, *watchers, return_exceptions=True)
        for watcher in watchers:
            if not watcher.cancelled() and (error := watcher.exception()) is not None:
                raise error

    async def _replace_until_over(self, numbers: tuple[int, ...]) -> None:
        """Keeps one agent at these sessions until the run is over.

        One that dies, or whose sessions have all ended, is replaced; a single session that is lost
        stays vacant until then.
        """
        log = self._run.context.folder.logs / f"guest-{numbers[0]}.log"
        failures = 0
        while True:
            lost = await self._play(numbers, log)
            began = any(map(self._run.has_begun, numbers))
            if self._run.over and self._failed_at_the_end(numbers, lost):
                self._note(lost)
            numbers = tuple(number for number in numbers if not self._run.satisfied(number))
            if self._run.over or self._run.draining or not numbers:
                return
            failures = 0 if began else failures + 1
            useless = lost.final or (lost.exit_code == MISUSED and not began)
            lost = replace(
                lost, sessions=numbers, times=failures, final=useless or failures > RESTARTS
            )
            self._note(lost)
            for number in numbers:
                finish = _FINISH.get(lost.failure, FinishReason.AGENT_LOST)
                await self._service.renew_lease(self._run, number, finish)
            if self._run.over:
                return
            if lost.final:
                self.lost.append(lost)
                return
            await asyncio.sleep(0.2 * (1 + failures))
            if changed := await self.before_restart():
                self.on_notice(numbers, changed)

    def _failed_at_the_end(self, numbers: tuple[int, ...], lost: LostAgent) -> bool:
        """Whether an agent failed although the run needs it no more: it was dismissed, or it died
        after it had played and before it was answered that nothing is left to play, mostly of the
        last episode. One that never played may have come too late."""
        if any(self._violations(number).broken for number in numbers):
            return True
        played = any(map(self._run.has_begun, numbers))
        return bool(lost.exit_code) and played and not all(map(self._run.satisfied, numbers))

    def _note(self, lost: LostAgent) -> None:
        self._run.lost.append(lost)
        self._failures.note(lost)

    async def _play(self, numbers: tuple[int, ...], log: Path) -> LostAgent:
        """Has one agent play these sessions. Returns how it was lost, if it is found that it was:
        one that has played to the end of the run has done well."""
        tokens = tuple(self._service.lease_token(self._run, number) for number in numbers)
        try:
            agent = await self._sandbox.start(
                AgentStart(self._address, tokens, self._run.context.seed), log
            )
        except AgentStartError as error:
            missing = isinstance(error, ImageMissingError)
            kind = AgentLossClass.IMAGE_MISSING if missing else AgentLossClass.START_FAILED
            return LostAgent(kind, numbers, None, 0, "", problem=str(error), final=True)
        notices = asyncio.ensure_future(self._pass_on_notices(agent, numbers, log))
        try:
            ending = await self._attend(agent, numbers)
            lost = self._judge(numbers, ending)
        finally:
            notices.cancel()
            await agent.stop()
            self._pass_on_new(agent, numbers)
        return replace(lost, log_tail=agent.log_tail())

    async def _pass_on_notices(
        self, agent: RunningAgent, numbers: tuple[int, ...], log: Path
    ) -> None:
        """Passes on the agent's notices, and names the log of an agent that is silent and has not
        attached. Never returns."""
        loop = asyncio.get_running_loop()
        silent_since: float | None = loop.time()
        while True:
            await asyncio.sleep(NOTICE_SECONDS)
            if self._pass_on_new(agent, numbers) or any(
                number in self._run.sessions for number in numbers
            ):
                silent_since = None
            elif silent_since is not None and loop.time() - silent_since >= QUIET_SECONDS:
                silent_since = None
                self.on_notice(numbers, f"the agent has not connected yet; its output is in {log}")

    def _pass_on_new(self, agent: RunningAgent, numbers: tuple[int, ...]) -> bool:
        """Passes on new notices; returns whether there were any."""
        notices = agent.notices()
        for text in notices:
            self.on_notice(numbers, text)
        return bool(notices)

    async def _attend(self, agent: RunningAgent, numbers: tuple[int, ...]) -> AgentExit | None:
        """Waits until the agent has exited (returns how) or all its sessions are over (None)."""
        gone = asyncio.ensure_future(agent.wait())
        silent = asyncio.ensure_future(_all(map(self._until_vacant, numbers)))
        try:
            await asyncio.wait({gone, silent}, return_when=asyncio.FIRST_COMPLETED)
            dismissed = any(self._violations(number).broken for number in numbers)
            leaving = self._run.over or all(map(self._run.satisfied, numbers))
            if leaving and not dismissed and not gone.done():
                with suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(gone), GOODBYE_SECONDS)
            return gone.result() if gone.done() else None
        finally:
            gone.cancel()
            silent.cancel()

    async def _until_vacant(self, number: int) -> None:
        """Returns when the agent will not play on this session: its session is over, it never
        came, or it was refused too often."""
        violations = self._violations(number)
        vacant = asyncio.ensure_future(self._run.wait_until_vacant(number, self._start_seconds))
        try:
            while not (vacant.done() or violations.broken):
                await asyncio.wait({vacant}, timeout=POLL_SECONDS)
        finally:
            vacant.cancel()

    def _judge(self, numbers: tuple[int, ...], ending: AgentExit | None) -> LostAgent:
        """The reason why an agent was lost that the run still needs."""
        violations = [self._violations(number) for number in numbers]
        offence = next((each.offence for each in violations if each.offence), None)
        held = [
            session for number in numbers if (session := self._run.sessions.get(number)) is not None
        ]
        lost = LostAgent(
            failure=AgentLossClass.AGENT_LOST,
            sessions=numbers,
            exit_code=None if ending is None else ending.code,
            times=0,
            log_tail="",
            position=next((session.position for session in held if session.position), None),
            offence=offence,
        )
        if ending is not None and ending.out_of_time:
            problem = "it exceeded its time limit"
            kind = AgentLossClass.AGENT_TIMEOUT
            return replace(lost, failure=kind, problem=problem, final=True)
        if ending is not None and ending.out_of_memory:
            return replace(lost, failure=AgentLossClass.AGENT_OOM)
        crashed = ending is not None and ending.code != 0
        if any(each.broken for each in violations) or (crashed and offence is not None):
            return replace(lost, failure=AgentLossClass.PROTOCOL_ERROR)
        if not any(map(self._run.has_begun, numbers)):
            problem = "" if ending is not None or held else self._late
            return replace(lost, failure=AgentLossClass.START_FAILED, problem=problem)
        if crashed:
            return replace(lost, failure=AgentLossClass.AGENT_CRASH)
        if any(session.state.ended is Reason.SESSION_IDLE for session in held):
            problem = "it did not begin another episode within the time limit for a decision"
            return replace(lost, failure=AgentLossClass.AGENT_TIMEOUT, problem=problem)
        return lost

    @property
    def _late(self) -> str:
        return f"it did not attach in {self._start_seconds:g} s"

    def _violations(self, number: int) -> LeaseViolations:
        return self._service.violations.of(
            Lease(self._run.run_id, number, self._run.serial(number))
        )


async def _unchanged() -> str:
    return ""


async def _all(work: Iterable[Awaitable[None]]) -> None:
    await asyncio.gather(*work)
