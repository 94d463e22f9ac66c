"""Waits between the attempts of one request."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from env_service.chat.errors import UnreachableError
from env_service.chat.settings import Waiting

SAY_AGAIN = 30.0
"""Seconds between two lines about waits."""

Say = Callable[[str], None]
"""Tells the user a line."""


class SeldomSaid:
    """Passes lines on, one in SAY_AGAIN seconds at most: requests side by side wait for the same.
    Safe to use from several threads."""

    def __init__(self, say: Say) -> None:
        self._say, self._lock = say, threading.Lock()
        self._said = float("-inf")

    def __call__(self, line: str) -> None:
        now = time.monotonic()
        with self._lock:
            due = now - self._said >= SAY_AGAIN
            self._said = now if due else self._said
        if due:
            self._say(line)


class Patience:
    """Bounds the repeats of one request, and says that it waits."""

    def __init__(self, waiting: Waiting, say: Say, place: str) -> None:
        """``place``: the server, as messages name it."""
        self._waiting, self._say, self._place = waiting, say, place
        self._next_wait = waiting.first
        self._failing_since: float | None = None

    def wait(self, problem: str, asked: float | None = None) -> None:
        """Waits before the next attempt; ``asked``: the seconds that the server asks for.

        Raises UnreachableError where the wait would outlast the patience.
        """
        now = time.monotonic()
        if self._failing_since is None:
            self._failing_since = now
        wait = asked or 0.0
        if not asked:
            # Asked for no wait at all, it takes the usual one: a server is not to be hammered.
            wait = self._next_wait * self._waiting.rng.uniform(0.5, 1.0)
            self._next_wait = min(2 * self._next_wait, self._waiting.longest)
        waited = now - self._failing_since
        left = self._waiting.patience - waited
        if asked is not None and asked > left:
            raise UnreachableError(
                f"The model's server at {self._place} asks to wait {asked:.0f} s, which is longer"
                f" than --patience {self._waiting.patience:g} allows: {problem}"
            )
        if left <= 0:
            raise UnreachableError(
                f"The model's server at {self._place} gave no reply for {waited:.0f} s"
                f" (--patience {self._waiting.patience:g}); the last failure: {problem}"
            )
        end = time.strftime("%H:%M:%S %Z", time.localtime(time.time() + left))
        self._say(
            f"  The model's server at {self._place} gives no reply: {problem.rstrip('.')}."
            f" It is asked again until {end} (--patience {self._waiting.patience:g});"
            " Ctrl-C stops waiting."
        )
        time.sleep(min(wait, left))
