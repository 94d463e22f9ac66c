"""Writes large files past the page cache.

Nobody reads a stored picture while the run goes on, so keeping a copy of it in the page
cache costs processor time (a page to be found and filled every 4 KiB) and memory for
nothing. A file that is small or not made of whole blocks, and any file where the file system
knows no direct input and output, is written the ordinary way.
"""

from __future__ import annotations

import errno
import mmap
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

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
