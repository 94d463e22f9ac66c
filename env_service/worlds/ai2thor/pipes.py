"""The two pipes to a player, and the one thing that `ai2thor` leaves out: an end to every wait.

AI2-THOR's FIFO protocol (spec: ai2thor.md section 3.1): the player opens "server.pipe" for
writing when it has its first message, and "client.pipe" for reading after that. Both ends here
never block: every wait is a poll on the pipe and on the player's life against one deadline.
"""

from __future__ import annotations

import errno
import fcntl
import math
import os
import select
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from env_service.worlds.ai2thor.process import PlayerProcess

PIPE_SIZE = 1 << 20
"""Bytes that a pipe may hold, if the kernel lets it; with the usual 64 KiB every chunk of a
picture costs two switches of process."""

_OPEN_PAUSE = 0.002
"""Seconds between two looks whether the player has opened its end."""
_BLIND_PAUSE = 0.05
"""Seconds of a poll where the kernel cannot tell of the player's end."""
_GLANCE = 0.25
"""Seconds between two looks at how much a player prints that is waited for."""

Buffer = memoryview


@dataclass(frozen=True, slots=True)
class Attempt:
    """What the player was asked for: by which call, within how many seconds, and the action;
    an empty one for its first message."""

    call: str
    seconds: float
    action: Mapping[str, Any]


class TransportError(Exception):
    """The dialogue with the player broke off. The player is of no more use.

    Its text is empty or says more about how it broke off.
    """

    during: Attempt | None = None
    """Known once the error has left the dialogue."""


class LateError(TransportError):
    """The deadline passed."""


class GoneError(TransportError):
    """The player died, or closed a pipe."""


class NonsenseError(TransportError):
    """What the player sent is no answer. The message says what is wrong with it."""


class Pipes:
    """Our ends of both pipes. `attach` a player before anything is read or written.

    All deadlines are times of `time.monotonic`.
    """

    def __init__(self, folder: Path) -> None:
        """Makes the pipes in an empty folder."""
        self.from_player, self.to_player = folder / "server.pipe", folder / "client.pipe"
        os.mkfifo(self.from_player, 0o600)
        os.mkfifo(self.to_player, 0o600)
        self._in: int | None = os.open(self.from_player, os.O_RDONLY | os.O_NONBLOCK)
        self._out: int | None = None
        _widen(self._in)
        self._process: PlayerProcess | None = None

    def attach(self, process: PlayerProcess) -> None:
        """Whose life is watched from now on."""
        self._process = process

    def read(self, *buffers: Buffer, until: float) -> None:
        """Fills all buffers, one after the other.

        Raises:
            LateError: not before the deadline.
            GoneError: the player died or closed its end before.
        """
        source = self._reading()

        def some(pending: Sequence[Buffer]) -> int:
            # Without a writer nothing is read: none came yet, or it is gone. Polling tells.
            return os.readv(source, pending)

        self._transfer(source, select.POLLIN, some, list(buffers), until)

    def write(self, *buffers: Buffer, until: float) -> None:
        """Writes all buffers, one after the other.

        Raises:
            LateError: the player did not take them before the deadline.
            GoneError: the player died or closed its end.
        """
        sink = self._writing(until)

        def some(pending: Sequence[Buffer]) -> int:
            try:
                return os.writev(sink, pending)
            except BrokenPipeError:
                raise GoneError from None

        self._transfer(sink, select.POLLOUT, some, list(buffers), until)

    def close(self) -> None:
        """Closes our ends; a second call does nothing."""
        ends = self._in, self._out
        self._in = self._out = None
        for descriptor in ends:
            if descriptor is not None:
                os.close(descriptor)

    def _transfer(
        self,
        descriptor: int,
        event: int,
        some: Callable[[Sequence[Buffer]], int],
        pending: list[Buffer],
        until: float,
    ) -> None:
        pending = [each for each in pending if len(each)]
        while pending:
            try:
                count = some(pending)
            except BlockingIOError:
                count = 0
            if count == 0:
                self._wait(descriptor, event, until)
            elif time.monotonic() > until:
                raise LateError
            while count:
                taken = min(count, len(pending[0]))
                pending[0] = pending[0][taken:]
                count -= taken
                if not len(pending[0]):
                    pending.pop(0)

    def _wait(self, descriptor: int, event: int, until: float) -> None:
        """Returns when there is something to read, or room to write."""
        process = self._player()
        poll = select.poll()
        poll.register(descriptor, event)
        if process.watch is not None:
            poll.register(process.watch, select.POLLIN)
        while True:
            left = until - time.monotonic()
            if left <= 0:
                raise LateError
            blind = process.watch is None
            pause = min(left, _BLIND_PAUSE if blind else _GLANCE)
            events = dict(poll.poll(math.ceil(1000 * pause)))
            if events.get(descriptor, 0) & event:
                return
            if events or (blind and process.status() is not None):
                raise GoneError
            process.trim_log()

    def _reading(self) -> int:
        if self._in is None:
            raise ValueError("the pipes are closed")
        return self._in

    def _writing(self, until: float) -> int:
        """Our writing end, opened as soon as the player has opened its own."""
        while self._out is None:
            self._reading()
            try:
                self._out = os.open(self.to_player, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
                if time.monotonic() > until:
                    raise LateError from None
                if self._player().wait(_OPEN_PAUSE):
                    raise GoneError from None
            else:
                _widen(self._out)
        return self._out

    def _player(self) -> PlayerProcess:
        if self._process is None:
            raise ValueError("no player is attached")
        return self._process


def _widen(descriptor: int) -> None:
    with suppress(OSError):
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
