"""Lines of an agent's output that are meant for the operator."""

from __future__ import annotations

import threading
from collections import deque
from pathlib import Path

from env_service.domain.printable import safe
from env_service.engine.log import BoundedLog

PREFIX = b"notice: "
"""How a line begins that the operator is to see while the agent plays."""

LONGEST = 600
"""Bytes of a notice that are passed on; the log has the rest."""

MOST_WAITING = 8
"""Notices that are kept until somebody takes them; the oldest goes first."""


class GuestLog(BoundedLog):
    """A log that also picks out the notices. Any thread may write."""

    def __init__(self, path: Path, limit: int) -> None:
        super().__init__(path, limit)
        self._notices: deque[str] = deque(maxlen=MOST_WAITING)
        self._line = b""
        self._reading = threading.Lock()

    def write(self, data: bytes) -> None:
        """Appends to the log, and keeps the notices among the lines that are now complete."""
        super().write(data)
        with self._reading:
            *complete, self._line = (self._line + data).split(b"\n")
            # Only its beginning is of use; a program may never end a line.
            self._line = self._line[: len(PREFIX) + LONGEST]
            for line in complete:
                if line.startswith(PREFIX):
                    text = line[len(PREFIX) :][:LONGEST].decode(errors="replace").strip()
                    self._notices.append(safe(text))

    def take_notices(self) -> list[str]:
        """The notices since the last call, oldest first: each one line, fit for a terminal."""
        with self._reading:
            taken = list(self._notices)
            self._notices.clear()
        return taken
