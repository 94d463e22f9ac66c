"""Submissions that are folders: for one's own agent, before it is packed into an image."""

from __future__ import annotations

from pathlib import Path

from env_service.plain_files import read_plain
from env_service.sandbox.agents import PATH_PREFIX, GuestCommand, parse_agent
from env_service.sandbox.digest import content_digest
from env_service.sandbox.errors import ImageMissingError
from env_service.submissions.errors import ManifestError, ManifestMissingError
from env_service.submissions.manifest import MANIFEST
from env_service.submissions.package import Package, Startable, Submission, folder_of
from env_service.submissions.safe_yaml import MOST_BYTES


class FolderShelf:
    """Folders with a manifest and an ``agent.toml`` that says how the agent is started."""

    def find(self, reference: str, digest: str = "") -> Package:
        """The folder as it is now. Raises ImageMissingError where there is none, or another one."""
        folder = folder_of(reference)
        if not folder.is_dir():
            raise ImageMissingError(f"there is no folder {folder}")
        try:
            found = f"sha256:{content_digest(folder)}"
        except OSError as error:
            raise ImageMissingError(f"{error.filename}: {error.strerror}") from error
        if digest and found != digest:
            raise ImageMissingError(
                f"{folder} was changed since it was handed in: hand it in again"
            )
        return Package(reference, found, place=str(folder / MANIFEST))

    def manifest_bytes(self, package: Package) -> bytes:
        """The bytes of its manifest."""
        return _read(Path(package.place))

    def startable(self, submission: Submission) -> Startable:
        """The command of its ``agent.toml``, with the manifest's arguments."""
        folder = folder_of(submission.package.reference)
        agent = parse_agent(f"{PATH_PREFIX}{folder}")
        if not isinstance(agent.guest, GuestCommand):
            raise TypeError("a folder gives a command")
        arguments = submission.manifest.arguments
        command = GuestCommand((*agent.guest.command, *arguments), submission.shared)
        return Startable(command, " ".join((f"{folder.name}@{_short(submission)}", *arguments)))


def _short(submission: Submission) -> str:
    """The digest as images' labels have it: enough to tell versions of one agent apart."""
    return submission.package.digest[: len("sha256:") + 12]


def _read(path: Path) -> bytes:
    """The bytes of a manifest, which has to be a plain file."""
    try:
        return read_plain(path, MOST_BYTES, within=path.parent)
    except FileNotFoundError as error:
        raise ManifestMissingError(
            f"there is no {path}: write one; see docs/submissions.md"
        ) from error
    except OSError as error:
        raise ManifestError(f"{path}: {error.strerror}") from error
