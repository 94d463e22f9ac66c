"""Limits how many calls of one caller the service reads at once.

gRPC reads whole messages of up to 16 MiB for as many calls as a peer opens, and keeps answers that
the peer does not read. So a call waits here, unread, until the earlier calls of the same caller
have ended. This bounds the memory that a caller can use, however many connections it opens.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import stat
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from weakref import WeakValueDictionary

import grpc

from env_service.domain.reasons import ProtocolError, Reason
from env_service.gateway.rpc import Context, abort

CALLS = 8
"""Calls that one caller may have under way at once, from the reading of the request until the
answer has been taken; more wait for their turn. An agent that keeps to the protocol has two."""

STREAMS = 8
"""Streams of requests that one caller may have open at once; more are refused."""

UNAUTHENTICATED_SECONDS = 10.0
"""In which somebody without a token has to have sent a whole request."""

OPERATOR_CALLS = 64
"""As CALLS, for the operator: opening a run can take minutes."""

Handler = Callable[[Any, Context], Awaitable[Any]]


class _Caller:
    """What one caller has open."""

    def __init__(self, calls: int) -> None:
        self.turns = asyncio.Semaphore(calls)
        self.streams = 0


class AdmissionControl:
    """Lets in the calls of one listener. For one event loop."""

    def __init__(self, server: grpc.aio.Server) -> None:
        self._server = server
        self._unauthenticated = UnauthenticatedCallers()
        # Each lives for as long as a call holds it.
        self._callers: WeakValueDictionary[Hashable, _Caller] = WeakValueDictionary()

    def serve(
        self,
        handlers: grpc.GenericRpcHandler,
        who: Callable[[Context], Hashable],
        calls: int = CALLS,
    ) -> None:
        """Serves these methods. ``who`` identifies a caller, and raises ProtocolError for a call
        that is refused unread; each caller may have ``calls`` under way at once."""

        def caller(key: Hashable) -> _Caller:
            return self._callers.setdefault(key, _Caller(calls))

        self._server.add_generic_rpc_handlers(
            (_AdmittedMethods(handlers, who, caller, self._unauthenticated),)
        )

    def refuse_others(self) -> None:
        """Refuses calls of methods that were not served before."""
        self._server.add_generic_rpc_handlers((_UnknownMethods(self._unauthenticated),))

    def add_generic_rpc_handlers(self, handlers: tuple[grpc.GenericRpcHandler, ...]) -> None:
        """As the server's own, for services that everybody may call: these share one place."""
        for each in handlers:
            self.serve(each, lambda _context: None)

    def add_registered_method_handlers(self, *_: object) -> None:
        """Generated code offers its methods this way, too; nothing needs it."""


class _UnknownMethods(grpc.GenericRpcHandler):
    """Any method, refused as one that does not exist."""

    def __init__(self, unauthenticated: UnauthenticatedCallers) -> None:
        self._unauthenticated = unauthenticated

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler[Any, Any]:
        """The refusal."""

        async def refuse(_requests: Any, context: Context) -> None:
            await self._unauthenticated.admit()
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, "Method not found!", ())

        del handler_call_details
        return grpc.stream_stream_rpc_method_handler(refuse)


class _AdmittedMethods(grpc.GenericRpcHandler):
    """Methods whose calls are admitted one after another."""

    def __init__(
        self,
        handlers: grpc.GenericRpcHandler,
        who: Callable[[Context], Hashable],
        caller: Callable[[Hashable], _Caller],
        unauthenticated: UnauthenticatedCallers,
    ) -> None:
        self._handlers, self._who, self._caller = handlers, who, caller
        self._unauthenticated = unauthenticated
        self._wrapped: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        """The method's handler; None for an unknown method."""
        method = handler_call_details.method
        if method in self._wrapped:
            return self._wrapped[method]
        found = self._handlers.service(handler_call_details)
        if found is not None:
            found = self._wrapped[method] = self._wrap(found)
        return found

    def _wrap(self, handler: Any) -> grpc.RpcMethodHandler[Any, Any]:
        """On the wire all kinds of methods are alike; only this one lets us choose when to read."""
        if handler.request_streaming:
            handle = self._client_streaming(handler.stream_stream)
        elif handler.response_streaming:
            handle = self._server_streaming(handler.unary_stream)
        else:
            handle = self._unary(handler.unary_unary)
        return grpc.stream_stream_rpc_method_handler(
            handle,
            handler.request_deserializer,
            handler.response_serializer,
        )

    def _unary(self, answer: Handler) -> Handler:
        async def handle(_requests: Any, context: Context) -> None:
            key = await self._admit(context)
            caller = self._caller(key)
            async with caller.turns:
                await context.write(await answer(await _read(context, key), context))

        return handle

    def _server_streaming(self, answer: Any) -> Handler:
        async def handle(_requests: Any, context: Context) -> None:
            key = await self._admit(context)
            caller = self._caller(key)
            async with caller.turns:
                message = await _read(context, key)
            await _answer(answer(message, context), context)

        return handle

    def _client_streaming(self, answer: Any) -> Handler:
        async def handle(requests: Any, context: Context) -> None:
            caller = self._caller(await self._admit(context))
            if caller.streams >= STREAMS:
                words = f"No more than {STREAMS} streams of requests at once; close one first."
                await abort(context, ProtocolError(Reason.RATE_LIMITED, words, retry_after=1.0))
            caller.streams += 1
            try:
                await _answer(answer(requests, context), context)
            finally:
                caller.streams -= 1

        return handle

    async def _admit(self, context: Context) -> Hashable:
        try:
            key = self._who(context)
        except ProtocolError as error:
            await self._unauthenticated.refuse(context)
            await abort(context, error)
        if key is None:
            await self._unauthenticated.admit()
        else:
            self._unauthenticated.forgive(context)
        return key


