"""A player's folder: its pipes and its log. It is removed when the player ends.

Its name identifies its owner, so that what a killed owner left behind is found and removed.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

_PREFIX = "houseguest-thor-"
_NAME = re.compile(rf"{_PREFIX}(\d+)-(\d+)-(\d+)-\w+")
_STARTED = 19
"""Place of a process's start time behind its name in /proc/PID/stat (proc(5))."""


def make() -> Path:
    """A new folder for this process, which only this user can read."""
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{_namespace()}-{_owner(os.getpid())}-"))


def remove(folder: Path) -> None:
    """Removes a folder and its contents; does nothing if it does not exist."""
    shutil.rmtree(folder, ignore_errors=True)


def sweep() -> None:
    """Removes the folders of this user's owners that are dead.

    Of owners in another container, whose process ids mean nothing here, none is touched.
    """
    here = _namespace()
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        parts = _NAME.fullmatch(folder.name)
        if parts is None or parts[1] != here or not _is_ours(folder):
            continue
        if _owner(int(parts[2])) != f"{parts[2]}-{parts[3]}":
            remove(folder)


def _owner(process: int) -> str:
    """A process so that its number, used again, does not look the same; "" if there is none."""
    try:
        fields = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return ""
    return f"{process}-{int(fields[_STARTED])}"


def _namespace() -> str:
    return str(Path("/proc/self/ns/pid").stat().st_ino)


def _is_ours(folder: Path) -> bool:
    try:
        return folder.lstat().st_uid == os.getuid()
    except OSError:
        return False
