"""The scripted service of one scene.

It implements AgentService with Attach streams, a limit of calls, faults, and answers of a later
revision.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message import Message
from houseguest.agent.v1 import agent_pb2
from houseguest.agent.v1 import agent_pb2 as pb

from env_service.conformance.agent.pictures import STRANGE
from env_service.conformance.agent.scene import (
    CallJournal,
    Clock,
    FaultMoment,
    ObservedCall,
    SceneFault,
    SceneScript,
    ScriptedChange,
)
from env_service.conformance.agent.session import MAX_ACTION_BYTES, MAX_PLAN_STEPS, ScriptedSession
from env_service.domain.reasons import ProtocolError, Reason
from env_service.gateway.limits import PROTOCOL_REVISION
from env_service.gateway.rpc import Context, abort, bearer, checked, parser
from env_service.wire.episodes import duration

SERVICE = "houseguest.agent.v1.AgentService"
MAX_MESSAGE_BYTES = 16 * 1024 * 1024
_CUT_SECONDS = 0.2
"""How long the service does not listen after a cut."""

_OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.so_reuseport", 0),
)
_Handle = Callable[[Any], Message]


class LostAnswerError(Exception):
    """The call fails as if the connection had broken after the call took effect."""


class ScriptedService:
    """Listens on ``address`` and plays one script with any client that sends ``token``."""

    def __init__(self, script: SceneScript, address: str, token: str, journal: CallJournal) -> None:
        self.script, self.journal = script, journal
        self.address = address
        self.session = ScriptedSession(script, journal)
        self.faults = FaultSchedule(script.faults, journal.clock)
        self.attachments = Attachments(self)
        self.stop_agent = asyncio.Event()
        self.successor = asyncio.Event()
        """Set when a new agent calls Hello after the previous one left; the new one has to wait."""
        self._token = token
        self._pace = RateLimit(script.calls_per_second, journal.clock)
        self._ready: dict[tuple[str, Key], float] = {}
        self._server: grpc.aio.Server | None = None
        self._work: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Starts to listen. Raises RuntimeError if the address cannot be used."""
        server = grpc.aio.server(options=_OPTIONS)
        server.add_generic_rpc_handlers((self._handlers(),))
        port = server.add_insecure_port(self.address)
        if self.address.startswith("unix:"):
            _open_to_all(Path(self.address.removeprefix("unix:")))
        else:
            self.address = f"{self.address.rpartition(':')[0]}:{port}"
        await server.start()
        self._server = server

    async def stop(self) -> None:
        """Drops every connection. Idempotent."""
        for task in list(self._work):
            task.cancel()
        await asyncio.gather(*self._work, return_exceptions=True)
        self.attachments.close()
        server, self._server = self._server, None
        if server is not None:
            await server.stop(0)

    def _handlers(self) -> grpc.GenericRpcHandler:
        def unary(name: str, handle: _Handle, request: Any) -> Any:
            async def answer(message: Any, context: Context) -> bytes:
                async with _answered(context):
                    self.authenticate(context, name)
                    if name == "Hello" and self._others_turn():
                        self.successor.set()
                        await asyncio.Event().wait()
                    return await self._serve(name, checked(message), handle, streamed=False)

            return grpc.unary_unary_rpc_method_handler(answer, parser(request), bytes)

        return grpc.method_handlers_generic_handler(
            SERVICE,
            {
                "Hello": unary("Hello", self._hello, pb.HelloRequest),
                "BeginEpisode": unary("BeginEpisode", self.session.begin, pb.BeginEpisodeRequest),
                "Step": unary("Step", self.session.step, pb.StepRequest),
                "EndEpisode": unary("EndEpisode", self.session.end, pb.EndEpisodeRequest),
                "GetEpisode": unary("GetEpisode", self.session.get_episode, pb.GetEpisodeRequest),
                "Withdraw": unary("Withdraw", self._withdraw, pb.WithdrawRequest),
                "Attach": grpc.unary_stream_rpc_method_handler(
                    self._attach, parser(pb.AttachRequest), bytes
                ),
                "Play": grpc.stream_stream_rpc_method_handler(
                    self._play, parser(pb.PlayRequest), bytes
                ),
            },
        )

    # --- calls

    def _hello(self, request: pb.HelloRequest) -> pb.HelloResponse:
        self.journal.hellos.append(request)
        return hello_response(self.script, MAX_MESSAGE_BYTES)

    def _others_turn(self) -> bool:
        """Whether the agent has left, so that the next Hello is another agent's."""
        over = (
            self.session.ended is not None
            or self.journal.told_all_done
            or "superseded" in self.journal.marks
        )
        return self.attachments.let_go or (over and not self.attachments.open)

    def _withdraw(self, request: pb.WithdrawRequest) -> pb.WithdrawResponse:
        answer = self.session.withdraw(request)
        self.attachments.revoke(Reason.SESSION_WITHDRAWN)
        return answer

    async def _attach(self, message: Any, context: Context) -> None:
        async with _answered(context):
            self.authenticate(context, "Attach")
            await self.attachments.serve(checked(message), context)

    async def _play(self, _requests: Any, context: Context) -> None:
        async with _answered(context):
            self.authenticate(context, "Play")
            if pb.FEATURE_STREAMING_PLAY not in self.script.features:
                self._unoffered("a call of Play", "FEATURE_STREAMING_PLAY")
                await context.abort(grpc.StatusCode.UNIMPLEMENTED, "Play is not offered", ())
            while (message := await context.read()) is not grpc.aio.EOF:
                await context.write(await self._play_one(message))

    async def _play_one(self, message: Any) -> bytes:
        request_id = getattr(message, "request_id", 0)
        handles: dict[str, tuple[str, _Handle]] = {
            "begin_episode": ("BeginEpisode", self.session.begin),
            "step": ("Step", self.session.step),
            "end_episode": ("EndEpisode", self.session.end),
        }
        try:
            kind = checked(message).WhichOneof("request")
            if kind is None:
                raise ProtocolError(Reason.MALFORMED_REQUEST, "The request is not set.")
            name, handle = handles[kind]
            data = await self._serve(name, getattr(message, kind), handle, streamed=True)
            response = pb.PlayResponse(request_id=request_id)
            getattr(response, kind).MergeFromString(data)
        except ProtocolError as error:
            refusal = pb.Refusal(
                code=error.reason.status.value, reason=error.reason.name, message=error.message
            )
            response = pb.PlayResponse(request_id=request_id, error=refusal)
        return outgoing(response, strange=self.script.strange)

    def authenticate(self, context: Context, method: str) -> None:
        """Raises ProtocolError for a call without the scene's token, or one that is refused."""
        try:
            token = bearer(context)
        except ProtocolError:
            self._misuse("token", f"a call of {method} without one")
            raise
        if self.script.refused is not None:
            self.journal.note(method).answer = self.script.refused.name
            self.journal.mark("refused")
            raise ProtocolError(self.script.refused)
        if token != self._token:
            self._misuse("token", f"a call of {method} with another token")
            raise ProtocolError(Reason.TOKEN_INVALID)
        if method != "Hello" and not self.journal.hellos:
            self.journal.violate("hello-first", "nothing yet", "a call of Hello", f"{method} first")

    async def _serve(self, method: str, request: Any, handle: _Handle, *, streamed: bool) -> bytes:
        """Answers a call according to the script. Raises ProtocolError and LostAnswerError."""
        key = _key(method, request)
        call = self.journal.note(method, key, streamed=streamed)
        try:
            answer = await self._answer(call, request, handle)
        except ProtocolError as error:
            call.answer = error.reason.name
            raise
        except LostAnswerError:
            call.answer = "UNAVAILABLE, after it was done"
            raise
        except asyncio.CancelledError:
            call.answer = call.answer or "by a broken link"
            raise
        call.ok, call.answer = True, _told(answer)
        return outgoing(answer, strange=self.script.strange)

    async def _answer(self, call: ObservedCall, request: Any, handle: _Handle) -> Message:
        moment = _MOMENTS.get(call.method)
        self._check_prompt(request)
        # Checked first: the script does not count calls of another session.
        if moment is not FaultMoment.HELLO:
            if call.method == "Withdraw" and pb.FEATURE_WITHDRAW not in self.script.features:
                self._unoffered("a call of Withdraw", "FEATURE_WITHDRAW")
                raise ProtocolError(Reason.FEATURE_NOT_OFFERED)
            self.session.check(call.method, request.session_id, request.session_epoch)
            self._pace.take()
        fault = None if moment is None else self.faults.take(moment, (call.method, *call.key))
        if fault is not None and fault.reason is not None:
            self.journal.mark("fault")
            wait = 0.1 if fault.reason is Reason.RATE_LIMITED else None
            raise ProtocolError(fault.reason, retry_after=wait)
        self._one_at_a_time(call)
        answer = handle(request)
        self.attachments.check_open(call)
        await self._suffer(fault, call)
        return answer

    async def _suffer(self, fault: SceneFault | None, call: ObservedCall) -> None:
        """Applies a fault after the call took effect and before its answer is sent."""
        pending = (call.method, call.key)
        if fault is not None:
            self.journal.mark("fault")
            if fault.delay:
                self._ready[pending] = self.journal.clock() + fault.delay
            if fault.change is not ScriptedChange.NONE:
                self._spawn(fault.change)
            if fault.change in (ScriptedChange.CUT, ScriptedChange.CUT_AND_EXPIRE):
                await asyncio.Event().wait()
        left = self._ready.get(pending, 0.0) - self.journal.clock()
        if left > 0:
            await asyncio.sleep(left)
        if fault is not None and fault.lost:
            raise LostAnswerError

    def _one_at_a_time(self, call: ObservedCall) -> None:
        """Raises ProtocolError for another turn while one is still running."""
        now = self.journal.clock()
        for (method, key), ready in self._ready.items():
            if ready > now and (method, key) != (call.method, call.key) and method == "Step":
                if call.method == "EndEpisode":
                    raise ProtocolError(Reason.STEP_IN_FLIGHT)
                if call.method == "Step":
                    self.journal.violate(
                        "step-order",
                        "no answer yet to a step that is still running",
                        "a repeat of it, or nothing",
                        f"step_index {call.key[1]}",
                    )

    # --- what else happens

    def _spawn(self, change: ScriptedChange) -> None:
        task = asyncio.ensure_future(self._change(change))
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    async def _change(self, change: ScriptedChange) -> None:
        match change:
            case ScriptedChange.CUT | ScriptedChange.CUT_AND_EXPIRE:
                await self._cut(expire=change is ScriptedChange.CUT_AND_EXPIRE)
            case ScriptedChange.DROP_ATTACH:
                self.attachments.drop()
            case ScriptedChange.DRAIN:
                self.session.draining = True
                self.journal.mark("draining")
                self.attachments.drain(self.script.drain_seconds)
                await asyncio.sleep(self.script.drain_seconds)
                self.session.ended = Reason.DRAINING
                self.journal.mark("drained")
                self.attachments.revoke(Reason.DRAINING)
            case ScriptedChange.REVOKE:
                # Let the answer to the call go out first.
                await asyncio.sleep(0.05)
                self.session.ended = Reason.SESSION_REPLACED
                self.journal.mark("revoked")
                self.attachments.revoke(Reason.SESSION_REPLACED)
            case ScriptedChange.SUPERSEDE:
                await asyncio.sleep(0.05)
                self.session.supersede()
                self.journal.mark("superseded")
                self.attachments.supersede()
            case ScriptedChange.NEWS:
                self.attachments.tell_news()
            case ScriptedChange.STOP_GUEST:
                self.stop_agent.set()
            case ScriptedChange.NONE:
                pass

    async def _cut(self, *, expire: bool) -> None:
        server, self._server = self._server, None
        self.attachments.forgive()
        if server is not None:
            await server.stop(0)
        self.session.expired = expire
        self.journal.mark("cut")
        await asyncio.sleep(_CUT_SECONDS)
        await self.start()

    def _misuse(self, rule: str, came: str) -> None:
        expected = "the scene's token in the metadata of every call"
        self.journal.violate(rule, "HOUSEGUEST_TOKEN", expected, came)

    def _check_prompt(self, request: Any) -> None:
        known = "trace" in request.DESCRIPTOR.fields_by_name
        offered = pb.FEATURE_PROMPT in self.script.features
        if known and request.trace.HasField("prompt") and not offered:
            self._unoffered("a Trace with a prompt", "FEATURE_PROMPT")

    def _unoffered(self, came: str, feature: str) -> None:
        self.journal.violate(
            "features", f"a HelloResponse without {feature}", f"never {came}", came
        )


