"""The gRPC channel to the service, the calls and streams on it, and Hello."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Generic, Protocol, TypeVar

import grpc
from houseguest.agent.v1 import agent_pb2
from houseguest.agent.v1.agent_pb2_grpc import AgentServiceStub

from .errors import HouseguestError, SetupError, UnreachableError
from .options import Options
from .retry import Backoff, TransientError, classify_rpc
from .zero_copy import PlayAnswer, read_play, read_step

__version__ = "0.1.0"
PROTOCOL_REVISION = 5
"""The revision of houseguest.agent.v1 that this library was built against."""

_log = logging.getLogger("houseguest_agent")

_ENDING_SECONDS = 5.0
"""Seconds for a cancelled call to end. It takes milliseconds; a longer wait would hide a fault."""
_CLOSING_SECONDS = 15.0
"""Seconds for all of them together."""

T = TypeVar("T")
Request = TypeVar("Request")
Response = TypeVar("Response")

CLOSED = "The client is closed; make a new Client to continue."
"""The message for a call on a closed client."""

_SERVICE = agent_pb2.DESCRIPTOR.services_by_name["AgentService"].full_name
_MAX_MESSAGE_BYTES = 16 * 1024 * 1024
"""The protocol's limit for one message."""

_CHANNEL_OPTIONS = (
    ("grpc.max_receive_message_length", _MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", _MAX_MESSAGE_BYTES),
    # Only this library retries: gRPC's own retries would send an old session epoch.
    ("grpc.enable_retries", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2000),
)
# A Unix socket cannot be half open, so only TCP is probed.
_TCP_OPTIONS = (
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
)


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """The agent's introduction; stored with the run as a claim."""

    name: str
    version: str
    model: str
    configuration: Mapping[str, str]

    def to_proto(self) -> agent_pb2.ClientInfo:
        """The introduction as a protobuf message."""
        return agent_pb2.ClientInfo(
            agent_name=self.name,
            agent_version=self.version,
            sdk_name="houseguest-agent",
            sdk_version=__version__,
            model=self.model,
            configuration=self.configuration,
        )


class Link:
    """A channel, and the calls on it. Every method may be called from any thread.

    gRPC's code runs only on threads of this library, never on the caller's. A signal handler, for
    example for KeyboardInterrupt, raises its exception at any point of the main thread. Between
    acquiring one of gRPC's locks and entering the block that releases it, that would leave the
    lock acquired and the channel dead.
    """

    def __init__(self, options: Options) -> None:
        """Opens no connection yet. Raises SetupError for invalid options."""
        options.check()
        self._address, self._retry = options.address, options.retry
        self._metadata = (("authorization", f"Bearer {options.token}"),)
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
        self._threads: set[threading.Thread] = set()
        self._worker = CallThread("houseguest-calls")
        self.do = self._worker.do
        """Runs a job that uses gRPC on a thread of this library."""

    def call(
        self,
        method: grpc.UnaryUnaryMultiCallable[Request, Response],
        request: Request,
        timeout: float,
    ) -> Response:
        """Makes one call of at most ``timeout`` seconds.

        Raises TransientError if the same request may be sent again, and a HouseguestError
        otherwise.
        """
        call = _UnaryCall(method, request, timeout, self._metadata)
        self.do(call.start)
        try:
            return call.answer(timeout + _ENDING_SECONDS)
        except BaseException:
            self.do(call.cancel)
            raise
        finally:
            self._remember(call.events_thread)

    def attach(self, request: agent_pb2.AttachRequest) -> Stream[agent_pb2.AttachResponse]:
        """Opens Attach. Raises HouseguestError if the link is closed."""
        with self._lock:
            self._check_open()
            return self._keep(Stream(self.stub.Attach(request, metadata=self._metadata)))

    def play(self, requests: Requests[agent_pb2.PlayRequest]) -> Stream[PlayAnswer]:
        """Opens Play. Raises HouseguestError if the link is closed."""
        with self._lock:
            self._check_open()
            call = self._play(iter(requests), metadata=self._metadata)
            return self._keep(Stream(call, requests))

    def _check_open(self) -> None:
        if self._closed:
            raise HouseguestError(CLOSED)

    def _keep(self, stream: Stream[T]) -> Stream[T]:
        self._streams.add(stream)
        return stream

    def end(self, stream: Stream[Any]) -> None:
        """Ends a stream and waits until gRPC has finished with it."""
        if stream.finish(_ENDING_SECONDS):
            self._streams.discard(stream)
            self._remember(stream.events_thread)

    def _remember(self, thread: threading.Thread | None) -> None:
        """Makes ``close`` wait for a thread."""
        if thread is None or thread in self._threads:
            return
        with self._lock:
            self._threads = {each for each in self._threads if each.is_alive()} | {thread}

    def start_thread(self, target: Callable[[], None], name: str) -> threading.Thread:
        """Starts a thread that ends when its streams do; ``close`` waits for it."""
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        self._remember(thread)
        return thread

    def hello(self, agent: AgentInfo) -> agent_pb2.HelloResponse:
        """Introduces the agent.

        Raises UnreachableError if no answer comes within ``connect_patience``,
        TokenRefusedError, or SetupError for a service with another revision.
        """
        request = agent_pb2.HelloRequest(
            protocol_revision=PROTOCOL_REVISION, client=agent.to_proto()
        )
        patience = self._retry.connect_patience
        backoff = Backoff(self._retry, patience)
        while True:
            try:
                response = self.call(self.stub.Hello, request, patience)
                break
            except TransientError as problem:
                time.sleep(self._next_wait(backoff, problem))
        if response.min_protocol_revision > PROTOCOL_REVISION:
            raise SetupError(
                f"The service supports protocol revisions from {response.min_protocol_revision};"
                f" houseguest-agent {__version__} has {PROTOCOL_REVISION}. Update it."
            )
        return response

    def _next_wait(self, backoff: Backoff, problem: TransientError) -> float:
        try:
            return backoff.next(problem)
        except UnreachableError as error:
            raise UnreachableError(
                f"No service answers at {self._address}: {problem}. {self._advice()}"
            ) from error

    def _advice(self) -> str:
        if not self._address.startswith("unix:"):
            return "Check HOUSEGUEST_ADDRESS, that a run is open there, and HOUSEGUEST_CA for TLS."
        path = Path(self._address.removeprefix("unix:").removeprefix("//"))
        if not path.exists():
            return "The socket does not exist: start the run first, or correct HOUSEGUEST_ADDRESS."
        if not os.access(path, os.W_OK):
            return "This process may not write to the socket: check its permissions."
        return "The socket exists, but nothing listens on it: is the run still open?"

    def close(self) -> None:
        """Cancels every call, waits until all threads have ended, and closes the channel.

        You may call this again, also after an exception interrupted it. If gRPC's threads do not
        end, it logs a warning and returns after a while.
        """
        self.do(self._finish)
        if not self._worker.end(_CLOSING_SECONDS):
            _log.warning("gRPC did not end its calls within %g s", _CLOSING_SECONDS)

    def _finish(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
        left = list(self._streams)
        for stream in left:
            stream.cancel()
        for stream in left:
            self.end(stream)
        for thread in list(self._threads):
            thread.join(_ENDING_SECONDS)
        if not self._streams:
            # If calls do not end, closing the channel would wait for ever.
            self._channel.close()


class _UnaryCall(Generic[Request, Response]):
    """A call with one answer, made by one thread and awaited by another."""

    def __init__(
        self,
        method: grpc.UnaryUnaryMultiCallable[Request, Response],
        request: Request,
        timeout: float,
        metadata: tuple[tuple[str, str], ...],
    ) -> None:
        self._make = partial(method.future, request, timeout=timeout, metadata=metadata)
        self._future: Any = None
        self._answers: SimpleQueue[Response | TransientError | HouseguestError] = SimpleQueue()
        self.events_thread: threading.Thread | None = None
        """The thread that handled the call's events, if known."""

    def start(self) -> None:
        try:
            self._future = self._make()
        except ValueError:
            self._answers.put(HouseguestError(CLOSED))
            return
        caller = threading.current_thread()

        def done(future: Any) -> None:
            if threading.current_thread() is not caller:
                self.events_thread = threading.current_thread()
            well = future.code() is grpc.StatusCode.OK
            self._answers.put(future.result() if well else classify_rpc(future))

        self._future.add_done_callback(done)

    def answer(self, seconds: float) -> Response:
        """Waits for the answer. Raises the error of a failed call."""
        try:
            answer = self._answers.get(timeout=seconds)
        except Empty:
            raise TransientError(f"no answer within {seconds:g} s", timed_out=True) from None
        if isinstance(answer, TransientError | HouseguestError):
            raise answer
        return answer

    def cancel(self) -> None:
        if self._future is not None:
            self._future.cancel()


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


# --- Streaming calls that leave no thread behind

T_co = TypeVar("T_co", covariant=True)


class Call(Protocol[T_co]):
    """The methods of gRPC's call object that a stream uses."""

    def __iter__(self) -> Iterator[T_co]:
        """The answers."""

    def add_callback(self, callback: Any) -> bool:
        """Registers ``callback()`` for the end of the call; false if it has already ended."""

    def initial_metadata(self) -> Any:
        """Waits for the service's initial metadata."""

    def cancel(self) -> bool:
        """Ends the call."""


class Requests(Generic[T]):
    """The requests of one stream, for the gRPC thread that sends them."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[T | None] = SimpleQueue()
        self._entered = threading.Event()
        self._sender: threading.Thread | None = None
        self.put = self._queue.put
        """Sends a request; None ends the requests."""

    def __iter__(self) -> Iterator[T]:
        self._sender = threading.current_thread()
        self._entered.set()
        # A queue's get is the cheapest iterator to feed the thread with.
        yield from iter(self._queue.get, None)

    def join(self, seconds: float) -> bool:
        """Waits until gRPC's thread has ended, which it does after a None; false on a time-out."""
        deadline = time.monotonic() + seconds
        if not self._entered.wait(seconds) or self._sender is None:
            return False
        self._sender.join(max(0.0, deadline - time.monotonic()))
        return not self._sender.is_alive()


class Stream(Generic[T]):
    """One streaming call. Do not use it on the main thread: see ``Link``.

    gRPC serves it from daemon threads: one handles the events of the whole channel, and one sends
    the requests. When the interpreter exits, Python stops daemon threads at any point. A thread
    that stops while it holds the lock of its call never releases it, and the interpreter waits
    for that lock for ever when it collects the call. So each of these threads must end before the
    interpreter does.
    """

    def __init__(self, call: Call[T], requests: Requests[Any] | None = None) -> None:
        self.answers = iter(call)
        """Raises grpc.RpcError if the call fails, also after ``cancel``."""
        self._call, self._requests = call, requests
        self._ended = threading.Event()
        self.events_thread: threading.Thread | None = None
        """The thread that handles the channel's events; None until it has ended this call."""
        if not call.add_callback(self._end):
            # The call failed at once. Of its events, only this one may still be in progress.
            call.initial_metadata()
            self._ended.set()

    def _end(self) -> None:
        """Called by the thread that handles the channel's events."""
        self.events_thread = threading.current_thread()
        self._ended.set()

    def cancel(self) -> None:
        """Ends the call and returns at once. Idempotent."""
        self._call.cancel()
        if self._requests is not None:
            self._requests.put(None)

    def finish(self, seconds: float) -> bool:
        """Ends the call and waits until it has ended; false on a time-out.

        You may call this again after an exception interrupted it.
        """
        self.cancel()
        deadline = time.monotonic() + seconds
        if self._requests is not None and not self._requests.join(seconds):
            return False
        return self._ended.wait(max(0.0, deadline - time.monotonic()))


# --- A thread that runs jobs for other threads

Job = Callable[[], None]


class CallThread:
    """Runs jobs one after another; no job may block for long."""

    def __init__(self, name: str) -> None:
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def do(self, job: Job) -> None:
        """Runs ``job`` soon, unless the thread was asked to end."""
        self._jobs.put(job)

    def end(self, seconds: float) -> bool:
        """Waits until the earlier jobs are done and the thread has ended; false on a time-out.

        You may call this again, also after an exception interrupted it.
        """
        self._jobs.put(None)
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
            except Exception:  # noqa: BLE001 - the caller has a time-out; later jobs must run
                _log.exception("a call could not be made")
