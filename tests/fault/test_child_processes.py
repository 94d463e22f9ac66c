"""The service starts its child processes without running any Python in them."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import uvloop

from env_service.processes import child as child_module
from env_service.processes.child import ChildProcess
from tests.conformance.sandbox.kit import CELLS
from tests.support.command_line import ROOT

STARTS = """
import asyncio, os, sys
from pathlib import Path

import uvloop

import env_service.gateway
from env_service.cli.play_session import TerminalAgent
from env_service.engine.placement import FreeMemory
from env_service.engine.supervisor import WorkerProcess
from env_service.sandbox.agents import AgentCommand
from env_service.sandbox.factory import open_sandbox
from env_service.sandbox.interface import AgentStart
from env_service.sandbox.options import SandboxOptions
from env_service.suites.registry import suite_path

def hook():
    os.write(2, b"Python ran in a child\\n")
    os.abort()

async def start_all(kind, log, socket):
    if kind == "terminal":
        agent = await TerminalAgent.start(("true",), AgentStart(f"unix:{socket}", ("t",), 0))
        print(await agent.wait())
        await agent.stop()
    elif kind == "worker":
        worker = WorkerProcess(suite_path("babyai"))
        worker.kill_all()
        await worker.exited(60)
        worker.reap()
        print(0)
    elif kind == "nvidia-smi":
        await FreeMemory().of(0)
        print(0)
    else:
        sandbox = open_sandbox(AgentCommand(("true",)), SandboxOptions(kind=kind))
        agent = await sandbox.start(AgentStart(f"unix:{socket}", ("t",), 0), log)
        print((await agent.wait()).code)
        await agent.stop()
        await sandbox.close()

async def main():
    kind, folder = sys.argv[1], Path(sys.argv[2])
    socket, log = folder / "agents.sock", folder / "logs" / "log"
    server = await asyncio.start_unix_server(lambda *_: None, socket)
    os.register_at_fork(after_in_child=hook)
    await start_all(kind, log, socket)
    server.close()

uvloop.run(main())
"""
"""Starts one child of a kind on the service's event loop. A fork that runs Python aborts."""
LIVES = "import time; time.sleep(600)"


def on_both_loops(scene: Callable[[], Any]) -> None:
    """Plays a scene on the service's event loop and on asyncio's."""
    for run in (uvloop.run, asyncio.run):
        run(asyncio.wait_for(scene(), 120))


@pytest.mark.parametrize("kind", ["process", "bwrap", "terminal", "worker", "nvidia-smi"])
def test_no_python_runs_in_a_child_before_its_command(kind: str, tmp_path: Path) -> None:
    """uvloop's own start of a process would run after-fork code of Python and of gRPC."""
    if kind == "bwrap":
        CELLS["bwrap-watched"].need()
    ran = subprocess.run(
        [sys.executable, "-c", STARTS, kind, str(tmp_path)],
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT,
    )
    log = tmp_path / "logs" / "log"
    assert "Python ran in a child" not in ran.stderr + (log.read_text() if log.exists() else "")
    assert (ran.returncode, ran.stdout.split()) == (0, ["0"]), ran.stderr


def test_all_processes_of_the_service_start_through_popen() -> None:
    forks = ("create_subprocess_", "subprocess_exec(", "subprocess_shell(", "os.fork", "forkpty")
    found = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in (ROOT / "env_service").rglob("*.py")
        for word in (*forks, 'get_context("fork', "preexec_fn=")
        if word in path.read_text(encoding="utf-8")
    ]
    assert found == [], "start it with env_service.processes.child.ChildProcess"


def test_a_child_with_python_before_its_command_is_refused() -> None:
    with pytest.raises(ValueError, match="preexec_fn"):
        ChildProcess(("true",), preexec_fn=print)


@pytest.mark.parametrize(
    ("code", "status"),
    [("raise SystemExit(3)", 3), ("import os; os.kill(os.getpid(), 9)", -signal.SIGKILL)],
)
@pytest.mark.parametrize("descriptors", [True, False])
def test_all_who_wait_learn_how_a_child_ended(
    code: str, status: int, descriptors: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also on a system without process descriptors."""
    if not descriptors:
        monkeypatch.delattr(os, "pidfd_open")

    async def scene() -> None:
        child = await ChildProcess.start((sys.executable, "-c", code))
        waits = (child.wait(), child.wait(), child.wait())
        assert await asyncio.gather(*waits) == [status] * 3
        assert not child.running
        assert await child.exits(0)
        child.send_signal(signal.SIGKILL)
        assert child.reap() == child.reap() == await child.wait() == status
        assert not child.running
        child.send_signal(signal.SIGKILL)

    on_both_loops(scene)


def test_who_waits_learns_how_a_child_ended_that_another_reaped() -> None:
    async def scenario() -> int:
        child = await ChildProcess.start(["sleep", "60"])
        waiting = asyncio.ensure_future(child.wait())
        await asyncio.sleep(0.05)
        child.send_signal(signal.SIGKILL)
        assert child.reap() == -signal.SIGKILL
        return await asyncio.wait_for(waiting, 30)

    assert asyncio.run(scenario()) == -signal.SIGKILL


def test_a_wait_may_be_given_up() -> None:
    async def scene() -> None:
        child = await ChildProcess.start((sys.executable, "-c", LIVES), start_new_session=True)
        open_files = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - counted, not read
        assert not await child.exits(0)
        assert not await child.exits(0.05)
        assert len(os.listdir("/proc/self/fd")) == open_files  # noqa: PTH208
        child.signal_group(signal.SIGTERM)
        assert await child.wait() == -signal.SIGTERM
        child.signal_group(signal.SIGKILL)
        child.reap()

    on_both_loops(scene)


def test_a_command_that_does_not_exist_is_an_error_of_the_system() -> None:
    async def scene() -> None:
        with pytest.raises(FileNotFoundError, match="no-such-program"):
            await ChildProcess.start(("no-such-program",))

    on_both_loops(scene)


def test_a_start_that_is_cancelled_leaves_no_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller closes the descriptors that it passes on, so the start must be over by then."""
    begun, may_start = threading.Event(), threading.Event()
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def slow_popen(*given: Any, **options: Any) -> subprocess.Popen[bytes]:
        begun.set()
        may_start.wait(60)
        started.append(popen(*given, **options))
        return started[-1]

    monkeypatch.setattr(child_module.subprocess, "Popen", slow_popen)

    async def scene() -> None:
        start = asyncio.ensure_future(ChildProcess.start((sys.executable, "-c", LIVES)))
        await asyncio.to_thread(partial(begun.wait, 60))
        for _ in range(2):
            start.cancel()
            await asyncio.sleep(0.05)
        assert not start.done()
        may_start.set()
        with pytest.raises(asyncio.CancelledError):
            await start

    uvloop.run(asyncio.wait_for(scene(), 120))
    assert [each.returncode for each in started] == [-signal.SIGKILL]
