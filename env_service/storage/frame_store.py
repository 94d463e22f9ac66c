"""Pictures, each stored once under the hash of its bytes."""

from __future__ import annotations

import errno
import io
import mmap
import os
import re
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from PIL import Image

from env_service.domain.observation import EncodedImage, ImageEncoding
from env_service.storage.plain_files import read_plain
from env_service.wire.images import encode

SUFFIXES = {
    ImageEncoding.RAW: ".ppm",
    ImageEncoding.PNG: ".png",
    ImageEncoding.WEBP_LOSSLESS: ".webp",
    ImageEncoding.JPEG: ".jpg",
    ImageEncoding.RAW_F32: ".f32",
}

SPOOL = "raw"
"""Where raw colour lies until it is packed."""
PACKED = ".webp"
HURRIED = ".png"
SPOOL_BYTES = 512 * 2**20
"""Bytes of raw pictures that may wait. A writer that finds more packs its pictures itself, fast."""
MOST_PICTURE = 256 * 2**20
"""Bytes that are read of a stored picture: raw colour of 9,000 × 9,000 pixels."""
_SPOOL_LOOK = 32
"""Pictures that a writer puts between two looks at the spool."""

REMEMBERED = 4096
"""Pictures that a writer remembers as stored; it looks for others on the disk."""

_PPM = re.compile(rb"P6\n(?:# *\n)?(\d{1,6}) (\d{1,6})\n255\n")


class FrameError(Exception):
    """A stored picture cannot be read, or is not the one that its name promises."""


@dataclass(frozen=True, slots=True)
class Raster:
    """Raw colour: ``data`` is row-major, interleaved, 8 bits a sample, width × height × 3."""

    width: int
    height: int
    data: bytes


class FrameStore:
    """A folder of pictures: ``<first two hex digits>/<SHA-256 of the bytes><suffix>``.

    Raw colour is first a binary PPM in ``raw/``, which is quick to write and which any viewer
    opens; its hash is that of the pixels behind the header. ``packing`` makes a lossless WebP
    of it, under the same hash. Where packing cannot keep up, a writer stores a quick PNG
    instead, so that about SPOOL_BYTES are raw at most. Several processes may write to one
    store, and others read it, while yet another packs.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: set[str] = set()
        self._writer = FileWriter()
        self._raw_puts = 0
        self._crowded = False

    def path(self, digest: bytes, encoding: ImageEncoding) -> Path:
        """Where a picture is put."""
        name = digest.hex()
        if encoding is ImageEncoding.RAW:
            return self._folder / SPOOL / (name + SUFFIXES[encoding])
        return self._folder / name[:2] / (name + SUFFIXES[encoding])

    def put(self, image: EncodedImage) -> None:
        """Stores a picture that is not stored yet. Never leaves a half-written file."""
        key = image.digest.hex() + SUFFIXES[image.encoding]
        if key in self._known:
            return
        if not any(path.exists() for path in self._places(image.digest, image.encoding)):
            if image.encoding is ImageEncoding.RAW and self._spool_is_full(len(image.data)):
                path = packed_path(self._folder, image.digest, HURRIED)
                self._write(path, (_png(image),))
            else:
                path = self.path(image.digest, image.encoding)
                self._write(path, (_header(image), image.data))
        if len(self._known) >= REMEMBERED:
            self._known.clear()
        self._known.add(key)

    def _spool_is_full(self, size: int) -> bool:
        if self._raw_puts % _SPOOL_LOOK == 0:
            waiting = sum(1 for _ in (self._folder / SPOOL).glob("*.ppm"))
            self._crowded = waiting * size > SPOOL_BYTES
        self._raw_puts += 1
        return self._crowded

    def _write(self, path: Path, parts: Sequence[bytes]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = draft_of(path)
        self._writer.write_new(draft, parts)
        draft.replace(path)

    def read(self, digest: bytes, encoding: ImageEncoding) -> bytes:
        """The bytes of a picture as they were put.

        Raises FrameError, naming the file, where it is absent or its bytes have another hash.
        """
        for path in self._places(digest, encoding):
            if (found := read_file(path, self._folder.parent)) is None:
                continue
            data = read_raster(path, found).data if encoding is ImageEncoding.RAW else found
            if sha256(data).digest() != digest:
                raise FrameError(f"{path}: the picture does not match its name: it was changed")
            return data
        raise FrameError(f"{self.path(digest, encoding)} is missing")

    def _places(self, digest: bytes, encoding: ImageEncoding) -> Iterator[Path]:
        """Where a picture may lie, in the order in which to look."""
        put = self.path(digest, encoding)
        if encoding is not ImageEncoding.RAW:
            yield put
            return
        packed = packed_path(self._folder, digest)
        yield packed
        yield put
        # It may have been packed while we looked.
        yield packed
        yield packed.with_suffix(HURRIED)
        # Early 0.1.0 versions of Houseguest kept raw colour in the same folder.
        yield packed.with_suffix(".ppm")


def packed_path(folder: Path, digest: bytes, suffix: str = PACKED) -> Path:
    """Where a raw picture is packed."""
    name = digest.hex()
    return folder / name[:2] / (name + suffix)


def draft_of(path: Path) -> Path:
    """A new name in the folder of ``path``, for the file that will replace it."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}")


