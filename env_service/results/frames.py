"""Pictures, each stored once under the hash of its bytes."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from env_service.domain.observation import EncodedImage, ImageEncoding

SUFFIXES = {
    ImageEncoding.RAW: ".ppm",
    ImageEncoding.PNG: ".png",
    ImageEncoding.WEBP_LOSSLESS: ".webp",
    ImageEncoding.JPEG: ".jpg",
    ImageEncoding.RAW_F32: ".f32",
}


class FrameStore:
    """A folder of pictures: ``<first two hex digits>/<SHA-256 of the bytes><suffix>``.

    Raw colour is stored as a binary PPM, so that any viewer opens it: its hash is that of
    the pixels behind the header. Several processes may write to one store.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: set[str] = set()

    def path(self, digest: bytes, encoding: ImageEncoding) -> Path:
        """Where a picture lies, or would lie."""
        name = digest.hex()
        return self._folder / name[:2] / (name + SUFFIXES[encoding])

    def put(self, image: EncodedImage) -> None:
        """Stores a picture, unless it is there. Never leaves a half-written file."""
        key = image.digest.hex() + SUFFIXES[image.encoding]
        if key in self._known:
            return
        path = self.path(image.digest, image.encoding)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
            fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            try:
                _write_all(fd, _header(image), image.data)
            finally:
                os.close(fd)
            draft.replace(path)
        self._known.add(key)


def _header(image: EncodedImage) -> bytes:
    if image.encoding is not ImageEncoding.RAW:
        return b""
    return b"P6\n%d %d\n255\n" % (image.width, image.height)


def _write_all(fd: int, header: bytes, data: bytes) -> None:
    written = os.writev(fd, [header, data]) - len(header)
    view = memoryview(data)
    while written < len(data):
        written += os.write(fd, view[written:])
