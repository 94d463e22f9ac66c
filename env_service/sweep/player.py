"""One run of a sweep, played by a child process of ``houseguest run``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from env_service.processes.process_tree import kill_descendants

_PR_SET_PDEATHSIG = 1
"""Of prctl(2)."""
_LEASHED = f"""
import ctypes, os, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl({_PR_SET_PDEATHSIG}, signal.SIGTERM)
signal.signal(signal.SIGINT, signal.SIG_DFL)
if os.getppid() != int(sys.argv[1]):
    sys.exit("the sweep has ended")
os.execv(sys.argv[2], sys.argv[2:])
"""
"""Becomes ``houseguest run``, which stops as after Ctrl-C when the sweep is killed: execve(2) keeps
the setting."""
_MOST_OUTPUT = 64 * 2**20


class RunProcess:
    """A child that plays one run. Ctrl-C in the terminal reaches it through the sweep alone."""

    def __init__(self, words: Sequence[str]) -> None:
        """Starts ``houseguest run`` with these words. The child ends with the thread that starts
        it. Raises OSError."""
        self._out: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes both
        self._err: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115
        self._read = 0
        leash = (sys.executable, "-I", "-S", "-c", _LEASHED, str(os.getpid()))
        command = (*leash, sys.executable, "-m", "env_service", "run", *words, "--json")
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._err,
            process_group=0,
        )

    @property
    def pid(self) -> int:
        """The process id."""
        return self._child.pid

    def poll(self) -> int | None:
        """The exit status, minus the number of a signal that ended it; None while it runs."""
        return self._child.poll()

    def stop(self) -> None:
        """Has the run stop as after Ctrl-C: finished episodes are kept."""
        if self._child.poll() is None:
            self._child.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """Kills the run and all that it started."""
        if self._child.poll() is None:
            kill_descendants(self._child.pid)
            self._child.kill()
            self._child.wait()

    def messages(self) -> list[str]:
        """The whole lines that the run has printed for people since the last call."""
        # Both processes write through one offset of the file, which reading must not move.
        new = os.pread(self._err.fileno(), _MOST_OUTPUT, self._read)
        end = len(new) if self._child.poll() is not None else new.rfind(b"\n") + 1
        self._read += end
        return [line for line in new[:end].decode(errors="replace").splitlines() if line.strip()]

    def document(self) -> dict[str, Any]:
        """The JSON document of a run that has ended; empty if it printed none."""
        text = os.pread(self._out.fileno(), _MOST_OUTPUT, 0).decode(errors="replace").strip()
        # The document of a run is one line, that of an error several.
        for part in (text.rpartition("\n")[2], text):
            try:
                found = json.loads(part)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict):
                return found
        return {}

    def close(self) -> None:
        """Gives back its files."""
        self._out.close()
        self._err.close()


def run_words(
    words: Sequence[str], out: Path, signing_key: Path | None, budgets: dict[str, float | None]
) -> list[str]:
    """The words of ``houseguest run`` for one run of a sweep. ``budgets`` replace the plan's; None
    leaves one out."""
    kept = [word for word in words if word.partition("=")[0].removeprefix("--") not in budgets]
    kept += [f"--{name}={value}" for name, value in budgets.items() if value is not None]
    kept.append(f"--out={out}")
    return [*kept, f"--signing-key={signing_key}"] if signing_key else kept
