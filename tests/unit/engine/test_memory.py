"""What a worker and its simulator hold, and what they may."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from env_service.engine.memory import MemoryBounds, machine_memory, resident_bytes
from env_service.processes.process_tree import kill_descendants, process_tree

GIB = 2**30
HOG = (
    "import time; held = bytearray(b'x') * (64 << 20); print('ready', flush=True); time.sleep(600)"
)
PARENT = (
    "import subprocess, sys; child = subprocess.Popen([sys.executable, '-c', sys.argv[1]],"
    " start_new_session=True); child.wait()"
)


@contextmanager
def parent_of_a_hog() -> Iterator[subprocess.Popen[str]]:
    """A process whose child, in a session of its own, holds 64 MiB."""
    command = [sys.executable, "-c", PARENT, HOG]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield process
        finally:
            kill_descendants(process.pid)
            process.kill()


def test_memory_is_that_of_all_processes_below() -> None:
    with parent_of_a_hog() as process:
        assert len(list(process_tree(process.pid))) == 2
        assert 64 << 20 < resident_bytes(process.pid) < 512 << 20


def test_all_below_can_be_killed_whatever_their_group() -> None:
    with parent_of_a_hog() as process:
        _, child = process_tree(process.pid)
        kill_descendants(process.pid)
        # Its parent waits for it, and then ends by itself.
        assert process.wait(60) == 0
        assert not Path(f"/proc/{child}").exists()


def test_what_is_gone_holds_nothing() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert resident_bytes(process.pid) == 0


def test_looking_costs_little() -> None:
    began = time.process_time()
    for _ in range(20):
        resident_bytes(os.getpid())
    assert (time.process_time() - began) / 20 < 0.05


@pytest.mark.parametrize(
    ("workers", "machine", "retire", "kill"),
    [(1, 100, 80, 90), (2, 100, 40, 80), (10, 100, 8, 16), (50, 100, 2, 4), (1, 1, 2, 4)],
)
def test_each_worker_has_a_generous_share(
    workers: int, machine: int, retire: float, kill: float
) -> None:
    bounds = MemoryBounds.for_workers(workers, machine * GIB)
    assert (bounds.retire / GIB, bounds.kill / GIB) == pytest.approx((retire, kill))


def test_a_container_has_what_it_was_given(tmp_path: Path) -> None:
    whole = machine_memory(tmp_path)
    (tmp_path / "memory.max").write_text("max\n")
    assert machine_memory(tmp_path) == whole
    (tmp_path / "memory.max").write_text("1048576\n")
    assert machine_memory(tmp_path) == 1048576


@pytest.mark.parametrize(("retire", "kill"), [(2, 1), (0, 1)])
def test_bounds_that_make_no_sense_are_refused(retire: int, kill: int) -> None:
    with pytest.raises(ValueError, match="0 < retire <= kill"):
        MemoryBounds(retire, kill)
