"""One run: assigns its tasks to sessions, keeps its records, and decides when it stops."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from env_service.domain.episode import FinishReason
from env_service.domain.failure import LostAgent, Withdrawal, WithdrawReason, WorldFault
from env_service.domain.observation import ObservationOffer
from env_service.domain.reasons import ProtocolError, Reason
from env_service.domain.schedule import Assignment, Schedule
from env_service.domain.usage import Usage, dollars, usage_text
from env_service.gateway.agent_session import AgentSession
from env_service.gateway.background import in_thread
from env_service.gateway.episode_in_play import EpisodeInPlay
from env_service.gateway.limits import ServiceLimits
from env_service.gateway.run_context import AttachGrant, RunContext
from env_service.gateway.run_state import (
    Counts,
    EventLog,
    KnownRun,
    PastRun,
    RunEvent,
    RunState,
    episode_event,
)
from env_service.gateway.session_queue import SessionQueue
from env_service.results.run_folder import RunFolder
from env_service.results.run_layout import EVENT_LOG
from env_service.results.summary import Summary

# --- Why a run stops before its last episode, resumable: budgets, withdrawals, breakdowns

_LISTED = 3
"""Withdrawals that are quoted, if their words differ."""

_UNSAID = {
    WithdrawReason.MODEL_UNREACHABLE: "its model cannot be reached",
    WithdrawReason.MODEL_REFUSED: "its model's server refuses it",
    WithdrawReason.BUDGET_SPENT: "its budget is spent",
    WithdrawReason.OTHER: "it gave no reason",
}


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """What agents' models may use over the life of a run, as the agents report it.

    US dollars, and tokens sent and received together. None: unbounded.
    """

    max_cost_usd: float | None = None
    max_tokens: int | None = None

    def reached(self, usage: Usage) -> str:
        """The limits that ``usage`` reaches, for people; empty if it reaches none."""
        cost, tokens = self.max_cost_usd, self.max_tokens
        if cost is not None and round(usage.cost_usd, 9) >= cost:
            spent = dollars(cost)
        elif tokens is not None and usage.tokens >= tokens:
            spent = f"{tokens:,} tokens"
        else:
            return ""
        return (
            f"the budget of {spent} is spent, as the agent reports: {usage_text(usage)}."
            " To resume the run, repeat the command with a higher budget."
        )

    def ineffective(self, usage: Usage) -> str:
        """A warning that a budget has no effect because the agents report no usage; else empty."""
        cost, tokens = self.max_cost_usd, self.max_tokens
        parts = []
        if cost is not None and not usage.cost_usd:
            parts.append(f"the budget of {dollars(cost)} has no effect: the agent reports no cost")
        if tokens is not None and not usage.tokens:
            parts.append(f"the budget of {tokens:,} tokens has no effect: the agent reports none")
        return "; ".join(parts)


@dataclass(slots=True)
class StopReasons:
    """Why a run cannot continue in this process."""

    breakdown: str = ""
    """Why the service cannot."""
    budget: str = ""
    """Which budget is spent."""
    withdrawals: list[Withdrawal] = field(default_factory=list)

    def words(self) -> str:
        """All reasons in one sentence, without repeated messages of agents. Empty: no reason."""
        said = [each.message or _UNSAID[each.reason] for each in self.withdrawals]
        said = list(dict.fromkeys(said))
        more = [f"and {len(said) - _LISTED} more"] if len(said) > _LISTED else []
        withdrew = "; ".join(said[:_LISTED] + more)
        parts = [self.breakdown, self.budget, withdrew and f"the agent withdrew: {withdrew}"]
        return "; ".join(filter(None, parts)).replace(".; ", "; ")


# --- The run

LOG = logging.getLogger(__name__)
TICK_SECONDS = 0.1


@dataclass(slots=True)
class Run:
    """A run in progress. Lives on one event loop.

    ``sessions`` maps numbers below ``session_count`` to the sessions that agents have attached.
    """

    context: RunContext[RunFolder]
    schedule: Schedule
    limits: ServiceLimits
    session_count: int
    offer: ObservationOffer
    agent_name: str
    queue: SessionQueue
    spending: SpendingLimits = field(default_factory=SpendingLimits)
    identity: str = ""
    """``Manifest.plan_identity``: takes long to compute for many tasks."""
    first_serial: int = 0
    """Of its leases; above those of all leases of the same run that this process issued before."""
    created: float = field(default_factory=time.time)
    sessions: dict[int, AgentSession] = field(default_factory=dict)
    serials: dict[int, int] = field(default_factory=dict)
    events: EventLog = field(init=False)
    state: RunState = RunState.PENDING
    summary: Summary | None = None
    lost: list[LostAgent] = field(default_factory=list)
    """The agents' processes that were lost while this process played the run."""
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    drained_by: float = 0.0
    """When a draining run abandons its open episodes, by ``time.monotonic``."""
    _stops: StopReasons = field(default_factory=StopReasons)
    _usage: Usage = field(default_factory=Usage)
    _withdrawn: int = 0
    _background: set[asyncio.Task[None]] = field(default_factory=set)
    _leaving: list[AgentSession] = field(default_factory=list)
    _draining: bool = False
    _succeeded: int = 0
    _playing: set[tuple[str, int]] = field(default_factory=set)
    _held: set[str] = field(default_factory=set)
    _ticker: asyncio.Task[None] | None = None
    _ending: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.events = EventLog(self.context.folder.logs / EVENT_LOG)

    @property
    def run_id(self) -> str:
        """Names the run, and its folder."""
        return self.context.run_id

    @property
    def task_set_digest(self) -> str:
        """Of the task set that it plays."""
        return self.context.folder.manifest.task_set_digest

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self.context.folder.path

    @property
    def over(self) -> bool:
        """Whether no episode of this run will be played any more in this process."""
        return self.state in (RunState.SUCCEEDED, RunState.FAILED, RunState.CANCELLED)

    @property
    def draining(self) -> bool:
        """Whether no new episode will begin."""
        return self._draining

    @property
    def stopped(self) -> str:
        """Why the run, or a part of it, stopped before its last episode; empty if nothing did.
        The same command resumes the run in every case."""
        return "" if self.schedule.finished else self._stops.words()

    @property
    def withdrawals(self) -> tuple[Withdrawal, ...]:
        """The sessions that withdrew while this process played the run."""
        return tuple(self._stops.withdrawals)

    def counts(self) -> Counts:
        """How many episodes are done, unscored, and left."""
        return Counts(
            done=self.schedule.done,
            succeeded=self._succeeded,
            total=self.schedule.total,
            voided=self.schedule.voids,
            withdrawn=self._withdrawn,
            unscored=len(self.schedule.unscored),
            playing=len(self._playing),
            waiting=sum(session.waiting_at > 0 for session in self.sessions.values()),
            usage=self._usage,
        )

    async def start(self) -> None:
        """Takes over earlier results and starts the clocks.

        A complete run is over at once, and so is one whose budget is spent.
        """
        await in_thread(self._restore)
        if self.schedule.finished or self._stops.budget:
            await self._conclude()
        else:
            self._ticker = asyncio.ensure_future(self._tick_for_ever())

    def _restore(self) -> None:
        earlier = self.context.folder.standing()
        self.schedule.restore(earlier.done, earlier.voided)
        self._succeeded = earlier.succeeded
        self._withdrawn = earlier.withdrawn
        self._usage = earlier.usage
        self._stops.budget = self.spending.reached(self._usage)

    # --- Scheduler, for the sessions

    async def next_assignment(self) -> Assignment | None:
        """The next task, waiting while all that remain are being played by others."""
        async with self._changed:
            while True:
                if self.schedule.played_out:
                    # Whoever is answered that all is done finds the run over.
                    await self._changed.wait_for(lambda: self.over)
                    return None
                if self._draining:
                    raise ProtocolError(Reason.DRAINING)
                assignment = self.schedule.take()
                if assignment is not None:
                    return assignment
                await self._changed.wait()

    def attempt(self, assignment: Assignment) -> int:
        """Which try at this task it is, from 1."""
        return self.schedule.attempt(assignment)

    def opened(self, episode: EpisodeInPlay) -> None:
        """An episode has begun."""
        self._playing.add(episode.assignment.key)
        if self.state is RunState.PENDING:
            self._enter(RunState.RUNNING)
        self._record_event(episode_event("opened", episode))

    def completed(self, episode: EpisodeInPlay) -> None:
        """An episode is final and recorded."""
        result = episode.result
        if result is None:
            raise RuntimeError("an episode without a result was reported as complete")
        self._playing.discard(episode.assignment.key)
        self._succeeded += result.success
        self.schedule.complete(episode.assignment)
        failure = "" if result.failure is None else result.failure.value
        self._record_event(
            episode_event("closed", episode, success=result.success, failure=failure)
        )
        self._maybe_conclude()

    def voided(self, episode: EpisodeInPlay, fault: WorldFault) -> None:
        """An episode was lost to the service."""
        self._playing.discard(episode.assignment.key)
        self.schedule.void(episode.assignment, collateral=fault.collateral)
        self._record_event(episode_event("voided", episode, failure=fault.fault.value))
        self._maybe_conclude()

    def withdrew(
        self, session_id: str, withdrawal: Withdrawal, episode: EpisodeInPlay | None
    ) -> None:
        """An agent left the run. Its episode's task waits for another process; when every
        agent has left, the run stops, resumable."""
        self._stops.withdrawals.append(withdrawal)
        reason = withdrawal.reason.value
        if episode is not None:
            self._withdrawn += 1
            self._playing.discard(episode.assignment.key)
            self.schedule.set_aside(episode.assignment)
            self._record_event(episode_event("withdrawn", episode, failure="withdrawn"))
        number = next(n for n, session in self.sessions.items() if session.session_id == session_id)
        message = withdrawal.message
        left = RunEvent("left", time.time(), failure=reason, session=number, message=message)
        self._record_event(left)
        self._maybe_conclude()
        if self._ending is None and all(map(self.withdrawn, range(self.session_count))):
            self._stop()

    def charge(self, usage: Usage) -> None:
        """Adds usage of an agent's model, as the agent reports it.

        When a budget is spent, the run stops as soon as the running steps have ended. It can be
        resumed.
        """
        self._usage += usage
        if not self._stops.budget and (reached := self.spending.reached(self._usage)):
            self._stops.budget = reached
            self._stop(after_step=True)

    def returned(self, assignment: Assignment) -> None:
        """An episode was abandoned because its session or the service is closing."""
        self._playing.discard(assignment.key)
        self.schedule.give_back(assignment)
        self._wake_soon()

    def broke_down(self, why: str) -> None:
        """Stops a run that cannot continue (no worker, no space, no agent). It can be resumed."""
        self._stops.breakdown = why
        self._stop()

    def _stop(self, *, after_step: bool = False) -> None:
        self._draining = True
        self._keep_task(asyncio.ensure_future(self.drain(after_step=after_step)))

    # --- sessions

    def follow(self, earlier: KnownRun) -> None:
        """Continues the events of the same run, which this process ended. Cursors stay valid."""
        self.events = earlier.events

    def serial(self, number: int) -> int:
        """Of the newest lease of a session number; rises with each."""
        return self.serials.get(number, self.first_serial)

    def session(self, number: int, serial: int) -> AgentSession | None:
        """The session of a lease; None before it is attached. Raises ProtocolError SESSION_REPLACED
        for a lease that a newer one replaced."""
        if serial != self.serial(number):
            raise ProtocolError(Reason.SESSION_REPLACED)
        return self.sessions.get(number)

    def check_vacant(self, number: int) -> None:
        """Raises ProtocolError SEAT_TAKEN, or why no session can begin under this number."""
        session = self.sessions.get(number)
        if session is not None and not (session.state.ended and session.state.unused):
            raise ProtocolError(session.state.ended or Reason.SEAT_TAKEN)
        if self.over or self._draining:
            raise ProtocolError(Reason.RUN_OVER if self.over else Reason.DRAINING)

    def open_session(self, number: int, grant: AttachGrant) -> AgentSession:
        """A fresh session under a free number, with a place of the queue. Raises as
        check_vacant."""
        self.check_vacant(number)
        if (unused := self.sessions.get(number)) is not None:
            self._release(unused)
        session = AgentSession(f"s-{secrets.token_hex(8)}", self, self.limits, grant)
        self.sessions[number] = session
        self._held.add(session.session_id)
        return session

    async def declare(self, claims: Mapping[str, object]) -> None:
        """Stores an agent's declaration in the manifest."""
        await in_thread(self.context.folder.declare, claims)

    def satisfied(self, number: int) -> bool:
        """Whether this number needs no other agent: its agent was answered that nothing is left to
        play, or it withdrew."""
        session = self.sessions.get(number)
        return session is not None and (session.state.all_done_answered or session.state.withdrawn)

    def withdrawn(self, number: int) -> bool:
        """Whether the agent of this number left the run; the number then stays vacant."""
        session = self.sessions.get(number)
        return session is not None and session.state.withdrawn

    async def wait_until_vacant(self, number: int, start_seconds: float) -> None:
        """Returns when the number's session has ended, or none has come in ``start_seconds``."""
        deadline = time.monotonic() + start_seconds
        while not self.over:
            session = self.sessions.get(number)
            if session is None and time.monotonic() > deadline:
                return
            if session is not None and session.state.ended is not None:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(0.5), self._changed:
                    await self._changed.wait()

    def has_begun(self, number: int) -> bool:
        """Whether the session of this number has begun an episode."""
        session = self.sessions.get(number)
        return session is not None and session.state.next_ordinal > 0

    async def vacate(self, number: int, finish: FinishReason) -> int:
        """Ends the number's session, if any, and returns the serial of its next lease.

        An open episode becomes the agent's failure ``finish``. The session of an agent that
        withdrew does not change.
        """
        if self.withdrawn(number):
            return self.serial(number)
        serial = self.serial(number) + 1
        self.serials[number] = serial
        session = self.sessions.pop(number, None)
        if session is not None:
            self._leaving.append(session)
            await asyncio.shield(self._evict(session, finish))
        return serial

    async def _evict(self, session: AgentSession, finish: FinishReason) -> None:
        await session.evict(Reason.SESSION_REPLACED, finish)
        self._leaving.remove(session)
        self._release(session)

    @property
    def sessions_done(self) -> bool:
        """Whether every session has ended, or was answered that nothing is left to play."""
        return all(
            session.state.all_done_answered or session.state.ended
            for session in self.sessions.values()
        )

    def past(self) -> PastRun:
        """What the service keeps of a run that is over and has no more calls.

        Ends the remaining sessions: an agent with an open Attach gets SESSION_ENDED.
        """
        for session in self.sessions.values():
            session.state.end(Reason.SESSION_ENDED)
            session.notify()
        return PastRun(
            run_id=self.run_id,
            task_set_digest=self.task_set_digest,
            path=self.path,
            created=self.created,
            state=self.state,
            stopped=self.stopped,
            final=self.counts(),
            events=self.events,
        )

    # --- the end

    async def wait_until_over(self) -> None:
        """Returns when the run is over, and its summary written."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.over)
        await self._conclude()

    async def wait_for_goodbyes(self, patience: float) -> None:
        """Waits up to ``patience`` seconds until the sessions of a finished run know of its end."""
        deadline = time.monotonic() + patience
        for session in list(self.sessions.values()):
            changes = session.listen()
            try:
                while not (session.state.all_done_answered or session.state.ended):
                    await asyncio.wait_for(changes.get(), deadline - time.monotonic())
            except TimeoutError:
                return
            finally:
                session.unlisten(changes)

    async def events_after(self, cursor: int) -> list[RunEvent]:
        """Some events with a cursor above ``cursor``, from the next one on, waiting for one; empty
        when there will be none. Raises OSError where older ones cannot be read."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.events.count > cursor or self.over)
        return await self.events.after(cursor)

    async def drain(self, patience: float = 0.0, *, after_step: bool = False) -> None:
        """Begins no new episode; after ``patience`` seconds, or sooner when none is open,
        abandons the open ones, uncounted. Idempotent.

        Steps that run are waited for only with ``after_step``."""
        self._draining = True
        self.drained_by = time.monotonic() + patience
        await self._wake()
        for session in self.sessions.values():
            session.notify()
        with suppress(TimeoutError):
            async with asyncio.timeout(patience), self._changed:
                await self._changed.wait_for(lambda: not self._playing)
        sessions = [*self.sessions.values(), *self._leaving]
        await asyncio.gather(*(session.abandon(after_step=after_step) for session in sessions))
        await self._conclude()
        await self._wake()

    def _maybe_conclude(self) -> None:
        if self.schedule.played_out:
            self._begin_to_end()

    async def _conclude(self) -> None:
        """Returns when the run is over."""
        await asyncio.shield(self._begin_to_end())

    def _begin_to_end(self) -> asyncio.Task[None]:
        if self._ending is None:
            self._ending = asyncio.ensure_future(self._end())
        return self._ending

    async def _end(self) -> None:
        if self._ticker is not None:
            self._ticker.cancel()
        await self._sum_up()
        while leaving := [session for session in self.sessions.values() if session.withdrawing]:
            # They are recorded while the run ends, after the summary perhaps.
            await asyncio.gather(*(session.left() for session in leaving))
            await self._sum_up()
        for session in self.sessions.values():
            self._release(session)
        if not self.schedule.finished:
            self._enter(RunState.CANCELLED)
        else:
            self._enter(RunState.FAILED if self.schedule.unscored else RunState.SUCCEEDED)

    async def _sum_up(self) -> None:
        try:
            self.summary = await in_thread(self.context.folder.write_summary)
        except Exception:
            # Without a summary the run is over all the same: `houseguest show` computes it anew.
            LOG.exception("the summary of run %s could not be written", self.run_id)

    def _release(self, session: AgentSession) -> None:
        """Gives the session's place in the queue back, once."""
        if session.session_id in self._held:
            self._held.discard(session.session_id)
            self.queue.release()

    def _enter(self, state: RunState) -> None:
        self.state = state
        self._record_event(RunEvent("state", time.time(), state=state))

    def _record_event(self, event: RunEvent) -> None:
        self.events.append(event)
        if self.events.overfull:
            self._keep_task(asyncio.ensure_future(self.events.store_oldest()))
        self._wake_soon()

    def _wake_soon(self) -> None:
        self._keep_task(asyncio.ensure_future(self._wake()))

    def _keep_task(self, task: asyncio.Task[None]) -> None:
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _wake(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _tick_for_ever(self) -> None:
        while not self.over:
            for session in list(self.sessions.values()):
                session.tick()
                if session.state.ended is not None:
                    self._release(session)
            await asyncio.sleep(TICK_SECONDS)
