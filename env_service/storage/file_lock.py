"""A folder that one process writes at a time: a locked file in it names the holder."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


class LockedError(Exception):
    """Another holds the lock. ``holder`` is its process's number, "unknown" where it left none."""

    def __init__(self, path: Path, holder: str) -> None:
        super().__init__(f"{path} is held by process {holder}")
        self.path, self.holder = path, holder


class FileLock:
    """An exclusive flock(2). The kernel lets go of it where its holder is killed."""

    def __init__(self, path: Path) -> None:
        """Makes the file if it is not there, and locks it without waiting.

        Raises LockedError, and OSError, also for a link.
        """
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(self._file, 32).decode(errors="replace").strip()
            os.close(self._file)
            raise LockedError(path, holder or "unknown") from error
        os.ftruncate(self._file, 0)
        os.write(self._file, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Lets go of the lock. May be called twice."""
        if self._file < 0:
            return
        # A process that another thread is starting has a copy of the file until its command runs,
        # and would keep the lock until then.
        fcntl.flock(self._file, fcntl.LOCK_UN)
        os.close(self._file)
        self._file = -1
