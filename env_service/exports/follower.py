"""Sends a run to a tracker while it plays, from a separate process.

The process only reads the run's folder as it grows, so a tracker that is away, slow or broken
cannot slow or stop the run.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from env_service.exports.formats import FORMATS
from env_service.exports.tracking import Tracker, redacted, send, send_progress
from env_service.processes.process_tree import kill_descendants
from env_service.results.run_layout import EPISODES, LOGS, MANIFEST, UNCOUNTED, VOIDS
from env_service.results.run_reader import read_run
from env_service.storage.atomic_files import document, write_atomically

NOTE = "tracked-{}.json"
"""In a run's folder of logs: its run in the tracker of that name. It proves nothing."""
_POLL = 2.0
"""Seconds between two looks at a run, at least."""
_SHARE = 20.0
"""A look that took one second is followed by a pause of so many, to leave the processor alone."""
_FIRST_RETRY, _LAST_RETRY = 10.0, 300.0
"""Seconds until a tracker is tried again; each wait is twice the one before."""
_LEFT_ALONE = 300.0
"""Seconds for the rest of a run whose command was killed; a command that waits ends it earlier."""
_LONGEST_PROBLEM = 500


class Follower:
    """Follows one run until ``over`` is set, and then sends it whole."""

    def __init__(
        self,
        name: str,
        folder: Path,
        report: Callable[[dict[str, Any]], None],
        over: threading.Event,
    ) -> None:
        self._name, self._folder, self._report, self._over = name, folder, report, over
        self._tracker: Tracker | None = None
        self._seen: list[int] = []
        self._retry = 0.0

    def follow(self) -> bool:
        """Follows the run to its end; whether everything was sent."""
        while True:
            over, began = self._over.is_set(), time.monotonic()
            try:
                self._look(over=over)
                self._retry = 0.0
            except Exception as error:  # noqa: BLE001 - whatever a tracker raises, it is tried again
                self._tracker, self._seen = None, []
                self._retry = min(max(_FIRST_RETRY, 2 * self._retry), _LAST_RETRY)
                self._report({"problem": _in_words(error)})
            if over:
                return self._retry == 0.0
            self._over.wait(max(_POLL, _SHARE * (time.monotonic() - began), self._retry))

    def _look(self, *, over: bool) -> None:
        seen = [_size(self._folder / name) for name in (MANIFEST, EPISODES, VOIDS, UNCOUNTED)]
        if seen == self._seen and not over:
            return
        run = read_run(self._folder)
        if not run.episodes:
            # A run that ends without an episode leaves nothing in the tracker.
            if over:
                self._report({"nothing": True})
            return
        if self._tracker is None:
            self._report({"opening": True})
            open_run = import_module(FORMATS[self._name].module).open_run
            self._tracker = open_run(run)
            self._note(self._tracker)
            self._report({"link": self._tracker.link})
        if over:
            send(run, self._tracker)
            self._report({"sent": len(run.episodes)})
        else:
            send_progress(run, self._tracker)
        self._seen = seen

    def _note(self, tracker: Tracker) -> None:
        """Notes the tracker run in the run's folder, for people and scripts."""
        value = {"id": tracker.id, "link": tracker.link}
        with contextlib.suppress(OSError):
            write_atomically(self._folder / LOGS / NOTE.format(self._name), document(value))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _in_words(error: Exception) -> str:
    text = redacted(" ".join(str(error).split()) or type(error).__name__)
    shown = text if len(text) <= _LONGEST_PROBLEM else f"{text[:_LONGEST_PROBLEM]}…"
    return shown if shown.endswith((".", "…", "!")) else f"{shown}."


def main(name: str, folder: Path) -> int:
    """Follows a run until standard input ends; the exit status is 0 if everything was sent."""
    channel = _private_output()
    os.nice(5)
    over = threading.Event()

    def report(event: dict[str, Any]) -> None:
        with contextlib.suppress(OSError, ValueError):
            print(json.dumps(event), file=channel, flush=True)

    threading.Thread(target=_await_end, args=(_private_input(), over), daemon=True).start()
    return 0 if Follower(name, folder, report, over).follow() else 1


def _private_output() -> TextIO:
    """The pipe to the run's command. Trackers print to what replaces it."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    _to_nothing(1, os.O_WRONLY)
    return channel


def _private_input() -> int:
    given = os.dup(0)
    _to_nothing(0, os.O_RDONLY)
    return given


def _to_nothing(number: int, flags: int) -> None:
    nothing = os.open(os.devnull, flags)
    os.dup2(nothing, number)
    os.close(nothing)


def _await_end(given: int, over: threading.Event) -> None:
    """Waits until the run's command ends or is killed. Then the rest has a bounded time."""
    while os.read(given, 4096):
        pass
    over.set()
    time.sleep(_LEFT_ALONE)
    kill_descendants(os.getpid())
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
