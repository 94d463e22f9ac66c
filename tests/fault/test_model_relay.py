"""The relay to a model server: it leads there, whole, and nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import uvloop

from env_service.sandbox.interface import AgentStart, RunningAgent
from env_service.sandbox.model_relay import ModelRelay, ModelServer, RelayedSandbox
from env_service.sandbox.options import MODEL_SOCKET

SECONDS = 60.0
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def play(scene: Coroutine[Any, Any, None]) -> None:
    """Runs a scene on the loop that the service runs on."""
    uvloop.run(asyncio.wait_for(scene, SECONDS))


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A server that waits for the end of a question, and answers with its length and itself."""
    question = await reader.read()
    writer.write(b"%d:" % len(question) + question)
    await writer.drain()
    writer.close()


async def serve(talk: Talk = echo) -> tuple[asyncio.Server, ModelServer]:
    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    return server, ModelServer("127.0.0.1", server.sockets[0].getsockname()[1])


def socket_of(relay: ModelRelay) -> Path:
    return relay.mount.source / MODEL_SOCKET


async def ask(relay: ModelRelay, question: bytes) -> bytes:
    reader, writer = await asyncio.open_unix_connection(str(socket_of(relay)))
    writer.write(question)
    await writer.drain()
    writer.write_eof()
    answer = await reader.read()
    writer.close()
    return answer


def test_questions_and_answers_pass_whole_and_many_at_once() -> None:
    async def scene() -> None:
        server, place = await serve()
        relay = ModelRelay(place)
        await relay.start()
        questions = [bytes([number]) * (number * 100_000) for number in range(1, 9)]
        answers = await asyncio.gather(*(ask(relay, question) for question in questions))
        assert answers == [b"%d:" % len(question) + question for question in questions]
        await relay.close()
        server.close()

    play(scene())


def test_guests_that_start_at_once_find_the_same_socket() -> None:
    async def scene() -> None:
        relay = ModelRelay(ModelServer("127.0.0.1", 9))
        await asyncio.gather(*(relay.start() for _ in range(4)))
        sockets = await asyncio.to_thread(Path("/proc/net/unix").read_text, encoding="utf-8")
        assert sockets.split().count(str(socket_of(relay))) == 1
        await relay.close()

    asyncio.run(scene())


def test_other_users_can_reach_it_and_change_nothing() -> None:
    async def scene() -> None:
        relay = ModelRelay(ModelServer("127.0.0.1", 9))
        await relay.start()
        folder = relay.mount.source
        assert folder.stat().st_mode & 0o777 == 0o755
        assert socket_of(relay).stat().st_mode & 0o777 == 0o666
        assert [path.name for path in folder.iterdir()] == [MODEL_SOCKET]
        await relay.close()
        await relay.close()
        assert not folder.exists()

    play(scene())


def test_a_server_that_is_not_there_is_told_as_http_does() -> None:
    async def scene() -> None:
        server, place = await serve()
        server.close()
        await server.wait_closed()
        relay = ModelRelay(place)
        await relay.start()
        answer = await ask(relay, b"GET / HTTP/1.1\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 502 ")
        assert b"127.0.0.1" in answer
        await relay.close()

    play(scene())


def test_closing_ends_what_is_open() -> None:
    question, heard = b"a question without an end", asyncio.Event()

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(len(question))
        heard.set()
        await reader.read()
        writer.close()

    async def scene() -> None:
        server, place = await serve(hear)
        relay = ModelRelay(place)
        await relay.start()
        reader, writer = await asyncio.open_unix_connection(str(socket_of(relay)))
        writer.write(question)
        await heard.wait()
        await relay.close()
        assert await reader.read() == b""
        writer.close()
        server.close()

    play(scene())


def test_a_sandbox_with_a_relay_starts_it_with_the_first_guest(tmp_path: Path) -> None:
    class Plain:
        shared, isolation, closed = True, "some", False

        async def start(self, agent_start: AgentStart, log_path: Path) -> RunningAgent:
            assert socket_of(relay).is_socket()
            raise NotImplementedError

        async def close(self) -> None:
            assert socket_of(relay).is_socket()
            self.closed = True

    relay, plain = ModelRelay(ModelServer("127.0.0.1", 9)), Plain()

    async def scene() -> None:
        sandbox = RelayedSandbox(plain, relay)
        assert sandbox.shared
        assert sandbox.isolation == "some"
        for _ in range(2):
            try:
                await sandbox.start(AgentStart("unix:/x", ("t",), 0), tmp_path)
            except NotImplementedError:
                continue
        await sandbox.close()
        assert plain.closed
        assert not relay.mount.source.exists()

    play(scene())
