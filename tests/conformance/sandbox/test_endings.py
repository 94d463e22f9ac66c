"""How agents end, and that nothing of them stays."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from env_service.sandbox.bwrap.cgroups import PREFIX, find_home
from env_service.sandbox.interface import AgentExit
from tests.conformance.sandbox.kit import (
    CELLS,
    Laboratory,
    Trial,
    laboratory,
    ready,
    vanished,
    wait_until,
)

IGNORES = """
import signal
for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(each, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(600)
"""
TIDIES_UP = """
import signal
def tidy(*_):
    print("tidied up", flush=True)
    sys.exit(7)
signal.signal(signal.SIGTERM, tidy)
print("ready", flush=True)
time.sleep(600)
"""
LEAVES_A_CHILD = """
if not os.fork():
    time.sleep(600)
print("ready", flush=True)
"""
SLIPS_AWAY = """
print("ready", flush=True)
if os.fork():
    time.sleep(0.2)
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
import resource, signal
for number in range(1, 65):
    if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33):
        signal.signal(number, signal.SIG_IGN)
os.closerange(0, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
time.sleep(600)
"""
CLOSES_EVERYTHING = """
import ctypes, resource, signal
print("ready", flush=True)
time.sleep(0.3)
os.closerange(0, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
# PR_SET_PDEATHSIG, off; PR_SET_DUMPABLE, off.
libc = ctypes.CDLL(None)
libc.prctl(1, 0)
libc.prctl(4, 0)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
time.sleep(600)
"""
KILLS_ALL = """
import signal
print("ready", flush=True)
for number in (1, -1):
    for each in (signal.SIGSTOP, signal.SIGKILL):
        try:
            os.kill(number, each)
        except OSError as error:
            print(error, flush=True)
time.sleep(600)
"""
GARBAGE = """
os.write(1, bytes(range(256)) * 64 + b"\\xff\\xfe\\x00 \\x1b[2J\\r\\n")
os.write(2, os.urandom(4096))
sys.exit(5)
"""
A_SERVICE = """
import asyncio, sys
from pathlib import Path
from dataclasses import replace
from env_service.sandbox.options import SandboxOptions
from tests.conformance.sandbox import kit
from env_service.sandbox.interface import AgentStart
async def main(name, address, log, marker, code):
    options = SandboxOptions(limits=kit.GENTLE)
    sandbox = kit.CELLS[name].open(kit.PRESENTS + code, marker, options)
    await sandbox.start(AgentStart(address, ("a-token",), 0), Path(log))
    await asyncio.sleep(600)
asyncio.run(main(*sys.argv[1:]))
"""


def test_an_agent_that_ends_at_once_says_how(any_lab: Laboratory) -> None:
    ending, _ = any_lab.run("os._exit(3)")
    assert ending == AgentExit(3)


def test_an_agent_that_kills_itself_has_crashed(any_lab: Laboratory) -> None:
    ending, _ = any_lab.run("os.kill(os.getpid(), 11)")
    assert ending.code == -11
    assert not ending.out_of_memory


def test_garbage_is_kept_as_it_is_and_shown_as_text(any_lab: Laboratory) -> None:
    async def tail(trial: Trial) -> str:
        await trial.agent.wait()
        await trial.agent.stop()
        return trial.agent.log_tail()

    trial, text = any_lab.with_agent(GARBAGE, tail)
    assert isinstance(text, str)
    assert bytes(range(256)) in trial.log.read_bytes()


def test_an_agent_may_tidy_up(any_lab: Laboratory) -> None:
    async def stopped(trial: Trial) -> AgentExit:
        await ready(trial)
        await trial.agent.stop(patience=20)
        return await trial.agent.wait()

    trial, ending = any_lab.with_agent(TIDIES_UP, stopped)
    assert "tidied up" in trial.text
    assert ending.code == 7


def test_an_agent_that_does_not_want_to_end_is_killed(any_lab: Laboratory) -> None:
    async def stopped(trial: Trial) -> AgentExit:
        await ready(trial)
        await trial.agent.stop(patience=0.2)
        await trial.agent.stop()
        return await trial.agent.wait()

    trial, ending = any_lab.with_agent(IGNORES, stopped)
    assert ending.code == -9
    assert not ending.out_of_time
    assert trial.processes() == []


def test_waiting_may_be_given_up_and_taken_up_again(any_lab: Laboratory) -> None:
    async def twice(trial: Trial) -> tuple[AgentExit, AgentExit]:
        first = asyncio.ensure_future(trial.agent.wait())
        await asyncio.sleep(0.05)
        first.cancel()
        return await trial.agent.wait(), await trial.agent.wait()

    _, endings = any_lab.with_agent("time.sleep(0.3)", twice)
    assert endings == (AgentExit(0), AgentExit(0))


def test_children_go_with_the_agent(any_lab: Laboratory) -> None:
    async def after(trial: Trial) -> None:
        await trial.agent.wait()
        await trial.agent.stop()
        await vanished(trial)

    any_lab.with_agent(LEAVES_A_CHILD, after)


@pytest.mark.parametrize("code", [SLIPS_AWAY, CLOSES_EVERYTHING], ids=["daemon", "closes"])
def test_nobody_slips_away(lab: Laboratory, code: str) -> None:
    async def after(trial: Trial) -> None:
        await ready(trial)
        await trial.agent.stop(patience=0.5)
        await vanished(trial)

    lab.with_agent(code, after)


def test_an_agent_kills_at_most_itself(lab: Laboratory) -> None:
    async def after(trial: Trial) -> None:
        await ready(trial)
        await trial.agent.stop(patience=0.5)
        await vanished(trial)

    mine = os.getpid()
    lab.with_agent(KILLS_ALL, after)
    assert Path(f"/proc/{mine}").exists()


def test_closing_the_sandbox_ends_its_agents(any_lab: Laboratory) -> None:
    async def running(trial: Trial) -> None:
        await ready(trial)

    trial, _ = any_lab.with_agent(IGNORES, running)
    assert trial.processes() == []
    _assert_no_groups()


@pytest.mark.parametrize("code", [IGNORES, CLOSES_EVERYTHING], ids=["ignores", "closes"])
@pytest.mark.parametrize("name", sorted(name for name, cell in CELLS.items() if cell.holds_in))
def test_nothing_outlives_a_service_that_was_killed(name: str, code: str) -> None:
    CELLS[name].need()
    with laboratory(CELLS[name]) as lab:
        log = lab.folder / "runs" / "one" / "logs" / "guest.log"
        trial = Trial(None, log, f"trial-of-{name}-{os.getpid()}")  # type: ignore[arg-type]
        words = (name, lab.agent_start().address, str(log), trial.marker, code)
        service = subprocess.Popen([sys.executable, "-c", A_SERVICE, *words])
        try:
            wait_until(lambda: "ready" in trial.text)
            assert trial.processes()
        finally:
            service.send_signal(signal.SIGKILL)
            service.wait()
        wait_until(lambda: not trial.processes())
        wait_until(lambda: not _groups_of(service.pid))


def _assert_no_groups() -> None:
    assert _groups_of(os.getpid()) == []


def _groups_of(pid: int) -> list[Path]:
    home = find_home()
    if home is None:
        return []
    places = {home.memory, home.pids, home.cpu or home.memory}
    return [group for place in places for group in place.glob(f"{PREFIX}{pid}-*")]