async def _answer(answers: Any, context: Context) -> None:
    """Runs a handler that streams: one that writes its answers, or one that yields them."""
    if not hasattr(answers, "__aiter__"):
        await answers
        return
    async for each in answers:
        await context.write(each)


async def _read(context: Context, key: Hashable) -> Any:
    """The one request of a call."""
    try:
        # A caller with a token delays only itself.
        async with asyncio.timeout(UNAUTHENTICATED_SECONDS if key is None else None):
            message = await context.read()
    except TimeoutError:
        message = grpc.aio.EOF
    if message is grpc.aio.EOF:
        await abort(context, ProtocolError(Reason.MALFORMED_REQUEST, "The request is missing."))
    return message


# --- What callers without a good token may cost: their calls are slowed down, connections closed

LOG = logging.getLogger(__name__)

REFUSALS_A_SECOND = 20.0
"""Calls of one listener that are refused at once for want of a good token, on average."""
BURST_SECONDS = 5.0
"""A hundred refusals may come at once: as many agents that start with an old token hear so."""
WAIT_SECONDS = 5.0
"""How long a refusal beyond that rate waits."""
MOST_WAITING = 4096
"""Refusals of one listener that wait, each in some 27 KB of memory: those of 32 connections with as
many open calls as one may have. Further ones are answered at once."""
MOST_IN_A_ROW = 100
"""Wrong tokens of one TCP connection without a good one between them; one more closes it."""
REMEMBERED = 4096
"""Connections whose wrong tokens are counted. The one that was heard longest ago goes first."""
OPEN_CALLS_A_SECOND = 100.0
"""Calls of one listener that need no token (health, reflection, methods that do not exist) and are
answered at once, on average."""


class UnauthenticatedCallers:
    """Those who call one listener without a good token. For one event loop."""

    def __init__(self) -> None:
        now = time.monotonic()
        self._refusals = TokenBucket(REFUSALS_A_SECOND, BURST_SECONDS, now)
        self._open_calls = TokenBucket(OPEN_CALLS_A_SECOND, BURST_SECONDS, now)
        self._wrong: OrderedDict[str, int] = OrderedDict()
        self._waiting = 0

    async def refuse(self, context: Context) -> None:
        """A call is about to be refused for its token: returns when it is time to say so."""
        peer = context.peer()
        in_a_row = self._count(peer) if _address(peer) is not None else 0
        if in_a_row > MOST_IN_A_ROW and await asyncio.to_thread(close_connection, peer):
            LOG.warning(
                "closed the connection of %s: more than %d wrong tokens in a row",
                peer,
                MOST_IN_A_ROW,
            )
            del self._wrong[peer]
        await self._wait(self._refusals)

    async def admit(self) -> None:
        """A call needs no token: returns when it may be answered."""
        await self._wait(self._open_calls)

    def forgive(self, context: Context) -> None:
        """A call came with a good token."""
        if self._wrong:
            self._wrong.pop(context.peer(), None)

    def _count(self, peer: str) -> int:
        self._wrong[peer] = self._wrong.get(peer, 0) + 1
        self._wrong.move_to_end(peer)
        if len(self._wrong) > REMEMBERED:
            self._wrong.popitem(last=False)
        return self._wrong[peer]

    async def _wait(self, bucket: TokenBucket) -> None:
        try:
            bucket.take(time.monotonic())
        except ProtocolError:
            if self._waiting >= MOST_WAITING:
                return
            self._waiting += 1
            try:
                await asyncio.sleep(WAIT_SECONDS)
            finally:
                self._waiting -= 1


def close_connection(peer: str) -> bool:
    """Shuts down this process's TCP connection with a peer, as ``grpc.aio`` names it; returns
    whether it found one."""
    address = _address(peer)
    if address is None:
        return False
    with suppress(OSError):
        for link in Path("/proc/self/fd").iterdir():
            with suppress(OSError):
                if _shut_down(int(link.name), address):
                    return True
    return False


def _shut_down(descriptor: int, peer: tuple[str, int]) -> bool:
    if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
        return False
    # A copy stays what it is when gRPC closes the original and the number is used again.
    with socket.socket(fileno=os.dup(descriptor)) as copy:
        if copy.family not in (socket.AF_INET, socket.AF_INET6):
            return False
        host, port = copy.getpeername()[:2]
        if (host.removeprefix("::ffff:"), port) != peer:
            return False
        copy.shutdown(socket.SHUT_RDWR)
    return True


def _address(peer: str) -> tuple[str, int] | None:
    """``ipv4:host:port`` or ``ipv6:[host]:port`` (percent-encoded); None for another peer."""
    kind, _, address = unquote(peer).partition(":")
    host, _, port = address.rpartition(":")
    if kind not in ("ipv4", "ipv6") or not port.isdecimal():
        return None
    return host.strip("[]").removeprefix("::ffff:"), int(port)


# --- How often one session may call


class TokenBucket:
    """``rate`` calls a second on average, and ``rate * burst_seconds`` at once."""

    def __init__(self, rate: float, burst_seconds: float, now: float) -> None:
        self._rate = rate
        self._capacity = rate * burst_seconds
        self._level = self._capacity
        self._filled_at = now

    def take(self, now: float) -> None:
        """Counts one call. Raises ProtocolError RATE_LIMITED with the seconds to wait."""
        gained = (now - self._filled_at) * self._rate
        self._level = min(self._capacity, self._level + gained)
        self._filled_at = now
        if self._level < 1:
            wait = (1 - self._level) / self._rate
            raise ProtocolError(
                Reason.RATE_LIMITED,
                f"More than {self._rate:g} calls a second; wait {wait:.3f} s.",
                retry_after=wait,
            )
        self._level -= 1
