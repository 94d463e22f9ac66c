"""One run: hands its tasks to the sessions, keeps its record, and says why it stops."""

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
from env_service.results.summary import Summary

# --- Why a run stops before its last episode, resumable: budgets, withdrawals, breakdowns

_LISTED = 3
"""Withdrawals that are quoted, if their words differ."""

_UNSAID = {
    WithdrawReason.MODEL_UNREACHABLE: "its model cannot be reached",
    WithdrawReason.MODEL_REFUSED: "its model's server refuses it",
    WithdrawReason.BUDGET_SPENT: "its budget is spent",
    WithdrawReason.OTHER: "it did not say why",
}


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """What guests' models may use over the life of a run, by what the guests say.

    US dollars, and tokens sent and received together. None: unbounded.
    """

    max_cost_usd: float | None = None
    max_tokens: int | None = None

    def reached(self, usage: Usage) -> str:
        """Which of them ``usage`` reaches, for people; empty while it reaches none."""
        cost, tokens = self.max_cost_usd, self.max_tokens
        if cost is not None and round(usage.cost_usd, 9) >= cost:
            spent = dollars(cost)
        elif tokens is not None and usage.tokens >= tokens:
            spent = f"{tokens:,} tokens"
        else:
            return ""
        return (
            f"the budget of {spent} is spent, by the agent's own count: {usage_text(usage)}."
            " The same command with a higher budget goes on."
        )

    def unheard(self, usage: Usage) -> str:
        """That a budget bounds nothing, for people: agents who played tell nothing to compare
        it with. Empty where they do."""
        cost, tokens = self.max_cost_usd, self.max_tokens
        parts = []
        if cost is not None and not usage.cost_usd:
            parts.append(f"the budget of {dollars(cost)} bounds nothing: the agent tells no cost")
        if tokens is not None and not usage.tokens:
            parts.append(f"the budget of {tokens:,} tokens bounds nothing: the agent tells none")
        return "; ".join(parts)


@dataclass(slots=True)
class StopReasons:
    """What keeps a run from going on in this process."""

    breakdown: str = ""
    """Why the house cannot."""
    budget: str = ""
    """Which budget is spent."""
    withdrawals: list[Withdrawal] = field(default_factory=list)

    def words(self) -> str:
        """All of it in a sentence; the same words of several guests once. Empty: nothing."""
        said = [each.message or _UNSAID[each.reason] for each in self.withdrawals]
        said = list(dict.fromkeys(said))
        more = [f"and {len(said) - _LISTED} more"] if len(said) > _LISTED else []
        withdrew = "; ".join(said[:_LISTED] + more)
        parts = [self.breakdown, self.budget, withdrew and f"the agent withdrew: {withdrew}"]
        return "; ".join(filter(None, parts)).replace(".; ", "; ")


# --- The run

LOG = logging.getLogger(__name__)
TICK_SECONDS = 0.1
EVENTS = "events.jsonl"
"""Holds a run's older events, among its logs."""


