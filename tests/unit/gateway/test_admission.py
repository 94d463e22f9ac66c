"""How much of the house one caller may take up at once."""

from __future__ import annotations

import asyncio
from typing import Any, NoReturn

import grpc
import pytest

from env_service.domain.reasons import ProtocolError, Reason
from env_service.gateway.admission import CALLS, STREAMS, AdmissionControl


class Server:
    """Keeps the handlers that it is given."""

    def __init__(self) -> None:
        self.handlers: tuple[Any, ...] = ()

    def add_generic_rpc_handlers(self, handlers: tuple[Any, ...]) -> None:
        self.handlers += handlers


class EndedError(Exception):
    """A call was aborted; holds its reason."""


class Call:
    """One call of somebody. ``taken``: whether its answer has been read."""

    def __init__(self, who: str, request: Any = "request") -> None:
        self.who, self.request = who, request
        self.was_read = False
        self.taken = asyncio.Event()

    def peer(self) -> str:
        return "unix:"

    async def read(self) -> Any:
        self.was_read = True
        return self.request

    async def write(self, _answer: Any) -> None:
        await self.taken.wait()

    async def abort(self, _code: Any, _words: str, trailing: Any) -> NoReturn:
        raise EndedError(dict(trailing)["houseguest-reason"])


class Details:
    def __init__(self, method: str) -> None:
        self.method = method


async def echo(request: Any, _context: Any) -> Any:
    return request


async def converse(_requests: Any, context: Call) -> None:
    await context.taken.wait()


def who(call: Any) -> str:
    if not call.who:
        raise ProtocolError(Reason.TOKEN_MISSING)
    return str(call.who)


def method(name: str) -> Any:
    """A method of a service behind a doorway, as gRPC would call it."""
    server = Server()
    table = {
        "Echo": grpc.unary_unary_rpc_method_handler(echo),
        "Talk": grpc.stream_stream_rpc_method_handler(converse),
    }
    AdmissionControl(server).serve(grpc.method_handlers_generic_handler("x", table), who)  # type: ignore[arg-type]
    return server.handlers[0].service(Details(f"/x/{name}")).stream_stream


async def turns(calls: list[Call]) -> None:
    for _ in range(len(calls) + 5):
        await asyncio.sleep(0)


def test_a_call_is_read_when_those_before_it_have_been_answered() -> None:
    async def play() -> None:
        echo_method = method("Echo")
        greedy = [Call("a") for _ in range(CALLS + 3)]
        other = Call("b")
        tasks = [asyncio.ensure_future(echo_method(None, call)) for call in [*greedy, other]]
        await turns(greedy)
        assert [call.was_read for call in greedy] == [True] * CALLS + [False] * 3
        assert other.was_read
        greedy[0].taken.set()
        await turns(greedy)
        assert [call.was_read for call in greedy[CALLS:]] == [True, False, False]
        tasks[1].cancel()
        await turns(greedy)
        assert [call.was_read for call in greedy[CALLS:]] == [True, True, False]
        for task in tasks:
            task.cancel()

    asyncio.run(play())


def test_one_stream_too_many_is_refused() -> None:
    async def play() -> None:
        talk = method("Talk")
        calls = [Call("a") for _ in range(STREAMS)]
        tasks = [asyncio.ensure_future(talk(None, call)) for call in calls]
        await turns(calls)
        with pytest.raises(EndedError, match="RATE_LIMITED"):
            await talk(None, Call("a"))
        calls[0].taken.set()
        await turns(calls)
        again = Call("a")
        again.taken.set()
        await talk(None, again)
        for task in tasks:
            task.cancel()

    asyncio.run(play())


def test_a_call_without_a_token_is_never_read() -> None:
    async def play() -> None:
        call = Call("")
        with pytest.raises(EndedError, match="TOKEN_MISSING"):
            await method("Echo")(None, call)
        assert not call.was_read

    asyncio.run(play())


def test_a_call_without_a_request_is_malformed() -> None:
    async def play() -> None:
        with pytest.raises(EndedError, match="MALFORMED_REQUEST"):
            await method("Echo")(None, Call("a", request=grpc.aio.EOF))

    asyncio.run(play())
