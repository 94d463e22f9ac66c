"""Submissions that are images of a Docker engine.

This module imports docker, which is slow to load: import it only to read an image.
"""

from __future__ import annotations

import contextlib
import tarfile
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any

from docker.client import DockerClient
from docker.errors import ImageNotFound, NotFound

from env_service.sandbox.agents import AgentImage, check_reference
from env_service.sandbox.docker.engine import FAILURES, connect, find_image, image_label, reason
from env_service.sandbox.docker.owner import Owner
from env_service.sandbox.errors import AgentStartError, ImageMissingError
from env_service.submissions.failures import ManifestError, ManifestMissingError
from env_service.submissions.manifest import MANIFEST_LABEL, MOST_BYTES, PLACE
from env_service.submissions.package import Package, Startable, Submission

LONGEST_PLACE = 255


class ImageStore:
    """The Docker engine's images. It downloads none, and reads a manifest without running one."""

    def find(self, reference: str, digest: str = "") -> Package:
        """The image of that name; with ``digest`` the image of that id, whatever its name."""
        check_reference(reference)
        with _client() as client:
            image = find_image(client, digest or reference)
            labels = _labels(client, image.id)
        place = _place(labels.get(MANIFEST_LABEL) or PLACE, reference)
        return Package(reference, image.id, image.repo_digests, place, image.shared)

    def manifest_bytes(self, package: Package) -> bytes:
        """Creates a container without starting it, copies the file from it, and removes it."""
        with _client() as client, _container(client, package) as container:
            try:
                chunks, _ = client.api.get_archive(container, package.place)
                return read_only_file(chunks, package.place)
            except NotFound as error:
                raise ManifestMissingError(
                    f"the image {package.reference} has no {package.place}: COPY one into it, or"
                    f" set the label {MANIFEST_LABEL} to its path; see docs/submissions.md"
                ) from error
            except FAILURES as error:
                raise ManifestError(f"{package.place} cannot be read: {reason(error)}") from error

    def startable(self, submission: Submission) -> Startable:
        """Starts containers of exactly that image, with the manifest's arguments."""
        package = submission.package
        launch = AgentImage(
            package.reference, submission.manifest.arguments, submission.shared, package.digest
        )
        return Startable(launch, image_label(launch))


@contextlib.contextmanager
def _client() -> Iterator[DockerClient]:
    client = connect()
    try:
        yield client
    finally:
        client.close()


@contextlib.contextmanager
def _container(client: DockerClient, package: Package) -> Iterator[str]:
    """A container that is not started. If this process dies, the next service removes it."""
    settings: dict[str, Any] = {
        "entrypoint": ["/never-started"],
        "command": [],
        "network_mode": "none",
        "labels": Owner.myself().labels,
        "use_config_proxy": False,
    }
    try:
        container = client.containers.create(package.digest, **settings)
    except ImageNotFound as error:
        raise ImageMissingError(
            f"the image {package.reference} has been removed from the Docker engine"
        ) from error
    except FAILURES as error:
        raise AgentStartError(
            f"the image {package.reference} cannot be opened: {reason(error)}"
        ) from error
    try:
        yield str(container.id)
    finally:
        with contextlib.suppress(*FAILURES):
            container.remove(force=True, v=True)


def _labels(client: DockerClient, image_id: str) -> dict[str, str]:
    try:
        found = client.images.get(image_id).attrs
    except FAILURES as error:
        raise AgentStartError(f"cannot inspect the image {image_id}: {reason(error)}") from error
    return (found.get("Config") or {}).get("Labels") or {}


def _place(text: str, reference: str) -> str:
    """Checks that a label is a plain absolute path. Raises ManifestError."""
    path = PurePosixPath(text)
    plain = text.isprintable() and len(text) <= LONGEST_PLACE and str(path) == text
    if not (plain and path.is_absolute() and ".." not in path.parts and path.name):
        raise ManifestError(
            f"the image {reference} has the label {MANIFEST_LABEL}={text[:80]!r}: it must be the"
            f" absolute path of a file, such as {PLACE}"
        )
    return text


# --- Reading one file from the tar archive that the engine sends

_MOST_ARCHIVE = MOST_BYTES + 64 * 1024
"""Maximum size of the archive in bytes: the file with headers and padding."""
_PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE)


def read_only_file(chunks: Iterable[bytes], path: str) -> bytes:
    """The content of the only regular file in a tar archive, at most MOST_BYTES long.

    It writes nothing to disk, follows no links, and reads no more of the archive than such a file
    needs. Raises ManifestError, which names ``path``, for a link, a folder, a device, a sparse
    file, a file that is too large, several members, or an invalid archive.
    """
    try:
        with tarfile.open(fileobj=BytesIO(_bounded(chunks, path)), mode="r:") as archive:
            return _only(archive, path)
    except (tarfile.TarError, EOFError, ValueError) as error:
        if isinstance(error, ManifestError):
            raise
        raise ManifestError(
            f"{path}: the Docker engine's archive of the file cannot be read: {error}"
        ) from error


def _only(archive: tarfile.TarFile, path: str) -> bytes:
    member = archive.next()
    if member is None:
        raise ManifestError(f"{path}: the file does not exist")
    if member.issym() or member.islnk():
        raise ManifestError(
            f"{path}: this is a link to {member.linkname!r}: replace it by a regular file"
        )
    if member.type not in _PLAIN or member.issparse():
        raise ManifestError(f"{path}: not a regular file: replace it by one")
    if member.size > MOST_BYTES:
        raise _too_large(path)
    file = archive.extractfile(member)
    data = b"" if file is None else file.read()
    if len(data) != member.size or archive.next() is not None:
        raise ManifestError(f"{path}: the Docker engine's archive is not exactly this one file")
    return data


def _bounded(chunks: Iterable[bytes], path: str) -> bytes:
    held = bytearray()
    for chunk in chunks:
        held += chunk
        if len(held) > _MOST_ARCHIVE:
            raise _too_large(path)
    return bytes(held)


def _too_large(path: str) -> ManifestError:
    return ManifestError(f"{path}: larger than {MOST_BYTES} bytes: shorten it")
