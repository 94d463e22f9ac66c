"""The player's process, and whatever it starts: one process group, which lives no longer than its
owner."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from env_service.worlds.ai2thor import strays
from env_service.worlds.ai2thor.lifeline import Lifeline

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
        """Starts it in a process group of its own, on the processors ``cpus``, empty for any.
        What it prints goes to ``log``.

        Raises:
            OSError: there are no more processes or descriptors to be had.
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
                env={**environment, strays.MARK: self._mark},
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
        it, so that its group's number stays its own until `end`."""
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
            Whether it is gone. A process that hangs in a driver may outlast ``seconds``; the
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
        strays.end(self._mark)
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
        for folder in strays.processes():
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
