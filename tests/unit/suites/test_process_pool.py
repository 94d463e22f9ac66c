"""Processes that work for another one end with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

# The work says itself that it has begun, and the wait for its end that this has: an interruption
# any earlier would be another one.
_WAITS = """
import threading, time
from env_service.suites.process_pool import process_pool

def work():
    print("ready", flush=True)
    time.sleep(600)

def join(thread, timeout=None):
    print("stopping", flush=True)
    wait(thread, timeout)

if __name__ == "__main__":
    with process_pool(1) as pool:
        wait, threading.Thread.join = threading.Thread.join, join
        pool.submit(work).result()
"""


def test_a_second_interrupt_ends_everything_at_once(tmp_path: Path) -> None:
    script = tmp_path / "waits.py"
    script.write_text(_WAITS, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as started:
        assert started.stdout is not None
        try:
            for said in ("ready", "stopping"):
                assert started.stdout.readline().strip() == said
                os.killpg(started.pid, signal.SIGINT)
            told = _told_at_the_end(started)
        finally:
            started.kill()
    assert started.returncode == -signal.SIGINT
    assert told.count("KeyboardInterrupt") == 2


def _told_at_the_end(started: subprocess.Popen[str]) -> str:
    """What is told on standard error. Python misses a signal that comes right before it begins to
    wait for a lock: the next one brings both, as one interruption."""
    for _ in range(6):
        try:
            return started.communicate(timeout=30)[1]
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGINT)
    pytest.fail("it goes on whatever it is told")
