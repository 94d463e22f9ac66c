"""A deadline for waits that have none of their own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Watchdog:
    """Runs an action when a watched wait takes too long. One watch at a time.

    Starting and ending a watch only sets fields, so that it costs a step next to nothing.
    While nothing is watched, the thread sleeps for the shortest timeout it has seen, within
    which no new watch can fall due.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._bark: Callable[[], None] | None = None
        self._due = self._nap = float("inf")
        self._closed = False
        self.barked = False
        """Whether the newest watch ran out."""

    def watch(self, bark: Callable[[], None], timeout: float) -> None:
        """Has ``bark`` called from another thread in ``timeout`` seconds, unless ``rest`` is."""
        with self._lock:
            self.barked = False
            self._bark = bark
            self._due = time.monotonic() + timeout
        if timeout < self._nap:
            self._nap = timeout
            self._wake.set()
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._run, name="houseguest-watchdog", daemon=True
            )
            self._thread.start()

    def rest(self) -> None:
        """Ends the watch; ``bark`` is not running once this returns."""
        with self._lock:
            self._bark = None

    def close(self) -> None:
        """Ends the thread."""
        self._closed = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            self._wake.clear()
            if self._closed:
                return
            self._wake.wait(self._look())

    def _look(self) -> float:
        """Barks if it is time to; seconds until the next look."""
        with self._lock:
            left = self._due - time.monotonic()
            if self._bark is None:
                return self._nap
            if left > 0:
                return min(left, self._nap)
            self.barked = True
            self._bark()
            self._bark = None
            return self._nap
