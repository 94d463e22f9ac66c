"""Streaming calls that leave nothing behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Call(Protocol[T_co]):
    """What a stream uses of gRPC's object for a call."""

    def __iter__(self) -> Iterator[T_co]:
        """The answers."""

    def add_callback(self, callback: Any) -> bool:
        """Has ``callback()`` called when the call has ended; false where it has ended already."""

    def initial_metadata(self) -> Any:
        """Waits for what the service sends first."""

    def cancel(self) -> bool:
        """Ends the call."""


class Requests(Generic[T]):
    """The requests of one stream, handed to the thread of gRPC's that sends them."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[T | None] = SimpleQueue()
        self._entered = threading.Event()
        self._sender: threading.Thread | None = None
        self.put = self._queue.put
        """Sends a request; None says that there are no more."""

    def __iter__(self) -> Iterator[T]:
        self._sender = threading.current_thread()
        self._entered.set()
        # A queue's get is the cheapest iterator to feed the thread with.
        yield from iter(self._queue.get, None)

    def join(self, seconds: float) -> bool:
        """Waits until gRPC's thread has ended, which it does after a None; false if it has not."""
        deadline = time.monotonic() + seconds
        if not self._entered.wait(seconds) or self._sender is None:
            return False
        self._sender.join(max(0.0, deadline - time.monotonic()))
        return not self._sender.is_alive()


class Stream(Generic[T]):
    """One streaming call. Not for the main thread: see ``Link``.

    gRPC serves it from daemon threads: one that handles the events of the whole channel, one that
    sends the requests. Python halts daemon threads wherever they are when the interpreter ends. One
    that is halted while it holds the lock of its call never lets go of it, and the interpreter
    waits for that lock for ever when it collects the call. So each of these threads has to
    have ended before the interpreter does.
    """

    def __init__(self, call: Call[T], requests: Requests[Any] | None = None) -> None:
        self.answers = iter(call)
        """Raises grpc.RpcError when the call fails, also for ``cancel``."""
        self._call, self._requests = call, requests
        self._ended = threading.Event()
        self.events_thread: threading.Thread | None = None
        """The thread that handles the channel's events; None until it has ended this call."""
        if not call.add_callback(self._end):
            # The call failed at once. Of its events only this one may still be under way.
            call.initial_metadata()
            self._ended.set()

    def _end(self) -> None:
        """Called by the thread that handles the channel's events."""
        self.events_thread = threading.current_thread()
        self._ended.set()

    def cancel(self) -> None:
        """Ends the call, and returns at once. May be called twice."""
        self._call.cancel()
        if self._requests is not None:
            self._requests.put(None)

    def finish(self, seconds: float) -> bool:
        """Ends the call and waits until it has ended; false if that takes longer.

        May be called again after an exception has interrupted it.
        """
        self.cancel()
        deadline = time.monotonic() + seconds
        if self._requests is not None and not self._requests.join(seconds):
            return False
        return self._ended.wait(max(0.0, deadline - time.monotonic()))
