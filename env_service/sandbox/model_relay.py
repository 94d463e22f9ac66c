"""A relay from a Unix socket to one model server, for agents without a network."""

import asyncio
import contextlib
import logging
import shutil
import tempfile
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from env_service.sandbox.errors import AgentSpecError, AgentStartError
from env_service.sandbox.interface import AgentStart, RunningAgent, Sandbox
from env_service.sandbox.options import MODEL, MODEL_SOCKET, ReadOnlyMount

LOG = logging.getLogger(__name__)
VARIABLE = "HOUSEGUEST_BASE_URL"
"""The variable with the base URL of the agent's model server."""
MOST_CONNECTIONS = 256
"""At once, of all agents of a run. One more waits until the system gives up on it, or another
one ends."""
CONNECT_SECONDS = 10.0
_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class ModelServer:
    """The one host and port that a relay leads to. ``path`` is what requests begin with there."""

    host: str
    port: int
    path: str = ""

    @property
    def base_url(self) -> str:
        """The URL for agents: ``unix:/SOCKET``, with ``:/PATH`` if that is not /v1."""
        socket = f"unix:{MODEL / MODEL_SOCKET}"
        return f"{socket}:{self.path}" if self.path not in ("", "/v1") else socket


def read_model_server(url: str) -> ModelServer:
    """Reads ``http://HOST:PORT[/path]``. Raises AgentSpecError for anything else."""
    wrong = AgentSpecError(
        f"--model-server {url}: give an address such as http://127.0.0.1:8000 or"
        " http://HOST:PORT/v1. For a server with TLS, run a proxy for it on this machine"
    )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise wrong from error
    unwanted = parts.username or parts.password or parts.query or parts.fragment
    if parts.scheme != "http" or not parts.hostname or unwanted or any(map(str.isspace, url)):
        raise wrong
    return ModelServer(parts.hostname, 80 if port is None else port, parts.path.rstrip("/"))


class ModelRelay:
    """Listens in a private folder, which a sandbox mounts read-only, and connects every caller to
    the model server and nothing else. For one event loop."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server
        self._folder = Path(tempfile.mkdtemp(prefix="houseguest-model-"))
        # An agent is another user.
        self._folder.chmod(0o755)
        self._room = asyncio.Semaphore(MOST_CONNECTIONS)
        self._open: set[asyncio.Task[None]] = set()
        self._listening: asyncio.Server | None = None
        self._starting = asyncio.Lock()

    @property
    def mount(self) -> ReadOnlyMount:
        """The folder, and where an agent finds it."""
        return ReadOnlyMount(self._folder, MODEL)

    @property
    def environment(self) -> dict[str, str]:
        """The variables for agents."""
        return {VARIABLE: self._server.base_url}

    async def start(self) -> None:
        """Listens. Idempotent, also while another agent's start is on its way. Raises OSError."""
        async with self._starting:
            if self._listening is None:
                path = self._folder / MODEL_SOCKET
                self._listening = await asyncio.start_unix_server(self._serve, path)
                path.chmod(0o666)

    async def close(self) -> None:
        """Ends every connection, and removes the folder. Idempotent."""
        if self._listening is not None:
            self._listening.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        self.discard()

    def discard(self) -> None:
        """Removes the folder of a relay that was not started. Idempotent."""
        shutil.rmtree(self._folder, ignore_errors=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
            task.add_done_callback(self._open.discard)
        with contextlib.closing(writer):
            async with self._room:
                await self._join(reader, writer)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, port = self._server.host, self._server.port
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                there_reader, there_writer = await asyncio.open_connection(host, port)
        except (OSError, TimeoutError) as error:
            LOG.warning("the model server %s:%d cannot be reached: %s", host, port, error)
            with contextlib.suppress(OSError, TimeoutError):
                # A client that is still asking would not see the answer.
                await asyncio.wait_for(reader.read(_CHUNK), 1.0)
                writer.write(_refusal(f"the model server {host}:{port} cannot be reached\n"))
                await writer.drain()
            return
        with contextlib.closing(there_writer):
            await _both(_pipe(reader, there_writer), _pipe(there_reader, writer))


class RelayedSandbox:
    """A sandbox whose agents find a relay, which it starts and ends.

    The sandbox has to have been given the relay's mount and environment.
    """

    def __init__(self, sandbox: Sandbox, relay: ModelRelay) -> None:
        self._sandbox, self._relay = sandbox, relay

    @property
    def shared(self) -> bool:
        """Whether one agent plays every session of a run."""
        return self._sandbox.shared

    @property
    def isolation(self) -> str:
        """One line on what an agent can do in here, and what it cannot."""
        return self._sandbox.isolation

    async def start(self, agent_start: AgentStart, log_path: Path) -> RunningAgent:
        """Starts an agent. Raises what the sandbox does, and AgentStartError."""
        try:
            await self._relay.start()
        except OSError as error:
            raise AgentStartError(
                f"the relay to the model server cannot listen: {error}"
            ) from error
        return await self._sandbox.start(agent_start, log_path)

    async def close(self) -> None:
        """Ends the agents, then the relay. Idempotent."""
        try:
            await self._sandbox.close()
        finally:
            await self._relay.close()


async def _both(one: Coroutine[None, None, None], other: Coroutine[None, None, None]) -> None:
    """Runs both to their ends; an error in one, a cut connection, ends the other."""
    with contextlib.suppress(ExceptionGroup):
        async with asyncio.TaskGroup() as group:
            group.create_task(one)
            group.create_task(other)


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Passes bytes on, never faster than they are read, then signals their end."""
    while data := await reader.read(_CHUNK):
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()


def _refusal(message: str) -> bytes:
    body = message.encode()
    head = "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain; charset=utf-8\r\n"
    return f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body
