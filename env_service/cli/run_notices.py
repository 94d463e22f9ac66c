"""What the agents of a run tell the operator while they play."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

SAY_AGAIN = 25.0
"""Seconds until the same notice is shown again. Agents side by side say the same."""

MOST_KINDS = 20
"""Notices that are remembered; a run that has more is told of the first ones."""

_HINT = " (Ctrl-C stops the run; the same command goes on with it.)"


class Notices:
    """Shows each notice once in SAY_AGAIN seconds. Notices that differ in numbers alone, such as
    a time of day, are the same one."""

    def __init__(
        self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._say, self._clock = say, clock
        self._said: dict[str, float] = {}

    def __call__(self, seats: tuple[int, ...], text: str) -> None:
        """Shows a notice of the agent that plays these seats; the first says how to stop."""
        kind, now = re.sub(r"\d+", "#", text), self._clock()
        known = kind in self._said
        if known and now - self._said[kind] < SAY_AGAIN:
            return
        if not known and len(self._said) >= MOST_KINDS:
            return
        hint = "" if self._said else _HINT
        self._said[kind] = now
        sessions = f"session{'' if len(seats) == 1 else 's'} {', '.join(map(str, seats))}"
        self._say(f"{sessions}: {text}{hint}")
