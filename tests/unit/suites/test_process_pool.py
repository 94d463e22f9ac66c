"""Processes that work for another one end with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

_WAITS = """
import time
from env_service.suites.process_pool import process_pool
if __name__ == "__main__":
    with process_pool(1) as pool:
        pool.submit(int).result()
        print("ready", flush=True)
        try:
            pool.submit(time.sleep, 600).result()
        except KeyboardInterrupt:
            print("stopping", flush=True)
            raise
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
            _, told = started.communicate(timeout=180)
        finally:
            started.kill()
    assert started.returncode == -signal.SIGINT
    assert told.count("KeyboardInterrupt") == 2