@asynccontextmanager
async def _answered(context: Context) -> AsyncIterator[None]:
    """Turns what a handler raises into a gRPC status."""
    try:
        yield
    except ProtocolError as error:
        await abort(context, error)
    except LostAnswerError:
        await context.abort(grpc.StatusCode.UNAVAILABLE, "the link broke", ())


def _open_to_all(path: Path) -> None:
    """Makes the socket accessible to other users, such as the one of a container. The token
    identifies the agent."""
    path.chmod(0o666)


_MOMENTS = {
    "Hello": FaultMoment.HELLO,
    "BeginEpisode": FaultMoment.BEGIN,
    "Step": FaultMoment.TURN,
    "EndEpisode": FaultMoment.TURN,
}


def _key(method: str, request: Any) -> Key:
    """The key that a call shares with its repeats."""
    episode = getattr(request, "episode_id", "").rpartition("-")[2]
    if method == "Step":
        return (episode, request.step_index)
    if method == "BeginEpisode":
        return (request.episode_ordinal,)
    return (episode,) if episode else ()


def _told(answer: Message) -> str:
    """A short description of an answer."""
    if isinstance(answer, pb.StepResponse):
        codes = [outcome.code for outcome in answer.outcomes]
        return f"status {pb.EpisodeStatus.Name(answer.status)}, outcome codes {codes}"
    if isinstance(answer, pb.BeginEpisodeResponse):
        kind = answer.WhichOneof("next")
        return "AllDone" if kind == "all_done" else f"an episode in {_mode(answer.episode)}"
    return "as ever"


