"""Packs the raw pictures of runs into small files, without loss: while runs are played, in a
process of the lowest priority, and after them.
"""

from __future__ import annotations

import fcntl
import logging
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

import numpy as np

from env_service.domain.observation import ImageEncoding
from env_service.results.run_layout import LOGS
from env_service.storage.atomic_files import write_atomically
from env_service.storage.frame_store import (
    SPOOL,
    FrameError,
    Raster,
    packed_path,
    read_file,
    read_raster,
)
from env_service.wire.images import decode, encode

LOG = logging.getLogger(__name__)
PACKING_LOG = "packing.log"
_WATCH, _RELEASE = b"+", b"-"
_POLL = 1.0
"""Seconds between two looks at an empty spool."""
_BACK_OFF = 30.0
"""Seconds to leave a disk alone that took nothing."""
_LEAST_NICE = 19


class Packer:
    """The service's handle on its packing process, which starts with the first store to watch.

    Safe to kill at any moment: no picture is ever without a whole file. The process ends by
    itself when the service goes without a word. Any thread may call any method.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._lock = threading.Lock()

    @property
    def pid(self) -> int | None:
        """Of the process; None while there is none."""
        return None if self._process is None else self._process.pid

    def watch(self, frames: Path) -> None:
        """Packs what is put into that store, until ``close``; does nothing after it."""
        with self._lock:
            if self._closed:
                return
            if self._process is None or self._process.poll() is not None:
                try:
                    self._process = _start()
                except OSError as error:
                    LOG.warning("pictures are packed at the end of the run: %s", error)
                    return
            self._send(_WATCH, frames)

    def release(self, frames: Path) -> None:
        """No more is put into that store: packs the rest, and then leaves it alone."""
        with self._lock:
            self._send(_RELEASE, frames)

    def close(self) -> None:
        """Stops the process, and waits for it. What is not packed stays as it is. Idempotent."""
        with self._lock:
            self._closed = True
            if self._process is not None and self._process.stdin is not None:
                self._process.kill()
                with suppress(BrokenPipeError):
                    self._process.stdin.close()
                self._process.wait()
                self._process = None

    def _send(self, order: bytes, frames: Path) -> None:
        if self._process is None or self._process.stdin is None:
            return
        # A packer that was killed is no loss: what it leaves is packed later.
        with suppress(BrokenPipeError):
            self._process.stdin.write(order + os.fsencode(frames.absolute()) + b"\n")
            self._process.stdin.flush()


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        # -P: a file of the working directory must not pose as a module.
        [sys.executable, "-P", "-m", "env_service.results.frame_packer"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        # Ctrl-C in the terminal is the service's to judge.
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": _import_path()},
    )


class _Stores:
    """What the packing process has to look after, as the service says."""

    def __init__(self, orders: int) -> None:
        self._orders = orders
        self._unread = b""
        self._released: dict[Path, bool] = {}
        self._hopeless: set[Path] = set()

    def hear(self, patience: float) -> bool:
        """Takes in new orders, waiting for them so many seconds. False: the service is gone."""
        if not select.select([self._orders], [], [], patience)[0]:
            return True
        heard = os.read(self._orders, 2**16)
        *lines, self._unread = (self._unread + heard).split(b"\n")
        for line in lines:
            self._released[Path(os.fsdecode(line[1:]))] = line[:1] == _RELEASE
        return bool(heard)

    def work(self) -> bool:
        """Packs what lies in the spools now. False: the service is gone."""
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
    """Packs until the service closes its end of standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _step_back()
    stores = _Stores(sys.stdin.fileno())
    while stores.hear(_POLL) and stores.work():
        pass


# --- Turns the raw pictures of a FrameStore into small files, without loss

_LOCK = ".lock"
_ABANDONED = 60.0
"""Seconds without a write after which a draft is one that a killed process left."""


def pack_all(frames: Path, progress: Callable[[int, int], None] | None = None) -> int:
    """Packs every raw picture of a store, and returns how many it packed.

    An interrupted call loses nothing and the next one goes on. A picture that is damaged, or
    too large for a WebP, stays as it is. ``progress`` is called with (done, total). Does
    nothing where another process is packing this store. Drafts that killed processes left
    are removed.
    """
    with packing_alone(frames) as alone:
        if not alone:
            return 0
        _sweep(frames)
        # Version 0.1.0's first runs had no spool.
        raw = [*spooled(frames), *frames.glob("??/*.ppm")]
        packed = 0
        for done, path in enumerate(raw, 1):
            packed += pack(frames, path)
            if progress is not None:
                progress(done, len(raw))
    return packed


def spooled(frames: Path) -> list[Path]:
    """The raw pictures that wait, in no order."""
    return list((frames / SPOOL).glob("*.ppm"))


def pack(frames: Path, raw: Path) -> bool:
    """Packs one raw picture; returns whether it did.

    The raw file goes once its heir was decoded, compared and is on the disk. Returns False,
    and leaves the file, where it is damaged, vanished or cannot be a WebP. Raises OSError
    where the heir cannot be written.
    """
    raster = _intact(raw)
    if raster is None:
        return False
    pixels = np.frombuffer(raster.data, np.uint8).reshape(raster.height, raster.width, 3)
    try:
        data = encode(pixels, ImageEncoding.WEBP_LOSSLESS)
    except ValueError:
        return False
    again = decode(bytes(data), ImageEncoding.WEBP_LOSSLESS, raster.width, raster.height)
    if not np.array_equal(again, pixels):
        raise FrameError(f"{raw}: the WebP made of it differs from it; it stays raw")
    packed = packed_path(frames, bytes.fromhex(raw.stem))
    packed.parent.mkdir(exist_ok=True)
    # The raw file goes next: its heir, and the heir's name, have to be on the disk by then.
    write_atomically(packed, data)
    raw.unlink(missing_ok=True)
    return True


@contextmanager
def packing_alone(frames: Path) -> Iterator[bool]:
    """Whether this process may pack the store now: one does at a time."""
    (frames / SPOOL).mkdir(parents=True, exist_ok=True)
    with (frames / SPOOL / _LOCK).open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _intact(path: Path) -> Raster | None:
    try:
        data = read_file(path, path.parents[2])
        raster = None if data is None else read_raster(path, data)
    except FrameError:
        return None
    if raster is None or sha256(raster.data).hexdigest() != path.stem:
        return None
    return raster


def _sweep(frames: Path) -> None:
    for draft in (*frames.glob("??/.*"), *(frames / SPOOL).glob(".*")):
        with suppress(FileNotFoundError):
            if draft.name != _LOCK and time.time() - draft.stat().st_mtime > _ABANDONED:
                draft.unlink()


if __name__ == "__main__":
    main()
