"""How often one session may call."""

from __future__ import annotations

from env_service.domain.reasons import ProtocolError, Reason


class TokenBucket:
    """``rate`` calls a second on average, and ``rate * burst_seconds`` at once."""

    def __init__(self, rate: float, burst_seconds: float, now: float) -> None:
        self._rate = rate
        self._capacity = rate * burst_seconds
        self._level = self._capacity
        self._filled_at = now

    def take(self, now: float) -> None:
        """Counts one call. Raises ProtocolError RATE_LIMITED with the seconds to wait."""
        gained = (now - self._filled_at) * self._rate
        self._level = min(self._capacity, self._level + gained)
        self._filled_at = now
        if self._level < 1:
            wait = (1 - self._level) / self._rate
            raise ProtocolError(
                Reason.RATE_LIMITED,
                f"More than {self._rate:g} calls a second; wait {wait:.3f} s.",
                retry_after=wait,
            )
        self._level -= 1
