"""houseguest.agent.v1.AgentService, on top of the house."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
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
from env_service.gateway.conduct import Conducts
from env_service.gateway.room import Room
from env_service.gateway.rpc import (
    Context,
    answered,
    bearer,
    carried_out,
    checked,
    parser,
    unary,
    undisturbed,
)
from env_service.gateway.seat import Seat
from env_service.gateway.seat_queue import SeatQueue
from env_service.gateway.settings import (
    MIN_PROTOCOL_REVISION,
    PROTOCOL_REVISION,
    HouseLimits,
)
from env_service.gateway.table import Attached
from env_service.gateway.tokens import Lease
from env_service.wire.bounds import MAX_DECLARATION_BYTES
from env_service.wire.durations import duration
from env_service.wire.observations import request_from_wire, request_to_wire
from env_service.wire.splice import StepAnswer

SERVICE = "houseguest.agent.v1.AgentService"
MAX_DECLARATIONS = 8
"""Different ones that the holder of a lease may make of itself; each is written to the manifest."""


class Reception(Protocol):
    """What AgentService asks of the house."""

    limits: HouseLimits
    queue: SeatQueue
    conducts: Conducts

    def lease(self, token: str) -> Lease:
        """Reads a lease token. Raises ProtocolError."""

    def room(self, run_id: str) -> Room:
        """Where a lease leads. Raises ProtocolError RUN_NOT_FOUND."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of request that an attached session makes."""

    method: str
    """The call's name."""
    request: Any
    perform: Callable[[Seat, Any], Awaitable[Any]]
    moves: bool
    """Whether it moves the session on, so that earlier refusals are forgiven."""
    field: str = ""
    """Of PlayRequest and of PlayResponse; empty for one that comes as a call alone."""


_KINDS = (
    _Kind(
        "BeginEpisode",
        agent_pb2.BeginEpisodeRequest,
        lambda seat, request: seat.begin(request),
        moves=True,
        field="begin_episode",
    ),
    _Kind(
        "Step",
        agent_pb2.StepRequest,
        lambda seat, request: seat.step(request),
        moves=True,
        field="step",
    ),
    _Kind(
        "EndEpisode",
        agent_pb2.EndEpisodeRequest,
        lambda seat, request: seat.end(request),
        moves=True,
        field="end_episode",
    ),
    _Kind(
        "GetEpisode",
        agent_pb2.GetEpisodeRequest,
        lambda seat, request: seat.tell_again(request),
        moves=False,
    ),
    _Kind(
        "Withdraw",
        agent_pb2.WithdrawRequest,
        lambda seat, request: seat.withdraw(request),
        moves=False,
    ),
)

_ON_PLAY = MappingProxyType({kind.field: kind for kind in _KINDS if kind.field})