@dataclass(slots=True)
class Run:
    """A run in progress. Lives on one event loop.

    ``seats`` maps a session number to its seat; a seat that was never attached is absent.
    """

    context: RunContext[RunFolder]
    schedule: Schedule
    limits: ServiceLimits
    sessions: int
    offer: ObservationOffer
    agent_name: str
    queue: SessionQueue
    spending: SpendingLimits = field(default_factory=SpendingLimits)
    identity: str = ""
    """``Manifest.plan_identity``: takes long to compute for many tasks."""
    first_serial: int = 0
    """Of its leases; above those of all leases of the same run that this process issued before."""
    created: float = field(default_factory=time.time)
    seats: dict[int, AgentSession] = field(default_factory=dict)
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
    _errands: set[asyncio.Task[None]] = field(default_factory=set)
    _leaving: list[AgentSession] = field(default_factory=list)
    _draining: bool = False
    _succeeded: int = 0
    _playing: set[tuple[str, int]] = field(default_factory=set)
    _held: set[str] = field(default_factory=set)
    _ticker: asyncio.Task[None] | None = None
    _ending: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.events = EventLog(self.context.folder.logs / EVENTS)

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
        """Why it stopped before its last episode, or why a part of it did already; empty
        where nothing stopped it. Whatever it is, the same command goes on with the run."""
        return "" if self.schedule.finished else self._stops.words()

    @property
    def withdrawals(self) -> tuple[Withdrawal, ...]:
        """The sessions that withdrew while this process played the run."""
        return tuple(self._stops.withdrawals)

    def counts(self) -> Counts:
        """How the run stands."""
        return Counts(
            done=self.schedule.done,
            succeeded=self._succeeded,
            total=self.schedule.total,
            voided=self.schedule.voids,
            withdrawn=self._withdrawn,
            unscored=len(self.schedule.unscored),
            playing=len(self._playing),
            waiting=sum(seat.waiting_at > 0 for seat in self.seats.values()),
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

    # --- Dealer, for the seats

    async def next_assignment(self) -> Assignment | None:
        """The next task, waiting while all that remain are being played by others."""
        async with self._changed:
            while True:
                if self.schedule.played_out:
                    # Whoever hears that all is done finds the run over.
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

    def opened(self, play: EpisodeInPlay) -> None:
        """An episode has begun."""
        self._playing.add(play.assignment.key)
        if self.state is RunState.PENDING:
            self._enter(RunState.RUNNING)
        self._tell(episode_event("opened", play))

    def completed(self, play: EpisodeInPlay) -> None:
        """An episode is final and recorded."""
        result = play.result
        if result is None:
            raise RuntimeError("an episode without a result was reported as complete")
        self._playing.discard(play.assignment.key)
        self._succeeded += result.success
        self.schedule.complete(play.assignment)
        failure = "" if result.failure is None else result.failure.value
        self._tell(episode_event("closed", play, success=result.success, failure=failure))
        self._maybe_conclude()

    def voided(self, play: EpisodeInPlay, fault: WorldFault) -> None:
        """An episode was lost to the house."""
        self._playing.discard(play.assignment.key)
        self.schedule.void(play.assignment, collateral=fault.collateral)
        self._tell(episode_event("voided", play, failure=fault.fault.value))
        self._maybe_conclude()

    def withdrew(self, session_id: str, withdrawal: Withdrawal, play: EpisodeInPlay | None) -> None:
        """A guest left the run. Its episode's task waits for another process; when every
        guest has left, the run stops, resumable."""
        self._stops.withdrawals.append(withdrawal)
        reason = withdrawal.reason.value
        if play is not None:
            self._withdrawn += 1
            self._playing.discard(play.assignment.key)
            self.schedule.set_aside(play.assignment)
            self._tell(episode_event("withdrawn", play, failure="withdrawn"))
        number = next(n for n, seat in self.seats.items() if seat.session_id == session_id)
        message = withdrawal.message
        left = RunEvent("left", time.time(), failure=reason, session=number, message=message)
        self._tell(left)
        self._maybe_conclude()
        if self._ending is None and all(map(self.withdrawn, range(self.sessions))):
            self._stop()

    def charge(self, usage: Usage) -> None:
        """A guest says that its model was used. When a budget is spent, the run stops,
        resumable, as soon as the steps that run have ended."""
        self._usage += usage
        if not self._stops.budget and (reached := self.spending.reached(self._usage)):
            self._stops.budget = reached
            self._stop(after_step=True)

    def returned(self, assignment: Assignment) -> None:
        """An episode was abandoned because its session or the house is closing."""
        self._playing.discard(assignment.key)
        self.schedule.give_back(assignment)
        self._wake_soon()

    def broke_down(self, why: str) -> None:
        """There is no going on (no worker, no room, no guest): the run stops, resumable."""
        self._stops.breakdown = why
        self._stop()

    def _stop(self, *, after_step: bool = False) -> None:
        self._draining = True
        self._keep(asyncio.ensure_future(self.drain(after_step=after_step)))

    # --- seats

    def follow(self, earlier: KnownRun) -> None:
        """Goes on where this process ended the same run: its events keep their cursors."""
        self.events = earlier.events

    def serial(self, number: int) -> int:
        """Of the seat's newest lease; rises with each."""
        return self.serials.get(number, self.first_serial)

    def seat(self, number: int, serial: int) -> AgentSession | None:
        """The seat of a lease; None before it is attached. Raises ProtocolError SESSION_REPLACED
        for a lease that a newer one replaced."""
        if serial != self.serial(number):
            raise ProtocolError(Reason.SESSION_REPLACED)
        return self.seats.get(number)

    def check_seat(self, number: int) -> None:
        """Raises ProtocolError SEAT_TAKEN, or why no session can start on this seat."""
        seat = self.seats.get(number)
        if seat is not None and not (seat.session.ended and seat.session.unused):
            raise ProtocolError(seat.session.ended or Reason.SEAT_TAKEN)
        if self.over or self._draining:
            raise ProtocolError(Reason.RUN_OVER if self.over else Reason.DRAINING)

    def take_seat(self, number: int, attached: AttachGrant) -> AgentSession:
        """A fresh session on a free seat, with a place of the queue. Raises as check_seat."""
        self.check_seat(number)
        if (unused := self.seats.get(number)) is not None:
            self._release(unused)
        seat = AgentSession(f"s-{secrets.token_hex(8)}", self, self.limits, attached)
        self.seats[number] = seat
        self._held.add(seat.session_id)
        return seat

    async def declare(self, claims: Mapping[str, object]) -> None:
        """Stores what an agent says of itself."""
        await in_thread(self.context.folder.declare, claims)

    def satisfied(self, number: int) -> bool:
        """Whether this seat needs no other guest: its guest was told that nothing is left to
        play, or it withdrew."""
        seat = self.seats.get(number)
        return seat is not None and (seat.session.told_all_done or seat.session.withdrawn)

    def withdrawn(self, number: int) -> bool:
        """Whether the guest on this seat left the run; the seat then stays empty."""
        seat = self.seats.get(number)
        return seat is not None and seat.session.withdrawn

    async def wait_until_vacant(self, number: int, start_seconds: float) -> None:
        """Returns when the seat's session has ended, or none has come in ``start_seconds``."""
        deadline = time.monotonic() + start_seconds
        while not self.over:
            seat = self.seats.get(number)
            if seat is None and time.monotonic() > deadline:
                return
            if seat is not None and seat.session.ended is not None:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(0.5), self._changed:
                    await self._changed.wait()

    def has_begun(self, number: int) -> bool:
        """Whether the session on this seat has begun an episode."""
        seat = self.seats.get(number)
        return seat is not None and seat.session.next_ordinal > 0

    async def vacate(self, number: int, finish: FinishReason) -> int:
        """Ends the seat's session, if any, and returns the serial of its next lease.

        An open episode becomes the agent's failure ``finish``. The seat of a guest that
        withdrew stays as it is.
        """
        if self.withdrawn(number):
            return self.serial(number)
        serial = self.serial(number) + 1
        self.serials[number] = serial
        seat = self.seats.pop(number, None)
        if seat is not None:
            self._leaving.append(seat)
            await asyncio.shield(self._evict(seat, finish))
        return serial

    async def _evict(self, seat: AgentSession, finish: FinishReason) -> None:
        await seat.evict(Reason.SESSION_REPLACED, finish)
        self._leaving.remove(seat)
        self._release(seat)

    @property
    def sessions_done(self) -> bool:
        """Whether every session has ended, or was told that nothing is left to play."""
        sessions = [seat.session for seat in self.seats.values()]
        return all(session.told_all_done or session.ended for session in sessions)

    def past(self) -> PastRun:
        """What is kept of the run once it is over and no agent calls any more.

        Sessions that still live end: an agent that holds its Attach open is told SESSION_ENDED.
        """
        for seat in self.seats.values():
            seat.session.end(Reason.SESSION_ENDED)
            seat.notify()
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
        """Gives the sessions of a finished run ``patience`` seconds to hear that it is over."""
        deadline = time.monotonic() + patience
        for seat in list(self.seats.values()):
            changes = seat.listen()
            try:
                while not (seat.session.told_all_done or seat.session.ended):
                    await asyncio.wait_for(changes.get(), deadline - time.monotonic())
            except TimeoutError:
                return
            finally:
                seat.unlisten(changes)

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
        for seat in self.seats.values():
            seat.notify()
        with suppress(TimeoutError):
            async with asyncio.timeout(patience), self._changed:
                await self._changed.wait_for(lambda: not self._playing)
        seats = [*self.seats.values(), *self._leaving]
        await asyncio.gather(*(seat.abandon(after_step=after_step) for seat in seats))
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
        while leaving := [seat for seat in self.seats.values() if seat.withdrawing]:
            # They are recorded while the run ends, after the summary perhaps.
            await asyncio.gather(*(seat.left() for seat in leaving))
            await self._sum_up()
        for seat in self.seats.values():
            self._release(seat)
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

    def _release(self, seat: AgentSession) -> None:
        """Gives the seat's place in the house back, once."""
        if seat.session_id in self._held:
            self._held.discard(seat.session_id)
            self.queue.release()

    def _enter(self, state: RunState) -> None:
        self.state = state
        self._tell(RunEvent("state", time.time(), state=state))

    def _tell(self, event: RunEvent) -> None:
        self.events.append(event)
        if self.events.crowded:
            self._keep(asyncio.ensure_future(self.events.make_room()))
        self._wake_soon()

    def _wake_soon(self) -> None:
        self._keep(asyncio.ensure_future(self._wake()))

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)

    async def _wake(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _tick_for_ever(self) -> None:
        while not self.over:
            for seat in list(self.seats.values()):
                seat.tick()
                if seat.session.ended is not None:
                    self._release(seat)
            await asyncio.sleep(TICK_SECONDS)
