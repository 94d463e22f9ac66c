"""Waits between the attempts of one request."""

from __future__ import annotations

import time
from collections.abc import Callable

from ..model import UnreachableError
from .config import Waiting

_SAY_AGAIN = 30.0
"""Seconds between two lines in the log about one wait."""

Log = Callable[[str], None]


class Patience:
    """Bounds the repeats of one request, and says on the log that it waits."""

    def __init__(self, waiting: Waiting, deadline: float | None, log: Log, place: str) -> None:
        """``deadline`` on the clock of ``time.monotonic``; None: there is none. ``place``: the
        server, as messages name it."""
        self._waiting, self._deadline, self._log = waiting, deadline, log
        self._place = place
        self._next_wait = waiting.first
        self._begun = time.monotonic()
        self._failing_since: float | None = None
        self._said = float("-inf")
        self._last = ""

    def timeout(self) -> float:
        """Seconds for the next attempt. Raises UnreachableError when no time is left."""
        if self._deadline is None:
            return self._waiting.timeout
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise UnreachableError(self._too_late())
        return min(self._waiting.timeout, left)

    def wait(self, problem: str, asked: float | None = None) -> None:
        """Waits before the next attempt; ``asked``: the seconds that the server asks for.

        Raises UnreachableError where the wait would outlast the patience or the deadline.
        """
        now = time.monotonic()
        self._last = problem
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
                f"The model's server at {self._place} gave no reply for {waited:.1f} s"
                f" (--patience {self._waiting.patience:g}); the last failure: {problem}"
            )
        if self._deadline is not None and now + wait >= self._deadline:
            raise UnreachableError(self._too_late())
        if now - self._said >= _SAY_AGAIN:
            self._said = now
            self._log(f"  the model's server gives no reply, waiting up to {left:.1f} s: {problem}")
        time.sleep(min(wait, left))

    def _too_late(self) -> str:
        last = f"; the last failure: {self._last.rstrip('.')}" if self._last else ""
        seconds = time.monotonic() - self._begun
        return (
            f"The model at {self._place} gave no reply within {seconds:.0f} s, and the house waits"
            f" for an agent no longer than that{last}. Look after the model's server; where it is"
            " only slow, a larger --step-budget (and --episode-budget) gives it time."
        )
