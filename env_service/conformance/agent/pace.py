"""The limit of calls in a second."""

from __future__ import annotations

from env_service.conformance.agent.journal import Clock
from env_service.domain.reasons import ProtocolError, Reason


class Pace:
    """A bucket that holds one second's calls, and fills evenly."""

    def __init__(self, per_second: int, clock: Clock) -> None:
        """``per_second`` 0: no limit."""
        self._rate, self._clock = per_second, clock
        self._left, self._at = float(per_second), clock()

    def take(self) -> None:
        """Counts a call. Raises ProtocolError RATE_LIMITED."""
        if not self._rate:
            return
        now = self._clock()
        self._left = min(self._rate, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            raise ProtocolError(Reason.RATE_LIMITED, retry_after=(1 - self._left) / self._rate)
        self._left -= 1
