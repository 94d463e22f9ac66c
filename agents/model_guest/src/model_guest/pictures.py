"""The service's pictures as a model sees them: passed through, never encoded again."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from houseguest_agent import (
    Channel,
    Image,
    ImageEncoding,
    ImageRequest,
    ImageRole,
    Observation,
    ObservationRequest,
)

from .model import Picture

_MEDIA_TYPES = {
    ImageEncoding.PNG: "image/png",
    ImageEncoding.WEBP_LOSSLESS: "image/webp",
    ImageEncoding.JPEG: "image/jpeg",
}
ENCODINGS = {"png": ImageEncoding.PNG, "webp": ImageEncoding.WEBP_LOSSLESS}
"""The formats that a user may choose. Some model servers cannot read WebP; all read PNG."""

_SHOWN_LAST = {ImageRole.CURRENT: 1, ImageRole.VIEW: 2}


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture as a template sees it: lower-case words; ``view`` is empty unless role is view."""

    channel: str
    role: str
    view: str
    width: int
    height: int


def observation_requests(*, pictures: bool, prefer: str) -> Iterator[ObservationRequest]:
    """The observation requests to try, the richest first: the service refuses what its condition
    lacks.

    The last one accepts whatever there is, as raw pixels.
    """
    if not pictures:
        yield ObservationRequest(text=True)
        yield ObservationRequest()
        return
    first = ENCODINGS[prefer]
    others = [each for each in _MEDIA_TYPES if each is not first]
    for previous, text in ((True, True), (True, False), (False, True), (False, False)):
        image = ImageRequest(Channel.RGB, (first, *others), previous_frame=previous)
        yield ObservationRequest((image,), text=text)
    yield ObservationRequest(text=True)
    yield ObservationRequest()


def show(observation: Observation) -> tuple[tuple[Shown, ...], tuple[Picture, ...]]:
    """An observation's pictures in the order of time: before the last action, now, views.

    Depth in metres is omitted: no model reads it.
    """
    images = sorted(observation.images, key=lambda image: _SHOWN_LAST.get(image.role, 0))
    images = [image for image in images if image.encoding is not ImageEncoding.RAW_F32]
    return tuple(map(_describe, images)), tuple(map(_picture, images))


def _describe(image: Image) -> Shown:
    channel, role = image.channel.name.lower(), image.role.name.lower()
    return Shown(channel, role, image.view, image.width, image.height)


def _picture(image: Image) -> Picture:
    if image.encoding is ImageEncoding.RAW:
        data = encode_png(image.buffer, image.width, image.height)
        return Picture(data, "image/png", origin=image.digest)
    return Picture(image.data, _MEDIA_TYPES[image.encoding])


# --- Raw pixels as a PNG file, with the standard library alone

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
