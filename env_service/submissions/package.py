"""Packages of submissions: a container image or a folder, with a manifest."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from env_service.results.manifest import slug
from env_service.sandbox.agents import PATH_PREFIX, AgentCommand, AgentImage, parse_agent
from env_service.sandbox.content_digest import content_digest
from env_service.sandbox.errors import ImageMissingError
from env_service.storage.plain_files import read_plain
from env_service.submissions.failures import ManifestError, ManifestMissingError
from env_service.submissions.manifest import (
    MANIFEST,
    MOST_BYTES,
    SubmissionManifest,
    parse_manifest,
)


@dataclass(frozen=True, slots=True)
class Package:
    """The package that a name refers to.

    ``reference`` is the name as given. ``digest`` is the package's full digest (``sha256:…``), and
    ``repo_digests`` are an image's digests in registries. ``place`` is the path of the manifest.
    ``shared`` means that the package itself declares that one agent plays every session.
    """

    reference: str
    digest: str
    repo_digests: tuple[str, ...] = ()
    place: str = ""
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Submission:
    """A package, its manifest, and the digest of the manifest's bytes (SHA-256, hex)."""

    package: Package
    manifest: SubmissionManifest
    manifest_digest: str

    @property
    def shared(self) -> bool:
        """Whether one agent plays every session of a run."""
        return self.manifest.shared or self.package.shared

    @property
    def folder_name(self) -> str:
        """``<name>-<version>-<first twelve digits of the digest>``, safe for file systems."""
        digits = self.package.digest.removeprefix("sha256:")[:12]
        return f"{slug(self.manifest.name)}-{slug(self.manifest.version)}-{digits}"


@dataclass(frozen=True, slots=True)
class Startable:
    """How a submission's agents are started, and its label in a run's identity."""

    launch: AgentCommand | AgentImage
    label: str


class PackageStore(Protocol):
    """Finds packages and reads their manifests. The calls block, so make them in a thread."""

    def find(self, reference: str, digest: str = "") -> Package:
        """The package of that name; with ``digest`` the pinned one.

        Raises ImageMissingError if it does not exist, and AgentStartError if the Docker engine does
        not answer.
        """

    def manifest_bytes(self, package: Package) -> bytes:
        """The bytes of the package's manifest, read without running the package.

        Raises ManifestMissingError, ManifestError, ImageMissingError and AgentStartError.
        """

    def startable(self, submission: Submission) -> Startable:
        """How the submission's agents are started. Raises AgentSpecError."""


def read_submission(store: PackageStore, package: Package) -> Submission:
    """Reads a package's manifest. Raises the errors of ``store.manifest_bytes`` and
    ``parse_manifest``."""
    data = store.manifest_bytes(package)
    manifest = parse_manifest(data, package.place)
    return Submission(package, manifest, hashlib.sha256(data).hexdigest())


def is_folder(reference: str) -> bool:
    """Whether a reference is a folder on this machine rather than an image."""
    return reference.startswith((PATH_PREFIX, "./", "../", "/")) or reference in (".", "..")


def folder_of(reference: str) -> Path:
    """The folder that a reference names."""
    return Path(reference.removeprefix(PATH_PREFIX)).absolute()


# --- Folders as submissions, for agents that are not yet packed into an image


class FolderStore:
    """Folders with a manifest and an ``agent.toml`` that says how the agent is started."""

    def find(self, reference: str, digest: str = "") -> Package:
        """The folder in its current state.

        Raises ImageMissingError if it does not exist, or if its digest is not ``digest``.
        """
        folder = folder_of(reference)
        if not folder.is_dir():
            raise ImageMissingError(f"folder not found: {folder}")
        try:
            found = f"sha256:{content_digest(folder)}"
        except OSError as error:
            raise ImageMissingError(f"{error.filename}: {error.strerror}") from error
        if digest and found != digest:
            raise ImageMissingError(f"{folder} has changed since it was submitted: submit it again")
        return Package(reference, found, place=str(folder / MANIFEST))

    def manifest_bytes(self, package: Package) -> bytes:
        """The bytes of the folder's manifest."""
        return _read(Path(package.place))

    def startable(self, submission: Submission) -> Startable:
        """The command of the folder's ``agent.toml``, with the manifest's arguments."""
        folder = folder_of(submission.package.reference)
        agent = parse_agent(f"{PATH_PREFIX}{folder}")
        if not isinstance(agent.launch, AgentCommand):
            raise TypeError("a folder must define a command")
        arguments = submission.manifest.arguments
        command = AgentCommand((*agent.launch.command, *arguments), submission.shared)
        return Startable(command, " ".join((f"{folder.name}@{_short(submission)}", *arguments)))


def _short(submission: Submission) -> str:
    """The first 12 digits of the digest, as in image labels; enough to tell versions apart."""
    return submission.package.digest[: len("sha256:") + 12]


def _read(path: Path) -> bytes:
    """The bytes of a manifest, which must be a plain file."""
    try:
        return read_plain(path, MOST_BYTES, within=path.parent)
    except FileNotFoundError as error:
        raise ManifestMissingError(
            f"manifest not found: {path}; to write one, see docs/submissions.md"
        ) from error
    except OSError as error:
        raise ManifestError(f"{path}: {error.strerror}") from error
