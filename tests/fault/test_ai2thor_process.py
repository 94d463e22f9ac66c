"""A player's process: its life, its log, its end."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from env_service.worlds.ai2thor_unity import player as module
from env_service.worlds.ai2thor_unity.player import LOG_KEPT, LOG_LIMIT, PlayerProcess
from tests.support.ai2thor_adapter import gone

Start = Callable[[Sequence[str]], PlayerProcess]


@pytest.fixture(params=[True, False], ids=["told", "looking"])
def start(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Start]:
    """Starts processes, on a kernel that tells of their end and on one that does not."""
    if not request.param:
        monkeypatch.setattr(module, "_watch", lambda _: None)
    running: list[PlayerProcess] = []

    def run(command: Sequence[str]) -> PlayerProcess:
        running.append(PlayerProcess(command, os.environ, (), tmp_path / "log"))
        return running[-1]

    yield run
    for process in running:
        assert process.end(10.0)


def test_a_status_is_known_until_the_end_and_after(start: Start) -> None:
    process = start(["sh", "-c", "exit 7"])
    assert process.wait(30.0)
    assert process.status() == 7
    assert process.end(10.0)
    assert process.end(10.0)
    assert process.status() == 7


def test_the_whole_group_is_killed(start: Start) -> None:
    process = start(["sh", "-c", "sleep 600 & echo ready; wait"])
    end = time.monotonic() + 30.0
    while "ready" not in process.last_words(100) and time.monotonic() < end:
        time.sleep(0.01)
    assert not process.wait(0.0)
    assert process.resident_bytes() > 0
    assert process.end(10.0)
    assert process.status() == -9
    assert gone(process.pid)
    assert process.resident_bytes() == 0
    assert process.last_words(100) == ""


def test_a_group_outlives_its_leader_no_longer_than_the_end(start: Start) -> None:
    process = start(["sh", "-c", "sleep 600 & exit 0"])
    assert process.wait(30.0)
    assert process.end(10.0)
    assert gone(process.pid)


def test_a_log_stays_short(start: Start) -> None:
    lines = f"import sys; sys.stdout.write('x' * {2 * LOG_LIMIT}); print(); print('the end')"
    process = start([sys.executable, "-I", "-S", "-c", lines])
    assert process.wait(30.0)
    process.trim_log()
    assert process.last_words(2 * LOG_LIMIT).endswith("x\nthe end\n")
    assert len(process.last_words(2 * LOG_LIMIT)) == LOG_KEPT


def test_a_program_that_is_not_there_says_so(start: Start) -> None:
    process = start(["no-such-program"])
    assert process.wait(30.0)
    assert process.status() == 126
    assert "cannot start no-such-program" in process.last_words(1000)


def test_signals_are_as_a_program_expects_them(start: Start) -> None:
    process = start(["sh", "-c", "grep SigIgn /proc/self/status; ulimit -c"])
    assert process.wait(30.0)
    name, ignored, core = process.last_words(1000).split()
    # Signal 32 is the C library's own: nobody can set it.
    assert (name, int(ignored, 16) & ~(1 << 31), core) == ("SigIgn:", 0, "0")
