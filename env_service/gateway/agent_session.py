"""One agent's session in a run: runs its operations, one at a time, and times the agent."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol

from houseguest.agent.v1 import agent_pb2

from env_service.domain.action import Action
from env_service.domain.episode import EpisodeStatus, FinishReason, Mode
from env_service.domain.failure import EpisodePosition, FaultClass, Withdrawal, WorldFault
from env_service.domain.reasons import ProtocolError, Reason
from env_service.domain.schedule import Assignment
from env_service.domain.session import Decision, Expiry, Session, Verdict
from env_service.domain.usage import Usage
from env_service.engine.base import EngineError
from env_service.gateway.admission import TokenBucket
from env_service.gateway.background import in_thread
from env_service.gateway.episode_in_play import EpisodeInPlay, withdraw_between
from env_service.gateway.limits import ServiceLimits
from env_service.gateway.run_context import (
    NO_USAGE,
    AttachGrant,
    EpisodeAgent,
    EpisodeRecords,
    RunContext,
    StepClaims,
)
from env_service.wire.actions import action_from_wire, trace_record, usage_from_wire
from env_service.wire.episodes import (
    end_response,
    finish_reason,
    shorten_history,
    withdrawal_from_wire,
)
from env_service.wire.zero_copy import StepAnswer

# --- What a session asks of its run


class Scheduler(Protocol):
    """The part of a run that a session uses."""

    @property
    def context(self) -> RunContext[EpisodeRecords]:
        """The fixed parts of the next episode."""

    @property
    def over(self) -> bool:
        """Whether nothing will be played or recorded any more."""

    async def next_assignment(self) -> Assignment | None:
        """The next task; None when none can come any more. Raises ProtocolError DRAINING."""

    def attempt(self, assignment: Assignment) -> int:
        """Which try at this task it is, from 1."""

    def opened(self, episode: EpisodeInPlay) -> None:
        """An episode has begun."""

    def completed(self, episode: EpisodeInPlay) -> None:
        """An episode is final and recorded."""

    def voided(self, episode: EpisodeInPlay, fault: WorldFault) -> None:
        """An episode was lost to the service."""

    def withdrew(
        self, session_id: str, withdrawal: Withdrawal, episode: EpisodeInPlay | None
    ) -> None:
        """An agent left the run, and its open episode, if it had one."""

    def charge(self, usage: Usage) -> None:
        """Adds usage of the agent's model, as the agent reports it."""

    def returned(self, assignment: Assignment) -> None:
        """An episode was abandoned because its session or the service is closing."""

    def broke_down(self, why: str) -> None:
        """Stops a run that the service cannot continue."""


# --- One operation at a time, which repeats of its request can join


class OperationCancelledError(Exception):
    """The session cancelled the operation: its session ended."""


