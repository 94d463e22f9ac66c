"""Logs of what child processes print, with a bounded size."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path

TAIL_BYTES = 8192
"""Bytes of the latest output that are kept in memory, to explain why a process died."""


class BoundedLog:
    """A file of a process's output. Its older half is in the same folder, as ``<name>.1``.

    Both together never exceed ``limit`` bytes. If the disk is full, output is lost but the process
    continues. Any thread may write. What is written after ``close`` is kept in the tail only.
    """

    def __init__(self, path: Path, limit: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._half = limit // 2
        self._tail = b""
        self._lock = threading.Lock()
        self._fd = _open(path)
        self._size = os.fstat(self._fd).st_size

    def write(self, data: bytes) -> None:
        """Appends, rotating first where the data would not fit."""
        with self._lock:
            self._tail = (self._tail + data)[-TAIL_BYTES:]
            if self._fd >= 0:
                self._append(data[-self._half :])

    def tail(self, lines: int = 25) -> str:
        """The last lines of this process's output."""
        text = self._tail.decode(errors="replace")
        return "\n".join(text.splitlines()[-lines:]).strip()

    def close(self) -> None:
        """Closes the file. May be called twice."""
        with self._lock:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1

    def _append(self, data: bytes) -> None:
        try:
            if self._size + len(data) > self._half:
                self._rotate()
            self._size += os.write(self._fd, data)
        except OSError as problem:
            self._tail += f"\n[log not written: {problem}]".encode()

    def _rotate(self) -> None:
        self._path.replace(self._path.with_name(self._path.name + ".1"))
        os.close(self._fd)
        self._fd = _open(self._path)
        self._size = 0


def _open(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)


class LogPipe(asyncio.Protocol):
    """Writes a process's output from its pipe to a log."""

    def __init__(self, log: BoundedLog) -> None:
        self._log = log
        self.ended = asyncio.Event()
        """Set once every process that held the pipe has closed it."""

    def data_received(self, data: bytes) -> None:
        """Writes to the log."""
        self._log.write(data)

    def connection_lost(self, _exc: Exception | None) -> None:
        """Notes the end."""
        self.ended.set()
