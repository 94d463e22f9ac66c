"""A run's pictures by their hash, in formats that browsers show."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from env_service.domain.observation import ImageEncoding
from env_service.results.run_layout import FRAMES
from env_service.storage.frame_store import (
    HURRIED,
    FrameError,
    FrameStore,
    packed_path,
    read_file,
    read_raster,
)
from env_service.wire.images import encode

_DIGEST = re.compile(r"[0-9a-f]{64}")
_ENCODED: Mapping[str, tuple[ImageEncoding, str]] = {
    "WEBP_LOSSLESS": (ImageEncoding.WEBP_LOSSLESS, "image/webp"),
    "PNG": (ImageEncoding.PNG, "image/png"),
    "JPEG": (ImageEncoding.JPEG, "image/jpeg"),
}
ENCODINGS = ("RAW", "RAW_F32", *_ENCODED)
"""Encodings that can be shown, as a transcript names them. RAW_F32 is depth in metres."""
WIDEST = 8192
"""Pixels of a depth picture's width."""


class RecordingError(Exception):
    """An episode or a picture of a run cannot be read. ``missing``: the run has none."""

    def __init__(self, message: str, *, missing: bool) -> None:
        super().__init__(message)
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture's bytes, and their media type."""

    data: bytes
    kind: str


def read_picture(run: Path, digest: str, encoding: str, width: int = 0) -> Picture:
    """The picture whose pixels (RAW) or bytes have that SHA-256, in hex.

    Pixels come as the WebP or PNG in which they are stored, or as PNG while they are not packed.
    Depth comes as a grey PNG, the nearest point white; it is stored without its ``width``.
    Raises RecordingError if the picture is absent, too large or changed.
    """
    if _DIGEST.fullmatch(digest) is None:
        raise RecordingError("a picture's name is the 64 hex digits of its SHA-256", missing=True)
    key, frames = bytes.fromhex(digest), run / FRAMES
    try:
        if encoding == "RAW":
            return _pixels(frames, key)
        if encoding == "RAW_F32":
            return _depth(FrameStore(frames).read(key, ImageEncoding.RAW_F32), width)
        stored, kind = _ENCODED[encoding]
        return Picture(FrameStore(frames).read(key, stored), kind)
    except FrameError as error:
        # The whole message names places of this machine.
        missing = str(error).endswith("is missing")
        problem = "no such picture" if missing else "the picture was changed"
        raise RecordingError(problem, missing=missing) from error


def _depth(data: bytes, width: int) -> Picture:
    if width < 1 or len(data) % (4 * width):
        raise RecordingError("no such picture: its width is another one", missing=True)
    metres = np.frombuffer(data, "<f4").reshape(-1, width)
    known = np.nan_to_num(metres, nan=0.0, posinf=0.0, neginf=0.0).clip(min=0.0)
    farthest = float(known.max(initial=0.0)) or 1.0
    # What has no depth, such as the sky, is black as the farthest point is.
    grey = np.where(known > 0, 255 * (1 - known / farthest), 0).astype(np.uint8)
    shown = np.repeat(grey[:, :, None], 3, axis=2)
    return Picture(bytes(encode(shown, ImageEncoding.PNG)), "image/png")


def _pixels(frames: Path, digest: bytes) -> Picture:
    for suffix, kind in ((".webp", "image/webp"), (HURRIED, "image/png")):
        path = packed_path(frames, digest, suffix)
        if (found := read_file(path, frames.parent)) is not None:
            if sha256(read_raster(path, found).data).digest() != digest:
                raise FrameError(f"{path}: the picture does not match its name: it was changed")
            return Picture(found, kind)
    path = FrameStore(frames).path(digest, ImageEncoding.RAW)
    for place in (path, packed_path(frames, digest, ".ppm")):
        if (found := read_file(place, frames.parent)) is not None:
            raster = read_raster(place, found)
            if sha256(raster.data).digest() != digest:
                raise FrameError(f"{place}: the picture does not match its name: it was changed")
            pixels = np.frombuffer(raster.data, np.uint8)
            shaped = pixels.reshape(raster.height, raster.width, 3)
            return Picture(bytes(encode(shaped, ImageEncoding.PNG)), "image/png")
    raise FrameError(f"{path} is missing")
