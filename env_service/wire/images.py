"""Pixels to bytes and back, for every encoding that travels."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from isal import isal_zlib
from PIL import Image

from env_service.domain.observation import ImageEncoding

# --- A quick PNG writer: one filter, and Intel's deflate (the ``isal`` package)

LEVEL = 1
"""Of ISA-L's 0 … 3: level 0 costs as much and packs worse, 2 packs alike, 3 costs twice as
much and packs no better."""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_TRUECOLOUR = (8, 2, 0, 0, 0)
"""Bits a sample, colour type RGB, deflate, adaptive filters, not interlaced."""
_UP = 2
"""The filter type, written before each row."""


def encode_png(pixels: npt.NDArray[np.uint8], level: int = LEVEL) -> bytes:
    """The PNG file of a picture, uint8 [H, W, 3] with at least one pixel; ``level`` 0 … 3.

    Equal pixels give equal bytes on one machine: ISA-L may compress otherwise on another
    kind of processor.
    """
    height, width, _ = pixels.shape
    header = struct.pack(">II5B", width, height, *_TRUECOLOUR)
    rows = pixels.reshape(height, width * 3)
    filtered = np.empty((height, width * 3 + 1), np.uint8)
    filtered[:, 0] = _UP
    filtered[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])
    packed = isal_zlib.compress(filtered.data, level)
    return b"".join(
        (_SIGNATURE, _chunk(b"IHDR", header), _chunk(b"IDAT", packed), _chunk(b"IEND", b""))
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = isal_zlib.crc32(data, isal_zlib.crc32(kind))
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)


Pixels = npt.NDArray[np.uint8] | npt.NDArray[np.float32]
"""uint8 [H, W, 3] for colour, float32 [H, W] in metres for depth."""

Colour = npt.NDArray[np.uint8]

_PALETTE = 256
"""Colours that WebP's palette has room for (RFC 9649, section 4.4)."""


def _encode_webp(pixels: Colour) -> bytes:
    """WebP without loss, by the quickest way to a small file (``benchmarks/pictures.py``).

    On rendered rooms, methods and efforts above the lowest cost five to fifty times as much
    and save at most an eighth of the size. A picture that fits a palette, such as a grid,
    is another matter: method 1 looks for the palette, and costs no more for a seventh of
    the size.
    """
    image = Image.fromarray(pixels)
    flat = image.getcolors(_PALETTE) is not None
    file = io.BytesIO()
    image.save(file, "WEBP", lossless=True, quality=0, method=1 if flat else 0)
    return file.getvalue()


_ENCODERS: dict[ImageEncoding, Callable[[Colour], bytes]] = {
    ImageEncoding.PNG: encode_png,
    ImageEncoding.WEBP_LOSSLESS: _encode_webp,
}
_PILLOW_NAMES = {ImageEncoding.PNG: "PNG", ImageEncoding.WEBP_LOSSLESS: "WEBP"}


def encode(pixels: Pixels, encoding: ImageEncoding) -> bytes | memoryview:
    """The bytes of a picture. Equal pixels give equal bytes on one machine.

    For the raw encodings the result is a flat view of ``pixels`` themselves, not a copy, and
    changes with them. Raises ValueError when the encoding does not fit the pixels: RAW, PNG
    and WEBP_LOSSLESS take uint8 [H, W, 3], the latter with sides of at most 16383 pixels;
    RAW_F32 takes float32 [H, W]; JPEG has no agreed quality and is always refused.
    """
    if encoding not in _ENCODERS:
        return _raw(pixels, encoding)
    _check(pixels, encoding, np.dtype(np.uint8), 3)
    return _ENCODERS[encoding](cast(Colour, pixels))


def decode(data: bytes, encoding: ImageEncoding, width: int, height: int) -> Pixels:
    """The pixels behind ``data``, as ``encode`` was given them.

    Raises ValueError when the data is not a picture of that encoding and size. The array of
    a raw encoding is a read-only view of ``data``.
    """
    match encoding:
        case ImageEncoding.RAW:
            _check_length(data, encoding, width * height * 3)
            return np.frombuffer(data, np.uint8).reshape(height, width, 3)
        case ImageEncoding.RAW_F32:
            _check_length(data, encoding, width * height * 4)
            return np.frombuffer(data, "<f4").reshape(height, width)
        case ImageEncoding.PNG | ImageEncoding.WEBP_LOSSLESS:
            return _decode_file(data, encoding, width, height)
        case ImageEncoding.JPEG:
            raise _no_jpeg()


def _raw(pixels: Pixels, encoding: ImageEncoding) -> memoryview:
    match encoding:
        case ImageEncoding.RAW:
            _check(pixels, encoding, np.dtype(np.uint8), 3)
        case ImageEncoding.RAW_F32:
            _check(pixels, encoding, np.dtype("<f4"), 2)
        case _:
            raise _no_jpeg()
    return np.ascontiguousarray(pixels).data.cast("B")


def _decode_file(data: bytes, encoding: ImageEncoding, width: int, height: int) -> Colour:
    try:
        with Image.open(io.BytesIO(data), formats=(_PILLOW_NAMES[encoding],)) as picture:
            pixels = np.asarray(picture.convert("RGB"))
    except OSError as problem:
        raise ValueError(f"not a {encoding.name} picture: {problem}") from problem
    if pixels.shape != (height, width, 3):
        found = f"{pixels.shape[1]}×{pixels.shape[0]}"
        raise ValueError(f"the {encoding.name} picture is {found}, not {width}×{height}")
    return pixels


def _check(pixels: Pixels, encoding: ImageEncoding, dtype: np.dtype[Any], axes: int) -> None:
    shape = pixels.shape
    if pixels.dtype != dtype or len(shape) != axes or 0 in shape or (axes == 3 and shape[2] != 3):
        wanted = f"{dtype} [H, W, 3]" if axes == 3 else f"{dtype} [H, W]"
        raise ValueError(f"{encoding.name} takes {wanted} pixels, not {pixels.dtype} {shape}")


def _check_length(data: bytes, encoding: ImageEncoding, wanted: int) -> None:
    if len(data) != wanted:
        raise ValueError(f"{encoding.name} data of this size has {wanted} bytes, not {len(data)}")


def _no_jpeg() -> ValueError:
    return ValueError(
        "JPEG is lossy and no suite has fixed its quality; ask for RAW, PNG or WEBP_LOSSLESS"
    )