class OperationSlot:
    """The running operation of a session, or its last one. Session decides who may start one."""

    def __init__(self) -> None:
        self._current: asyncio.Future[Any] | None = None
        self._task: asyncio.Task[Any] | None = None

    @contextmanager
    def running(self) -> Iterator[asyncio.Future[Any]]:
        """The block is an operation of the calling task, which saves a step two turns of the loop.

        The block sets the future's result, last. An exception also reaches the callers of ``join``.
        The calling task must outlive its client: see ``rpc.shielded``.
        """
        current: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._current = current
        try:
            yield current
        except asyncio.CancelledError:
            current.cancel()
            raise
        except BaseException as error:
            current.set_exception(error)
            current.exception()  # seen: perhaps no caller has joined
            raise

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Starts an operation in a new task, which ``cancel`` can end."""
        self._task = asyncio.ensure_future(work)
        self._current = self._task

    async def join(self) -> Any:
        """Waits for the running operation. Raises what it raises, or OperationCancelledError."""
        if self._current is None:
            raise RuntimeError("a request joined an operation that never started")
        current = self._current
        try:
            return await asyncio.shield(current)
        except asyncio.CancelledError:
            if current.cancelled():
                raise OperationCancelledError from None
            raise

    def cancel(self) -> None:
        """Cancels an operation that was spawned, if it still runs."""
        if self._task is not None:
            self._task.cancel()

    async def quiesce(self) -> None:
        """Returns once nothing runs."""
        if self._current is not None and not self._current.done():
            await asyncio.wait([self._current])


# --- Notifies watchers of changes


class ChangeNotifier:
    """Hands out queues. For one event loop."""

    def __init__(self) -> None:
        self._listeners: set[asyncio.Queue[None]] = set()

    @property
    def has_listeners(self) -> bool:
        """Whether any queue is in use."""
        return bool(self._listeners)

    def listen(self) -> asyncio.Queue[None]:
        """A queue that gets an item whenever something has changed."""
        queue: asyncio.Queue[None] = asyncio.Queue()
        self._listeners.add(queue)
        return queue

    def unlisten(self, queue: asyncio.Queue[None]) -> None:
        """Drops the queue of a listener that has left."""
        self._listeners.discard(queue)

    def notify(self) -> None:
        """Notifies all listeners of a change."""
        for queue in self._listeners:
            queue.put_nowait(None)


# --- The session

LOG = logging.getLogger(__name__)
Answer = Any
"""What answers a call of AgentService: the session stores it without looking."""


class AgentSession(ChangeNotifier):
    """A session and what it plays. All methods run on one event loop.

    It announces what the push channel carries: a new epoch, the session's end, a drain.

    The RPC methods raise ProtocolError. They must be awaited in a task that outlives the
    call (``rpc.shielded``): a client that goes away never cancels a step. Only the session
    itself cancels that task, when the service closes.
    """

    def __init__(
        self, session_id: str, scheduler: Scheduler, limits: ServiceLimits, grant: AttachGrant
    ) -> None:
        super().__init__()
        now = time.monotonic()
        self.session_id = session_id
        self.grant = grant
        self.state: Session[Answer] = Session(limits.session, secrets.token_bytes(24), now)
        self._scheduler = scheduler
        self._limits = limits
        self._bucket = TokenBucket(limits.calls_per_second, limits.burst_seconds, now)
        self._operations = OperationSlot()
        self._finishing: set[asyncio.Task[None]] = set()
        self._withdrawing: asyncio.Future[None] | None = None
        self._abandoned = False
        self._episode: EpisodeInPlay | None = None
        self.waiting_at = 0
        """The position of a BeginEpisode that waits for a place in a worker, from 1; 0 where none
        does, or not for long."""

    @property
    def position(self) -> EpisodePosition | None:
        """The agent's position in the run; None between episodes."""
        episode = self._episode if self.state.open_episode_id else None
        if episode is None:
            return None
        return EpisodePosition(
            episode.episode_id, episode.assignment.task.id, self.state.next_step_index
        )

    # --- RPCs

    async def begin(self, request: agent_pb2.BeginEpisodeRequest) -> agent_pb2.BeginEpisodeResponse:
        """BeginEpisode."""
        now = self._count_call()
        decision = self._judge_begin(request, now)
        if decision.verdict is Verdict.EXECUTE:
            # In a new task: it may wait long for an episode, and may be cancelled meanwhile.
            self._operations.spawn(self._begin(request.episode_ordinal))
        answer: agent_pb2.BeginEpisodeResponse = await self._join(decision, request.session_epoch)
        return answer

    async def step(self, request: agent_pb2.StepRequest) -> StepAnswer:
        """Step."""
        episode, action, decision = self._judge_step(request)
        index, epoch = request.step_index, request.session_epoch
        if decision.status is not None:
            await self._finished_closing()
            return episode.closing_step(index, decision.status)
        if decision.verdict is not Verdict.EXECUTE:
            answer: StepAnswer = await self._join(decision, epoch)
            return answer
        with self._operations.running() as operation:
            try:
                claims = self._claims(request.trace, self.state.last_agent_seconds)
                answer, status = await episode.act(action, index, epoch, claims)
                if status is not EpisodeStatus.RUNNING:
                    await episode.finish(FinishReason.OVER, status, self._total())
                    answer = episode.last_step(answer)
            except Exception as error:
                if self._abandoned:
                    raise ProtocolError(Reason.DRAINING) from error
                await self._void(episode, as_fault(error))
                status = EpisodeStatus.VOIDED
                answer = episode.voided_step(index)
            else:
                if status is not EpisodeStatus.RUNNING:
                    self._scheduler.completed(episode)
            self.state.stepped(answer, status, time.monotonic())
            operation.set_result(answer)
        self._check_epoch(epoch)
        return answer

    async def end(self, request: agent_pb2.EndEpisodeRequest) -> agent_pb2.EndEpisodeResponse:
        """EndEpisode."""
        now = self._count_call()
        decision = self.state.request_end(request.session_epoch, request.episode_id, now)
        if decision.status is not None:
            await self._finished_closing()
            return end_response(decision.status, self._require_episode().disclosed)
        if decision.verdict is not Verdict.EXECUTE:
            answer: agent_pb2.EndEpisodeResponse = await self._join(decision, request.session_epoch)
            return answer
        with self._operations.running() as operation:
            claims = self._claims(request.trace, self.state.agent_seconds)
            episode = self._require_episode()
            status = await self._finish(episode, finish_reason(request.reason), claims)
            self.state.ended_episode(status, time.monotonic())
            answer = end_response(status, episode.disclosed)
            operation.set_result(answer)
        self._check_epoch(request.session_epoch)
        return answer

    async def withdraw(self, request: agent_pb2.WithdrawRequest) -> agent_pb2.WithdrawResponse:
        """Withdraw."""
        now = self._count_call()
        withdrawal = withdrawal_from_wire(request)
        decision = self.state.request_withdraw(request.session_epoch, now)
        if decision.verdict is Verdict.EXECUTE:
            self._withdrawing = asyncio.ensure_future(self._withdraw(withdrawal, request.trace))
        await self.left()
        return agent_pb2.WithdrawResponse()

    @property
    def withdrawing(self) -> bool:
        """Whether the agent withdraws at this moment, and this is not recorded yet."""
        return self._withdrawing is not None and not self._withdrawing.done()

    async def left(self) -> None:
        """Returns once the agent's withdrawal, if any, is recorded."""
        if self._withdrawing is not None:
            await asyncio.shield(self._withdrawing)

    async def get_episode(
        self, request: agent_pb2.GetEpisodeRequest
    ) -> agent_pb2.GetEpisodeResponse:
        """GetEpisode."""
        now = self._count_call()
        self.state.inspect(request.session_epoch, request.episode_id, now)
        response = self._require_episode().get_response()
        response.step_in_flight = self.state.step_in_flight
        response.next_step_index = self.state.next_step_index
        shorten_history(response, self._limits.max_message_bytes)
        return response

    # --- who holds it

    def resume(self, token: bytes, *, references: bool) -> None:
        """Hands the session to a new holder. Raises ProtocolError."""
        self.state.resume(token, secrets.token_bytes(24), time.monotonic())
        self._change_holder(references=references)

    def grant_again(self, grant: AttachGrant) -> None:
        """Grants the session again to a caller with its lease, if no call used the first grant.

        The first answer may have been lost on its way. Raises ProtocolError SEAT_TAKEN.
        """
        self.state.grant_again(secrets.token_bytes(24), time.monotonic())
        self.grant = grant
        self._change_holder(references=grant.references)

    def _change_holder(self, *, references: bool) -> None:
        self.grant = replace(self.grant, references=references)
        if self._episode is not None:
            self._episode.change_holder(references=references)
            self.state.restate(self._episode.last_answer)
        self.notify()

    # --- time, loss, end

    def tick(self) -> None:
        """Applies limits of time. Called a few times a second, and before each request."""
        expiry = self.state.tick(time.monotonic())
        if expiry is None:
            return
        reasons = {Expiry.AGENT_TIMEOUT: FinishReason.AGENT_TIMEOUT}
        self._finish_later(reasons.get(expiry, FinishReason.AGENT_LOST))
        self.notify()

    async def evict(self, session_reason: Reason, finish: FinishReason) -> None:
        """Ends the session; its open episode, if any, is the agent's failure ``finish``."""
        self.state.end(session_reason)
        self.notify()
        self._operations.cancel()
        await self._operations.quiesce()
        self.state.close_episode(finish.status)
        self._finish_later(finish)
        await self._finished_closing()

    async def abandon(self, *, after_step: bool = False) -> None:
        """Ends the session because the service closes: an open episode does not count.

        An episode that is being scored or recorded is completed, and counts. A running step is
        waited for only with ``after_step``; if that step ends the episode, the episode counts.
        """
        self._abandoned = not after_step
        self.state.end(Reason.DRAINING)
        self._operations.cancel()
        self.notify()
        if after_step or self.state.beginning or (self._episode and self._episode.finishing):
            await self._operations.quiesce()
        self._abandoned = True
        await self.left()
        await self._finished_closing()
        episode, self._episode = self._episode, None
        if episode is not None and episode.live:
            self._scheduler.returned(episode.assignment)
            await episode.discard()

    # --- operations

    async def _join(self, decision: Decision[Answer], epoch: int) -> Answer:
        """The answer of an operation that runs or has run already."""
        if decision.verdict is Verdict.REPLAY:
            return decision.answer
        try:
            answer = await self._operations.join()
        except OperationCancelledError:
            raise ProtocolError(self.state.ended or Reason.DRAINING) from None
        self._check_epoch(epoch)
        return answer

    def _check_epoch(self, epoch: int) -> None:
        """Raises ProtocolError SESSION_SUPERSEDED where another holder has taken over meanwhile."""
        if epoch != self.state.epoch:
            raise ProtocolError(Reason.SESSION_SUPERSEDED)

    def _wait_at(self, position: int) -> None:
        self.waiting_at = position
        self.notify()

    async def _begin(self, ordinal: int) -> agent_pb2.BeginEpisodeResponse:
        try:
            episode = await self._open_next(ordinal)
        except BaseException:
            self.state.begin_failed(time.monotonic())
            raise
        finally:
            self.waiting_at = 0
        now = time.monotonic()
        if episode is None:
            answer = agent_pb2.BeginEpisodeResponse(all_done=agent_pb2.AllDone())
            self.state.all_done(answer, now)
            self.notify()
            return answer
        answer = agent_pb2.BeginEpisodeResponse(episode=episode.message)
        self.state.begun(episode.episode_id, answer, now)
        return answer

    async def _open_next(self, ordinal: int) -> EpisodeInPlay | None:
        """Opens the next task that can be opened. The agent does not see those voided here."""
        await self._finished_closing()
        while (assignment := await self._scheduler.next_assignment()) is not None:
            episode = EpisodeInPlay(self._scheduler.context, self._agent(ordinal), assignment)
            epoch = self.state.epoch
            try:
                await episode.open(self._wait_at)
            except asyncio.CancelledError:
                await self._give_back(episode)
                raise
            except (EngineError, OSError) as error:
                # No worker, or no space on the disk: every other task would fail the same way.
                await self._give_back(episode)
                self._scheduler.broke_down(str(error))
                raise ProtocolError(Reason.DRAINING) from error
            except Exception as error:  # noqa: BLE001 - becomes a fault of the service
                await self._void(episode, as_fault(error))
                continue
            if epoch != self.state.epoch:
                episode.change_holder(references=self.grant.references)
            self._episode = episode
            self._scheduler.opened(episode)
            return episode
        return None

    async def _withdraw(self, withdrawal: Withdrawal, trace: agent_pb2.Trace) -> None:
        """Leaves the run; the session has ended already, and no step runs."""
        self.notify()
        self._operations.cancel()
        await self._operations.quiesce()
        await self._finished_closing()
        if self._scheduler.over:
            return
        claims = self._claims(trace, self.state.agent_seconds)
        episode = self._episode if self._episode is not None and self._episode.live else None
        try:
            if episode is not None:
                await episode.withdraw(withdrawal, claims)
            else:
                agent, context = self._agent(self.state.next_ordinal), self._scheduler.context
                await in_thread(withdraw_between, context, agent, withdrawal, claims.usage)
        except Exception:
            LOG.exception("could not record the withdrawal of %s", self.session_id)
        self._scheduler.withdrew(self.session_id, withdrawal, episode)

    async def _finish(
        self, episode: EpisodeInPlay, reason: FinishReason, claims: StepClaims
    ) -> EpisodeStatus:
        try:
            await episode.finish(reason, reason.status, claims)
        except Exception as error:  # noqa: BLE001 - becomes a fault of the service
            await self._void(episode, as_fault(error))
            return EpisodeStatus.VOIDED
        self._scheduler.completed(episode)
        return reason.status

    def _claims(self, trace: agent_pb2.Trace, agent_seconds: float) -> StepClaims:
        """The claims of a request. Charges the usage of its models to the run."""
        limits = self._limits
        record = trace_record(trace, limits.max_trace_bytes, limits.max_prompt_bytes)
        usage = NO_USAGE
        if record is not None and trace.usage:
            usage = usage_from_wire(trace)
            self._scheduler.charge(usage)
        return StepClaims(record, agent_seconds, self.state.agent_seconds_left(), usage)

    def _total(self) -> StepClaims:
        """The clock of the whole episode, where no request comes with it."""
        return StepClaims(None, self.state.agent_seconds, self.state.agent_seconds_left())

    async def _void(self, episode: EpisodeInPlay, fault: WorldFault) -> None:
        LOG.warning("episode %s voided: %s", episode.episode_id, fault)
        try:
            await episode.void(fault, self._scheduler.attempt(episode.assignment))
        except Exception:
            LOG.exception("could not record that %s was voided", episode.episode_id)
        self._scheduler.voided(episode, fault)

    async def _give_back(self, episode: EpisodeInPlay) -> None:
        await episode.discard()
        self._scheduler.returned(episode.assignment)

    def _finish_later(self, reason: FinishReason) -> None:
        """Finishes the open episode in the background: no request is waiting for it."""
        episode = self._episode
        if episode is None or not episode.live or episode.finishing:
            return

        async def close() -> None:
            if await self._finish(episode, reason, self._total()) is EpisodeStatus.VOIDED:
                self.state.revise(EpisodeStatus.VOIDED)

        task = asyncio.ensure_future(close())
        self._finishing.add(task)
        task.add_done_callback(self._finishing.discard)

    # --- inside

    def _judge_begin(self, request: agent_pb2.BeginEpisodeRequest, now: float) -> Decision[Answer]:
        if request.HasField("practice"):
            raise ProtocolError(Reason.PRACTICE_ONLY)
        return self.state.request_begin(request.session_epoch, request.episode_ordinal, now)

    def _judge_step(
        self, request: agent_pb2.StepRequest
    ) -> tuple[EpisodeInPlay, Action, Decision[Answer]]:
        now = self._count_call()
        self.state.inspect(request.session_epoch, request.episode_id, now)
        episode = self._require_episode()
        action = action_from_wire(
            request.action,
            Mode(episode.mode),
            max_bytes=self._limits.max_action_bytes,
            max_plan_steps=self._limits.max_plan_steps,
        )
        return episode, action, self.state.request_step(request.step_index, action, now)

    async def _finished_closing(self) -> None:
        """Returns once no episode is being finished in the background."""
        await asyncio.gather(*self._finishing)

    def _count_call(self) -> float:
        self.tick()
        now = time.monotonic()
        self._bucket.take(now)
        return now

    def _agent(self, ordinal: int) -> EpisodeAgent:
        grant = self.grant
        return EpisodeAgent(
            self.session_id, ordinal, grant.observation, grant.references, grant.agent
        )

    def _require_episode(self) -> EpisodeInPlay:
        if self._episode is None:
            raise ProtocolError(Reason.EPISODE_NOT_OPEN)
        return self._episode


# --- Whose fault an exception is


def as_fault(error: Exception) -> WorldFault:
    """An unexpected error as a fault of the service, never of the agent."""
    if isinstance(error, WorldFault):
        return error
    LOG.error("the service failed an episode", exc_info=error)
    return WorldFault(FaultClass.SERVICE_FAULT, repr(error))
