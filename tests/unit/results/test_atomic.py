"""Files that are replaced whole, and what may not be replaced."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from env_service.storage.atomic_files import write_atomically


def test_a_file_is_replaced_and_nothing_lies_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path / "folder", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_device_stays_one(tmp_path: Path) -> None:
    nothing = tmp_path / "null"
    nothing.symlink_to(os.devnull)
    write_atomically(nothing, b"words")
    assert nothing.is_char_device()
    assert list(tmp_path.iterdir()) == [nothing]


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    pipe, heard = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_atomically(pipe, b"words")
    reader.join(60)
    assert heard == [b"words"]
    assert pipe.is_fifo()
