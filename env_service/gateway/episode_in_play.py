"""An open episode as the gateway sees it: a handle, a transcript, and what was disclosed."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
import time
from collections.abc import Callable

from houseguest.agent.v1 import action_pb2, agent_pb2

from env_service.domain.action import Action
from env_service.domain.episode import EpisodeResult, EpisodeStatus, FinishReason
from env_service.domain.failure import Withdrawal, WorldFault
from env_service.domain.observation import EncodedObservation
from env_service.domain.schedule import Assignment
from env_service.domain.usage import Usage
from env_service.engine.base import EncodedStep, EpisodeHandle, Opening
from env_service.gateway.background import in_thread
from env_service.gateway.run_context import (
    NO_USAGE,
    EpisodeAgent,
    EpisodeRecords,
    RunContext,
    StepClaims,
    TranscriptWriter,
)
from env_service.results.records import Cause, EpisodeRecord, UncountedRecord, VoidRecord
from env_service.results.transcript import (
    BeginExchange,
    CloseExchange,
    StepExchange,
    TranscriptHeader,
)
from env_service.suites.base import EpisodeOrder
from env_service.wire.actions import action_space_to_wire, action_to_wire, outcomes_to_wire
from env_service.wire.episodes import duration
from env_service.wire.observations import ObservationWriter
from env_service.wire.zero_copy import StepAnswer

LOG = logging.getLogger(__name__)


class EpisodeInPlay:
    """One open episode. Methods raise WorldFault when the service fails.

    ``message`` is the Episode as BeginEpisode answers it. Not safe for overlapping calls:
    the session runs one operation at a time.
    """

    def __init__(
        self, context: RunContext[EpisodeRecords], agent: EpisodeAgent, assignment: Assignment
    ) -> None:
        self.assignment = assignment
        self.episode_id = f"ep-{secrets.token_hex(12)}"
        self.message = agent_pb2.Episode()
        self.history: list[agent_pb2.PastStep] = []
        self.result: EpisodeResult | None = None
        self.disclosed: agent_pb2.PracticeResult | None = None
        """What its agent is shown of the result: on most leases nothing."""
        self._context = context
        self._agent = agent
        self._references = agent.references
        self._writer = ObservationWriter(references=agent.references)
        self._handle: EpisodeHandle | None = None
        self._transcript: TranscriptWriter | None = None
        self._opening: Opening | None = None
        self._latest = EncodedObservation()
        self._last_step: StepAnswer | None = None
        self._environment_seconds = 0.0
        self._usage = self._unwritten = NO_USAGE
        self._steps = 0
        self._closed = False
        self._leaving: asyncio.Future[None] | None = None
        self.finishing = False
        """Whether it is being scored and recorded, or was."""

    @property
    def steps(self) -> int:
        """Executed steps so far."""
        return self._steps

    @property
    def live(self) -> bool:
        """Whether it is neither recorded, voided nor discarded."""
        return not self._closed

    def change_holder(self, *, references: bool) -> None:
        """A new holder may have seen none of the earlier pictures: send the next ones whole."""
        self._references = references
        self._writer.start_over(references=references)
        if self._last_step is not None:
            response = self._last_step.to_message()
            if response.HasField("observation"):
                response.observation.CopyFrom(self._writer.repeat(self._latest))
                self._last_step = StepAnswer.of(response)

    @property
    def last_answer(self) -> StepAnswer | None:
        """The answer to the latest step, as it would be given now."""
        return self._last_step

    @property
    def mode(self) -> int:
        """The episode's mode, as in the protocol."""
        return self.message.mode

    async def open(self, on_position: Callable[[int], None]) -> agent_pb2.Episode:
        """Begins the episode in the engine and writes the transcript's first lines.

        ``on_position`` is given the position in the queue where no worker has a place.
        """
        context, agent = self._context, self._agent
        order = EpisodeOrder(
            self.assignment.task,
            context.world,
            context.condition,
            agent.request,
            self.assignment.seed(context.seed),
        )
        started = time.perf_counter()
        self._handle, opening = await context.engine.begin(
            order, context.folder.frames, on_position
        )
        self._opening = opening
        elapsed = self._spent(started)
        self._latest = opening.observation
        self.message = self._episode_message(opening)
        header = TranscriptHeader(
            run_id=context.run_id,
            episode_id=self.episode_id,
            task_id=self.assignment.task.id,
            repeat=self.assignment.repeat,
            order=order,
            session=agent.session,
            ordinal=agent.ordinal,
        )
        disclosed = {
            "max_steps": self.message.max_steps if self.message.HasField("max_steps") else None,
            "agent_seconds": context.episode_budget if context.disclosure.time_budget else None,
        }
        await in_thread(self._begin_transcript, header, BeginExchange(opening, disclosed, elapsed))
        return self.message

    def _begin_transcript(self, header: TranscriptHeader, begin: BeginExchange) -> None:
        # Kept here, not by the caller: one that is cancelled meanwhile has to know of them.
        self._transcript = self._context.folder.transcript(header)
        self._transcript.append(begin)

    async def act(
        self, action: Action, index: int, epoch: int, claims: StepClaims
    ) -> tuple[StepAnswer, EpisodeStatus]:
        """Executes one action and answers it as the condition allows."""
        handle, transcript = self._require_open()
        self._use(claims.usage)
        started = time.perf_counter()
        step = await handle.act(action)
        # It may have been closed meanwhile, and its transcript is then brought to the disk.
        self._require_open()
        elapsed = self._spent(started)
        self._steps += 1
        disclosed = tuple(map(self._context.disclosure.outcome, step.outcomes))
        transcript.append(
            StepExchange(
                index=index,
                epoch=epoch,
                action=action,
                trace=claims.trace,
                disclosed=disclosed,
                step=step,
                agent_seconds=claims.agent_seconds,
                environment_seconds=elapsed,
                usage=self._unwritten,
            )
        )
        self._unwritten = NO_USAGE
        self._latest = step.observation
        outcomes = outcomes_to_wire(disclosed)
        self.history.append(agent_pb2.PastStep(action=action_to_wire(action), outcomes=outcomes))
        self._last_step = self._answer(step, outcomes, index, claims)
        return self._last_step, step.status

    async def finish(self, reason: FinishReason, status: EpisodeStatus, claims: StepClaims) -> None:
        """Scores the episode, which ends with ``status``, and records it durably.

        ``claims.agent_seconds`` are those of the whole episode.
        """
        handle, transcript = self._require_open()
        self.finishing = True
        self._use(claims.usage)
        result = await handle.finish(reason)
        self._closed = True
        self.result, self.disclosed = result, self._context.disclose_result(result)
        usage = self._unwritten

        def record() -> None:
            transcript.append(CloseExchange(reason, status, result, None, claims.trace, usage))
            head = transcript.close()
            score = self._record(result, head, transcript.count, claims.agent_seconds)
            self._context.folder.record(score)

        await in_thread(record)

    async def void(self, fault: WorldFault, attempt: int) -> None:
        """Closes the episode as lost to the service, and records that."""
        self._closed = True
        record = VoidRecord(
            episode_id=self.episode_id,
            task_id=self.assignment.task.id,
            repeat=self.assignment.repeat,
            fault=fault.fault.value,
            detail=fault.detail,
            collateral=fault.collateral,
            session=self._agent.session,
            guest=self._agent.name,
            attempt=attempt,
            usage=self._usage,
        )
        lost = CloseExchange(
            None, EpisodeStatus.VOIDED, None, fault.fault.value, None, self._unwritten
        )

        def note() -> None:
            try:
                if self._transcript is not None:
                    self._transcript.append(lost)
                    self._transcript.close()
            finally:
                self._context.folder.record_void(record)

        try:
            await in_thread(note)
        finally:
            self._leave()

    async def withdraw(self, withdrawal: Withdrawal, claims: StepClaims) -> None:
        """Closes the episode unscored because its agent leaves the run, and records that."""
        self._closed = True
        self._use(claims.usage)
        status, reason = EpisodeStatus.VOIDED, withdrawal.reason.value
        left = CloseExchange(None, status, None, None, claims.trace, self._unwritten, reason)
        record = self._uncounted(Cause.WITHDRAWN, withdrawal)

        def note() -> None:
            try:
                if self._transcript is not None:
                    self._transcript.append(left)
            finally:
                self._context.folder.record_uncounted(record)

        try:
            await in_thread(note)
        finally:
            self._leave()

    async def discard(self) -> None:
        """Closes the episode and its unfinished transcript because the service closes.

        Does not wait for a running step.
        """
        if self._closed:
            return
        self.drop()
        if self._transcript is not None:
            record = self._uncounted(Cause.CLOSED)
            try:
                await in_thread(self._context.folder.record_uncounted, record)
            except (OSError, ValueError):
                LOG.exception("could not record that %s was abandoned", self.episode_id)

    def drop(self) -> None:
        """Closes the episode without a record. A step that runs is not waited for."""
        self._closed = True
        self._leave()

    def get_response(self) -> agent_pb2.GetEpisodeResponse:
        """All that the agent was shown, with whole pictures; later ones refer to none before."""
        self._writer.start_over(references=self._references)
        response = agent_pb2.GetEpisodeResponse(episode=self.message, history=self.history)
        if self._last_step is not None:
            response.last_step.CopyFrom(self._last_step.to_message())
            if response.last_step.HasField("observation"):
                whole = self._writer.repeat(self._latest)
                response.last_step.observation.CopyFrom(whole)
        return response

    def closing_step(self, index: int, status: EpisodeStatus) -> StepAnswer:
        """The answer to a step that was not executed, because the episode had been closed."""
        return StepAnswer.of(
            agent_pb2.StepResponse(
                episode_id=self.episode_id,
                step_index=index,
                status=status.value,  # type: ignore[arg-type]
                practice_result=self.disclosed,
            )
        )

    def last_step(self, answer: StepAnswer) -> StepAnswer:
        """The answer to the step that ended the episode, which has been scored."""
        self._last_step = answer.with_result(self.disclosed)
        return self._last_step

    def voided_step(self, index: int) -> StepAnswer:
        """The answer to the step in which the service failed; given again to a restarted agent."""
        self._last_step = self.closing_step(index, EpisodeStatus.VOIDED)
        return self._last_step

    def _use(self, usage: Usage) -> None:
        """Adds what a request says that the agent's model used."""
        if usage:
            self._usage += usage
            self._unwritten += usage

    def _spent(self, started: float) -> float:
        elapsed = time.perf_counter() - started
        self._environment_seconds += elapsed
        return elapsed

    def _require_open(self) -> tuple[EpisodeHandle, TranscriptWriter]:
        if self._handle is None or self._transcript is None or self._closed:
            raise RuntimeError(f"episode {self.episode_id} is not open")
        return self._handle, self._transcript

    def _leave(self) -> None:
        if self._handle is not None:
            self._leaving = asyncio.ensure_future(self._handle.abandon())

    def _episode_message(self, opening: Opening) -> agent_pb2.Episode:
        first, context = opening.first, self._context
        disclosure = context.disclosure
        return agent_pb2.Episode(
            episode_id=self.episode_id,
            suite=context.suite.name,
            suite_version=context.suite.version,
            mode=first.mode.value,  # type: ignore[arg-type]
            condition=context.condition,
            instruction=first.instruction,
            instruction_language=first.language,
            context=first.context,
            action_space=action_space_to_wire(first.action_space),
            max_steps=first.max_steps if disclosure.step_limit else None,
            agent_time_budget=duration(context.episode_budget if disclosure.time_budget else None),
            observation=self._writer.write(opening.observation),
            agent_seed=agent_seed(context.seed, self.assignment.repeat, opening),
        )

    def _answer(
        self,
        step: EncodedStep,
        outcomes: list[action_pb2.ActionOutcome],
        index: int,
        claims: StepClaims,
    ) -> StepAnswer:
        disclosure = self._context.disclosure
        response = agent_pb2.StepResponse(
            episode_id=self.episode_id,
            step_index=index,
            outcomes=outcomes,
            status=step.status.value,  # type: ignore[arg-type]
        )
        if disclosure.step_limit:
            response.remaining.steps = step.steps_left
        left = duration(claims.agent_seconds_left)
        if disclosure.time_budget and left is not None:
            response.remaining.agent_time.CopyFrom(left)
        return StepAnswer.of(response, self._writer.write_parts(step.observation))

    def _record(
        self, result: EpisodeResult, head: str, exchanges: int, agent_seconds: float
    ) -> EpisodeRecord:
        task = self.assignment.task
        return EpisodeRecord(
            episode_id=self.episode_id,
            task_id=task.id,
            group=task.group,
            cluster=task.cluster,
            repeat=self.assignment.repeat,
            seed=self.assignment.seed(self._context.seed),
            success=result.success,
            failure=None if result.failure is None else result.failure.value,
            goal_conditions=result.goal_conditions,
            steps=result.steps,
            metrics=result.metrics,
            labels=result.labels,
            agent_seconds=agent_seconds,
            environment_seconds=self._environment_seconds,
            session=self._agent.session,
            guest=self._agent.name,
            transcript_head=head,
            exchanges=exchanges,
            usage=self._usage,
        )

    def _uncounted(self, cause: Cause, withdrawal: Withdrawal | None = None) -> UncountedRecord:
        return UncountedRecord(
            cause=cause,
            episode_id=self.episode_id,
            task_id=self.assignment.task.id,
            repeat=self.assignment.repeat,
            steps=self._steps,
            session=self._agent.session,
            guest=self._agent.name,
            reason="" if withdrawal is None else withdrawal.reason.value,
            message="" if withdrawal is None else withdrawal.message,
            usage=self._usage,
        )


def withdraw_between(
    context: RunContext[EpisodeRecords], agent: EpisodeAgent, withdrawal: Withdrawal, usage: Usage
) -> None:
    """Records that an agent leaves the run while no episode of its is open."""
    context.folder.record_uncounted(
        UncountedRecord(
            cause=Cause.WITHDRAWN,
            session=agent.session,
            guest=agent.name,
            reason=withdrawal.reason.value,
            message=withdrawal.message,
            usage=usage,
        )
    )


# --- A seed for the agent's own draws, which gives nothing away


def agent_seed(run_seed: int, repeat: int, opening: Opening) -> int:
    """The seed for the agent, 1 … 2**63 - 1, from the run's seed, the repeat and the opening.

    It does not depend on the task's id or the world's seed: an agent with a list of all tasks could
    find these by trying each.
    """
    first, shown = opening.first, opening.observation
    parts = [f"agent\0{run_seed}\0{repeat}\0{first.instruction}\0{shown.text}".encode()]
    parts += [image.digest for image in shown.images]
    digest = hashlib.sha256(b"\0".join(parts)).digest()
    return (int.from_bytes(digest[:8], "big") >> 1) or 1
