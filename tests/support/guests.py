"""Guests that are a few lines of Python, and what they wrote."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path

from env_service.sandbox.agents import AgentCommand

SECONDS = 180.0
"""Until something that does not happen counts as never happening."""

STUBBORN = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(os.getpid(), flush=True)
time.sleep(3600)
"""


def python(code: str, *, shared: bool = False) -> AgentCommand:
    """A guest that runs some Python code."""
    return AgentCommand((sys.executable, "-c", code), shared)


async def until(condition: Callable[[], object]) -> None:
    """Waits for something to become true."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "it never happened"
        await asyncio.sleep(0.02)


async def first_pid(log: Path) -> int:
    """The process id that a guest wrote as its first line."""
    await until(lambda: written(log).endswith("\n"))
    return int(written(log).split()[0])


def written(log: Path) -> str:
    """What a guest has written."""
    return log.read_text(encoding="utf-8") if log.exists() else ""
