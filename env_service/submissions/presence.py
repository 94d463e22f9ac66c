"""Whether a worker of a queue still runs, as far as this machine can tell."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from env_service.submissions.errors import QueueError


class Presence:
    """A file that a worker keeps locked as long as it lives; the kernel lets go of it for one that
    was killed. A context manager."""

    def __init__(self, folder: Path, worker: str) -> None:
        """Locks nothing yet."""
        self._path = folder / f"{worker}.lock"
        self._held = -1

    def __enter__(self) -> Presence:
        self._path.parent.mkdir(exist_ok=True, mode=0o700)
        self._held = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise QueueError(f"another worker is called {self._path.stem}") from error
        return self

    def __exit__(self, *_: object) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._held)


def is_gone(folder: Path, worker: str) -> bool:
    """Whether a worker certainly runs no more. One of another machine may, for all we know: its
    lease tells."""
    path = folder / f"{worker}.lock"
    try:
        found = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
    except BlockingIOError:
        return False
    finally:
        os.close(found)
    return True