def _mode(episode: pb.Episode) -> str:
    return pb.Mode.Name(episode.mode)


# --- The Attach streams of one scene: the queue, the grant and the later events

_QUEUE_SECONDS = 0.15
_UNAVAILABLE = "unavailable"

Event = bytes | Reason | str
"""A message to send, the reason for which the stream ends, or _UNAVAILABLE."""


class Attachments:
    """All Attach streams; at most one belongs to the current holder."""

    def __init__(self, service: ScriptedService) -> None:
        self._service = service
        self._streams: set[asyncio.Queue[Event]] = set()
        self._ever = False
        self._forgiven = False
        self.closed_at: float | None = None
        """When the agent closed its last stream; None while one is open, and before the first."""

    @property
    def open(self) -> bool:
        """Whether the agent holds a stream."""
        return bool(self._streams)

    @property
    def let_go(self) -> bool:
        """Whether the agent held a stream and closed it, without a break by the service."""
        return self._ever and not self._streams and not self._forgiven

    async def serve(self, request: pb.AttachRequest, context: Context) -> None:
        """Serves one Attach call until it ends. Raises ProtocolError."""
        journal = self._service.journal
        call = journal.note("Attach", (request.resume_token.hex(),))
        try:
            events = await self._grant(request, context)
        except ProtocolError as error:
            call.answer = error.reason.name
            raise
        call.ok, call.answer = True, "a grant"
        try:
            await self._push(events, context)
        finally:
            self._streams.discard(events)
            if not self._streams:
                self.closed_at = journal.clock()

    async def _grant(self, request: pb.AttachRequest, context: Context) -> asyncio.Queue[Event]:
        service = self._service
        if not request.resume_token:
            for position in range(service.script.queue, 0, -1):
                await self._write(context, pb.AttachResponse(queued=pb.Queued(position=position)))
                await asyncio.sleep(_QUEUE_SECONDS)
        grant = service.session.attach(request)
        if request.resume_token:
            service.journal.mark("resumed")
            fault = service.faults.take(FaultMoment.RESUME, (request.resume_token.hex(),))
            if fault is not None and fault.lost:
                await context.abort(grpc.StatusCode.UNAVAILABLE, "the link broke", ())
        events: asyncio.Queue[Event] = asyncio.Queue()
        self._streams.add(events)
        self._ever, self.closed_at = True, None
        self._forgiven = False
        try:
            await self._write(context, pb.AttachResponse(granted=grant))
        except BaseException:
            self._streams.discard(events)
            raise
        return events

    async def _push(self, events: asyncio.Queue[Event], context: Context) -> None:
        while True:
            event = await events.get()
            if isinstance(event, bytes):
                await context.write(event)
            elif isinstance(event, Reason):
                if event is Reason.SESSION_SUPERSEDED:
                    raise ProtocolError(event)
                revoked = pb.AttachResponse(revoked=pb.Revoked(reason=event.name))
                await self._write(context, revoked)
                return
            else:
                await context.abort(grpc.StatusCode.UNAVAILABLE, "the link broke", ())

    async def _write(self, context: Context, message: pb.AttachResponse) -> None:
        await context.write(outgoing(message, strange=self._service.script.strange))

    def check_open(self, call: ObservedCall) -> None:
        """Records a violation if a step comes without a stream although none was broken."""
        if call.method == "Step" and self.let_go:
            self._service.journal.violate(
                "keeps-attached",
                "a grant, on a stream that the service did not break",
                "that the stream is still open when a Step comes",
                "a Step without an open Attach stream",
            )

    def forgive(self) -> None:
        """Excuses missing streams until the next grant: the service may have broken them."""
        self._forgiven = True

    def drop(self) -> None:
        """Breaks every stream."""
        self.forgive()
        self._all(_UNAVAILABLE)

    def drain(self, seconds: float) -> None:
        """Sends Draining."""
        draining = pb.AttachResponse(draining=pb.Draining(time_left=duration(seconds)))
        self._all(draining.SerializeToString())

    def revoke(self, reason: Reason) -> None:
        """Sends Revoked and ends the streams."""
        self.forgive()
        self._all(reason)

    def supersede(self) -> None:
        """Ends the streams as those of an earlier holder."""
        self.forgive()
        self._all(Reason.SESSION_SUPERSEDED)

    def tell_news(self) -> None:
        """Sends an event that this revision does not define, an empty one and a renewal."""
        renewed = pb.AttachResponse(renewed=pb.Renewed(lease_time_left=duration(60.0)))
        for data in (UNKNOWN_EVENT, b"", renewed.SerializeToString()):
            self._all(data)

    def close(self) -> None:
        """Forgets the streams; the server ends them."""
        self.forgive()

    def _all(self, event: Event) -> None:
        for events in self._streams:
            events.put_nowait(event)