def read_file(path: Path, within: Path) -> bytes | None:
    """What a file below ``within`` holds, whose links are not followed; None where it is absent.
    Raises FrameError where it cannot be read."""
    try:
        return read_plain(path, MOST_PICTURE, within=within)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FrameError(f"{path}: cannot be read: {error.strerror}") from error


def read_raster(path: Path, data: bytes) -> Raster:
    """The pixels in the bytes of a PPM as ``put`` writes it, of a WebP as ``packing`` does, or
    of a PNG. Raises FrameError naming ``path`` for anything else."""
    header = _PPM.match(data)
    if header is not None:
        width, height = int(header[1]), int(header[2])
        return _checked(path, Raster(width, height, data[header.end() :]))
    try:
        with Image.open(io.BytesIO(data), formats=("WEBP", "PNG")) as picture:
            if picture.mode != "RGB":
                raise FrameError(f"{path}: not an RGB picture")
            return Raster(picture.width, picture.height, picture.tobytes())
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise FrameError(f"{path}: neither a PPM, a WebP nor a PNG: {error}") from error


def _checked(path: Path, raster: Raster) -> Raster:
    if len(raster.data) != raster.width * raster.height * 3:
        raise FrameError(
            f"{path}: {len(raster.data)} bytes are not {raster.width}×{raster.height} pixels"
        )
    return raster


def _png(image: EncodedImage) -> bytes:
    pixels = np.frombuffer(image.data, np.uint8).reshape(image.height, image.width, 3)
    return bytes(encode(pixels, ImageEncoding.PNG))


def _header(image: EncodedImage) -> bytes:
    if image.encoding is not ImageEncoding.RAW:
        return b""
    # A comment fills the file up to whole blocks, which are cheaper to write.
    size = b"\n%d %d\n255\n" % (image.width, image.height)
    room = -(len(b"P6\n#") + len(size) + len(image.data)) % BLOCK
    return b"P6\n#" + b" " * room + size


# --- Writes large files past the page cache

BLOCK = 4096
"""Direct writes are made of blocks of this size, from memory aligned to it."""

_LEAST = 64 * 1024
"""Below this many bytes the page cache is cheaper."""


class FileWriter:
    """Creates files. Not for several threads at once: it has one buffer."""

    def __init__(self) -> None:
        self._direct = hasattr(os, "O_DIRECT")
        self._buffer = mmap.mmap(-1, 2**20)

    def write_new(self, path: Path, parts: Sequence[bytes]) -> None:
        """Creates ``path`` with ``parts`` behind each other as its content.

        Raises FileExistsError, and OSError as the file system does; a file that could not
        be written whole may be left.
        """
        size = sum(map(len, parts))
        if self._direct and size >= _LEAST and size % BLOCK == 0:
            try:
                self._write_directly(path, parts, size)
            except OSError as error:
                if error.errno != errno.EINVAL:
                    raise
                self._direct = False
                path.unlink(missing_ok=True)
            else:
                return
        with path.open("xb", buffering=0) as file:
            _write_all(file.fileno(), [memoryview(part) for part in parts])

    def _write_directly(self, path: Path, parts: Sequence[bytes], size: int) -> None:
        if size > len(self._buffer):
            self._buffer = mmap.mmap(-1, size)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_DIRECT, 0o644)
        try:
            _write_all(fd, self._aligned(parts))
        finally:
            os.close(fd)

    def _aligned(self, parts: Sequence[bytes]) -> list[memoryview]:
        """The parts as aligned memory: themselves where they are, else in the buffer."""
        if any(len(part) % BLOCK for part in parts):
            parts = (b"".join(parts),)
        pieces, end = [], 0
        for part in parts:
            if np.frombuffer(part, np.uint8).ctypes.data % BLOCK == 0:
                pieces.append(memoryview(part))
                continue
            start, end = end, end + len(part)
            self._buffer[start:end] = part
            pieces.append(memoryview(self._buffer)[start:end])
        return pieces


def _write_all(fd: int, pieces: list[memoryview]) -> None:
    while pieces:
        written = os.writev(fd, pieces)
        while pieces and written >= len(pieces[0]):
            written -= len(pieces.pop(0))
        if pieces:
            pieces[0] = pieces[0][written:]
