"""Pictures, each stored once under the hash of its bytes."""

from __future__ import annotations

import io
import os
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from PIL import Image

from env_service.domain.observation import EncodedImage, ImageEncoding
from env_service.results.direct import BLOCK, FileWriter

SUFFIXES = {
    ImageEncoding.RAW: ".ppm",
    ImageEncoding.PNG: ".png",
    ImageEncoding.WEBP_LOSSLESS: ".webp",
    ImageEncoding.JPEG: ".jpg",
    ImageEncoding.RAW_F32: ".f32",
}

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

    Raw colour is stored as a binary PPM, so that any viewer opens it: its hash is that of
    the pixels behind the header. ``compact`` turns it into a PNG of the same name. Several
    processes may write to one store.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: set[str] = set()
        self._writer = FileWriter()

    def path(self, digest: bytes, encoding: ImageEncoding) -> Path:
        """Where a picture is put."""
        name = digest.hex()
        return self._folder / name[:2] / (name + SUFFIXES[encoding])

    def find(self, digest: bytes, encoding: ImageEncoding) -> Path | None:
        """Where a picture lies, compacted or not; None where it is absent."""
        path = self.path(digest, encoding)
        if path.exists():
            return path
        compacted = path.with_suffix(".png")
        return compacted if encoding is ImageEncoding.RAW and compacted.exists() else None

    def put(self, image: EncodedImage) -> None:
        """Stores a picture, unless it is there. Never leaves a half-written file."""
        key = image.digest.hex() + SUFFIXES[image.encoding]
        if key in self._known:
            return
        if self.find(image.digest, image.encoding) is None:
            path = self.path(image.digest, image.encoding)
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
            self._writer.write_new(draft, (_header(image), image.data))
            draft.replace(path)
        self._known.add(key)

    def read(self, digest: bytes, encoding: ImageEncoding) -> bytes:
        """The bytes of a picture as they were put.

        Raises FrameError, naming the file, where it is absent or its bytes have another hash.
        """
        path = self.find(digest, encoding)
        if path is None:
            raise FrameError(f"{self.path(digest, encoding)} is missing")
        raw = encoding is ImageEncoding.RAW
        data = _read_raster(path).data if raw else _read_file(path)
        if sha256(data).digest() != digest:
            raise FrameError(f"{path}: the picture is not the one of this name: it was changed")
        return data

    def compact(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Turns raw colour into PNG, without loss, and returns how many pictures it turned.

        Each picture is read back and compared before its raw file goes, so that an
        interrupted call loses nothing and the next one goes on. A raw file that is damaged
        stays as it is. ``progress`` is called with (done, total). To be called when nobody
        writes to the store: drafts that killed processes left are removed.
        """
        for draft in self._folder.glob("??/.*"):
            draft.unlink()
        raw = sorted(self._folder.glob("??/*.ppm"))
        turned = 0
        for done, path in enumerate(raw, 1):
            turned += _compact(path)
            if progress is not None:
                progress(done, len(raw))
        return turned


def _compact(path: Path) -> bool:
    try:
        raster = _read_raster(path)
    except FrameError:
        return False
    if sha256(raster.data).hexdigest() != path.stem:
        return False
    draft = path.with_name(f".{path.stem}.png.{secrets.token_hex(4)}")
    picture = Image.frombytes("RGB", (raster.width, raster.height), raster.data)
    with draft.open("xb") as file:
        picture.save(file, "PNG", optimize=False)
        file.flush()
        # The raw file goes next: its heir has to be on the disk by then.
        os.fsync(file.fileno())
    if _read_raster(draft) != raster:
        draft.unlink()
        raise FrameError(f"{path}: the PNG made of it differs from it; it stays raw")
    draft.replace(path.with_suffix(".png"))
    path.unlink()
    return True


def _read_raster(path: Path) -> Raster:
    """The pixels of a PPM as ``put`` writes it, or of a PNG as ``compact`` does."""
    data = _read_file(path)
    header = _PPM.match(data)
    if header is not None:
        width, height = int(header[1]), int(header[2])
        return _checked(path, Raster(width, height, data[header.end() :]))
    try:
        with Image.open(io.BytesIO(data), formats=("PNG",)) as picture:
            if picture.mode != "RGB":
                raise FrameError(f"{path}: not an RGB picture")
            return Raster(picture.width, picture.height, picture.tobytes())
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise FrameError(f"{path}: neither a PPM nor a PNG: {error}") from error


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FrameError(f"{path}: cannot be read: {error.strerror}") from error


def _checked(path: Path, raster: Raster) -> Raster:
    if len(raster.data) != raster.width * raster.height * 3:
        raise FrameError(
            f"{path}: {len(raster.data)} bytes are not {raster.width}×{raster.height} pixels"
        )
    return raster


def _header(image: EncodedImage) -> bytes:
    if image.encoding is not ImageEncoding.RAW:
        return b""
    # A comment fills the file up to whole blocks, which are cheaper to write.
    size = b"\n%d %d\n255\n" % (image.width, image.height)
    room = -(len(b"P6\n#") + len(size) + len(image.data)) % BLOCK
    return b"P6\n#" + b" " * room + size
