"""Waits between the attempts of one request."""

from __future__ import annotations

import time

from ..model import UnreachableError
from ..notices import Log, notice
from .config import Waiting

_SAY_AGAIN = 30.0
"""Seconds between two notices about one wait."""


class Patience:
    """Bounds the repeats of one request, and tells whoever runs the agent that it waits."""

    def __init__(
        self, waiting: Waiting, deadline: float | None, log: Log, place: str, slow: str = ""
    ) -> None:
        """``deadline`` on the clock of ``time.monotonic``; None: there is none. ``place``: the
        server, as messages name it. ``slow``: what helps where the server works, but takes
        longer than the deadline allows; messages quote it."""
        self._waiting, self._deadline, self._log = waiting, deadline, log
        self._place, self._slow = place, slow
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
            raise UnreachableError(self._too_late(slow=not self._last))
        return min(self._waiting.timeout, left)

    def wait(self, problem: str, asked: float | None = None, *, slow: bool = False) -> None:
        """Waits before the next attempt.

        ``asked`` is the number of seconds that the server asks for. ``slow``: the server took
        the request, and was not done in time. Raises UnreachableError where the wait would
        outlast the patience or the deadline.
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
            raise UnreachableError(self._too_late(slow=slow))
        if now - self._said >= _SAY_AGAIN:
            self._said = now
            self._log(notice(self._waiting_words(problem, now, left)))
        time.sleep(min(wait, left))

    def recovered(self) -> None:
        """The server has answered: says so where a notice told of a wait."""
        if self._said > float("-inf"):
            self._log(notice(f"The model's server at {self._place} answers again."))
        self._said = float("-inf")

    def _waiting_words(self, problem: str, now: float, left: float) -> str:
        bound = f"--patience {self._waiting.patience:g}"
        if self._deadline is not None and self._deadline - now < left:
            left, bound = self._deadline - now, "no longer than the service waits for the agent"
        end = time.strftime("%H:%M:%S %Z", time.localtime(time.time() + left))
        return (
            f"The model's server at {self._place} gives no reply: {problem.rstrip('.')}."
            f" The agent tries again until {end} ({left:.0f} s; {bound})."
        )

    def _too_late(self, *, slow: bool) -> str:
        last = f"; the last failure: {self._last.rstrip('.')}" if self._last else ""
        seconds = time.monotonic() - self._begun
        advice = f" {self._slow}" if slow and self._slow else ""
        return (
            f"The model's server at {self._place} gave no reply within {seconds:.0f} s, and the"
            f" agent can wait no longer{last}. See that the server runs.{advice}"
        )
