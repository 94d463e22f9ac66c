"""Files that are either as they were or as they shall be."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from typing import Any


def write_atomically(path: Path, data: bytes | memoryview) -> None:
    """Replaces a file. A reader, also after a crash, sees either the old or the new content.

    A device or a pipe, such as ``/dev/null``, is written to and not replaced.
    """
    if path.is_char_device() or path.is_fifo():
        path.write_bytes(data)
        return
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)


def append_whole(file: FileIO, data: bytes) -> None:
    """Appends all of ``data`` or nothing: where the disk is full, OSError leaves no half line."""
    start, view = file.tell(), memoryview(data)
    try:
        while view:
            view = view[file.write(view) :]
    except OSError:
        file.truncate(start)
        file.seek(start)
        raise


def sync_folder(folder: Path) -> None:
    """Makes the names in a folder survive a loss of power."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def document(value: Mapping[str, Any]) -> bytes:
    """A JSON file for people: sorted, indented by two. Equal values give equal bytes."""
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode()
