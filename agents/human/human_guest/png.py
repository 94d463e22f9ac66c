"""Raw pixels as a PNG file, with the standard library alone."""

from __future__ import annotations

import struct
import zlib

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR, _BITS = 2, 8
_LEVEL = 1
"""Of zlib: a picture is looked at once, on the same machine."""


def encode_png(rgb: bytes, width: int, height: int) -> bytes:
    """A PNG file (RFC 2083) of 8-bit RGB samples, row by row. Raises ValueError where they are
    not ``3 * width * height``."""
    row = 3 * width
    if len(rgb) != row * height:
        raise ValueError(f"{width} × {height} pixels take {row * height} bytes, not {len(rgb)}")
    lines = b"".join(b"\0" + rgb[at : at + row] for at in range(0, len(rgb), row))
    head = struct.pack(">IIBBBBB", width, height, _BITS, _COLOUR, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(lines, _LEVEL)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)
