"""Raw pixels as a PNG file, with the standard library alone."""

from __future__ import annotations

import struct
import zlib

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR, _BITS = 2, 8


def encode_png(pixels: bytes | memoryview, width: int, height: int) -> bytes:
    """A PNG (RFC 2083) of 8-bit RGB samples, row by row. Raises ValueError for another size."""
    row = 3 * width
    if len(pixels) != row * height:
        raise ValueError(f"{width} × {height} pixels take {row * height} bytes, not {len(pixels)}")
    lines = b"".join(b"\0" + bytes(pixels[at : at + row]) for at in range(0, len(pixels), row))
    head = struct.pack(">IIBBBBB", width, height, _BITS, _COLOUR, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(lines, 1)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in chunks)


def plain_png(red: int, green: int, blue: int, side: int = 64) -> bytes:
    """A square of one colour."""
    return encode_png(bytes((red, green, blue)) * side * side, side, side)


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)