# --- Which fault affects which call

Key = tuple[str | int, ...]


class FaultSchedule:
    """Assigns the faults of a script to calls."""

    def __init__(self, faults: Iterable[SceneFault], clock: Clock) -> None:
        self._faults, self._clock = tuple(faults), clock
        self._seen: dict[FaultMoment, list[Key]] = {moment: [] for moment in FaultMoment}
        self._suffered: dict[SceneFault, int] = {}
        self._since: dict[SceneFault, float] = {}
        self.struck: set[SceneFault] = set()
        """The faults that have affected a call."""

    def take(self, moment: FaultMoment, key: Key) -> SceneFault | None:
        """The fault for this call; ``key`` is the same for a call and its repeats."""
        seen = self._seen[moment]
        if key not in seen:
            seen.append(key)
        place = seen.index(key)
        for fault in self._faults:
            if fault.moment is moment and fault.at == place and self._lasts(fault):
                self._suffered[fault] = self._suffered.get(fault, 0) + 1
                self.struck.add(fault)
                return fault
        return None

    def _lasts(self, fault: SceneFault) -> bool:
        if fault.seconds:
            return self._clock() - self._since.setdefault(fault, self._clock()) < fault.seconds
        return self._suffered.get(fault, 0) < fault.times


# --- The limit of calls per second


