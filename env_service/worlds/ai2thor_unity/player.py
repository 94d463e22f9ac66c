"""A player with all that belongs to it: its folder, its display, its process, and the two pipes
to it with an end to every wait.
"""

from __future__ import annotations

import errno
import fcntl
import logging
import math
import os
import select
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from env_service.worlds.ai2thor_unity import player_folder
from env_service.worlds.ai2thor_unity.graphics.displays import Display
from env_service.worlds.ai2thor_unity.lifeline import Lifeline
from env_service.worlds.base import WorldUnavailableError

LOG = "player.log"


class Player:
    """What has to be gone after a player, in one place. `stop` it in any case, also while it is
    being made."""

    def __init__(self, stop_seconds: float) -> None:
        """Makes nothing yet. ``stop_seconds``: how long `stop` waits for the process to die."""
        self._owner = os.getpid()
        self._seconds = stop_seconds
        self._folder: Path | None = None
        self._pipes: Pipes | None = None
        self.display: Display | None = None
        self.process: PlayerProcess | None = None

    def prepare(self) -> None:
        """Makes the folder and the pipes, after removing what dead owners left.

        Raises:
            WorldUnavailableError: the folder cannot be made.
        """
        try:
            player_folder.sweep()
            self._folder = player_folder.make()
            self._pipes = Pipes(self._folder)
        except OSError as error:
            raise WorldUnavailableError(
                f"cannot create a folder for a player's pipes: {error}. Set TMPDIR to a writable"
                " folder on a file system with named pipes"
            ) from error

    def start(
        self, command: Sequence[str], environment: Mapping[str, str], cpus: Sequence[int]
    ) -> PlayerProcess:
        """Starts the process; see `PlayerProcess`. `prepare` comes before."""
        log = self.pipes.from_player.with_name(LOG)
        self.process = PlayerProcess(command, environment, cpus, log)
        self.pipes.attach(self.process)
        return self.process

    @property
    def pipes(self) -> Pipes:
        """The pipes. Raises RuntimeError before `prepare`."""
        if self._pipes is None:
            raise RuntimeError("the player has no pipes yet")
        return self._pipes

    @property
    def running(self) -> PlayerProcess:
        """The process, also when it has ended. Raises RuntimeError before the start."""
        if self.process is None:
            raise RuntimeError("no player was started")
        return self.process

    @property
    def display_name(self) -> str:
        """The X display, "" for none."""
        return "" if self.display is None else self.display.name

    @property
    def runs(self) -> bool:
        """Whether the process was started and has not ended."""
        return self.process is not None and self.process.status() is None

    def stop(self) -> None:
        """Kills the process and everything it started, and removes the rest. A second call does
        nothing; nor does a fork of the owner, whose player it is not."""
        if os.getpid() != self._owner:
            return
        if self.process is not None and not self.process.end(self._seconds):
            logging.getLogger(__name__).warning(
                "player %d was killed and is still there after %g s: it hangs in the kernel, "
                "probably in the graphics driver (see dmesg)",
                self.process.pid,
                self._seconds,
            )
        if self.display is not None:
            self.display.stop()
        if self._pipes is not None:
            self._pipes.close()
        if self._folder is not None:
            player_folder.remove(self._folder)


# --- The player's process, and whatever it starts: one process group, which lives no longer than
# its owner

LOG_LIMIT = 1 << 20
"""Bytes of log beyond which it is cut down to LOG_KEPT of its last ones."""
LOG_KEPT = 1 << 16

_LAUNCHER = Path(__file__).with_name("launch.py")
_PAUSE = 0.05
"""Seconds between two looks at a process where the kernel cannot tell of its end."""
_LONGEST = 60.0
"""Seconds of one wait for the kernel, which cannot count up to every deadline."""
_GROUP, _RESIDENT = 2, 21
"""Places of the process group, and of resident pages, behind the name in /proc/PID/stat
(proc(5))."""


