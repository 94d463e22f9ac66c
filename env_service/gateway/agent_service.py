"""houseguest.agent.v1.AgentService, on top of the environment service."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Protocol

import grpc
from google.protobuf.json_format import MessageToDict
from houseguest.agent.v1 import agent_pb2

from env_service.domain.episode import Mode
from env_service.domain.observation import Channel
from env_service.domain.reasons import ProtocolError, Reason
from env_service.gateway.agent_session import AgentSession
from env_service.gateway.limits import MIN_PROTOCOL_REVISION, PROTOCOL_REVISION, ServiceLimits
from env_service.gateway.rpc import (
    Context,
    bearer,
    checked,
    errors_answered,
    parser,
    refusals_reported,
    shielded,
    unary,
)
from env_service.gateway.run_context import AttachGrant
from env_service.gateway.run_handle import RunHandle
from env_service.gateway.session_queue import SessionQueue
from env_service.gateway.tokens import Lease
from env_service.gateway.violations import ViolationTracker
from env_service.wire.bounds import MAX_DECLARATION_BYTES
from env_service.wire.episodes import duration
from env_service.wire.observations import request_from_wire, request_to_wire
from env_service.wire.zero_copy import StepAnswer

SERVICE = "houseguest.agent.v1.AgentService"
MAX_DECLARATIONS = 8
"""Different declarations that the holder of a lease may make. The manifest records each."""


class RunDirectory(Protocol):
    """What AgentService asks of the environment service."""

    limits: ServiceLimits
    queue: SessionQueue
    violations: ViolationTracker

    def lease(self, token: str) -> Lease:
        """Reads a lease token. Raises ProtocolError."""

    def run_handle(self, run_id: str) -> RunHandle:
        """The run or practice of a lease. Raises ProtocolError RUN_NOT_FOUND."""


@dataclass(frozen=True, slots=True)
class _Method:
    """A kind of request that an attached session makes."""

    method: str
    """The call's name."""
    request: Any
    operation: str
    """The method of AgentSession that carries it out."""
    moves: bool
    """Whether it moves the session on, so that earlier refusals are forgiven."""
    field: str = ""
    """Of PlayRequest and of PlayResponse; empty for one that comes as a call alone."""


_METHODS = (
    _Method(
        "BeginEpisode",
        agent_pb2.BeginEpisodeRequest,
        "begin",
        moves=True,
        field="begin_episode",
    ),
    _Method(
        "Step",
        agent_pb2.StepRequest,
        "step",
        moves=True,
        field="step",
    ),
    _Method(
        "EndEpisode",
        agent_pb2.EndEpisodeRequest,
        "end",
        moves=True,
        field="end_episode",
    ),
    _Method(
        "GetEpisode",
        agent_pb2.GetEpisodeRequest,
        "get_episode",
        moves=False,
    ),
    _Method(
        "Withdraw",
        agent_pb2.WithdrawRequest,
        "withdraw",
        moves=False,
    ),
)

_ON_PLAY: Mapping[str | None, _Method] = MappingProxyType(
    {kind.field: kind for kind in _METHODS if kind.field}
)


