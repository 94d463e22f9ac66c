"""Guests as plain processes: whatever they do, the service is rid of them in the end."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvloop

from env_service.gateway.agent_supervisor import RESTARTS, AgentSupervisor
from env_service.gateway.run import Run
from env_service.gateway.run_state import RunState
from env_service.sandbox.agent_output import LOG_BYTES
from env_service.sandbox.agents import AgentCommand
from env_service.sandbox.interface import AgentStart
from env_service.sandbox.process import ProcessAgent, ProcessSandbox
from tests.conformance.engine_kit import dies, is_alive
from tests.support.guests import SECONDS, STUBBORN, first_pid, python, until
from tests.support.service import OpenService, open_service

ROOT = Path(__file__).resolve().parents[2]
AGENT_START = AgentStart("unix:/nowhere", ("token",), seed=7)
LEAVES_A_CHILD = """
import subprocess
print(subprocess.Popen(["sleep", "3600"], start_new_session=True).pid, flush=True)
"""
FLOODS = f"""
for _ in range({2 * LOG_BYTES // 1000}):
    print("x" * 999)
print("last words")
"""
TIDIES_UP = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
print(os.getpid(), flush=True)
time.sleep(3600)
"""


def play(scene: Coroutine[Any, Any, None]) -> None:
    """Runs a scene on the loop that the service runs on."""
    uvloop.run(asyncio.wait_for(scene, SECONDS))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "guest.log"


def test_a_flood_of_output_is_bounded_and_ends_with_the_last_words(log: Path) -> None:
    async def scene() -> None:
        guest = await ProcessAgent.start(python(FLOODS), AGENT_START, log)
        assert (await guest.wait()).code == 0
        assert guest.log_tail(1) == "last words"

    play(scene())
    assert log.read_text().endswith("last words\n")
    assert sum(path.stat().st_size for path in log.parent.iterdir()) <= LOG_BYTES


@pytest.mark.parametrize("first", ["", "import os; os.closerange(3, 1000)"])
def test_one_that_will_not_end_is_killed(log: Path, first: str) -> None:
    """Also one that has closed all that it did not open itself."""

    async def scene() -> None:
        guest = await ProcessAgent.start(python(first + STUBBORN), AGENT_START, log)
        pid = await first_pid(log)
        await guest.stop(patience=0.2)
        assert (await guest.wait()).code == -signal.SIGKILL
        assert dies(pid)
        await guest.stop()

    play(scene())


def test_one_that_tidies_up_is_given_the_time(log: Path) -> None:
    async def scene() -> None:
        guest = await ProcessAgent.start(python(TIDIES_UP), AGENT_START, log)
        await first_pid(log)
        await guest.stop()
        assert (await guest.wait()).code == 3

    play(scene())


@pytest.mark.parametrize("end", [ProcessAgent.wait, ProcessAgent.stop])
def test_a_grandchild_that_keeps_the_output_open_holds_nothing_up(
    log: Path, end: Callable[[ProcessAgent], Awaitable[object]]
) -> None:
    async def scene() -> None:
        guest = await ProcessAgent.start(python(LEAVES_A_CHILD), AGENT_START, log)
        grandchild = await first_pid(log)
        try:
            await end(guest)
            assert (await guest.wait()).code in (0, -signal.SIGTERM)
            assert is_alive(grandchild), "it still holds the pipe"
        finally:
            os.kill(grandchild, signal.SIGKILL)

    play(scene())


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("no-such-program", "No such file or directory"),
        ("{folder}/notes.txt", "Permission denied"),
    ],
)
def test_a_command_that_cannot_be_started_is_named_in_the_log(
    log: Path, tmp_path: Path, command: str, problem: str
) -> None:
    (tmp_path / "notes.txt").write_text("no program", encoding="utf-8")
    command = command.format(folder=tmp_path)

    async def scene() -> None:
        guest = await ProcessAgent.start(AgentCommand((command, "--fast")), AGENT_START, log)
        assert (await guest.wait()).code == 1
        assert guest.log_tail() == f"cannot start {command}: {problem}"

    play(scene())
    assert log.read_text() == f"cannot start {command}: {problem}\n"


