"""Guests in threads: started in no time, and so checked by the dozen."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from env_service.sandbox.interface import AgentExit, AgentStart, RunningAgent


class Runnable(Protocol):
    """What runs in a thread."""

    def run(self) -> int:
        """Returns the exit status."""


Make = Callable[[AgentStart, threading.Event], Runnable]
KILLED = -9
LONGEST_PATIENCE = 3.0
"""Seconds, in place of those that a process gets: a thread cannot be killed."""


class ThreadGuest:
    """One guest. An event asks it to stop; if it does not, it is given up."""

    def __init__(self, make: Make, agent_start: AgentStart) -> None:
        self._stop = threading.Event()
        self._loop = asyncio.get_running_loop()
        self._gone = asyncio.Event()
        self._code = KILLED
        self._log = ""
        guest = make(agent_start, self._stop)
        self._thread = threading.Thread(target=self._run, args=(guest,), daemon=True)
        self._thread.start()

    def _run(self, guest: Runnable) -> None:
        code = 1
        try:
            code = guest.run()
        except Exception:  # noqa: BLE001 - whatever it raises is a guest's end
            self._log = traceback.format_exc()
        # The loop may be gone, where the guest was given up.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._end, code)

    def _end(self, code: int) -> None:
        if not self._gone.is_set():
            self._code = code
            self._gone.set()

    async def wait(self) -> AgentExit:
        await self._gone.wait()
        return AgentExit(self._code)

    def log_tail(self, lines: int = 10) -> str:
        return "\n".join(self._log.splitlines()[-lines:])

    def notices(self) -> list[str]:
        return []

    async def stop(self, patience: float = 2.0) -> None:
        self._stop.set()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._gone.wait(), min(patience, LONGEST_PATIENCE))
        self._end(KILLED)


class ThreadSandbox:
    """A Sandbox (see env_service.sandbox.interface) without any isolation."""

    shared = False
    isolation = "none: a thread"

    def __init__(self, make: Make) -> None:
        self._make = make

    async def start(self, agent_start: AgentStart, log_path: Path) -> RunningAgent:
        return ThreadGuest(self._make, agent_start)

    async def close(self) -> None:
        pass
