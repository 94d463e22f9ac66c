"""An index whose writer is killed, and one that several write at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from env_service.index.store import FILE, Index
from tests.support.indexed import assert_current, built_now, new_index, rows_of
from tests.support.made_run import made_text, write_run

ROOT = Path(__file__).resolve().parents[2]

SYNC = """
import sys
from pathlib import Path
from env_service.index import sync
from env_service.index.store import Index

sync._CHUNK_LINES = 5
print("ready", flush=True)
sys.stdin.readline()
with Index.open(Path(sys.argv[1])) as index:
    for _ in range(int(sys.argv[2])):
        index.sync()
"""


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    for number in range(6):
        write_run(folder, made_text(f"run-{number}", tasks=20))
    return folder


def started(runs: Path, rounds: int = 1) -> subprocess.Popen[str]:
    """A process that syncs when it is let go."""
    command = [sys.executable, "-c", SYNC, str(runs), str(rounds)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def let_go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def test_a_killed_sync_is_taken_up(runs: Path) -> None:
    with new_index(runs, runs / FILE) as index:
        process = started(runs)
        let_go(process)
        deadline = time.monotonic() + 60
        # Some are there, and others are not.
        while time.monotonic() < deadline:
            with index.read() as read:
                found = read.runs().total
            if found >= 2:
                break
            time.sleep(0.001)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert found >= 2
        assert_current(index)


def test_several_writers_make_one_index(runs: Path) -> None:
    processes = [started(runs, 5) for _ in range(2)]
    # They also make the database at the same time.
    for process in processes:
        let_go(process)
    for number in range(6, 9):
        write_run(runs, made_text(f"run-{number}", tasks=20))
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    with Index.open(runs) as index:
        assert_current(index)
        assert len(rows_of(index)["episodes"]) == len(built_now(runs)["episodes"]) == 9 * 20
