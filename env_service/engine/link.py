"""The engine's end of the socket to one worker: requests out, answers in."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, cast

from env_service.domain.failure import FaultClass, WorldFault
from env_service.engine.messages import CHUNK, Op, Unframer, Verdict, frame_message


class Request(NamedTuple):
    """One request to a worker.

    ``read`` turns the answer's payload into the result; it runs before the worker is given
    another request, and so may read the shared page. ``deadline`` in seconds.
    """

    op: Op
    key: int
    payload: object
    deadline: float
    read: Callable[[Any], Any]


class _Pending(NamedTuple):
    serial: int
    request: Request
    message: bytes
    answer: asyncio.Future[Any]


class LinkOwner(Protocol):
    """Receives the failures of a worker."""

    def on_hang(self, request: Request) -> None:
        """The worker did not answer this request in time."""

    def on_lost(self, running: Request | None) -> None:
        """The worker closed its end while it was busy with that request, or idle."""


class WorkerLink(asyncio.BufferedProtocol):
    """Gives a worker one request at a time, first come, first served.

    A cancelled future does not stop a request that is under way: its answer is read and
    dropped, so that both ends stay in step. One that still waits is never sent.
    """

    def __init__(self, owner: LinkOwner) -> None:
        self._owner = owner
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.WriteTransport | None = None
        self._buffer = memoryview(bytearray(CHUNK))
        self._unframer = Unframer()
        self._waiting: deque[_Pending] = deque()
        self._running: _Pending | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._serials = itertools.count(1)
        self._broken = False
        self._end: WorldFault | None = None
        self._end_of_one = False
        self.worn = False
        """Whether the worker asked to be replaced once its episodes have ended."""

    def submit(self, request: Request) -> asyncio.Future[Any]:
        """The future result of a request; it fails with WorldFault.

        Raises what pickle raises for a payload that cannot be pickled.
        """
        answer: asyncio.Future[Any] = self._loop.create_future()
        if self._end is not None:
            end = self._end
            answer.set_exception(_again(end) if self._end_of_one else _collateral(end))
            return answer
        serial = next(self._serials)
        message = frame_message((serial, int(request.op), request.key, request.payload))
        self._waiting.append(_Pending(serial, request, message, answer))
        if self._running is None:
            self._send_next()
        return answer

    def fail(self, fault: WorldFault, *, of_one: bool = False) -> None:
        """Fails the running request with ``fault``; all others, later ones too, as collateral.

        ``of_one``: those too with ``fault`` itself, which the worker's only episode caused.
        """
        self._end, self._end_of_one = fault, of_one
        self._break()
        if self._running is not None and not self._running.answer.done():
            self._running.answer.set_exception(fault)
        for pending in self._waiting:
            if not pending.answer.done():
                pending.answer.set_exception(_again(fault) if of_one else _collateral(fault))
        self._running = None
        self._waiting.clear()

    def give_up(self) -> None:
        """Sends nothing more and takes nothing more. What is open waits for ``fail``."""
        self._break()

    def say_bye(self) -> None:
        """Asks the worker to exit after what it is doing."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(frame_message((0, int(Op.BYE), 0, None)))

    def close(self) -> None:
        """Closes the socket."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Takes the transport, as asyncio's contract asks."""
        self._transport = cast(asyncio.WriteTransport, transport)

    def get_buffer(self, _sizehint: int) -> memoryview:
        """Lends the buffer to read into, as asyncio's contract asks."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Takes the worker's answer, as asyncio's contract asks."""
        for message in self._unframer.feed(self._buffer[:nbytes]):
            self._take(message)

    def connection_lost(self, _exc: Exception | None) -> None:
        """Hands the loss on, as asyncio's contract asks."""
        self._break()
        self._owner.on_lost(None if self._running is None else self._running.request)

    def _take(self, message: tuple[int, int, Any, bool]) -> None:
        serial, verdict, payload, worn = message
        pending = self._running
        if self._broken or pending is None or pending.serial != serial:
            return  # Too late: the engine gave up on this worker.
        self.worn = worn
        self._stop_timer()
        if not pending.answer.done():
            if verdict == Verdict.OK:
                pending.answer.set_result(pending.request.read(payload))
            else:
                fault, detail = payload
                pending.answer.set_exception(WorldFault(FaultClass(fault), detail))
        self._running = None
        self._send_next()

    def _send_next(self) -> None:
        while self._waiting and not self._broken:
            pending = self._waiting.popleft()
            if pending.answer.done():
                continue
            self._running = pending
            request = pending.request
            self._timer = self._loop.call_later(request.deadline, self._on_deadline, request)
            if self._transport is not None:
                self._transport.write(pending.message)
            return

    def _on_deadline(self, request: Request) -> None:
        self._break()
        self._owner.on_hang(request)

    def _break(self) -> None:
        # From here on nothing is sent or taken, so that the one to blame stays the running one.
        self._broken = True
        self._stop_timer()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _again(fault: WorldFault) -> WorldFault:
    return WorldFault(fault.fault, fault.detail, collateral=fault.collateral)


def _collateral(fault: WorldFault) -> WorldFault:
    return WorldFault(fault.fault, f"lost with its worker: {fault.detail}", collateral=True)