class AgentService:
    """The RPCs of AgentService. Register ``handlers()`` with a grpc.aio server."""

    def __init__(self, runs: RunDirectory) -> None:
        self._runs = runs

    def caller(self, context: Context) -> Lease:
        """Who calls. Raises ProtocolError for a call without a good token."""
        return self._lease(context)

    def handlers(self) -> grpc.GenericRpcHandler:
        """The method table."""
        return grpc.method_handlers_generic_handler(
            SERVICE,
            {
                "Hello": unary(self._hello, agent_pb2.HelloRequest, self._refused),
                **{
                    kind.method: unary(partial(self._carry_out, kind), kind.request, self._refused)
                    for kind in _METHODS
                },
                "Attach": grpc.unary_stream_rpc_method_handler(
                    self._attach, parser(agent_pb2.AttachRequest), _serialize
                ),
                "Play": grpc.stream_stream_rpc_method_handler(
                    self._play, parser(agent_pb2.PlayRequest), lambda answer: answer
                ),
            },
        )

    # --- what an attached session asks, in single calls and on Play alike

    async def _carry_out(self, kind: _Method, request: Any, context: Context) -> Any:
        lease = self._lease(context)
        session = self._session_of(lease, request.session_id)
        answer = await getattr(session, kind.operation)(request)
        if kind.moves:
            self._runs.violations.of(lease).accept()
        return answer

    async def _play(self, _requests: Any, context: Context) -> None:
        async with errors_answered(context):
            await shielded(self._play_on(context))

    async def _play_on(self, context: Context) -> None:
        while (message := await context.read()) is not grpc.aio.EOF:
            await context.write(await self._play_one(message, context))

    async def _play_one(self, message: Any, context: Context) -> bytes:
        """Answers one request; the answer is serialized."""
        request_id, field = getattr(message, "request_id", 0), "error"
        answer: Any
        try:
            with refusals_reported(context, self._refused):
                request: agent_pb2.PlayRequest = checked(message)
                kind = _ON_PLAY.get(request.WhichOneof("request"))
                if kind is None:
                    raise ProtocolError(Reason.MALFORMED_REQUEST, "The request is not set.")
                answer = await self._carry_out(kind, getattr(request, kind.field), context)
                field = kind.field
        except ProtocolError as error:
            answer = _refusal(error)
        if isinstance(answer, StepAnswer):
            return answer.to_play_bytes(request_id)
        return _serialize(agent_pb2.PlayResponse(request_id=request_id, **{field: answer}))

    # --- Hello

    async def _hello(
        self, request: agent_pb2.HelloRequest, context: Context
    ) -> agent_pb2.HelloResponse:
        run, lease = self._run_of(context)
        if request.protocol_revision and request.protocol_revision < MIN_PROTOCOL_REVISION:
            raise ProtocolError(Reason.REVISION_NOT_SERVED)
        if request.HasField("client") and not run.over:
            await self._declare(run, lease, request.client)
        return agent_pb2.HelloResponse(
            protocol_revision=PROTOCOL_REVISION,
            min_protocol_revision=MIN_PROTOCOL_REVISION,
            features=_features(run),
            limits=self._limits(run),
        )

    async def _declare(self, run: RunHandle, lease: Lease, client: agent_pb2.ClientInfo) -> None:
        known = self._runs.violations.of(lease).declared
        digest = sha256(client.SerializeToString(deterministic=True)).digest()
        if digest not in known and len(known) < MAX_DECLARATIONS:
            known.add(digest)
            await run.declare(_declared(client))

    # --- Attach

    async def _attach(self, message: Any, context: Context) -> None:
        async with errors_answered(context):
            run, lease = self._run_of(context)
            try:
                session = await self._admit(checked(message), run, lease, context)
            except ProtocolError as error:
                self._note(lease, error)
                raise
            await self._hold(run, session, context)

    async def _admit(
        self, request: agent_pb2.AttachRequest, run: RunHandle, lease: Lease, context: Context
    ) -> AgentSession:
        grant = self._grant(run, request)
        session = run.session(lease.session_number, lease.serial)
        if request.resume_token:
            if session is None:
                raise ProtocolError(Reason.RESUME_REFUSED)
            session.resume(request.resume_token, references=grant.references)
        elif session is not None and session.state.unused and session.state.ended is None:
            session.grant_again(grant)
        else:
            session = await self._queue_for(run, lease, grant, context)
        return session

    async def _queue_for(
        self, run: RunHandle, lease: Lease, grant: AttachGrant, context: Context
    ) -> AgentSession:
        """Waits for a place in the service, announcing the position, then opens a session."""
        run.check_vacant(lease.session_number)
        async with self._runs.queue.ticket() as ticket:
            async for position in ticket.positions():
                run.check_vacant(lease.session_number)
                run.session(lease.session_number, lease.serial)
                queued = agent_pb2.Queued(position=position)
                await context.write(agent_pb2.AttachResponse(queued=queued))
            run.session(lease.session_number, lease.serial)
            return run.open_session(lease.session_number, grant)

    async def _hold(self, run: RunHandle, session: AgentSession, context: Context) -> None:
        """Grants, then renews the lease while the stream is open; announces changes."""
        state, epoch = session.state, session.state.epoch
        lease_seconds = self._runs.limits.session.lease
        changes, draining_sent, position_sent = session.listen(), False, 0
        try:
            await context.write(agent_pb2.AttachResponse(granted=_granted(run, session)))
            while True:
                if state.ended is not None:
                    revoked = agent_pb2.Revoked(reason=state.ended.name)
                    await context.write(agent_pb2.AttachResponse(revoked=revoked))
                    return
                state.hold(epoch, time.monotonic())
                if run.draining and not draining_sent:
                    draining_sent = True
                    left = duration(max(0.0, run.drained_by - time.monotonic()))
                    draining = agent_pb2.Draining(time_left=left)
                    await context.write(agent_pb2.AttachResponse(draining=draining))
                if session.waiting_at != position_sent:
                    position_sent = session.waiting_at
                    if position_sent:
                        queued = agent_pb2.Queued(position=position_sent)
                        await context.write(agent_pb2.AttachResponse(queued=queued))
                try:
                    await asyncio.wait_for(changes.get(), lease_seconds / 3)
                except TimeoutError:
                    left = duration(state.lease_seconds_left(time.monotonic()))
                    renewed = agent_pb2.Renewed(lease_time_left=left)
                    await context.write(agent_pb2.AttachResponse(renewed=renewed))
        finally:
            session.unlisten(changes)

    def _grant(self, run: RunHandle, request: agent_pb2.AttachRequest) -> AttachGrant:
        offered = _features(run)
        for feature in request.required_features:
            if feature not in offered:
                raise ProtocolError(
                    Reason.FEATURE_NOT_OFFERED,
                    f"Feature {feature} is not offered in this run; offered: {list(offered)}.",
                )
        try:
            observation = run.offer.grant(request_from_wire(request.observation))
        except ValueError as error:
            raise ProtocolError(Reason.OBSERVATION_NOT_OFFERED, str(error)) from None
        references = agent_pb2.FEATURE_FRAME_REFERENCE in request.required_features
        return AttachGrant(observation, references, run.agent_name)

    # --- who calls

    def _run_of(self, context: Context) -> tuple[RunHandle, Lease]:
        lease = self._lease(context)
        return self._runs.run_handle(lease.run_id), lease

    def _refused(self, context: Context, error: ProtocolError) -> None:
        """Counts a refused call against the agent that made it."""
        try:
            lease = self._lease(context)
        except ProtocolError:
            return
        self._note(lease, error)

    def _note(self, lease: Lease, error: ProtocolError) -> None:
        try:
            session = self._runs.run_handle(lease.run_id).session(
                lease.session_number, lease.serial
            )
        except ProtocolError:
            return
        self._runs.violations.refuse(lease, session, error)

    def _lease(self, context: Context) -> Lease:
        return self._runs.lease(bearer(context))

    def _session_of(self, lease: Lease, session_id: str) -> AgentSession:
        session = self._runs.run_handle(lease.run_id).session(lease.session_number, lease.serial)
        if session is None or session.session_id != session_id:
            raise ProtocolError(Reason.SESSION_FOREIGN)
        return session

    def _limits(self, run: RunHandle) -> agent_pb2.Limits:
        limits = run.limits
        return agent_pb2.Limits(
            max_message_bytes=limits.max_message_bytes,
            environment_step_deadline=duration(limits.environment_step_deadline),
            agent_step_budget=duration(limits.session.step_budget),
            agent_episode_budget=duration(limits.session.episode_budget),
            max_plan_steps=limits.max_plan_steps,
            max_trace_bytes_per_step=limits.max_trace_bytes,
            max_action_bytes=limits.max_action_bytes,
            max_calls_per_second=limits.calls_per_second,
            max_prompt_bytes_per_step=limits.max_prompt_bytes if _is_recorded(run) else 0,
        )


