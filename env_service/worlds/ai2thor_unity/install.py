"""Puts the Unity build below a home folder, as `ai2thor` itself would, from a zip file."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
import shutil
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from env_service.worlds.ai2thor_unity.build import (
    InstalledBuild,
    base_folder,
    build_name,
    installed,
    releases,
)
from env_service.worlds.ai2thor_unity.settings import Platform
from env_service.worlds.base import WorldUnavailableError

PUBLISHED = "https://s3-us-west-2.amazonaws.com/ai2-thor-public/builds"
"""Where AI2-THOR's builds are published; the package asks the same host without TLS."""

RECEIPT = "houseguest-receipt.json"
CHUNK = 1 << 20


class InstallError(WorldUnavailableError):
    """A build cannot be installed. The message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a build was made of: its zip file's SHA-256 in hex and size in bytes, where that came
    from, what the checksum was compared with ("" for nothing), and when the file was written."""

    archive: str
    sha256: str
    bytes: int
    source: str
    checked_against: str
    dated: str


def published_url(platform: Platform) -> str:
    """Where the pinned build for a platform is published; its SHA-256 with ``.sha256`` for
    ``.zip``."""
    return f"{PUBLISHED}/{build_name(platform)}.zip"


def sha256_of(path: Path, on_bytes: Callable[[int], None] = lambda _: None) -> str:
    """The SHA-256 of a file, in hex; ``on_bytes`` gets the number of bytes of each read."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            on_bytes(len(chunk))
    return digest.hexdigest()


def receipt_for(archive: Path, sha256: str, source: str, checked_against: str) -> Receipt:
    """The receipt of a zip file."""
    found = archive.stat()
    dated = datetime.fromtimestamp(int(found.st_mtime), UTC).isoformat()
    return Receipt(archive.name, sha256, found.st_size, source, checked_against, dated)


def read_receipt(build: InstalledBuild) -> Receipt | None:
    """What an installed build was made of; None where it was not installed by us."""
    try:
        value: Any = json.loads((build.folder / RECEIPT).read_text(encoding="utf-8"))
        return Receipt(**value)
    except (OSError, ValueError, TypeError):
        return None


class Workshop:
    """Where a build is put together: the folder `ai2thor` uses for it. `workshop` makes it."""

    def __init__(self, platform: Platform, home: Path | None) -> None:
        self._platform, self._home = platform, home
        self._name = build_name(platform)
        self.folder = base_folder(home) / "tmp"

    @property
    def archive(self) -> Path:
        """Where a zip file that is downloaded may lie until it is installed."""
        return self.folder / f"{self._name}.zip"

    def install(
        self, archive: Path, receipt: Receipt, on_bytes: Callable[[int], None] = lambda _: None
    ) -> InstalledBuild:
        """Unpacks a zip file and puts the build in place, instead of an earlier one.

        ``on_bytes`` gets the number of bytes after each file. If anything fails, an earlier build
        remains in place.

        Raises:
            ArchiveError: the archive is not a usable build.
            InstallError: players run from the installed build.
        """
        draft = self.folder / f"{self._name}.unpacking.{secrets.token_hex(4)}"
        try:
            unpack(archive, draft, on_bytes)
            self._finish(draft, archive, receipt)
            self._put(draft)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        return installed(self._platform, self._home)

    def clean(self) -> None:
        """Removes what a killed installer left behind."""
        for left in self.folder.glob(f"{self._name}.*.????????"):
            shutil.rmtree(left, ignore_errors=True)

    def _finish(self, draft: Path, archive: Path, receipt: Receipt) -> None:
        for wanted in (self._name, "metadata.json"):
            if not (draft / wanted).is_file():
                raise ArchiveError(f"{archive} is not a build of AI2-THOR: it has no {wanted!r}")
        (draft / self._name).chmod(0o755)
        text = json.dumps(asdict(receipt), indent=2, sort_keys=True)
        (draft / RECEIPT).write_text(text + "\n", encoding="utf-8")

    def _put(self, draft: Path) -> None:
        place = releases(self._home) / self._name
        if not place.exists():
            draft.rename(place)
            return
        old = self.folder / f"{self._name}.replaced.{secrets.token_hex(4)}"
        busy = f"players run from {place}, or are starting. Stop them, then install again."
        with _locked(place, busy):
            place.rename(old)
            draft.rename(place)
        shutil.rmtree(old, ignore_errors=True)


@contextmanager
def workshop(platform: Platform, home: Path | None) -> Iterator[Workshop]:
    """The place for putting a build together, for us alone.

    Raises:
        ValueError: a platform that no build is published for.
        InstallError: another installer is at work, ours or the package's, or the folder cannot
            be written.
    """
    made = Workshop(platform, home)
    try:
        releases(home).mkdir(parents=True, exist_ok=True)
        made.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InstallError(
            f"{error.filename}: {error.strerror}. Builds cannot be stored there. Make the"
            " folder writable, or choose another one with --home."
        ) from error
    busy = f"another process installs {build_name(platform)}. Wait for it, or stop it."
    with _locked(made.folder / build_name(platform), busy):
        made.clean()
        yield made


@contextmanager
def _locked(path: Path, busy: str) -> Iterator[None]:
    """Holds ``path.lock`` alone, as `ai2thor` does it: by lockf, which a dying process lets go."""
    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InstallError(busy) from error
        yield
    finally:
        os.close(lock)


# --- Unpacking a build's zip file: nothing outside the folder, and modes and links as they were

UNIX = 3
"""The system of a zip file's entry whose modes are Unix's (APPNOTE section 4.4.2)."""


class ArchiveError(WorldUnavailableError):
    """An archive is not a build, or holds what must not be unpacked."""


def unpack(archive: Path, folder: Path, on_bytes: Callable[[int], None]) -> None:
    """Unpacks a zip file into a new folder; ``on_bytes`` gets the bytes after each entry.

    Executable entries stay executable. Symbolic links that lead to inside the folder are made,
    after everything else. Only the owner may write what is unpacked.

    Raises:
        ArchiveError: the file is not a zip file, damaged, does not fit the disk, or has an entry
            that leads out of the folder or is neither a file, a folder nor a link.
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
        raise ArchiveError(f"{archive} is not a zip file, or a damaged one: {error}") from error


def unpacked_size(archive: Path) -> int:
    """Bytes of all entries together. Raises ArchiveError."""
    try:
        with zipfile.ZipFile(archive) as opened:
            return sum(entry.file_size for entry in opened.infolist())
    except zipfile.BadZipFile as error:
        raise ArchiveError(f"{archive} is not a zip file, or a damaged one: {error}") from error


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
    """Judges links once all of them exist: one may lead through another."""
    for link in links:
        if not link.resolve().is_relative_to(folder.resolve()):
            raise ArchiveError(f"the archive's link {link.name!r} leads out of it")


def _check(entry: zipfile.ZipInfo) -> None:
    path = PurePosixPath(entry.filename)
    if path.is_absolute() or ".." in path.parts or "\\" in entry.filename:
        raise ArchiveError(f"the archive's entry {entry.filename!r} leads out of it")
    kind = stat.S_IFMT(_mode(entry)) if entry.create_system == UNIX else 0
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
        raise ArchiveError(f"the archive's entry {entry.filename!r} is not a file, folder or link")
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
