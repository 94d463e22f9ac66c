"""One guest process on every seat of a run: whatever befalls it, no seat is played twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from env_service.gateway.agent_supervisor import RESTARTS, AgentSupervisor
from env_service.gateway.run import Run
from env_service.gateway.run_state import RunState
from env_service.sandbox.agents import AgentCommand
from env_service.sandbox.process import ProcessSandbox
from tests.conformance.engine_kit import dies, is_alive
from tests.support.guests import STUBBORN, first_pid, python, written
from tests.support.service import OpenService, open_service, session_limits

PLAYS_ALL = """
import os, threading, time
from pathlib import Path
from houseguest_agent import Client, Options

TOKENS = os.environ["HOUSEGUEST_TOKENS"].split(",")
FIRST = not Path({marker!r}).exists()
Path({marker!r}).touch()
together = threading.Barrier(len(TOKENS))
print("started with", len(TOKENS), flush=True)

def play(seat, token):
    with Client("shared", options=Options(token=token)) as client:
        for number, episode in enumerate(client.episodes()):
            if FIRST and number == 0:
                together.wait()
                {trouble}
            episode.act("win")
    print("seat", seat, "done", flush=True)

threads = [threading.Thread(target=play, args=each, daemon=True) for each in enumerate(TOKENS)]
for thread in threads:
    thread.start()
threads[-1].join()
"""


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


@pytest.fixture(scope="module")
def impatient() -> Iterator[OpenService]:
    """A service in which a guest that says nothing for four seconds is lost."""
    with open_service(session_limits(step_budget=4.0)) as opened:
        yield opened


def guests(service: OpenService, run: Run, command: AgentCommand) -> AgentSupervisor:
    return AgentSupervisor(
        service.server.environment, run, ProcessSandbox(command), service.address
    )


def play(
    service: OpenService,
    folder: Path,
    name: str,
    trouble: str,
    *,
    sessions: int = 2,
    state: RunState = RunState.SUCCEEDED,
) -> tuple[Counter[str], list[str]]:
    """How six episodes ended, and what the guest wrote."""
    run = service.open_run(limit=6, sessions=sessions, agent=name)
    code = PLAYS_ALL.format(marker=str(folder / "marker"), trouble=trouble)
    service.call(guests(service, run, python(code, shared=True)).serve())
    assert run.state is state
    (log,) = run.context.folder.logs.glob("guest-*")
    assert log.name == "guest-0.log"
    endings = Counter(
        "won" if record.failure is None else record.failure
        for record in run.context.folder.finished()
    )
    return endings, written(log).splitlines()


def test_it_plays_every_seat_at_the_same_time(service: OpenService, tmp_path: Path) -> None:
    """Each seat's first episode waits for those of the others."""
    endings, log = play(service, tmp_path, "at once", "pass", sessions=3)
    assert endings == {"won": 6}
    assert [line for line in log if "started" in line] == ["started with 3"]


def test_one_that_is_killed_fails_its_open_episodes_and_is_started_anew(
    service: OpenService, tmp_path: Path
) -> None:
    endings, log = play(service, tmp_path, "killed", "os._exit(9)")
    assert endings == {"agent_crash": 2, "won": 4}
    assert log.count("started with 2") == 2


def test_a_seat_that_is_lost_stays_vacant_while_the_others_play(
    service: OpenService, tmp_path: Path
) -> None:
    endings, log = play(service, tmp_path, "one lost", "seat == 0 and 1 / 0")
    assert endings == {"agent_crash": 1, "won": 5}
    assert [line for line in log if "started" in line] == ["started with 2"]
    assert "ZeroDivisionError: division by zero" in log


def test_a_seat_that_falls_silent_stays_vacant_while_the_others_play(
    impatient: OpenService, tmp_path: Path
) -> None:
    trouble = "time.sleep(600 if seat == 0 else 0)"
    endings, log = play(impatient, tmp_path, "one silent", trouble)
    assert endings == {"agent_timeout": 1, "won": 5}
    assert [line for line in log if "started" in line] == ["started with 2"]


def test_one_whose_sessions_have_all_ended_is_replaced(
    impatient: OpenService, tmp_path: Path
) -> None:
    endings, log = play(impatient, tmp_path, "all silent", "time.sleep(600)")
    assert endings == {"agent_timeout": 2, "won": 4}
    assert log.count("started with 2") == 2


WITHDRAWS = "if seat == 0: client.withdraw(message='no model'); {then}"


def test_a_seat_that_withdraws_stays_empty(service: OpenService, tmp_path: Path) -> None:
    """Its episode is left for another day."""
    trouble = WITHDRAWS.format(then="return")
    endings, log = play(service, tmp_path, "one leaves", trouble, state=RunState.CANCELLED)
    assert endings == {"won": 5}
    assert [line for line in log if "started" in line] == ["started with 2"]


def test_a_seat_that_withdrew_is_none_of_the_next_process(
    service: OpenService, tmp_path: Path
) -> None:
    trouble = WITHDRAWS.format(then="os._exit(9)")
    slow = f"seat == 1 and time.sleep(600)\n                {trouble}"
    endings, log = play(service, tmp_path, "leaves and dies", slow, state=RunState.CANCELLED)
    assert endings == {"agent_crash": 1, "won": 4}
    assert [line for line in log if "started" in line] == ["started with 2", "started with 1"]


def test_one_that_dies_at_once_gives_all_its_seats_up(service: OpenService) -> None:
    run = service.open_run(limit=2, sessions=2, agent="dies")
    keeper = guests(service, run, python("import sys; sys.exit('no weights')", shared=True))
    service.call(keeper.serve())
    (lost,) = keeper.lost
    assert (lost.sessions, lost.exit_code, lost.log_tail) == ((0, 1), 1, "no weights")
    log = written(run.context.folder.logs / "guest-0.log")
    assert log.splitlines() == ["no weights"] * (1 + RESTARTS)
    assert run.state is RunState.PENDING
    service.call(run.drain())


def test_one_that_will_not_end_is_killed_with_the_run(service: OpenService) -> None:
    run = service.open_run(limit=2, sessions=2, agent="stubborn")
    keeper = guests(service, run, python(STUBBORN, shared=True))

    async def scene() -> int:
        serving = asyncio.ensure_future(keeper.serve())
        pid = await first_pid(run.context.folder.logs / "guest-0.log")
        assert is_alive(pid)
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        return pid

    assert dies(service.call(scene()))
    service.call(run.drain())