class AgentService:
    """The RPCs of AgentService. Register ``handlers()`` with a grpc.aio server."""

    def __init__(self, reception: Reception) -> None:
        self._house = reception

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
                    for kind in _KINDS
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

    async def _carry_out(self, kind: _Kind, request: Any, context: Context) -> Any:
        lease = self._lease(context)
        answer = await kind.perform(self._seat_of(lease, request.session_id), request)
        if kind.moves:
            self._house.conducts.of(lease).accept()
        return answer

    async def _play(self, _requests: Any, context: Context) -> None:
        async with answered(context):
            await undisturbed(self._play_on(context))

    async def _play_on(self, context: Context) -> None:
        while (message := await context.read()) is not grpc.aio.EOF:
            await context.write(await self._play_one(message, context))

    async def _play_one(self, message: Any, context: Context) -> bytes:
        """Answers one request; the answer is serialized."""
        request_id = getattr(message, "request_id", 0)
        try:
            field, answer = await carried_out(self._unpack, message, context, self._refused)
        except ProtocolError as error:
            field, answer = "error", _refusal(error)
        if isinstance(answer, StepAnswer):
            return answer.to_play_bytes(request_id)
        return _serialize(agent_pb2.PlayResponse(request_id=request_id, **{field: answer}))

    async def _unpack(self, request: agent_pb2.PlayRequest, context: Context) -> tuple[str, Any]:
        """The answer to what a PlayRequest holds, and where in a PlayResponse it belongs."""
        field = request.WhichOneof("request")
        if field is None:
            raise ProtocolError(Reason.MALFORMED_REQUEST, "The request is not set.")
        return field, await self._carry_out(_ON_PLAY[field], getattr(request, field), context)

    # --- Hello

    async def _hello(
        self, request: agent_pb2.HelloRequest, context: Context
    ) -> agent_pb2.HelloResponse:
        room, lease = self._room_of(context)
        if request.protocol_revision and request.protocol_revision < MIN_PROTOCOL_REVISION:
            raise ProtocolError(Reason.REVISION_NOT_SERVED)
        if request.HasField("client") and not room.over:
            await self._declare(room, lease, request.client)
        return agent_pb2.HelloResponse(
            protocol_revision=PROTOCOL_REVISION,
            min_protocol_revision=MIN_PROTOCOL_REVISION,
            features=_features(room),
            limits=self._limits(room),
        )

    async def _declare(self, room: Room, lease: Lease, client: agent_pb2.ClientInfo) -> None:
        known = self._house.conducts.of(lease).declared
        digest = sha256(client.SerializeToString(deterministic=True)).digest()
        if digest not in known and len(known) < MAX_DECLARATIONS:
            known.add(digest)
            await room.declare(_declared(client))

    # --- Attach

    async def _attach(self, message: Any, context: Context) -> None:
        async with answered(context):
            room, lease = self._room_of(context)
            try:
                seat = await self._admit(checked(message), room, lease, context)
            except ProtocolError as error:
                self._note(lease, error)
                raise
            await self._hold(room, seat, context)

    async def _admit(
        self, request: agent_pb2.AttachRequest, room: Room, lease: Lease, context: Context
    ) -> Seat:
        attached = self._judge(room, request)
        seat = room.seat(lease.session_number, lease.serial)
        if request.resume_token:
            if seat is None:
                raise ProtocolError(Reason.RESUME_REFUSED)
            seat.resume(request.resume_token, references=attached.references)
        elif seat is not None and seat.session.unused and seat.session.ended is None:
            seat.grant_again(attached)
        else:
            seat = await self._queue_for(room, lease, attached, context)
        return seat

    async def _queue_for(
        self, room: Room, lease: Lease, attached: Attached, context: Context
    ) -> Seat:
        """Waits for a place in the house, telling the position, then takes the seat."""
        room.check_seat(lease.session_number)
        async with self._house.queue.place() as place:
            async for position in place.positions():
                room.check_seat(lease.session_number)
                room.seat(lease.session_number, lease.serial)
                queued = agent_pb2.Queued(position=position)
                await context.write(agent_pb2.AttachResponse(queued=queued))
            room.seat(lease.session_number, lease.serial)
            return room.take_seat(lease.session_number, attached)

    async def _hold(self, room: Room, seat: Seat, context: Context) -> None:
        """Grants, then renews the lease while the stream is open; tells what changes."""
        session, epoch = seat.session, seat.session.epoch
        lease_seconds = self._house.limits.session.lease
        changes, told_draining, told_position = seat.listen(), False, 0
        try:
            await context.write(agent_pb2.AttachResponse(granted=_grant(room, seat)))
            while True:
                if session.ended is not None:
                    revoked = agent_pb2.Revoked(reason=session.ended.name)
                    await context.write(agent_pb2.AttachResponse(revoked=revoked))
                    return
                session.hold(epoch, time.monotonic())
                if room.draining and not told_draining:
                    told_draining = True
                    left = duration(max(0.0, room.drained_by - time.monotonic()))
                    draining = agent_pb2.Draining(time_left=left)
                    await context.write(agent_pb2.AttachResponse(draining=draining))
                if seat.waiting_at != told_position:
                    told_position = seat.waiting_at
                    if told_position:
                        queued = agent_pb2.Queued(position=told_position)
                        await context.write(agent_pb2.AttachResponse(queued=queued))
                try:
                    await asyncio.wait_for(changes.get(), lease_seconds / 3)
                except TimeoutError:
                    left = duration(session.lease_seconds_left(time.monotonic()))
                    renewed = agent_pb2.Renewed(lease_time_left=left)
                    await context.write(agent_pb2.AttachResponse(renewed=renewed))
        finally:
            seat.unlisten(changes)

    def _judge(self, room: Room, request: agent_pb2.AttachRequest) -> Attached:
        offered = _features(room)
        for feature in request.required_features:
            if feature not in offered:
                raise ProtocolError(
                    Reason.FEATURE_NOT_OFFERED,
                    f"Feature {feature} is not offered in this run; offered: {list(offered)}.",
                )
        try:
            observation = room.offer.grant(request_from_wire(request.observation))
        except ValueError as error:
            raise ProtocolError(Reason.OBSERVATION_NOT_OFFERED, str(error)) from None
        references = agent_pb2.FEATURE_FRAME_REFERENCE in request.required_features
        return Attached(observation, references, room.agent_name)

    # --- who calls

    def _room_of(self, context: Context) -> tuple[Room, Lease]:
        lease = self._lease(context)
        return self._house.room(lease.run_id), lease

    def _refused(self, context: Context, error: ProtocolError) -> None:
        """Notes that a call was refused, against the guest that made it."""
        try:
            lease = self._lease(context)
        except ProtocolError:
            return
        self._note(lease, error)

    def _note(self, lease: Lease, error: ProtocolError) -> None:
        try:
            seat = self._house.room(lease.run_id).seat(lease.session_number, lease.serial)
        except ProtocolError:
            return
        self._house.conducts.refuse(lease, seat, error)

    def _lease(self, context: Context) -> Lease:
        return self._house.lease(bearer(context))

    def _seat_of(self, lease: Lease, session_id: str) -> Seat:
        seat = self._house.room(lease.run_id).seat(lease.session_number, lease.serial)
        if seat is None or seat.session_id != session_id:
            raise ProtocolError(Reason.SESSION_FOREIGN)
        return seat

    def _limits(self, room: Room) -> agent_pb2.Limits:
        limits = room.limits
        return agent_pb2.Limits(
            max_message_bytes=limits.max_message_bytes,
            environment_step_deadline=duration(limits.environment_step_deadline),
            agent_step_budget=duration(limits.session.step_budget),
            agent_episode_budget=duration(limits.session.episode_budget),
            max_plan_steps=limits.max_plan_steps,
            max_trace_bytes_per_step=limits.max_trace_bytes,
            max_action_bytes=limits.max_action_bytes,
            max_calls_per_second=limits.calls_per_second,
        )


