"""The memory in which a worker hands pictures to its engine.

A file in memory that both processes map: the worker writes a picture once, the engine
copies it out once. It has no name, so it goes with the last process that holds it. One
request at a time is under way on a worker, and the engine has read every picture of an
answer before it sends the next request: so there is nothing to lock.
"""

from __future__ import annotations

import mmap
import os
import tempfile

_BLOCK = 4096
"""Pictures start at whole blocks: such memory can be written to a disk as it is."""

FIRST_SIZE = 4 * 2**20
"""Bytes of a fresh page: several 512×512 pictures. Memory is only taken as it is used."""


def make_page() -> int:
    """A descriptor of a fresh page, closed by the caller."""
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("houseguest-frames")
    else:
        with tempfile.TemporaryFile() as file:
            fd = os.dup(file.fileno())
    os.ftruncate(fd, FIRST_SIZE)
    return fd


class WritablePage:
    """The worker's end."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._map = mmap.mmap(fd, 0)
        self._end = 0

    @property
    def size(self) -> int:
        """Bytes of the whole page. Only ever grows."""
        return len(self._map)

    def clear(self) -> None:
        """Starts the next answer: what was written before may be overwritten."""
        self._end = 0

    def view(self, offset: int, length: int) -> memoryview:
        """That part of the page itself. It changes when the page is cleared and written anew."""
        return memoryview(self._map)[offset : offset + length]

    def append(self, data: bytes | memoryview) -> int:
        """Writes ``data`` at a block of its own, growing the page where it must.

        Returns its offset.
        """
        start = -(-self._end // _BLOCK) * _BLOCK
        self._end = start + len(data)
        if self._end > self.size:
            self._grow()
        self._map[start : self._end] = data
        return start

    def _grow(self) -> None:
        size = self.size
        while size < self._end:
            size *= 2
        os.ftruncate(self._fd, size)
        # Views of the smaller map stay good: both show the same memory.
        self._map = mmap.mmap(self._fd, size)


class ReadablePage:
    """The engine's end. Takes over the descriptor."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._map = mmap.mmap(fd, 0, access=mmap.ACCESS_READ)

    def read(self, offset: int, length: int, size: int) -> bytes:
        """A copy of that part of the page, which is now ``size`` bytes in all."""
        if size > len(self._map):
            self._map.close()
            self._map = mmap.mmap(self._fd, size, access=mmap.ACCESS_READ)
        return self._map[offset : offset + length]

    def close(self) -> None:
        """Lets go of the memory. May be called twice."""
        if not self._map.closed:
            self._map.close()
            os.close(self._fd)