def test_a_guest_finds_its_own_seat_and_nobody_elses(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ADDRESS", "TOKEN", "TOKENS", "SEED", "CA", "STATE_FILE"):
        monkeypatch.setenv(f"HOUSEGUEST_{name}", "of another service")
    code = """
import os, sys
names = sorted(name for name in os.environ if name.startswith("HOUSEGUEST_"))
print(*(f"{name}={os.environ[name]}" for name in names), repr(sys.stdin.read()))
"""

    async def scene() -> None:
        guest = await ProcessAgent.start(python(code), AGENT_START, log)
        assert (await guest.wait()).code == 0

    play(scene())
    seat = "HOUSEGUEST_ADDRESS=unix:/nowhere HOUSEGUEST_SEED=7"
    tokens = "HOUSEGUEST_TOKEN=token HOUSEGUEST_TOKENS=token"
    assert log.read_text() == f"{seat} {tokens} ''\n"


SERVICE = """
import asyncio, pathlib, sys
from env_service.sandbox.agents import AgentCommand
from env_service.sandbox.process import ProcessAgent
from env_service.sandbox.interface import AgentStart

async def main(log, code):
    guest = AgentCommand((sys.executable, "-c", code))
    await ProcessAgent.start(guest, AgentStart("unix:/nowhere", ("token",), 0), pathlib.Path(log))
    await asyncio.sleep(3600)

asyncio.run(main(*sys.argv[1:]))
"""
STUBBORN_WITH_A_CHILD = (
    """
import subprocess
child = subprocess.Popen(["sleep", "3600"])
print(child.pid, end=" ")
"""
    + STUBBORN
)


def test_a_guest_and_its_children_die_with_a_service_that_is_killed(log: Path) -> None:
    command = [sys.executable, "-c", SERVICE, str(log), STUBBORN_WITH_A_CHILD]
    with subprocess.Popen(command, cwd=ROOT) as service:
        asyncio.run(first_pid(log))
        pids = [int(pid) for pid in log.read_text().split()]
        assert len(pids) == 2
        assert all(map(is_alive, pids))
        service.kill()
        service.wait()
    asyncio.run(until(lambda: not any(map(is_alive, pids))))


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


class TestGuestsOfARun:
    def guests(self, service: OpenService, run: Run, command: AgentCommand) -> AgentSupervisor:
        return AgentSupervisor(
            service.server.environment, run, ProcessSandbox(command), service.address
        )

    def test_a_seat_whose_guest_never_starts_is_given_up_with_the_reason(
        self, service: OpenService
    ) -> None:
        run = service.open_run(limit=1, agent="missing")
        guests = self.guests(service, run, AgentCommand(("no-such-program",)))
        service.call(guests.serve())
        (lost,) = guests.lost
        assert (lost.sessions, lost.exit_code) == ((0,), 1)
        assert "cannot start no-such-program" in lost.log_tail
        log = (run.context.folder.logs / "guest-0.log").read_text()
        assert len(log.splitlines()) == 1 + RESTARTS
        assert run.state is RunState.PENDING
        service.call(run.drain())

    def test_whoever_stops_serving_stops_every_guest(self, service: OpenService) -> None:
        run = service.open_run(limit=2, sessions=2, agent="idle")
        guests = self.guests(service, run, python(TIDIES_UP))

        async def scene() -> list[int]:
            serving = asyncio.ensure_future(guests.serve())
            logs = run.context.folder.logs
            pids = [await first_pid(logs / f"guest-{number}.log") for number in range(2)]
            assert all(map(is_alive, pids))
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
            return pids

        assert all(map(dies, service.call(scene())))
        service.call(run.drain())
