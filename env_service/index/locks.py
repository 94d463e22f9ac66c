"""Whether a process plays a run, from the kernel's list of locks."""

from __future__ import annotations

import os
from pathlib import Path

from env_service.results.run_layout import LOCK
from env_service.storage.plain_files import read_plain


def held_locks() -> frozenset[tuple[str, str, int]]:
    """(process, device, inode) of each file that a process has locked with flock(2).

    The kernel's list is read, because trying the lock could keep the run from taking it.
    """
    try:
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return frozenset()
    found = set()
    for line in lines:
        words = line.split()
        if len(words) >= 6 and words[1] == "FLOCK":
            major, minor, inode = words[5].split(":")
            found.add((words[4], f"{major}:{minor}", int(inode)))
    return frozenset(found)


def is_held(folder: Path, root: Path, locks: frozenset[tuple[str, str, int]]) -> bool:
    """Whether the run's lock is held. A container's file system may give it another device; then
    the number of the process that the file names decides."""
    try:
        found = os.lstat(f"{folder}/{LOCK}")
        same = [each for each in locks if each[2] == found.st_ino]
        if not same:
            return False
        device = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}"
        holder = read_plain(folder / LOCK, 64, within=root).decode(errors="replace").strip()
    except OSError:
        return False
    return any(each[1] == device or each[0] == holder for each in same)
