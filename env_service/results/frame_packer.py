"""Packs the raw images of runs into small files, without loss.

Packing happens during runs, in a process of the lowest priority, and after them.
"""

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
"""Seconds between two checks of an empty spool."""
_BACK_OFF = 30.0
"""Seconds to wait after the disk refused a write."""
_LEAST_NICE = 19


class Packer:
    """The service's handle on its packing process, which starts with the first store to watch.

    You can kill it at any moment: every image always has one complete file. The process ends by
    itself if the service dies. Any thread may call any method.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._lock = threading.Lock()

    @property
    def pid(self) -> int | None:
        """The process id; None while no process runs."""
        return None if self._process is None else self._process.pid

    def watch(self, frames: Path) -> None:
        """Packs new images of that store until ``close``; afterwards it does nothing."""
        with self._lock:
            if self._closed:
                return
            if self._process is None or self._process.poll() is not None:
                try:
                    self._process = _start()
                except OSError as error:
                    LOG.warning("pictures are packed only at the end of the run: %s", error)
                    return
            self._send(_WATCH, frames)

    def release(self, frames: Path) -> None:
        """Packs the rest of a store that is complete, and then leaves it alone."""
        with self._lock:
            self._send(_RELEASE, frames)

    def close(self) -> None:
        """Stops the process, and waits for it. Unpacked images stay raw. Idempotent."""
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
        # A killed packer loses nothing: the rest is packed later.
        with suppress(BrokenPipeError):
            self._process.stdin.write(order + os.fsencode(frames.absolute()) + b"\n")
            self._process.stdin.flush()


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        # -P: a file in the working directory must not shadow a module.
        [sys.executable, "-P", "-m", "env_service.results.frame_packer"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        # The service decides what Ctrl-C in the terminal means.
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": _import_path()},
    )


class _Stores:
    """The stores that the packing process watches, as the service orders."""

    def __init__(self, orders: int) -> None:
        self._orders = orders
        self._unread = b""
        self._released: dict[Path, bool] = {}
        self._hopeless: set[Path] = set()

    def hear(self, patience: float) -> bool:
        """Reads new orders, waiting at most so many seconds. Returns False once the service has
        exited."""
        if not select.select([self._orders], [], [], patience)[0]:
            return True
        heard = os.read(self._orders, 2**16)
        *lines, self._unread = (self._unread + heard).split(b"\n")
        for line in lines:
            self._released[Path(os.fsdecode(line[1:]))] = line[:1] == _RELEASE
        return bool(heard)

    def work(self) -> bool:
        """Packs what the spools hold now. Returns False once the service has exited."""
        for frames in list(self._released):
            try:
                if not self._work(frames):
                    return False
            except OSError as error:
                # The disk may be full now and have room later.
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
    """The packer gets this process's import path."""
    return os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)


def _step_back() -> None:
    """Lowers this process's priority to the minimum."""
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


# --- Turns the raw images of a FrameStore into small files, without loss

_LOCK = ".lock"
_ABANDONED = 60.0
"""A draft without a write for this many seconds was left by a killed process."""


def pack_all(frames: Path, progress: Callable[[int, int], None] | None = None) -> int:
    """Packs every raw image of a store, and returns how many it packed.

    You can interrupt a call without loss; the next call continues. An image that is damaged, or too
    large for a WebP, stays raw. ``progress`` is called with (done, total). Does nothing if another
    process is packing this store. Removes drafts that killed processes left.
    """
    with packing_alone(frames) as alone:
        if not alone:
            return 0
        _sweep(frames)
        # The first runs of version 0.1.0 had no spool.
        raw = [*spooled(frames), *frames.glob("??/*.ppm")]
        packed = 0
        for done, path in enumerate(raw, 1):
            packed += pack(frames, path)
            if progress is not None:
                progress(done, len(raw))
    return packed


def spooled(frames: Path) -> list[Path]:
    """The raw images to pack, in no order."""
    return list((frames / SPOOL).glob("*.ppm"))


def pack(frames: Path, raw: Path) -> bool:
    """Packs one raw image; returns whether it did.

    The raw file is deleted only after its WebP was decoded, compared and flushed to the disk.
    Returns False, and leaves the file, if it is damaged, missing or cannot be a WebP. Raises
    OSError if the WebP cannot be written.
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
        raise FrameError(f"{raw}: its WebP copy differs, so the picture stays raw")
    packed = packed_path(frames, bytes.fromhex(raw.stem))
    packed.parent.mkdir(exist_ok=True)
    # The raw file is deleted next, so the WebP and its name have to be on the disk by then.
    write_atomically(packed, data)
    raw.unlink(missing_ok=True)
    return True


@contextmanager
def packing_alone(frames: Path) -> Iterator[bool]:
    """Whether this process may pack the store now: only one process does at a time."""
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
