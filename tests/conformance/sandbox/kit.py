"""Every kind of sandbox, and hostile agents to put into it: each a few lines of Python."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from env_service.sandbox.agents import AgentCommand, AgentImage
from env_service.sandbox.bwrap.cgroups import find_home
from env_service.sandbox.bwrap.sandbox import BwrapSandbox, Confinement, find_support
from env_service.sandbox.errors import AgentStartError
from env_service.sandbox.factory import open_sandbox
from env_service.sandbox.interface import AgentExit, AgentStart, RunningAgent, Sandbox
from env_service.sandbox.options import DOCKER, MIB, PROCESS, AgentLimits, SandboxOptions
from tests.support.docker import BASE, need_engine
from tests.support.guests import until

GENTLE = AgentLimits(memory=96 * MIB, cpus=1.0, pids=32, seconds=40.0, scratch=16 * MIB)
"""What every hostile agent may use here: small, so that the machine does not feel it."""
PRESENTS = "import json, os, sys, time\n"


def _docker(code: str, marker: str, options: SandboxOptions) -> Sandbox:
    agent = AgentImage(BASE, ("python3", "-c", code, marker))
    return open_sandbox(agent, replace(options, kind=DOCKER))


def _process(code: str, marker: str, options: SandboxOptions) -> Sandbox:
    return open_sandbox(_command(code, marker), replace(options, kind=PROCESS))


def _bwrap(code: str, marker: str, options: SandboxOptions) -> Sandbox:
    """With control groups."""
    return BwrapSandbox(Confinement(_command(code, marker), options, find_support(), find_home()))


def _watched(code: str, marker: str, options: SandboxOptions) -> Sandbox:
    """As where this user could make no control groups."""
    return BwrapSandbox(Confinement(_command(code, marker), options, find_support(), None))


def _command(code: str, marker: str) -> AgentCommand:
    return AgentCommand((sys.executable, "-c", code, marker))


@dataclass(frozen=True)
class Cell:
    """One kind of sandbox. ``holds_in``: it is one against agents that mean harm."""

    name: str
    open: Callable[[str, str, SandboxOptions], Sandbox]
    need: Callable[[], None]
    holds_in: bool = True


def _need_bwrap() -> None:
    try:
        find_support()
    except AgentStartError as error:
        if os.environ.get("REQUIRE_BWRAP") == "1":
            pytest.fail(str(error), pytrace=False)
        pytest.skip(f"{error}; REQUIRE_BWRAP=1 makes this a failure")


def _need_groups() -> None:
    _need_bwrap()
    if find_home() is None:
        pytest.skip("this process may make no control groups")


CELLS: Mapping[str, Cell] = {
    cell.name: cell
    for cell in (
        Cell("process", _process, lambda: None, holds_in=False),
        Cell("bwrap", _bwrap, _need_groups),
        Cell("bwrap-watched", _watched, _need_bwrap),
        Cell("docker", _docker, need_engine),
    )
}


@dataclass
class Trial:
    """One agent that runs. ``marker`` is a word of its command line, and of all its forks'."""

    agent: RunningAgent
    log: Path
    marker: str

    @property
    def text(self) -> str:
        """What it has written."""
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""

    def processes(self) -> list[int]:
        """All processes of this machine with the marker: the agent's, and its keepers'."""
        return [pid for pid, words in _command_lines() if self.marker.encode() in words]


@dataclass
class Laboratory:
    """Runs agents in one kind of sandbox."""

    cell: Cell
    folder: Path
    options: SandboxOptions = field(default_factory=lambda: SandboxOptions(limits=GENTLE))

    def run(self, code: str, **limits: float) -> tuple[AgentExit, str]:
        """Runs an agent to its end; how it ended, and what it wrote."""
        trial, ending = self.with_agent(code, _to_the_end, **limits)
        return ending, trial.text

    def with_agent(self, code: str, then: Callable[[Trial], object], **limits: float) -> tuple:
        """Starts an agent, awaits what is to be done with it, and stops it, come what may.

        Returns the trial and what ``then`` returned.
        """
        return asyncio.run(self._with_agent(code, then, limits))

    async def _with_agent(self, code: str, then: Callable, limits: Mapping[str, float]) -> tuple:
        options = replace(self.options, limits=replace(GENTLE, **limits))
        marker = f"trial-{uuid.uuid4().hex}"
        sandbox = self.cell.open(PRESENTS + code, marker, options)
        try:
            log = self.folder / "runs" / "one" / "logs" / f"{marker}.log"
            agent = await sandbox.start(self.agent_start(), log)
            trial = Trial(agent, log, marker)
            try:
                return trial, await asyncio.wait_for(then(trial), 120)
            finally:
                await agent.stop(patience=0.2)
        finally:
            await sandbox.close()

    async def beside(self, code: str) -> Any:
        """Runs another agent meanwhile; what it wrote, which has to be JSON."""
        trial, _ = await self._with_agent(code, _to_the_end, {})
        return json.loads(trial.text)

    def agent_start(self) -> AgentStart:
        """A session at a socket on which nobody answers."""
        return AgentStart(f"unix:{self.folder}/house/agent.sock", ("a-token",), 7)


@contextmanager
def laboratory(cell: Cell) -> Iterator[Laboratory]:
    """With a socket of a service in a folder of its own, and another of the operator's beside."""
    with TemporaryDirectory(prefix="hg-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with listening(folder / "house" / "agent.sock"):
            yield Laboratory(cell, folder)


@contextmanager
def listening(path: Path) -> Iterator[None]:
    """A Unix socket that takes connections and does nothing with them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        path.chmod(0o666)
        listener.listen(64)
        yield


async def _to_the_end(trial: Trial) -> AgentExit:
    return await trial.agent.wait()


async def ready(trial: Trial) -> None:
    """Waits until the agent has written a line."""
    await until(lambda: "\n" in trial.text)


async def vanished(trial: Trial) -> None:
    """Waits until none of its processes is there."""
    await until(lambda: not trial.processes())


def _command_lines() -> Iterator[tuple[int, bytes]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                yield int(entry.name), (entry / "cmdline").read_bytes()
            except OSError:
                continue


def wait_until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Waits for something to become true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)