class PlayerProcess:
    """A player that was started. `end` it in any case; it does not end by itself while its owner
    lives."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], cpus: Sequence[int], log: Path
    ) -> None:
        """Starts it in a new process group, on the processors ``cpus``, empty for any. Its output
        goes to ``log``.

        Raises:
            OSError: the system has no more processes or descriptors.
        """
        self._mark = uuid.uuid4().hex
        with ExitStack() as undoing:
            self._lifeline = Lifeline()
            undoing.callback(self._lifeline.close)
            self._log = os.open(log, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            undoing.callback(os.close, self._log)
            reading = self._lifeline.reading
            launcher = [sys.executable, "-I", "-S", str(_LAUNCHER), str(reading)]
            self._popen = subprocess.Popen(
                [*launcher, ",".join(map(str, cpus)), *command],
                env={**environment, MARK: self._mark},
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                pass_fds=[reading],
                start_new_session=True,
            )
            self._watch = _watch(self._popen.pid)
            if self._watch is not None:
                undoing.callback(os.close, self._watch)
            self._closing = undoing.pop_all()
        self._open = True
        self._lifeline.hand_over()

    @property
    def pid(self) -> int:
        """Its number, and its process group's."""
        return self._popen.pid

    @property
    def watch(self) -> int | None:
        """A descriptor that can be read once the process has ended; None where the kernel has no
        such thing."""
        return self._watch

    def status(self) -> int | None:
        """The exit status, or minus the signal that killed it; None while it runs. Does not reap
        it, so that the system does not reuse its group's number until `end`."""
        if self._popen.returncode is not None:
            return self._popen.returncode
        try:
            found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # somebody else reaped it
            return self._popen.poll()
        if found is None:
            return None
        return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status

    def wait(self, seconds: float) -> bool:
        """Whether it has ended, or does within so many seconds."""
        end = time.monotonic() + seconds
        while self.status() is None:
            left = end - time.monotonic()
            if left <= 0:
                return False
            if self._watch is None:
                time.sleep(min(left, _PAUSE))
            else:
                poll = select.poll()
                poll.register(self._watch, select.POLLIN)
                poll.poll(1000 * min(left, _LONGEST))
        return True

    def end(self, seconds: float) -> bool:
        """Kills the whole group, and what left it, and reaps the process. A second call does
        nothing.

        Returns:
            Whether it has ended. A process that hangs in a driver may outlast ``seconds``; the
            kernel ends it when it comes back.
        """
        if not self._open:
            self._closing.close()
            return True
        if self._popen.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        gone = self.wait(seconds)
        if gone:
            self._popen.wait()
        end_marked(self._mark)
        self._open, self._watch = False, None
        self._closing.close()
        return gone

    def trim_log(self) -> None:
        """Cuts the log down if it is too long, and if the disk lets it."""
        if not self._open:
            return
        size = os.fstat(self._log).st_size
        if size > LOG_LIMIT:
            kept = os.pread(self._log, LOG_KEPT, size - LOG_KEPT)
            with suppress(OSError):
                os.ftruncate(self._log, 0)
                os.write(self._log, kept)

    def last_words(self, most: int) -> str:
        """What it printed last, at most so many bytes; "" after its end was made."""
        if not self._open:
            return ""
        size = os.fstat(self._log).st_size
        return os.pread(self._log, most, max(size - most, 0)).decode("utf-8", "replace")

    def resident_bytes(self) -> int:
        """Resident memory of the processes of the group together; shared pages count for each."""
        if not self._open:
            return 0
        pages = 0
        for folder in processes():
            with suppress(OSError):
                fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
                if int(fields[_GROUP]) == self.pid:
                    pages += int(fields[_RESIDENT])
        return pages * os.sysconf("SC_PAGE_SIZE")


def _watch(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except OSError:  # an old kernel, or a container's filter of system calls
        return None


# --- The two pipes to a player, and the one thing that `ai2thor` leaves out: an end to every
# wait

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
    """The player sent something that is not an answer. The message says what is wrong with it."""


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
            # Without a writer nothing is read: none came yet, or it has left. Polling shows which.
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
        """The writing end of this process, opened as soon as the player has opened its end."""
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


# --- Processes that left the group they were started in, as daemons do. They keep a mark in their
# environment

MARK = "HOUSEGUEST_PLAYER"
_ROUNDS = 5
"""What is killed while it starts another is found in the next round."""


def end_marked(mark: str) -> None:
    """Kills every process of this user whose variable MARK is ``mark``."""
    for _ in range(_ROUNDS):
        found = _marked(f"{MARK}={mark}".encode())
        if not found:
            return
        for process in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)


def processes() -> list[Path]:
    """The folders of all processes; none where no more files can be opened."""
    try:
        return list(Path("/proc").glob("[0-9]*"))
    except OSError:
        return []


def _marked(line: bytes) -> list[int]:
    found = []
    for folder in processes():
        with suppress(OSError):
            if line in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return [process for process in found if process != os.getpid()]
