"""The gRPC channel to the service, the calls on it, and Hello."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import grpc
from houseguest.agent.v1 import agent_pb2
from houseguest.agent.v1.agent_pb2_grpc import AgentServiceStub

from .errors import HouseguestError, SetupError, UnreachableError
from .options import Options
from .retry import Backoff, TransientError, classify_rpc
from .stream import Requests, Stream
from .unpack import PlayAnswer, read_play, read_step
from .version import PROTOCOL_REVISION, __version__

_log = logging.getLogger("houseguest_agent")

_ENDING_SECONDS = 5.0
"""For a cancelled call to end, which takes milliseconds; a longer wait would only hide a fault."""

T = TypeVar("T")
_SERVICE = agent_pb2.DESCRIPTOR.services_by_name["AgentService"].full_name
_MAX_MESSAGE_BYTES = 16 * 1024 * 1024
"""The protocol's cap on one message."""

_CHANNEL_OPTIONS = (
    ("grpc.max_receive_message_length", _MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", _MAX_MESSAGE_BYTES),
    # Retries are ours alone: gRPC's own do not know the session's epoch.
    ("grpc.enable_retries", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2000),
)
# A Unix socket cannot be half dead, so only TCP is probed.
_TCP_OPTIONS = (
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
)


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """Who is calling; stored with the run as a claim."""

    name: str
    version: str
    model: str
    configuration: Mapping[str, str]

    def to_proto(self) -> agent_pb2.ClientInfo:
        """The introduction as it travels."""
        return agent_pb2.ClientInfo(
            agent_name=self.name,
            agent_version=self.version,
            sdk_name="houseguest-agent",
            sdk_version=__version__,
            model=self.model,
            configuration=self.configuration,
        )


class Link:
    """A channel, its stubs and the metadata that every call carries. Safe for several threads."""

    def __init__(self, options: Options) -> None:
        """Opens nothing yet. Raises SetupError for options that cannot work."""
        options.check()
        self._address, self._retry = options.address, options.retry
        self.metadata = (("authorization", f"Bearer {options.token}"),)
        self._channel = _open_channel(options)
        self.stub = AgentServiceStub(self._channel)
        # These two carry pictures, which the generated stubs would copy twice.
        self.step = self._channel.unary_unary(
            f"/{_SERVICE}/Step", agent_pb2.StepRequest.SerializeToString, read_step
        )
        self._play = self._channel.stream_stream(
            f"/{_SERVICE}/Play", agent_pb2.PlayRequest.SerializeToString, read_play
        )
        self._lock = threading.Lock()
        self._closed = False
        self._streams: set[Stream[Any]] = set()
        self._event_threads: set[threading.Thread] = set()

    def attach(self, request: agent_pb2.AttachRequest) -> Stream[agent_pb2.AttachResponse]:
        """Opens Attach. Raises HouseguestError when the link is closed."""
        with self._lock:
            self._check_open()
            return self._keep(Stream(self.stub.Attach(request, metadata=self.metadata)))

    def play(self, requests: Requests[agent_pb2.PlayRequest]) -> Stream[PlayAnswer]:
        """Opens Play. Raises HouseguestError when the link is closed."""
        with self._lock:
            self._check_open()
            call = self._play(iter(requests), metadata=self.metadata)
            return self._keep(Stream(call, requests))

    def _check_open(self) -> None:
        if self._closed:
            raise HouseguestError("The client is closed; make a new Client to go on.")

    def _keep(self, stream: Stream[T]) -> Stream[T]:
        self._streams.add(stream)
        return stream

    def end(self, stream: Stream[Any]) -> None:
        """Ends a stream and waits until gRPC is done with it."""
        if not stream.finish(_ENDING_SECONDS):
            return
        with self._lock:
            self._streams.discard(stream)
            if stream.events_thread is not None:
                self._event_threads.add(stream.events_thread)
            self._event_threads = {each for each in self._event_threads if each.is_alive()}

    def hello(self, agent: AgentInfo) -> agent_pb2.HelloResponse:
        """Introduces the agent.

        Raises UnreachableError when nobody answers within ``connect_patience``,
        TokenRefusedError, or SetupError for a house that speaks another revision.
        """
        request = agent_pb2.HelloRequest(
            protocol_revision=PROTOCOL_REVISION, client=agent.to_proto()
        )
        patience = self._retry.connect_patience
        backoff = Backoff(self._retry, patience)
        while True:
            try:
                response = self.stub.Hello(request, timeout=patience, metadata=self.metadata)
                break
            except grpc.RpcError as error:
                problem = classify_rpc(error)
                if not isinstance(problem, TransientError):
                    raise problem from error
                time.sleep(self._next_wait(backoff, problem))
        if response.min_protocol_revision > PROTOCOL_REVISION:
            raise SetupError(
                f"The house serves protocol revisions from {response.min_protocol_revision};"
                f" houseguest-agent {__version__} speaks {PROTOCOL_REVISION}. Update it."
            )
        return response

    def _next_wait(self, backoff: Backoff, problem: TransientError) -> float:
        try:
            return backoff.next(problem)
        except UnreachableError as error:
            raise UnreachableError(
                f"No house answers at {self._address}: {problem}. {self._advice()}"
            ) from error

    def _advice(self) -> str:
        if not self._address.startswith("unix:"):
            return "Check HOUSEGUEST_ADDRESS, that a run is open there, and HOUSEGUEST_CA for TLS."
        path = Path(self._address.removeprefix("unix:").removeprefix("//"))
        if not path.exists():
            return "There is no such socket: start the run first, or mend HOUSEGUEST_ADDRESS."
        if not os.access(path, os.W_OK):
            return "This process may not write to the socket: see its permissions."
        return "The socket exists, but nobody listens on it: is the run still open?"

    def close(self) -> None:
        """Cancels every call, waits until gRPC's threads have ended, and closes the channel.

        May be called again, also after an exception has interrupted it. Returns after a while with
        a warning when gRPC's threads do not end.
        """
        with self._lock:
            self._closed = True
            left = list(self._streams)
        for stream in left:
            stream.cancel()
        for stream in left:
            self.end(stream)
        for thread in tuple(self._event_threads):
            thread.join(_ENDING_SECONDS)
        if self._streams or any(thread.is_alive() for thread in self._event_threads):
            # Closing the channel would wait for its calls without end.
            _log.warning("gRPC did not end its calls within %g s", _ENDING_SECONDS)
            return
        self._channel.close()


def _open_channel(options: Options) -> grpc.Channel:
    if options.address.startswith("unix:"):
        return grpc.insecure_channel(options.address, _CHANNEL_OPTIONS)
    tcp_options = _CHANNEL_OPTIONS + _TCP_OPTIONS
    if not options.ca:
        return grpc.insecure_channel(options.address, tcp_options)
    try:
        roots = Path(options.ca).read_bytes()
    except OSError as error:
        raise SetupError(
            f"Cannot read the root certificates {options.ca!r} (HOUSEGUEST_CA): {error.strerror}."
        ) from error
    return grpc.secure_channel(options.address, grpc.ssl_channel_credentials(roots), tcp_options)
