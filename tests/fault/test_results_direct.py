"""Files written past the page cache hold what was written, on any file system."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

import pytest

from env_service.storage.frame_store import BLOCK, FileWriter

HEADER = b"P6\n#".ljust(BLOCK - 1) + b"\n"


def aligned(data: bytes) -> memoryview:
    page = mmap.mmap(-1, len(data))
    page[:] = data
    return memoryview(page)


@pytest.mark.parametrize("size", [0, 1, BLOCK, 64 * 1024, 192 * BLOCK, 192 * BLOCK + 1])
@pytest.mark.parametrize("place", ["tmp_path", "/dev/shm"])
def test_the_content_is_that_of_the_parts(tmp_path: Path, size: int, place: str) -> None:
    folder = tmp_path if place == "tmp_path" else Path(place)
    data, writer = os.urandom(size), FileWriter()
    for number, parts in enumerate(((HEADER, data), (data,), (HEADER, aligned(data or b"x")))):
        path = folder / f"hg-direct-{os.getpid()}-{number}"
        try:
            writer.write_new(path, parts)  # type: ignore[arg-type]
            assert path.read_bytes() == b"".join(parts)
        finally:
            path.unlink(missing_ok=True)


def test_an_existing_file_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "there"
    path.write_bytes(b"before")
    for size in (10, 64 * 1024):
        with pytest.raises(FileExistsError):
            FileWriter().write_new(path, (b"x" * size,))
    assert path.read_bytes() == b"before"
