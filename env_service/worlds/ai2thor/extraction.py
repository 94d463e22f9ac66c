"""Unpacking a build's zip file: nothing outside the folder, and modes and links as they were."""

from __future__ import annotations

import shutil
import stat
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

from env_service.worlds.base import WorldUnavailableError

UNIX = 3
"""The system of a zip file's entry whose modes are Unix's (APPNOTE section 4.4.2)."""


class ArchiveError(WorldUnavailableError):
    """An archive is no build, or holds what must not be unpacked."""


def unpack(archive: Path, folder: Path, on_bytes: Callable[[int], None]) -> None:
    """Unpacks a zip file into a new folder; ``on_bytes`` is told how much after each entry.

    Entries that may be executed stay so, and symbolic links that lead to inside the folder are
    made, after everything else. Nobody but the owner may write what is unpacked.

    Raises:
        ArchiveError: it is no zip file, damaged, does not fit the disk, or has an entry that
            leads out of the folder or is neither a file, a folder nor a link.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = opened.infolist()
            for entry in entries:
                _check(entry)
            _check_room(sum(entry.file_size for entry in entries), folder)
            folder.mkdir()
            for entry in sorted(entries, key=_is_link):
                _write(opened, entry, folder)
                on_bytes(entry.file_size)
            _check_links([folder / entry.filename for entry in entries if _is_link(entry)], folder)
    except (zipfile.BadZipFile, NotImplementedError, EOFError) as error:
        raise ArchiveError(f"{archive} is no zip file, or a damaged one: {error}") from error


def unpacked_size(archive: Path) -> int:
    """Bytes of all entries together. Raises ArchiveError."""
    try:
        with zipfile.ZipFile(archive) as opened:
            return sum(entry.file_size for entry in opened.infolist())
    except zipfile.BadZipFile as error:
        raise ArchiveError(f"{archive} is no zip file, or a damaged one: {error}") from error


def _write(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path) -> None:
    target = folder / entry.filename
    if entry.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if _is_link(entry):
        target.symlink_to(opened.read(entry).decode("utf-8", errors="surrogateescape"))
        return
    with opened.open(entry) as source, target.open("xb") as file:
        shutil.copyfileobj(source, file, 1 << 20)
    executable = entry.create_system == UNIX and _mode(entry) & 0o111
    target.chmod(0o755 if executable else 0o644)


def _check_links(links: Iterable[Path], folder: Path) -> None:
    """Judges links when all are there: one may lead through another."""
    for link in links:
        if not link.resolve().is_relative_to(folder.resolve()):
            raise ArchiveError(f"the archive's link {link.name!r} leads out of it")


def _check(entry: zipfile.ZipInfo) -> None:
    path = PurePosixPath(entry.filename)
    if path.is_absolute() or ".." in path.parts or "\\" in entry.filename:
        raise ArchiveError(f"the archive's entry {entry.filename!r} leads out of it")
    kind = stat.S_IFMT(_mode(entry)) if entry.create_system == UNIX else 0
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
        raise ArchiveError(f"the archive's entry {entry.filename!r} is no file, folder or link")
    if entry.flag_bits & 1:
        raise ArchiveError(f"the archive's entry {entry.filename!r} is encrypted")


def _check_room(size: int, folder: Path) -> None:
    free = shutil.disk_usage(folder.parent).free
    if free < size:
        raise ArchiveError(
            f"{folder.parent}: {size:,} bytes are needed to unpack the build and {free:,} are free"
        )


def _is_link(entry: zipfile.ZipInfo) -> bool:
    return entry.create_system == UNIX and stat.S_ISLNK(_mode(entry))


def _mode(entry: zipfile.ZipInfo) -> int:
    return entry.external_attr >> 16
