"""A digest of what a file or a folder holds, wherever it lies."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from env_service.storage.plain_files import open_plain

_MOST_BYTES = 2**40
DIGITS = 12
"""Hex digits of a digest in a label: 48 bits distinguish versions of one folder."""


def content_label(path: Path) -> str:
    """``sha256:`` and the first DIGITS digits of the content's digest."""
    return f"sha256:{content_digest(path)[:DIGITS]}"


def content_digest(path: Path) -> str:
    """SHA-256 (hex) of a file's bytes, or of a folder's names and bytes.

    A folder's digest is that of its files' lines ``<digest>  <name>``, sorted by name (names
    relative, with ``/``). Links are followed. What is hidden (``.name``) and ``__pycache__``
    are left out. Raises OSError for what cannot be read, a pipe or a device included.
    """
    if not path.is_dir():
        return _file_digest(path)
    names = sorted(os.fsencode(file.relative_to(path).as_posix()) for file in _files(path))
    lines = (
        b"%s  %s\n" % (_file_digest(path / os.fsdecode(name)).encode(), name) for name in names
    )
    return hashlib.sha256(b"".join(lines)).hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    seen = set()
    for place, below, names in os.walk(folder, followlinks=True, onerror=_raise):
        seen.add(Path(place).resolve())
        # Sorted, so that of two links to one folder it is always the same that counts.
        below[:] = sorted(
            name for name in below if _counts(name) and (Path(place) / name).resolve() not in seen
        )
        yield from (Path(place) / name for name in names if _counts(name))


def _counts(name: str) -> bool:
    return not name.startswith(".") and name != "__pycache__"


def _raise(error: OSError) -> None:
    raise error


def _file_digest(path: Path) -> str:
    with open_plain(path, _MOST_BYTES) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
