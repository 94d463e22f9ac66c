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
from env_service.view.requests import RefusedError
from env_service.wire.images import encode

_DIGEST = re.compile(r"[0-9a-f]{64}")
_ENCODED: Mapping[str, tuple[ImageEncoding, str]] = {
    "WEBP_LOSSLESS": (ImageEncoding.WEBP_LOSSLESS, "image/webp"),
    "PNG": (ImageEncoding.PNG, "image/png"),
    "JPEG": (ImageEncoding.JPEG, "image/jpeg"),
}
ENCODINGS = ("RAW", *_ENCODED)
"""Encodings that can be shown, as a transcript names them. Depth is not among them."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture's bytes, and their media type."""

    data: bytes
    kind: str


def read_picture(run: Path, digest: str, encoding: str) -> Picture:
    """The picture whose pixels (RAW) or bytes have that SHA-256, in hex.

    Pixels come as the WebP or PNG in which they are stored, or as PNG while they are not packed.
    Raises RefusedError if the picture is absent, too large or changed.
    """
    if _DIGEST.fullmatch(digest) is None:
        raise RefusedError(404, "a picture's name is the 64 hex digits of its SHA-256")
    key, frames = bytes.fromhex(digest), run / FRAMES
    try:
        if encoding == "RAW":
            return _pixels(frames, key)
        stored, kind = _ENCODED[encoding]
        return Picture(FrameStore(frames).read(key, stored), kind)
    except FrameError as error:
        # The whole message names places of this machine.
        missing = str(error).endswith("is missing")
        raise RefusedError(
            404 if missing else 502, "no such picture" if missing else "the picture was changed"
        ) from error


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