def _declared(client: agent_pb2.ClientInfo) -> dict[str, object]:
    """What an agent says of itself, for the manifest; cut to its names where it is too long."""
    size = client.ByteSize()
    if size > MAX_DECLARATION_BYTES:
        named = {"agent_name": client.agent_name[:200], "agent_version": client.agent_version[:200]}
        return {**named, "cut_from_bytes": size}
    return MessageToDict(client, preserving_proto_field_name=True)


def _features(room: Room) -> list[agent_pb2.Feature.ValueType]:
    features = [
        agent_pb2.FEATURE_STREAMING_PLAY,
        agent_pb2.FEATURE_FRAME_REFERENCE,
        agent_pb2.FEATURE_WITHDRAW,
    ]
    if Mode.PLAN in room.table.suite.modes:
        features.append(agent_pb2.FEATURE_PLAN)
    channels = [channel for channel, _ in room.offer.channels]
    if Channel.DEPTH in channels:
        features.append(agent_pb2.FEATURE_DEPTH)
    if Channel.SEGMENTATION in channels:
        features.append(agent_pb2.FEATURE_SEGMENTATION)
    features.extend(room.table.features)
    return features


def _grant(room: Room, seat: Seat) -> agent_pb2.Granted:
    session = seat.session
    return agent_pb2.Granted(
        session_id=seat.session_id,
        session_epoch=session.epoch,
        resume_token=session.resume_token,
        lease_time_left=duration(session.lease_seconds_left(time.monotonic())),
        observation=request_to_wire(seat.attached.observation),
        episodes_total=room.counts().total,
        next_episode_ordinal=session.next_ordinal,
        open_episode_id=session.open_episode_id,
    )


def _refusal(error: ProtocolError) -> agent_pb2.Refusal:
    return agent_pb2.Refusal(
        code=error.reason.status.value, reason=error.reason.name, message=error.message
    )


def _serialize(message: Any) -> bytes:
    data: bytes = message.SerializeToString()
    return data
