"""Reads files that somebody else may have made, and nothing but plain files.

A folder that comes from elsewhere can hold a pipe, which a reader waits at for ever, a device
that never ends, a link to a file outside of the folder, or a file that claims terabytes. Every
read of such a folder goes through ``read_plain`` or ``open_plain``: they open the file without
waiting, look at what was really opened, and refuse anything but a plain file of bounded size.
"""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

MOST_GIVEN = 256 * 2**20
"""Bytes that are read of a file that a user names to a command, where nothing tighter holds."""

_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class PlainFileError(OSError):
    """A path does not name a plain file of bounded size. ``filename`` says which path, and
    ``strerror`` what it is and how to mend it."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(errno.EINVAL, problem, str(path))

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}"


def read_plain(path: Path, most: int, *, within: Path | None = None) -> bytes:
    """All bytes of a plain file. Arguments and errors are those of ``open_plain``."""
    with open_plain(path, most, within=within) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise _too_large(path, most)
    return data


def read_plain_text(path: Path, most: int = MOST_GIVEN, *, encoding: str = "utf-8") -> str:
    """The text of a plain file that a user names, with line ends as ``Path.read_text`` gives
    them. Raises as ``open_plain`` does, and UnicodeDecodeError."""
    text = read_plain(path, most).decode(encoding)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def open_plain(path: Path, most: int, *, within: Path | None = None) -> BufferedReader:
    """Opens a plain file of at most ``most`` bytes for reading.

    ``within`` is a folder above ``path`` that came from elsewhere: no link below it is followed.
    Without it the path is the user's own, and its links are followed.

    Raises PlainFileError for a pipe, a socket, a device, a folder, a link below ``within``, and a
    file that is too large; FileNotFoundError and other OSErrors as ``open`` does. Each names the
    whole path.
    """
    if within is None:
        return _open(path, str(path), None, most)
    *folders, name = path.relative_to(within).parts
    if ".." in folders or name == "..":
        raise PlainFileError(path, f"the path leaves {within}")
    try:
        place = os.open(within, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _named(error, within) from error
    try:
        for folder in folders:
            place = _below(place, folder, path)
        return _open(path, name, place, most)
    finally:
        os.close(place)


def check_no_link(path: Path, within: Path) -> None:
    """Raises PlainFileError where a part of ``path`` below the folder ``within`` is a link."""
    place = within
    for part in path.relative_to(within).parts:
        place = place / part
        if place.is_symlink():
            raise PlainFileError(place, f"this is a link: {_MENDS['a link']}")


def check_writable_place(path: Path) -> None:
    """Raises PlainFileError where a file cannot be replaced at ``path`` without writing into a
    pipe, a device, or the folder behind a link."""
    if path.parent.is_symlink():
        raise PlainFileError(path.parent, f"this is a link: {_MENDS['a link']}")
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise PlainFileError(path, _odd(mode))


_MENDS = {
    "a link": "replace it by the file or folder itself",
    "a folder": "replace it by a file",
}


def _odd(mode: int) -> str:
    kind = _KINDS.get(stat.S_IFMT(mode), "not a plain file")
    mend = _MENDS.get(kind, "remove it, or replace it by a plain file")
    return f"this is {kind}, and only plain files are read: {mend}"


def _below(place: int, folder: str, path: Path) -> int:
    """The folder's descriptor; closes ``place``, its parent folder."""
    try:
        below = os.open(folder, _FOLDER, dir_fd=place)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENOTDIR):
            raise _named(error, path) from error
        mode = os.stat(folder, dir_fd=place, follow_symlinks=False).st_mode
        what = _KINDS.get(stat.S_IFMT(mode), "a file")
        mend = _MENDS["a link"] if stat.S_ISLNK(mode) else "replace it by a folder"
        raise PlainFileError(path, f"its folder {folder} is {what}: {mend}") from error
    os.close(place)
    return below


def _open(path: Path, name: str, place: int | None, most: int) -> BufferedReader:
    """Opens ``name`` in the folder ``place``, without following a link; with ``place`` None,
    opens the path ``name`` and follows links."""
    follow = place is None
    try:
        # Opening a device can have side effects.
        _check(path, os.stat(name, dir_fd=place, follow_symlinks=follow), most)
        file = os.open(name, _FILE | (0 if follow else os.O_NOFOLLOW), dir_fd=place)
    except PlainFileError:
        raise
    except OSError as error:
        raise _named(error, path) from error
    try:
        # What was looked at may have been exchanged since.
        _check(path, os.fstat(file), most)
        return os.fdopen(file, "rb")
    except BaseException:
        os.close(file)
        raise


def _check(path: Path, found: os.stat_result, most: int) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise PlainFileError(path, _odd(found.st_mode))
    if found.st_size > most:
        raise _too_large(path, most)


def _too_large(path: Path, most: int) -> PlainFileError:
    return PlainFileError(
        path,
        f"this file is larger than {_size(most)}, the limit for a file of its kind: get an"
        " undamaged copy",
    )


def _size(count: int) -> str:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:g} {unit}"
    return f"{count} bytes"


def _named(error: OSError, path: Path) -> OSError:
    """The same error with the whole path."""
    return OSError(error.errno, error.strerror, str(path))
