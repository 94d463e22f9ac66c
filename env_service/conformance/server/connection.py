"""A connection to a service, which can also make malformed calls, and the outcome of a call."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from queue import Empty, Queue
from typing import Any

import grpc
from google.protobuf.message import DecodeError, Message
from google.rpc import error_details_pb2, status_pb2
from houseguest.agent.v1 import agent_pb2

SERVICE = "houseguest.agent.v1.AgentService"
MAX_MESSAGE_BYTES = 16 * 1024 * 1024
_OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    # Larger than a service accepts, so that the service does the refusing, not this client.
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

    def call(self, method: str, request: Message | bytes, metadata: Metadata) -> RpcOutcome:
        """Makes one unary call; bytes are sent unchanged."""
        try:
            return RpcOutcome(method, self.begin(method, request, metadata).result())
        except grpc.RpcError as error:
            return read_error(method, error)

    def begin(self, method: str, request: Message | bytes, metadata: Metadata) -> Any:
        """Starts a unary call and returns its grpc.Future."""
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
    """One Attach stream, read on a separate thread."""

    def __init__(self, call: Any, timeout: float) -> None:
        self._call, self._timeout = call, timeout
        self._events: Queue[agent_pb2.AttachResponse | RpcOutcome | None] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def next(self) -> agent_pb2.AttachResponse | RpcOutcome | None:
        """The next event; a RpcOutcome if the stream failed; None if it ended or no event came in
        time."""
        try:
            return self._events.get(timeout=self._timeout)
        except Empty:
            return None

    def until(self, kind: str) -> tuple[list[str], Any]:
        """The kinds of the events before the first of this kind, and that event's message.

        The message is a RpcOutcome or None if no such event came.
        """
        before: list[str] = []
        while isinstance(event := self.next(), agent_pb2.AttachResponse):
            found = event.WhichOneof("event") or "none"
            if found == kind:
                return before, getattr(event, kind)
            before.append(found)
        return before, event

    def cancel(self) -> None:
        """Cancels the stream."""
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

    def ask(self, request: Message | bytes) -> agent_pb2.PlayResponse | RpcOutcome:
        """Sends one request and waits for the answer; a RpcOutcome if the stream failed."""
        self._requests.put(request)
        try:
            for response in self._call:
                answer: agent_pb2.PlayResponse = response
                return answer
        except grpc.RpcError as error:
            return read_error("Play", error)
        return RpcOutcome(
            "Play", code=grpc.StatusCode.UNKNOWN, message="the service ended the stream"
        )

    def close(self) -> None:
        """Ends the stream."""
        self._requests.put(None)
        self._call.cancel()

    def _feed(self) -> Iterator[Message | bytes]:
        while (request := self._requests.get()) is not None:
            yield request


def _serialized(message: Message | bytes) -> bytes:
    return message if isinstance(message, bytes) else message.SerializeToString()


# --- The outcome of a call

_DETAILS_KEY = "grpc-status-details-bin"
_REASON_KEY = "houseguest-reason"


@dataclass(frozen=True, slots=True)
class RpcOutcome:
    """A response, or an error: exactly one of ``response`` and ``code`` is set.

    Attributes:
        reason: The reason in the trailing metadata; empty if it is missing.
        info: The reason in google.rpc.ErrorInfo; empty if it is missing.
        retry: The error carries a google.rpc.RetryInfo.
    """

    method: str
    response: Any = None
    code: grpc.StatusCode | None = None
    reason: str = ""
    info: str = ""
    retry: bool = False
    message: str = ""

    def is_error(self, reason: str) -> bool:
        """Whether this is the error with that reason."""
        return self.code is not None and reason in (self.reason, self.info)

    def __str__(self) -> str:
        if self.code is None:
            return f"a response: {_short(self.response)}"
        return f"{self.code.name} {self.reason or self.info or '(no reason)'}: {self.message}"


def read_error(method: str, error: grpc.RpcError) -> RpcOutcome:
    """The outcome of a call that failed."""
    if not isinstance(error, grpc.Call):
        return RpcOutcome(method, code=grpc.StatusCode.UNKNOWN, message=str(error))
    reason, details = _trailing(error.trailing_metadata() or ())
    info, retry = _read_details(details)
    return RpcOutcome(
        method,
        code=error.code(),
        reason=reason,
        info=info,
        retry=retry,
        message=(error.details() or "")[:200],
    )


def _trailing(metadata: Iterable[Any]) -> tuple[str, bytes]:
    reason, details = "", b""
    for key, value in metadata:
        if key == _REASON_KEY:
            reason = value if isinstance(value, str) else value.decode(errors="replace")
        elif key == _DETAILS_KEY and isinstance(value, bytes):
            details = value
    return reason, details


def _read_details(data: bytes) -> tuple[str, bool]:
    """The reason of an ErrorInfo, and whether there is a RetryInfo."""
    status, info, retry = status_pb2.Status(), "", False
    try:
        status.ParseFromString(data)
        for detail in status.details:
            answer = error_details_pb2.ErrorInfo()
            if detail.Unpack(answer):
                info = answer.reason
            retry = retry or detail.type_url.endswith("/google.rpc.RetryInfo")
    except DecodeError:
        pass
    return info, retry


def _short(message: Message) -> str:
    return " ".join(str(message).split())[:160] or "(empty)"
