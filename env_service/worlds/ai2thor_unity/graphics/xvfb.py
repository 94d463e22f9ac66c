"""An Xvfb of one's own: an X server without a screen, whose life is tied to this process."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO

from env_service.worlds.ai2thor_unity.graphics.xserver import ABSENT, DEPTH, DisplayName, look
from env_service.worlds.ai2thor_unity.lifeline import Lifeline
from env_service.worlds.base import WorldUnavailableError

PROGRAM = "Xvfb"
START_SECONDS = 60.0
"""It compiles a keyboard map as it starts, which on a busy machine takes some seconds."""
STOP_SECONDS = 5.0
LEAST = (1280, 1024)
"""Pixels: no screen is smaller, so that a player can change to another size."""

# Reads a pipe that this process alone can write to, and never does: its end, however this process
# ends, stops the server by a signal that lets it tidy up its socket.
_KEEPER = '"$@" </dev/null & exec >/dev/null 2>&1; read -r _; kill $!; wait $!'
_LOCK = "/tmp/.X{}-lock"  # noqa: S108 - the X server's, not ours
_LAST_LINES = 3
_INSTEAD = "Correct this, or start an X server yourself and set HOUSEGUEST_THOR_DISPLAY to it."
_INSTALL = "Install it (Debian: apt-get install xvfb), or start an X server yourself."


def program() -> str:
    """The path of Xvfb, "" if it is not installed."""
    return shutil.which(PROGRAM) or ""


class Xvfb:
    """A running Xvfb with one screen of 24 bits and with GLX, on a display number that was free.

    It ends with `stop`, and with this process, by a signal that cannot be caught too.
    """

    def __init__(self, width: int, height: int, seconds: float = START_SECONDS) -> None:
        """Starts it with a screen of at least ``width`` x ``height`` pixels.

        Raises:
            WorldUnavailableError: it is not installed, or did not come up within ``seconds``.
        """
        path = program()
        if not path:
            raise WorldUnavailableError(f"{PROGRAM} is not installed. {_INSTALL}")
        size = f"{max(width, LEAST[0])}x{max(height, LEAST[1])}x{DEPTH}"
        command = [path, "-displayfd", "1", "-screen", "0", size, "+extension", "GLX"]
        # A server that resets as its last client goes refuses those that come just then.
        command += ["-nolisten", "tcp", "-noreset"]
        self._owner, self._stopped = os.getpid(), False
        with ExitStack() as undoing, ExitStack() as opened:
            try:
                complaints = opened.enter_context(tempfile.TemporaryFile())
                said, writing = map(opened.enter_context, _pipe())
                self._lifeline = Lifeline()
                undoing.callback(self._lifeline.close)
                self._process = _started(command, self._lifeline, writing, complaints)
            except OSError as error:
                raise WorldUnavailableError(
                    f"{PROGRAM} cannot be started: {error}. {_INSTEAD}"
                ) from error
            undoing.callback(self.stop)
            writing.close()
            self._name = DisplayName("", _number(said, seconds, complaints), 0)
            undoing.pop_all()

    @property
    def name(self) -> DisplayName:
        """Its display and screen."""
        return self._name

    @property
    def pid(self) -> int:
        """The process that keeps it, and leads its process group."""
        return self._process.pid

    def stop(self) -> None:
        """Ends it and removes its files; a second call does nothing, nor does a fork of the owner,
        whose server it is not."""
        if self._stopped or os.getpid() != self._owner:
            return
        self._lifeline.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._stopped = True
        if hasattr(self, "_name"):
            _remove_files(self._name)


def _pipe() -> tuple[IO[bytes], IO[bytes]]:
    reading, writing = os.pipe()
    return os.fdopen(reading, "rb", 0), os.fdopen(writing, "wb", 0)


def _started(
    command: list[str], lifeline: Lifeline, output: IO[bytes], complaints: IO[bytes]
) -> subprocess.Popen[bytes]:
    """The keeper of a server, which reads the lifeline."""
    process = subprocess.Popen(
        ["/bin/sh", "-c", _KEEPER, "sh", *command],
        stdin=lifeline.reading,
        stdout=output,
        stderr=complaints,
        start_new_session=True,
    )
    lifeline.hand_over()
    return process


def _number(output: IO[bytes], seconds: float, complaints: IO[bytes]) -> int:
    """The display's number, which the server reports as soon as it takes clients."""
    said = b""
    deadline = time.monotonic() + seconds
    poll = select.poll()
    poll.register(output, select.POLLIN)
    while not said.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(1000 * left):
            raise WorldUnavailableError(f"{PROGRAM} did not come up in {seconds:g} s. {_INSTEAD}")
        piece = os.read(output.fileno(), 64)
        if not piece:
            why = _end_of(complaints)
            raise WorldUnavailableError(f"{PROGRAM} did not start: {why}. {_INSTEAD}")
        said += piece
    return int(said)


def _remove_files(name: DisplayName) -> None:
    """What a server that was killed leaves behind, unless another one uses it by now."""
    if name.socket_path.exists() and look(name).fault == ABSENT:
        for path in (name.socket_path, Path(_LOCK.format(name.number))):
            with suppress(OSError):
                path.unlink(missing_ok=True)


def _end_of(complaints: IO[bytes]) -> str:
    complaints.seek(0)
    lines = complaints.read().decode(errors="replace").strip().splitlines()
    return " / ".join(lines[-_LAST_LINES:]) or "it does not say why"