class RateLimit:
    """A token bucket that holds one second's calls and refills evenly."""

    def __init__(self, per_second: int, clock: Clock) -> None:
        """``per_second`` 0: no limit."""
        self._rate, self._clock = per_second, clock
        self._left, self._at = float(per_second), clock()

    def take(self) -> None:
        """Counts a call. Raises ProtocolError RATE_LIMITED."""
        if not self._rate:
            return
        now = self._clock()
        self._left = min(self._rate, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            raise ProtocolError(Reason.RATE_LIMITED, retry_after=(1 - self._left) / self._rate)
        self._left -= 1


# --- What the service reports about itself


_MAX_PROMPT_BYTES = 2 * 1024 * 1024


def hello_response(script: SceneScript, max_message_bytes: int) -> agent_pb2.HelloResponse:
    """Revision, features and limits."""
    features = [*script.features, *([STRANGE] if script.strange else [])]
    prompts = agent_pb2.FEATURE_PROMPT in script.features
    response = agent_pb2.HelloResponse(
        protocol_revision=STRANGE if script.strange else PROTOCOL_REVISION,
        min_protocol_revision=1,
        limits=agent_pb2.Limits(
            max_message_bytes=max_message_bytes,
            environment_step_deadline=duration(60.0),
            agent_step_budget=duration(600.0),
            agent_episode_budget=duration(3600.0),
            max_plan_steps=MAX_PLAN_STEPS,
            max_trace_bytes_per_step=256 * 1024,
            max_action_bytes=MAX_ACTION_BYTES,
            max_calls_per_second=script.calls_per_second or 10_000,
            max_prompt_bytes_per_step=_MAX_PROMPT_BYTES if prompts else 0,
        ),
    )
    response.features.extend(map(agent_pb2.Feature.ValueType, features))
    return response


# --- Answers of a later revision: fields and events that this one does not define

UNKNOWN_FIELD = b"\xba\x3e\x05later"
"""Field 999, a string."""

UNKNOWN_EVENT = b"\x9a\x06\x00"
"""Field 99, an empty message: an event that AttachResponse does not have yet."""


def outgoing(message: Message, *, strange: bool) -> bytes:
    """The serialized message; ``strange`` adds unknown fields."""
    if not strange:
        return message.SerializeToString()
    if isinstance(message, agent_pb2.BeginEpisodeResponse) and message.HasField("episode"):
        message.episode.MergeFromString(UNKNOWN_FIELD)
        message.episode.action_space.MergeFromString(UNKNOWN_FIELD)
    elif isinstance(message, agent_pb2.StepResponse) and message.HasField("observation"):
        message.observation.MergeFromString(UNKNOWN_FIELD)
    return message.SerializeToString() + UNKNOWN_FIELD
