"""A benchmark that ends takes its processes with it, whatever ends it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from env_service.processes.process_tree import process_tree
from tests.support.whole import sample

ROOT = Path(__file__).resolve().parents[2]
CLIENT, SERVICE = "benchmarks.session_client", "env_service"
PATIENCE = 60.0


@pytest.fixture
def benchmark() -> Iterator[subprocess.Popen[bytes]]:
    """One that plays for minutes if it is let."""
    words = ["-m", "benchmarks.wire", "--only", "sessions", "--steps", "1000000"]
    started = subprocess.Popen(
        [sys.executable, *words], cwd=ROOT, stderr=subprocess.DEVNULL, process_group=0
    )
    try:
        yield started
    finally:
        for each in process_tree(started.pid):
            with suppress(OSError):
                os.kill(each, signal.SIGKILL)
        started.wait()


def find(root: int, word: str) -> int:
    """Waits for a process below ``root`` whose command line has a word."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for pid in process_tree(root):
            with suppress(OSError):
                if pid != root and word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                    return pid
        time.sleep(0.05)
    raise AssertionError(f"no process has {word!r} in its command line")


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)


@pytest.mark.parametrize("number", sample(SIGNALS, (signal.SIGTERM, signal.SIGKILL)))
def test_a_signal(benchmark: subprocess.Popen[bytes], number: signal.Signals) -> None:
    find(benchmark.pid, CLIENT)
    gone_with(benchmark, benchmark.pid, number)


@pytest.mark.parametrize("word", [CLIENT, SERVICE])
def test_a_process_of_its_own_that_dies(benchmark: subprocess.Popen[bytes], word: str) -> None:
    find(benchmark.pid, CLIENT)
    gone_with(benchmark, find(benchmark.pid, word), signal.SIGKILL)
    assert benchmark.returncode == 1


def gone_with(benchmark: subprocess.Popen[bytes], pid: int, number: signal.Signals) -> None:
    """Sends the signal; all processes have to end."""
    with ExitStack() as stack:
        held = []
        for each in list(process_tree(benchmark.pid)):
            with suppress(ProcessLookupError):
                held.append(os.pidfd_open(each))
                stack.callback(os.close, held[-1])
        assert len(held) >= 3, "the benchmark, the service and an agent"
        os.kill(pid, number)
        benchmark.wait(PATIENCE)
        for descriptor in held:
            assert select.select([descriptor], [], [], PATIENCE)[0], "a process is left"
