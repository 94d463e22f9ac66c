"""Putting the Unity build below a home folder, as `ai2thor` itself would, from a zip file.

The package downloads over plain HTTP, holds a gigabyte in memory, believes a checksum from the
same place and loses executable bits (spec: ai2thor.md section 2, item 5). Here the zip file lies
on disk, its checksum is the caller's, and the same locks are held: an installer and a player of
either program never meet half a build.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from env_service.worlds.ai2thor.build import (
    InstalledBuild,
    base_folder,
    build_name,
    installed,
    releases,
)
from env_service.worlds.ai2thor.extraction import ArchiveError, unpack
from env_service.worlds.ai2thor.settings import Platform
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
    """The SHA-256 of a file, in hex; ``on_bytes`` is told how much more was read."""
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
        """Unpacks a zip file and puts the build in place, in that of one that was there.

        ``on_bytes`` is told how much after each file. Whatever goes wrong, a build that was there
        is still there.

        Raises:
            ArchiveError: the archive is no build that can be used.
            InstallError: players run from the build that is there.
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
                raise ArchiveError(f"{archive} is no build of AI2-THOR: it has no {wanted!r}")
        (draft / self._name).chmod(0o755)
        text = json.dumps(asdict(receipt), indent=2, sort_keys=True)
        (draft / RECEIPT).write_text(text + "\n", encoding="utf-8")

    def _put(self, draft: Path) -> None:
        place = releases(self._home) / self._name
        if not place.exists():
            draft.rename(place)
            return
        old = self.folder / f"{self._name}.replaced.{secrets.token_hex(4)}"
        busy = f"players run from {place}, or are being started. Stop them, and install again."
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
            f"{error.filename}: {error.strerror}. Builds cannot be kept there; mend it, or let"
            " --home name another folder."
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
