"""Packs the pictures of runs while they are played: a process of the lowest priority.

A thread would share the interpreter's lock with whoever answers agents. A process that the
scheduler runs when nobody else wants the processor takes nothing but idle time; where there
is none, pictures wait in their spool, and are packed when the run is over.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from env_service.results.frames import FrameError
from env_service.results.layout import LOGS
from env_service.results.packing import pack, packing_alone, spooled

LOG = logging.getLogger(__name__)
PACKING_LOG = "packing.log"
_WATCH, _RELEASE = b"+", b"-"
_POLL = 1.0
"""Seconds between two looks at an empty spool."""
_BACK_OFF = 30.0
"""Seconds to leave a disk alone that took nothing."""
_LEAST_NICE = 19


class Packer:
    """The house's handle on its packing process, which starts with the first store to watch.

    Safe to kill at any moment: no picture is ever without a whole file. The process ends by
    itself when the house goes without a word.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """Of the process; None while there is none."""
        return None if self._process is None else self._process.pid

    def watch(self, frames: Path) -> None:
        """Packs what is put into that store, until ``close``."""
        if self._process is None or self._process.poll() is not None:
            try:
                self._process = _start()
            except OSError as error:
                LOG.warning("pictures are packed at the end of the run: %s", error)
                return
        self._tell(_WATCH, frames)

    def release(self, frames: Path) -> None:
        """No more is put into that store: packs the rest, and then leaves it alone."""
        if self._process is not None:
            self._tell(_RELEASE, frames)

    def close(self) -> None:
        """Stops at once. What is not packed stays as it is. Idempotent."""
        if self._process is not None and self._process.stdin is not None:
            self._process.kill()
            with suppress(BrokenPipeError):
                self._process.stdin.close()
            self._process.wait()
            self._process = None

    def _tell(self, what: bytes, frames: Path) -> None:
        if self._process is None or self._process.stdin is None:
            return
        # A packer that was killed is no loss: what it leaves is packed later.
        with suppress(BrokenPipeError):
            self._process.stdin.write(what + os.fsencode(frames.absolute()) + b"\n")
            self._process.stdin.flush()


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        # -P: a file of the working directory must not pose as a module.
        [sys.executable, "-P", "-m", "env_service.results.packer"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        # Ctrl-C in the terminal is the house's to judge.
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": _import_path()},
    )


class _Stores:
    """What the packing process has to look after, as the house says."""

    def __init__(self, orders: int) -> None:
        self._orders = orders
        self._unread = b""
        self._released: dict[Path, bool] = {}
        self._hopeless: set[Path] = set()

    def hear(self, patience: float) -> bool:
        """Takes in new orders, waiting for them so many seconds. False: the house is gone."""
        if not select.select([self._orders], [], [], patience)[0]:
            return True
        heard = os.read(self._orders, 2**16)
        *lines, self._unread = (self._unread + heard).split(b"\n")
        for line in lines:
            self._released[Path(os.fsdecode(line[1:]))] = line[:1] == _RELEASE
        return bool(heard)

    def work(self) -> bool:
        """Packs what lies in the spools now. False: the house is gone."""
        for frames in list(self._released):
            try:
                if not self._work(frames):
                    return False
            except OSError as error:
                # The disk is full, say. It may be better later.
                _complain(frames, error)
                if not self.hear(_BACK_OFF):
                    return False
        return True

    def _work(self, frames: Path) -> bool:
        if not frames.is_dir():
            del self._released[frames]
            return True
        released = self._released[frames]
        with packing_alone(frames) as alone:
            waiting = set(spooled(frames)) - self._hopeless if alone else set()
            for raw in waiting:
                if not self.hear(0.0):
                    return False
                if not _try(frames, raw):
                    self._hopeless.add(raw)
        if released and not waiting:
            del self._released[frames]
        return True


def _try(frames: Path, raw: Path) -> bool:
    try:
        return pack(frames, raw)
    except FrameError as error:
        _complain(frames, error)
        return False


def _complain(frames: Path, error: Exception) -> None:
    with suppress(OSError), (frames.parent / LOGS / PACKING_LOG).open("a", encoding="utf-8") as log:
        log.write(f"{error}\n")


def _import_path() -> str:
    """What this process can import, the packer can."""
    return os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)


def _step_back() -> None:
    """Lets everybody else go first."""
    os.nice(_LEAST_NICE)
    if hasattr(os, "SCHED_IDLE"):
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def main() -> None:
    """Packs until the house closes its end of standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _step_back()
    stores = _Stores(sys.stdin.fileno())
    while stores.hear(_POLL) and stores.work():
        pass


if __name__ == "__main__":
    main()
