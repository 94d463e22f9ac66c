"""Agents that are Python functions or classes, and play on threads of this process."""

from __future__ import annotations

import asyncio
import inspect
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any

from env_service.sandbox.agent_files import AgentFiles
from env_service.sandbox.interface import AgentExit, AgentStart, RunningAgent
from houseguest.errors import MissingPackageError

if TYPE_CHECKING:
    from houseguest_agent import Client
    from houseguest_agent import Episode as OpenEpisode

_TAIL_BYTES = 20_000

Play = Callable[["OpenEpisode"], object]


@dataclass(frozen=True, slots=True)
class FunctionAgent:
    """A function that plays one episode, or a class whose objects are such functions.

    Each session calls the class once, on its own thread.
    """

    play: Play | type

    @property
    def name(self) -> str:
        """The function's or the class's qualified name."""
        named = self.play if hasattr(self.play, "__qualname__") else type(self.play)
        return str(named.__qualname__)

    @property
    def label(self) -> str:
        """The agent's part of the run's identity."""
        return f"python:{self.name}"

    def files(self) -> AgentFiles:
        """The digest of its source, by which an edited agent is recognised.

        Functions that it calls do not count.
        """
        named: Any = self.play if hasattr(self.play, "__qualname__") else type(self.play)
        try:
            source = inspect.getsource(named).encode()
        except (OSError, TypeError):
            source = _compiled(getattr(named, "__code__", None))
        return AgentFiles(files={self.name: f"sha256:{sha256(source).hexdigest()}"})

    def session(self) -> Play:
        """What plays the episodes of one session."""
        made = self.play() if inspect.isclass(self.play) else self.play
        if not callable(made):
            raise TypeError(f"objects of {self.name} cannot be called with an episode")
        return made


def _compiled(code: CodeType | None) -> bytes:
    """The byte code of a function without source, such as one that ``exec`` made."""
    return b"" if code is None else repr((code.co_code, code.co_names, code.co_consts)).encode()


class InProcessSandbox:
    """Starts a thread for each session. A Sandbox that isolates nothing."""

    shared = False
    isolation = "none: the agent is Python code in this process"

    def __init__(self, agent: FunctionAgent) -> None:
        """Raises MissingPackageError without the agents' SDK."""
        try:
            import houseguest_agent  # noqa: F401, PLC0415 - an optional package
        except ImportError as error:
            raise MissingPackageError(
                "An agent that is a Python function needs the agents' SDK:"
                " pip install houseguest-agent"
            ) from error
        self._agent = agent

    async def start(self, agent_start: AgentStart, log_path: Path) -> RunningAgent:
        """Starts an agent for the first of the tokens."""
        return ThreadAgent(self._agent, agent_start, log_path)

    async def close(self) -> None:
        """Does nothing: the threads end with their sessions."""


class ThreadAgent:
    """One agent on a thread. Its exceptions are written to a log."""

    def __init__(self, agent: FunctionAgent, start: AgentStart, log: Path) -> None:
        self._agent, self._start, self._log = agent, start, log
        self._client: Client | None = None
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[AgentExit] = self._loop.create_future()
        # A daemon, because a function that waits for its model cannot be interrupted.
        self._thread = threading.Thread(target=self._run, name=f"agent-{log.stem}", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        code = 0
        try:
            self._play()
        except BaseException:  # noqa: BLE001 - as a process would end
            code = 1
            with self._log.open("a", encoding="utf-8", errors="replace") as file:
                file.write(traceback.format_exc())
        ended = AgentExit(code)
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(
                lambda: None if self._ended.done() else self._ended.set_result(ended)
            )

    def _play(self) -> None:
        from houseguest_agent import Client, Options  # noqa: PLC0415 - an optional package

        options = Options(
            address=self._start.address, token=self._start.tokens[0], ca="", state_file=""
        )
        play = self._agent.session()
        with Client(self._agent.name, options=options) as self._client:
            for episode in self._client.episodes():
                play(episode)

    async def wait(self) -> AgentExit:
        """Waits until the thread has ended."""
        return await asyncio.shield(self._ended)

    def log_tail(self, lines: int = 10) -> str:
        """The last lines of the last exception."""
        try:
            text = self._log.read_bytes()[-_TAIL_BYTES:].decode(errors="replace")
        except FileNotFoundError:
            return ""
        return "\n".join(text.splitlines()[-lines:])

    def notices(self) -> list[str]:
        """None: the function can tell its user itself."""
        return []

    async def stop(self, patience: float = 2.0) -> None:
        """Waits for the thread; its session has ended, so its next call of the service fails."""
        await asyncio.wait([self._ended], timeout=patience)
