"""A link to a house, over which a call may also be made wrongly."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from queue import Empty, Queue
from typing import Any

import grpc
from google.protobuf.message import Message
from houseguest.agent.v1 import agent_pb2

from env_service.conformance.server.answers import Answer, read_error

SERVICE = "houseguest.agent.v1.AgentService"
MAX_MESSAGE_BYTES = 16 * 1024 * 1024
_OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    # Larger than a house takes, so that it is the house that refuses.
    ("grpc.max_send_message_length", 4 * MAX_MESSAGE_BYTES),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.enable_retries", 0),
)
_RESPONSES: dict[str, type[Message]] = {
    "Hello": agent_pb2.HelloResponse,
    "BeginEpisode": agent_pb2.BeginEpisodeResponse,
    "Step": agent_pb2.StepResponse,
    "EndEpisode": agent_pb2.EndEpisodeResponse,
    "GetEpisode": agent_pb2.GetEpisodeResponse,
    "Withdraw": agent_pb2.WithdrawResponse,
}

Metadata = tuple[tuple[str, str], ...]


def bearer(token: str) -> Metadata:
    """Metadata that carries a token."""
    return (("authorization", f"Bearer {token}"),)


class Connection:
    """One channel."""

    def __init__(self, address: str, timeout: float, ca: bytes = b"") -> None:
        self.timeout = timeout
        self.channel = (
            grpc.secure_channel(address, grpc.ssl_channel_credentials(ca), _OPTIONS)
            if ca
            else grpc.insecure_channel(address, _OPTIONS)
        )

    def call(self, method: str, request: Message | bytes, metadata: Metadata) -> Answer:
        """One unary call; bytes go as they are."""
        try:
            return Answer(method, self.begin(method, request, metadata).result())
        except grpc.RpcError as error:
            return read_error(method, error)

    def begin(self, method: str, request: Message | bytes, metadata: Metadata) -> Any:
        """The same, not waited for: a grpc.Future."""
        response = _RESPONSES.get(method, agent_pb2.HelloResponse)
        stub = self.channel.unary_unary(f"/{SERVICE}/{method}", _serialized, response.FromString)
        return stub.future(request, timeout=self.timeout, metadata=metadata)

    def attach(self, request: Message, metadata: Metadata) -> Attachment:
        """Opens an Attach stream."""
        stub = self.channel.unary_stream(
            f"/{SERVICE}/Attach", _serialized, agent_pb2.AttachResponse.FromString
        )
        return Attachment(stub(request, metadata=metadata), self.timeout)

    def play(self, metadata: Metadata) -> PlayStream:
        """Opens a Play stream."""
        return PlayStream(self, metadata)

    def close(self) -> None:
        """Ends every call."""
        self.channel.close()


class Attachment:
    """One Attach stream, read on a thread of its own."""

    def __init__(self, call: Any, timeout: float) -> None:
        self._call, self._timeout = call, timeout
        self._events: Queue[agent_pb2.AttachResponse | Answer | None] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def next(self) -> agent_pb2.AttachResponse | Answer | None:
        """The next event; an Answer where the stream failed; None where it ended, or where none
        came in time."""
        try:
            return self._events.get(timeout=self._timeout)
        except Empty:
            return None

    def until(self, kind: str) -> tuple[list[str], Any]:
        """The kinds of the events before the first of this kind, and that event's message; an
        Answer or None where it never came."""
        before: list[str] = []
        while isinstance(event := self.next(), agent_pb2.AttachResponse):
            found = event.WhichOneof("event") or "none"
            if found == kind:
                return before, getattr(event, kind)
            before.append(found)
        return before, event

    def cancel(self) -> None:
        """Lets the stream go."""
        self._call.cancel()

    def _read(self) -> None:
        try:
            for event in self._call:
                self._events.put(event)
            self._events.put(None)
        except grpc.RpcError as error:
            self._events.put(read_error("Attach", error))


class PlayStream:
    """One Play stream."""

    def __init__(self, connection: Connection, metadata: Metadata) -> None:
        self._requests: Queue[Message | bytes | None] = Queue()
        stub = connection.channel.stream_stream(
            f"/{SERVICE}/Play", _serialized, agent_pb2.PlayResponse.FromString
        )
        self._call = stub(self._feed(), metadata=metadata, timeout=connection.timeout)

    def ask(self, request: Message | bytes) -> agent_pb2.PlayResponse | Answer:
        """Sends one request and waits; an Answer where the stream failed."""
        self._requests.put(request)
        try:
            for response in self._call:
                answer: agent_pb2.PlayResponse = response
                return answer
        except grpc.RpcError as error:
            return read_error("Play", error)
        return Answer("Play", code=grpc.StatusCode.UNKNOWN, message="the house ended the stream")

    def close(self) -> None:
        """Ends the stream."""
        self._requests.put(None)
        self._call.cancel()

    def _feed(self) -> Iterator[Message | bytes]:
        while (request := self._requests.get()) is not None:
            yield request


def _serialized(message: Message | bytes) -> bytes:
    return message if isinstance(message, bytes) else message.SerializeToString()
