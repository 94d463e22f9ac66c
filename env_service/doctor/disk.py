"""Whether there is room for runs, and whether their folders can be written and locked."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from env_service.doctor.finding import Finding, State, Subject

LITTLE = 2 * 2**30
"""Bytes. A run may have half a gibibyte of pictures unpacked, and keeps the packed ones."""
NEXT_TO_NOTHING = 64 * 2**20
"""Bytes."""


def disk(subject: Subject) -> Iterator[Finding]:
    """The folders that a run writes to."""
    yield look("folder for runs", subject.runs, "Give another folder to --out.")
    temporary = Path(tempfile.gettempdir())
    yield look("temporary folder", temporary, "Let TMPDIR name another folder.")


def look(name: str, folder: Path, mend: str, *, needed: bool = True) -> Finding:
    """Whether a folder, or what it would be made in, takes files and has room.

    ``mend`` is how to use another one. What is not ``needed`` is a warning at worst.
    """
    bad = State.PROBLEM if needed else State.WARNING
    folder = place = folder.absolute()
    try:
        place = next(each for each in (folder, *folder.parents) if each.exists())
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(b"houseguest")
            file.flush()
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        free = shutil.disk_usage(place).free
    except OSError as error:
        why = error.strerror or str(error)
        return Finding(name, bad, f"{place} cannot be written and locked: {why}", mend)
    found = f"{folder}, {free / 2**30:,.1f} GiB free"
    if free < NEXT_TO_NOTHING:
        return Finding(name, bad, found, f"Make room. {mend}")
    if free < LITTLE:
        return Finding(name, State.WARNING, found, f"Make room. {mend}")
    return Finding(name, State.OK, found)
