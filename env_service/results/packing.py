"""Turns the raw pictures of a FrameStore into small files, without loss.

The small file is a WebP: on rendered rooms a third smaller than a PNG that is as quick to
make as can be, and on grids smaller still. Reading a picture back, checking, encoding,
checking again and writing it takes 15 ms of processor time at 512×512
(``benchmarks/pictures.py``), which is why it is nobody's who plays.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

import numpy as np

from env_service.domain.observation import ImageEncoding
from env_service.results.atomic import write_atomically
from env_service.results.frames import (
    SPOOL,
    FrameError,
    Raster,
    packed_path,
    read_file,
    read_raster,
)
from env_service.wire.images import decode, encode

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
