"""Ctrl-C that is pressed again and again."""

from __future__ import annotations

import time
from collections import deque

TIMES = 4
"""Presses that end the house, whatever the guest does: the first ones are the guest's, which
shares the terminal, takes back a question or asks before it leaves."""
WITHIN = 5.0
"""Seconds for these presses. A person who takes back a question now and then insists on nothing."""


class Insistence:
    """Counts presses that come soon after each other."""

    def __init__(self) -> None:
        self._moments: deque[float] = deque(maxlen=TIMES)

    def press(self, now: float | None = None) -> bool:
        """Whether this press, at ``now`` (``time.monotonic``), insists on an end."""
        self._moments.append(time.monotonic() if now is None else now)
        return len(self._moments) == TIMES and self._moments[-1] - self._moments[0] <= WITHIN
