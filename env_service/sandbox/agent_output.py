"""An agent's output: a bounded log, and the notices for the operator among its lines."""

import asyncio
import contextlib
import os
import threading
import time
from collections import deque
from pathlib import Path
from typing import cast

from env_service.domain.text import safe
from env_service.processes.bounded_log import BoundedLog, LogPipe
from env_service.processes.pipe import connect_read_pipe

LOG_BYTES = 10 * 2**20
"""Bytes: the log keeps the latest output of all agents of one session."""
BYTES_A_SECOND = 4 * 2**20
"""The rate at which an agent may write: a flood must not use up the service's processor time."""
LAST_WORDS_SECONDS = 1.0


class AgentOutput:
    """A pipe that an agent writes to, and the log that it fills. For one event loop.

    ``end`` is the file descriptor for the agent; ``begin`` once it has it, or ``close``.
    """

    def __init__(self, log_path: Path) -> None:
        """Raises OSError."""
        self.log = AgentLog(log_path, LOG_BYTES)
        self._reading, self.end = os.pipe()
        self._pipe: _Throttled | None = None

    async def begin(self) -> None:
        """Closes the agent's end, and starts reading."""
        os.close(self.end)
        self.end = -1
        pipe = self._pipe = _Throttled(self.log)
        reading, self._reading = self._reading, -1
        await connect_read_pipe(lambda: pipe, reading)

    async def close(self) -> None:
        """Reads what is left, then closes. Idempotent."""
        if self._pipe is not None:
            self._pipe.hurry()
            with contextlib.suppress(TimeoutError):
                # A process that left the agent's group may hold the pipe open for ever.
                await asyncio.wait_for(self._pipe.ended.wait(), LAST_WORDS_SECONDS)
            self._pipe.hang_up()
        for fd in (self._reading, self.end):
            if fd >= 0:
                os.close(fd)
        self._reading = self.end = -1
        self.log.close()


class _Throttled(LogPipe):
    """Reads no faster than BYTES_A_SECOND: a full pipe has the agent wait."""

    def __init__(self, log: BoundedLog) -> None:
        super().__init__(log)
        self._transport: asyncio.ReadTransport | None = None
        self._since, self._taken, self._hurried = time.monotonic(), 0, False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Notes where to hang up."""
        self._transport = cast(asyncio.ReadTransport, transport)

    def data_received(self, data: bytes) -> None:
        """Writes on, and rests where too much came too fast."""
        super().data_received(data)
        self._taken += len(data)
        if self._taken < BYTES_A_SECOND or self._hurried:
            return
        rest = self._since + 1.0 - time.monotonic()
        self._since, self._taken = time.monotonic() + max(0.0, rest), 0
        if rest > 0 and self._transport is not None:
            self._transport.pause_reading()
            asyncio.get_running_loop().call_later(rest, self._go_on)

    def hurry(self) -> None:
        """From here on takes in what is left as fast as it comes."""
        self._hurried = True
        self._go_on()

    def hang_up(self) -> None:
        """Reads no more."""
        if self._transport is not None:
            self._transport.close()

    def _go_on(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()


# --- Notices: lines of an agent's output for the operator

PREFIX = b"notice: "
"""The prefix of a line that the operator sees while the agent plays."""

LONGEST = 600
"""Bytes of a notice that are passed on; the log has the rest."""

MOST_WAITING = 8
"""Notices that are kept until somebody takes them; the oldest goes first."""


class AgentLog(BoundedLog):
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