def _declared(client: agent_pb2.ClientInfo) -> dict[str, object]:
    """An agent's declaration for the manifest; only its names if it is too long."""
    size = client.ByteSize()
    if size > MAX_DECLARATION_BYTES:
        named = {"agent_name": client.agent_name[:200], "agent_version": client.agent_version[:200]}
        return {**named, "cut_from_bytes": size}
    return MessageToDict(client, preserving_proto_field_name=True)


def _features(run: RunHandle) -> list[agent_pb2.Feature.ValueType]:
    features = [
        agent_pb2.FEATURE_STREAMING_PLAY,
        agent_pb2.FEATURE_FRAME_REFERENCE,
        agent_pb2.FEATURE_WITHDRAW,
    ]
    if Mode.PLAN in run.context.suite.modes:
        features.append(agent_pb2.FEATURE_PLAN)
    channels = [channel for channel, _ in run.offer.channels]
    if Channel.DEPTH in channels:
        features.append(agent_pb2.FEATURE_DEPTH)
    if Channel.SEGMENTATION in channels:
        features.append(agent_pb2.FEATURE_SEGMENTATION)
    if _is_recorded(run):
        features.append(agent_pb2.FEATURE_PROMPT)
    features.extend(run.context.features)
    return features


def _is_recorded(run: RunHandle) -> bool:
    return agent_pb2.FEATURE_PRACTICE not in run.context.features


def _granted(run: RunHandle, session: AgentSession) -> agent_pb2.Granted:
    state = session.state
    return agent_pb2.Granted(
        session_id=session.session_id,
        session_epoch=state.epoch,
        resume_token=state.resume_token,
        lease_time_left=duration(state.lease_seconds_left(time.monotonic())),
        observation=request_to_wire(session.grant.observation),
        episodes_total=run.counts().total,
        next_episode_ordinal=state.next_ordinal,
        open_episode_id=state.open_episode_id,
    )


def _refusal(error: ProtocolError) -> agent_pb2.Refusal:
    return agent_pb2.Refusal(
        code=error.reason.status.value, reason=error.reason.name, message=error.message
    )


def _serialize(message: Any) -> bytes:
    data: bytes = message.SerializeToString()
    return data
