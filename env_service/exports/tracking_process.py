"""The process that sends a run to a tracker while it plays, for the command that plays the run."""

from __future__ import annotations

import contextlib
import json
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from env_service.domain.text import counted
from env_service.processes.process_tree import kill_descendants

WAIT = 60.0
"""Seconds that a run's command waits for its tracker after the run, at most."""
_FOLLOWER = "env_service.exports.follower"
_TITLES: Mapping[str, str] = {"mlflow": "MLflow", "wandb": "W&B"}
_LONGEST_LINE = 65536
_SKIPPED = "the wait was skipped."

Say = Callable[[str], None]


class Tracking:
    """The process that follows a run, for the command that plays it. A context manager.

    On leaving, it waits for the process up to WAIT seconds, and says whether everything was sent;
    Ctrl-C and ``skip`` end the wait. Without a tracker's name it does nothing. With ``brief`` it
    says only the last line. ``unsent`` then says why something was not sent, or is empty.
    """

    def __init__(self, name: str | None, say: Say, *, brief: bool = False) -> None:
        self._name, self._say, self._brief = name or "", say, brief
        self._title = _TITLES.get(self._name, self._name)
        self._folder = Path()
        self._child: subprocess.Popen[str] | None = None
        self._event: dict[str, Any] = {}
        self._link = ""
        self._tried_at = float("inf")
        self._skipped = False
        self.unsent = ""

    def start(self, folder: Path) -> None:
        """Starts the process, which takes milliseconds."""
        if not self._name:
            return
        self._folder = folder.resolve()
        command = [sys.executable, "-P", "-m", _FOLLOWER, self._name, str(self._folder)]
        pipe = subprocess.PIPE
        try:
            # Ctrl-C in the terminal stops the run and leaves its tracker in peace.
            self._child = subprocess.Popen(
                command,
                stdin=pipe,
                stdout=pipe,
                stderr=subprocess.DEVNULL,
                text=True,
                errors="replace",
                process_group=0,
            )
        except OSError as error:
            self._say(f"{self._title}: not started: {error}")
            return
        threading.Thread(target=self._listen, args=(self._child,), daemon=True).start()
        if not self._brief:
            self._say(
                f"{self._title}: a separate process sends the run; its problems never stop the run."
            )

    def skip(self) -> None:
        """Ends the wait. Any thread may call it."""
        self._skipped = True
        if self._child is not None:
            self._child.kill()

    def __enter__(self) -> Tracking:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._child is None:
            return
        problem = ""
        try:
            if kind is not None:
                problem = "the run ended early."
            elif not self._wait(self._child):
                problem = f"it was not finished within {WAIT:.0f} s."
            elif self._skipped:
                problem = _SKIPPED
        except KeyboardInterrupt:
            problem = _SKIPPED
        finally:
            kill_descendants(self._child.pid)
            self._child.kill()
            status = self._child.wait()
        # A run whose agent rejects its arguments leaves no folder.
        if kind is None or self._folder.exists():
            self._say(f"{self._title}: {self._outcome(status, problem)}")

    def _listen(self, child: subprocess.Popen[str]) -> None:
        """Reads what the process reports."""
        if child.stdout is None:
            return
        while line := child.stdout.readline(_LONGEST_LINE):
            with contextlib.suppress(ValueError):
                self._hear(json.loads(line))

    def _hear(self, event: dict[str, Any]) -> None:
        before, self._event = self._event, event
        if "opening" in event:
            self._tried_at = time.monotonic()
        elif link := event.get("link"):
            self._tried_at = float("inf")
            if not self._link and not self._brief:
                self._say(f"{self._title}: {link}")
            self._link = link
        elif "problem" in event and "problem" not in before and not self._brief:
            self._say(f"{self._title}: {event['problem']} Another attempt follows.")

    def _wait(self, child: subprocess.Popen[str]) -> bool:
        """Waits for the process; whether it has ended."""
        if child.stdin is not None:
            child.stdin.close()
        # A tracker that was silent for that long already gets no more time.
        seconds = max(0.0, WAIT + min(0.0, self._tried_at - time.monotonic()))
        try:
            child.wait(min(1.0, seconds))
        except subprocess.TimeoutExpired:
            if not self._brief:
                self._say(f"{self._title}: waiting up to {seconds:.0f} s; Ctrl-C skips it.")
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(max(0.0, seconds - 1.0))
        return child.poll() is not None

    def _outcome(self, status: int, problem: str) -> str:
        if status == 0 and "sent" in self._event:
            return f"{counted(self._event['sent'], 'episode')} -> {self._link}"
        if status == 0 and "nothing" in self._event:
            return "the run has no episode, so nothing was sent."
        why = problem or self._event.get("problem") or "its process was stopped."
        again = f"houseguest export {shlex.quote(str(self._folder))} --to {self._name}"
        self.unsent = f"not everything was sent: {why} To send the rest: {again}"
        return self.unsent
