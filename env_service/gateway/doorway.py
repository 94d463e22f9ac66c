"""How much of the house one caller may take up at once, before a byte of a message is read.

gRPC takes a message in whole, of up to 16 MiB, for as many calls as a peer opens, and keeps answers
that nobody reads. So a call waits here, unread, until those of the same caller before it are done:
what a caller can make the house hold is bounded by its calls, not by its connections.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any
from weakref import WeakValueDictionary

import grpc

from env_service.domain.reasons import ProtocolError, Reason
from env_service.gateway.rpc import Context, abort
from env_service.gateway.strangers import Strangers

CALLS = 8
"""Calls that one caller may have under way at once, from the reading of the request until the
answer has been taken; more wait for their turn. A guest that keeps to the protocol has two."""

STREAMS = 8
"""Streams of requests that one caller may have open at once; more are refused."""

STRANGER_SECONDS = 10.0
"""In which somebody without a token has to have sent a whole request."""

OPERATOR_CALLS = 64
"""As CALLS, for the operator: opening a run can take minutes."""

Handler = Callable[[Any, Context], Awaitable[Any]]


class _Caller:
    """What one caller has open."""

    def __init__(self, calls: int) -> None:
        self.turns = asyncio.Semaphore(calls)
        self.streams = 0


class Doorway:
    """Lets in the calls of one listener. For one event loop."""

    def __init__(self, server: grpc.aio.Server) -> None:
        self._server = server
        self._strangers = Strangers()
        # Each lives for as long as a call holds it.
        self._callers: WeakValueDictionary[Hashable, _Caller] = WeakValueDictionary()

    def serve(
        self,
        handlers: grpc.GenericRpcHandler,
        who: Callable[[Context], Hashable],
        calls: int = CALLS,
    ) -> None:
        """Serves these methods. ``who`` tells callers apart, and raises ProtocolError for a call
        that is refused unread; each caller may have ``calls`` under way at once."""

        def caller(key: Hashable) -> _Caller:
            return self._callers.setdefault(key, _Caller(calls))

        self._server.add_generic_rpc_handlers((_Guarded(handlers, who, caller, self._strangers),))

    def refuse_others(self) -> None:
        """Refuses calls of methods that were not served before."""
        self._server.add_generic_rpc_handlers((_Unknown(self._strangers),))

    def add_generic_rpc_handlers(self, handlers: tuple[grpc.GenericRpcHandler, ...]) -> None:
        """As the server's own, for services that everybody may call: these share one place."""
        for each in handlers:
            self.serve(each, lambda _context: None)

    def add_registered_method_handlers(self, *_: object) -> None:
        """Generated code offers its methods this way, too; nothing needs it."""


class _Unknown(grpc.GenericRpcHandler):
    """Any method, refused as one that does not exist."""

    def __init__(self, strangers: Strangers) -> None:
        self._strangers = strangers

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler[Any, Any]:
        """The refusal."""

        async def refuse(_requests: Any, context: Context) -> None:
            await self._strangers.admit()
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, "Method not found!", ())

        del handler_call_details
        return grpc.stream_stream_rpc_method_handler(refuse)


class _Guarded(grpc.GenericRpcHandler):
    """Methods whose calls are let in one after another."""

    def __init__(
        self,
        handlers: grpc.GenericRpcHandler,
        who: Callable[[Context], Hashable],
        caller: Callable[[Hashable], _Caller],
        strangers: Strangers,
    ) -> None:
        self._handlers, self._who, self._caller = handlers, who, caller
        self._strangers = strangers
        self._guarded: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        """The method's handler; None where there is no such method."""
        method = handler_call_details.method
        if method in self._guarded:
            return self._guarded[method]
        found = self._handlers.service(handler_call_details)
        if found is not None:
            found = self._guarded[method] = self._guard(found)
        return found

    def _guard(self, handler: Any) -> grpc.RpcMethodHandler[Any, Any]:
        """On the wire all kinds of methods are alike; only this one lets us choose when to read."""
        if handler.request_streaming:
            held = self._streaming(handler.stream_stream)
        elif handler.response_streaming:
            held = self._told(handler.unary_stream)
        else:
            held = self._answering(handler.unary_unary)
        return grpc.stream_stream_rpc_method_handler(
            held,
            handler.request_deserializer,
            handler.response_serializer,
        )

    def _answering(self, answer: Handler) -> Handler:
        async def held(_requests: Any, context: Context) -> None:
            key = await self._admit(context)
            caller = self._caller(key)
            async with caller.turns:
                await context.write(await answer(await _read(context, key), context))

        return held

    def _told(self, tell: Any) -> Handler:
        async def held(_requests: Any, context: Context) -> None:
            key = await self._admit(context)
            caller = self._caller(key)
            async with caller.turns:
                message = await _read(context, key)
            await _answer(tell(message, context), context)

        return held

    def _streaming(self, converse: Any) -> Handler:
        async def held(requests: Any, context: Context) -> None:
            caller = self._caller(await self._admit(context))
            if caller.streams >= STREAMS:
                words = f"No more than {STREAMS} streams of requests at once; close one first."
                await abort(context, ProtocolError(Reason.RATE_LIMITED, words, retry_after=1.0))
            caller.streams += 1
            try:
                await _answer(converse(requests, context), context)
            finally:
                caller.streams -= 1

        return held

    async def _admit(self, context: Context) -> Hashable:
        try:
            key = self._who(context)
        except ProtocolError as error:
            await self._strangers.refuse(context)
            await abort(context, error)
        if key is None:
            await self._strangers.admit()
        else:
            self._strangers.forgive(context)
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
        # A caller with a token holds up nobody but itself.
        async with asyncio.timeout(STRANGER_SECONDS if key is None else None):
            message = await context.read()
    except TimeoutError:
        message = grpc.aio.EOF
    if message is grpc.aio.EOF:
        await abort(context, ProtocolError(Reason.MALFORMED_REQUEST, "There is no request."))
    return message
