"""A submission as it lies there: an image, or a folder, with its manifest."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from env_service.results.manifest import slug
from env_service.sandbox.agents import PATH_PREFIX, GuestCommand, ImageGuest
from env_service.submissions.manifest import SubmissionManifest, parse_manifest


@dataclass(frozen=True, slots=True)
class Package:
    """What was found under a name.

    ``reference`` is the name as it was given, ``digest`` (``sha256:…``, whole) what it stood for,
    ``repo_digests`` those by which registries know an image. ``place`` is where its manifest lies
    in it, ``shared`` whether it says by itself that one guest plays every seat.
    """

    reference: str
    digest: str
    repo_digests: tuple[str, ...] = ()
    place: str = ""
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Submission:
    """A package and its manifest, as it was read and as bytes' digest (SHA-256, hex)."""

    package: Package
    manifest: SubmissionManifest
    manifest_digest: str

    @property
    def shared(self) -> bool:
        """Whether one guest plays every seat of a run."""
        return self.manifest.shared or self.package.shared

    @property
    def folder_name(self) -> str:
        """``<name>-<version>-<first twelve digits of the digest>``, fit for a file system."""
        digits = self.package.digest.removeprefix("sha256:")[:12]
        return f"{slug(self.manifest.name)}-{slug(self.manifest.version)}-{digits}"


@dataclass(frozen=True, slots=True)
class Startable:
    """How a submission's guests are started, and the label that names it in a run's identity."""

    guest: GuestCommand | ImageGuest
    label: str


class Shelf(Protocol):
    """Where packages come from. Calls may take a moment, and belong in a thread."""

    def find(self, reference: str, digest: str = "") -> Package:
        """The package of that name; with ``digest`` the one that was pinned.

        Raises ImageMissingError where there is none, or no more, and GuestStartError where that
        cannot be found out.
        """

    def manifest_bytes(self, package: Package) -> bytes:
        """The bytes of its manifest, read without running anything of it.

        Raises ManifestMissingError, ManifestError, ImageMissingError and GuestStartError.
        """

    def startable(self, submission: Submission) -> Startable:
        """How its guests are started. Raises AgentSpecError."""


def read_submission(shelf: Shelf, package: Package) -> Submission:
    """Reads a package's manifest. Raises as ``Shelf.manifest_bytes`` and ``parse_manifest``."""
    data = shelf.manifest_bytes(package)
    manifest = parse_manifest(data, package.place)
    return Submission(package, manifest, hashlib.sha256(data).hexdigest())


def is_folder(reference: str) -> bool:
    """Whether a reference means a folder of this machine rather than an image."""
    return reference.startswith((PATH_PREFIX, "./", "../", "/")) or reference in (".", "..")


def shelf_for(reference: str) -> Shelf:
    """Where a reference is looked up: an image in the engine, a folder on this machine."""
    # Imported where used: the engine's client takes a while to load.
    if is_folder(reference):
        from env_service.submissions.folders import FolderShelf  # noqa: PLC0415 - see above

        return FolderShelf()
    from env_service.submissions.images import ImageShelf  # noqa: PLC0415 - see above

    return ImageShelf()


def folder_of(reference: str) -> Path:
    """The folder that a reference means."""
    return Path(reference.removeprefix(PATH_PREFIX)).absolute()
