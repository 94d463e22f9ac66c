"""The house of one scene: AgentService, as a script wants it to behave."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message import Message
from houseguest.agent.v1 import agent_pb2 as pb

from env_service.conformance.agent.attaching import Attachments
from env_service.conformance.agent.faults import Faults, Key
from env_service.conformance.agent.hello import hello_response
from env_service.conformance.agent.journal import Call, Journal
from env_service.conformance.agent.pace import Pace
from env_service.conformance.agent.script import Change, Fault, Moment, Script
from env_service.conformance.agent.seat import Seat
from env_service.conformance.agent.strange import outgoing
from env_service.domain.reasons import ProtocolError, Reason
from env_service.gateway.rpc import Context, abort, bearer, checked, parser

SERVICE = "houseguest.agent.v1.AgentService"
MAX_MESSAGE_BYTES = 16 * 1024 * 1024
_CUT_SECONDS = 0.2
"""How long nobody listens after the link was cut."""

_OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.so_reuseport", 0),
)
_Handle = Callable[[Any], Message]


class LostAnswerError(Exception):
    """The call fails as if the link had broken after everything was done."""


class House:
    """Listens on ``address`` and plays one script with whoever brings ``token``."""

    def __init__(self, script: Script, address: str, token: str, journal: Journal) -> None:
        self.script, self.journal = script, journal
        self.address = address
        self.seat = Seat(script, journal)
        self.faults = Faults(script.faults, journal.clock)
        self.attachments = Attachments(self)
        self.stop_guest = asyncio.Event()
        self.successor = asyncio.Event()
        """Set once a guest says Hello after the one before has left; it has to wait."""
        self._token = token
        self._pace = Pace(script.calls_per_second, journal.clock)
        self._ready: dict[tuple[str, Key], float] = {}
        self._server: grpc.aio.Server | None = None
        self._work: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listens. Raises RuntimeError where nobody can listen there."""
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
                "BeginEpisode": unary("BeginEpisode", self.seat.begin, pb.BeginEpisodeRequest),
                "Step": unary("Step", self.seat.step, pb.StepRequest),
                "EndEpisode": unary("EndEpisode", self.seat.end, pb.EndEpisodeRequest),
                "GetEpisode": unary("GetEpisode", self.seat.tell, pb.GetEpisodeRequest),
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
        """Whether the guest has left, so that a Hello has to be another one's."""
        over = (
            self.seat.ended is not None
            or self.journal.told_all_done
            or "superseded" in self.journal.marks
        )
        return self.attachments.let_go or (over and not self.attachments.open)

    def _withdraw(self, request: pb.WithdrawRequest) -> pb.WithdrawResponse:
        answer = self.seat.withdraw(request)
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
                self._unoffered("Play", "FEATURE_STREAMING_PLAY")
                await context.abort(grpc.StatusCode.UNIMPLEMENTED, "Play is not offered", ())
            while (message := await context.read()) is not grpc.aio.EOF:
                await context.write(await self._play_one(message))

    async def _play_one(self, message: Any) -> bytes:
        request_id = getattr(message, "request_id", 0)
        handles: dict[str, tuple[str, _Handle]] = {
            "begin_episode": ("BeginEpisode", self.seat.begin),
            "step": ("Step", self.seat.step),
            "end_episode": ("EndEpisode", self.seat.end),
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
        """Answers a call as the script has it. Raises ProtocolError and LostAnswerError."""
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

    async def _answer(self, call: Call, request: Any, handle: _Handle) -> Message:
        moment = _MOMENTS.get(call.method)
        # Checked first: a call of another session is no part of what the script counts.
        if moment is not Moment.HELLO:
            if call.method == "Withdraw" and pb.FEATURE_WITHDRAW not in self.script.features:
                self._unoffered("Withdraw", "FEATURE_WITHDRAW")
                raise ProtocolError(Reason.FEATURE_NOT_OFFERED)
            self.seat.check(call.method, request.session_id, request.session_epoch)
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

    async def _suffer(self, fault: Fault | None, call: Call) -> None:
        """What goes wrong after a call was done, and before its answer is sent."""
        pending = (call.method, call.key)
        if fault is not None:
            self.journal.mark("fault")
            if fault.delay:
                self._ready[pending] = self.journal.clock() + fault.delay
            if fault.change is not Change.NONE:
                self._spawn(fault.change)
            if fault.change in (Change.CUT, Change.CUT_AND_EXPIRE):
                await asyncio.Event().wait()
        left = self._ready.get(pending, 0.0) - self.journal.clock()
        if left > 0:
            await asyncio.sleep(left)
        if fault is not None and fault.lost:
            raise LostAnswerError

    def _one_at_a_time(self, call: Call) -> None:
        """Raises ProtocolError for another turn while one still runs."""
        now = self.journal.clock()
        for (method, key), ready in self._ready.items():
            if ready > now and (method, key) != (call.method, call.key) and method == "Step":
                if call.method == "EndEpisode":
                    raise ProtocolError(Reason.STEP_IN_FLIGHT)
                if call.method == "Step":
                    self.journal.violate(
                        "step-order",
                        "no answer yet to a step that still runs",
                        "a repeat of it, or nothing",
                        f"step_index {call.key[1]}",
                    )

    # --- what else happens

    def _spawn(self, change: Change) -> None:
        task = asyncio.ensure_future(self._change(change))
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    async def _change(self, change: Change) -> None:
        match change:
            case Change.CUT | Change.CUT_AND_EXPIRE:
                await self._cut(expire=change is Change.CUT_AND_EXPIRE)
            case Change.DROP_ATTACH:
                self.attachments.drop()
            case Change.DRAIN:
                self.seat.draining = True
                self.journal.mark("draining")
                self.attachments.drain(self.script.drain_seconds)
                await asyncio.sleep(self.script.drain_seconds)
                self.seat.ended = Reason.DRAINING
                self.journal.mark("drained")
                self.attachments.revoke(Reason.DRAINING)
            case Change.REVOKE:
                # The answer to the call goes out first.
                await asyncio.sleep(0.05)
                self.seat.ended = Reason.SESSION_REPLACED
                self.journal.mark("revoked")
                self.attachments.revoke(Reason.SESSION_REPLACED)
            case Change.SUPERSEDE:
                await asyncio.sleep(0.05)
                self.seat.supersede()
                self.journal.mark("superseded")
                self.attachments.supersede()
            case Change.NEWS:
                self.attachments.tell_news()
            case Change.STOP_GUEST:
                self.stop_guest.set()
            case Change.NONE:
                pass

    async def _cut(self, *, expire: bool) -> None:
        server, self._server = self._server, None
        self.attachments.forgive()
        if server is not None:
            await server.stop(0)
        self.seat.expired = expire
        self.journal.mark("cut")
        await asyncio.sleep(_CUT_SECONDS)
        await self.start()

    def _misuse(self, rule: str, came: str) -> None:
        expected = "the scene's token in the metadata of every call"
        self.journal.violate(rule, "HOUSEGUEST_TOKEN", expected, came)

    def _unoffered(self, method: str, feature: str) -> None:
        self.journal.violate(
            "features",
            f"a HelloResponse without {feature}",
            f"no call of {method}",
            f"a call of {method}",
        )


@asynccontextmanager
async def _answered(context: Context) -> AsyncIterator[None]:
    """Turns what a handler raises into a status."""
    try:
        yield
    except ProtocolError as error:
        await abort(context, error)
    except LostAnswerError:
        await context.abort(grpc.StatusCode.UNAVAILABLE, "the link broke", ())


def _open_to_all(path: Path) -> None:
    """A guest in a container is another user; its token says who it is."""
    path.chmod(0o666)


_MOMENTS = {
    "Hello": Moment.HELLO,
    "BeginEpisode": Moment.BEGIN,
    "Step": Moment.TURN,
    "EndEpisode": Moment.TURN,
}


def _key(method: str, request: Any) -> Key:
    """What a call and its repeats have in common."""
    episode = getattr(request, "episode_id", "").rpartition("-")[2]
    if method == "Step":
        return (episode, request.step_index)
    if method == "BeginEpisode":
        return (request.episode_ordinal,)
    return (episode,) if episode else ()


def _told(answer: Message) -> str:
    """An answer in a few words."""
    if isinstance(answer, pb.StepResponse):
        codes = [outcome.code for outcome in answer.outcomes]
        return f"status {pb.EpisodeStatus.Name(answer.status)}, outcome codes {codes}"
    if isinstance(answer, pb.BeginEpisodeResponse):
        kind = answer.WhichOneof("next")
        return "AllDone" if kind == "all_done" else f"an episode in {_mode(answer.episode)}"
    return "as ever"


def _mode(episode: pb.Episode) -> str:
    return pb.Mode.Name(episode.mode)
