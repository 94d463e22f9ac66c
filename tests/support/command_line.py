"""The command line as a user meets it: processes, a folder, what they print."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LAB = "tests.support.lab:LabSuite"
Ask = Callable[..., tuple[str, str]]
"""A command that this process runs itself; see the fixture ``ask``."""


def houseguest(place: Path, *arguments: str) -> subprocess.Popen[str]:
    """Starts a command in a folder."""
    command = [sys.executable, "-m", "env_service", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=place, stdout=pipe, stderr=pipe, text=True)


def finish(process: subprocess.Popen[str], code: int = 0, seconds: float = 300) -> tuple[str, str]:
    """What a command printed on its two outputs; it has to end with ``code``."""
    out, err = process.communicate(timeout=seconds)
    assert process.returncode == code, out + err
    return out, err


def done(out: str) -> dict[str, Any]:
    """The last JSON document that a run prints."""
    document: dict[str, Any] = json.loads(out.splitlines()[-1])
    assert document["event"] == "done"
    return document


def run_folder(place: Path) -> Path:
    """The folder of the one run that was played in a place."""
    (folder,) = (path.parent for path in (place / "runs").glob("*/manifest.json"))
    return folder


def until(condition: Callable[[], object], seconds: float = 150.0) -> None:
    """Waits for something to become true. The bound is for what never comes: on a busy machine
    a process that loads PyTorch from a cold disk has taken more than half a minute."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


def lines(path: Path) -> list[str]:
    """The lines of a file; none where it does not exist."""
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def orphans(place: Path) -> list[str]:
    """Guests and workers of a test that still run."""
    left = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            if (entry / "cwd").readlink() == place and "python" in command:
                left.append(command)
        except OSError:
            continue
    return left
