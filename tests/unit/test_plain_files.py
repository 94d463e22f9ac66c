"""Files that somebody else made: only plain files of bounded size are read."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from env_service.storage.plain_files import (
    PlainFileError,
    check_no_link,
    check_writable_place,
    open_plain,
    read_plain,
)

MOST = 1000


def pipe(path: Path) -> None:
    os.mkfifo(path)


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        # The path of a socket is short; the test's may not be.
        here = Path.cwd()
        os.chdir(path.parent)
        try:
            bound.bind(path.name)
        finally:
            os.chdir(here)


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**40)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def outside(path: Path) -> None:
    path.symlink_to("/etc/hostname")


ODD: dict[str, tuple[Callable[[Path], None], str]] = {
    "pipe": (pipe, "this is a pipe"),
    "socket": (listening, "this is a socket"),
    "huge": (huge, "larger than 1000 bytes"),
    "endless": (endless, "this is a link"),
    "outside": (outside, "this is a link"),
    "folder": (Path.mkdir, "this is a folder"),
}


@pytest.mark.parametrize("kind", ODD)
def test_nothing_but_a_plain_file_is_read(tmp_path: Path, kind: str) -> None:
    make, problem = ODD[kind]
    path = tmp_path / "inside" / "file"
    path.parent.mkdir()
    make(path)
    with pytest.raises(PlainFileError, match=problem) as caught:
        read_plain(path, MOST, within=tmp_path)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_plain_file_is_read_up_to_the_bound(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * MOST)
    assert read_plain(path, MOST, within=tmp_path) == b"x" * MOST
    path.write_bytes(b"x" * (MOST + 1))
    with pytest.raises(PlainFileError, match="larger"):
        read_plain(path, MOST)


def test_a_file_that_grows_once_it_is_open_stays_bounded(tmp_path: Path) -> None:
    """Files of /proc have no size until they are read."""
    with pytest.raises(PlainFileError, match="larger than 4 bytes"):
        read_plain(Path("/proc/self/status"), 4)


@pytest.mark.parametrize("target", [".", "/etc"])
def test_a_folder_that_is_a_link_is_not_entered(tmp_path: Path, target: str) -> None:
    (tmp_path / "transcripts").symlink_to(target)
    (tmp_path / "hostname").write_text("inside")
    with pytest.raises(PlainFileError, match="its folder transcripts is a link"):
        open_plain(tmp_path / "transcripts" / "hostname", MOST, within=tmp_path)


def test_a_file_in_place_of_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "transcripts").write_text("no folder")
    with pytest.raises(PlainFileError, match="replace it by a folder"):
        open_plain(tmp_path / "transcripts" / "a.jsonl", MOST, within=tmp_path)


def test_a_path_never_leads_out(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "secret").write_text("secret")
    with pytest.raises(PlainFileError, match="the path leaves"):
        read_plain(tmp_path / "inside" / ".." / "secret", MOST, within=tmp_path / "inside")


def test_a_users_own_links_are_followed_to_plain_files_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to("file")
    assert read_plain(tmp_path / "link", MOST) == b"text"
    (tmp_path / "zero").symlink_to("/dev/zero")
    with pytest.raises(PlainFileError, match="this is a device"):
        read_plain(tmp_path / "zero", MOST)


def test_an_absent_file_is_named_whole(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        read_plain(tmp_path / "a" / "b", MOST, within=tmp_path)
    assert caught.value.filename == str(tmp_path / "a" / "b")


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    pipe(tmp_path / "a" / "pipe")
    (tmp_path / "a" / "file").write_text("text")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        with pytest.raises(PlainFileError):
            read_plain(tmp_path / "a" / "pipe", MOST, within=tmp_path)
        with pytest.raises(FileNotFoundError):
            read_plain(tmp_path / "a" / "none" / "file", MOST, within=tmp_path)
        read_plain(tmp_path / "a" / "file", MOST, within=tmp_path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_what_is_written_stays_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / "scores").symlink_to("/tmp")
    with pytest.raises(PlainFileError, match="this is a link"):
        check_writable_place(tmp_path / "scores" / "lcs.json")
    with pytest.raises(PlainFileError, match="this is a link"):
        check_no_link(tmp_path / "scores" / "lcs.json", tmp_path)
    pipe(tmp_path / "pipe")
    with pytest.raises(PlainFileError, match="this is a pipe"):
        check_writable_place(tmp_path / "pipe")
    check_writable_place(tmp_path / "new")
