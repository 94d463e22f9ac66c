"""One file out of the archive that an engine makes of it."""

from __future__ import annotations

import tarfile
from collections.abc import Iterable
from io import BytesIO

from env_service.submissions.errors import ManifestError
from env_service.submissions.safe_yaml import MOST_BYTES

_MOST_ARCHIVE = MOST_BYTES + 64 * 1024
"""Bytes: headers and padding come on top of the file."""
_PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE)


def read_only_file(chunks: Iterable[bytes], path: str) -> bytes:
    """The content of the one ordinary file in a tar archive, of MOST_BYTES at most.

    Nothing is written to the disk, and nothing is followed. No more of the archive is read than
    such a file needs. Raises ManifestError naming ``path`` for a link, a folder, a device, a sparse
    file, several members, one that is too large, and for what is no archive.
    """
    try:
        with tarfile.open(fileobj=BytesIO(_bounded(chunks, path)), mode="r:") as archive:
            return _only(archive, path)
    except (tarfile.TarError, EOFError, ValueError) as error:
        if isinstance(error, ManifestError):
            raise
        raise ManifestError(
            f"{path}: the engine's archive of it cannot be read: {error}"
        ) from error


def _only(archive: tarfile.TarFile, path: str) -> bytes:
    member = archive.next()
    if member is None:
        raise ManifestError(f"{path}: it is not there")
    if member.issym() or member.islnk():
        raise ManifestError(f"{path}: it is a link, to {member.linkname!r}: make it a file")
    if member.type not in _PLAIN or member.issparse():
        raise ManifestError(f"{path}: it is no ordinary file: make it one")
    if member.size > MOST_BYTES:
        raise _too_large(path)
    file = archive.extractfile(member)
    data = b"" if file is None else file.read()
    if len(data) != member.size or archive.next() is not None:
        raise ManifestError(f"{path}: the engine's archive holds more, or less, than this one file")
    return data


def _bounded(chunks: Iterable[bytes], path: str) -> bytes:
    held = bytearray()
    for chunk in chunks:
        held += chunk
        if len(held) > _MOST_ARCHIVE:
            raise _too_large(path)
    return bytes(held)


def _too_large(path: str) -> ManifestError:
    return ManifestError(f"{path}: it is larger than {MOST_BYTES} bytes: shorten it")
