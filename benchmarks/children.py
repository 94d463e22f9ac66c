"""Child processes that never outlive the benchmark which started them.

This holds for every end: success, an exception, Ctrl-C, SIGTERM, SIGHUP, and even SIGKILL.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from env_service.processes.process_tree import kill_descendants

ROOT = Path(__file__).resolve().parents[1]

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
"""Of prctl(2)."""

_LEASHED = f"""
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl({_PR_SET_PDEATHSIG}, signal.SIGTERM)
signal.signal(signal.SIGINT, signal.SIG_DFL)
if os.getppid() != int(sys.argv[1]):
    sys.exit("the benchmark is gone")
os.execv(sys.argv[2], sys.argv[2:])
"""
"""Becomes another program, which gets SIGTERM when its parent ends: execve(2) keeps the setting."""

_PATIENCE = 10.0
"""Seconds for a process to end after SIGTERM; then it is killed."""


def start(
    *words: str, stdin: int | None = None, stderr: int | None = None
) -> subprocess.Popen[str]:
    """Starts ``python words…`` in the project's folder, with its standard output in a pipe.

    To be called from the main thread: the child ends when the thread ends that started it. Ctrl-C
    reaches it through this process alone.
    """
    command = [sys.executable, "-c", _LEASHED, str(os.getpid()), sys.executable, *words]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        process_group=0,
    )


def end(process: subprocess.Popen[str]) -> None:
    """Ends a process if it still runs, by force after ten seconds, and closes its pipes."""
    process.terminate()
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
    with process:
        pass


@contextmanager
def none_left() -> Iterator[None]:
    """Ends every process below this one when the block is left, orphans included.

    SIGTERM and SIGHUP leave the block as Ctrl-C does. Also a decorator: ``@none_left()``.
    """
    # A shell starts what it runs in the background with SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    try:
        yield
    finally:
        kill_descendants(os.getpid())


def _leave(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)
