"""Submissions that are images of a Docker engine. Imports docker: import this only where one is
read.
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
from env_service.sandbox.docker.engine import FAILURES, connect, reason
from env_service.sandbox.docker.images import find_image, image_label
from env_service.sandbox.docker.owner import Owner
from env_service.sandbox.errors import AgentStartError, ImageMissingError
from env_service.submissions.failures import ManifestError, ManifestMissingError
from env_service.submissions.manifest import MANIFEST_LABEL, MOST_BYTES, PLACE
from env_service.submissions.package import Package, Startable, Submission

LONGEST_PLACE = 255


class ImageStore:
    """The engine's images. It downloads none, and runs none to read a manifest."""

    def find(self, reference: str, digest: str = "") -> Package:
        """The image of that name; with ``digest`` the one of that id, whatever its name now."""
        check_reference(reference)
        with _client() as client:
            image = find_image(client, digest or reference)
            labels = _labels(client, image.id)
        place = _place(labels.get(MANIFEST_LABEL) or PLACE, reference)
        return Package(reference, image.id, image.repo_digests, place, image.shared)

    def manifest_bytes(self, package: Package) -> bytes:
        """Creates a container that is never started, takes the file out of it, and removes it."""
        with _client() as client, _container(client, package) as container:
            try:
                chunks, _ = client.api.get_archive(container, package.place)
                return read_only_file(chunks, package.place)
            except NotFound as error:
                raise ManifestMissingError(
                    f"the image {package.reference} has no {package.place}: COPY one into it, or"
                    f" name its place by the label {MANIFEST_LABEL}; see docs/submissions.md"
                ) from error
            except FAILURES as error:
                raise ManifestError(f"{package.place} cannot be read: {reason(error)}") from error

    def startable(self, submission: Submission) -> Startable:
        """Containers of exactly that image, with the manifest's arguments."""
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
    """A container that is never started. If this process dies, the next service removes it."""
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
        raise ImageMissingError(f"the image {package.reference} is gone from the engine") from error
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
        raise AgentStartError(f"cannot look at the image {image_id}: {reason(error)}") from error
    return (found.get("Config") or {}).get("Labels") or {}


def _place(text: str, reference: str) -> str:
    """A plain absolute path. Raises ManifestError."""
    path = PurePosixPath(text)
    plain = text.isprintable() and len(text) <= LONGEST_PLACE and str(path) == text
    if not (plain and path.is_absolute() and ".." not in path.parts and path.name):
        raise ManifestError(
            f"the image {reference} has the label {MANIFEST_LABEL}={text[:80]!r}: it has to be the"
            f" absolute path of a file, as in {PLACE}"
        )
    return text


# --- One file out of the archive that an engine makes of it

_MOST_ARCHIVE = MOST_BYTES + 64 * 1024
"""Bytes: headers and padding come on top of the file."""
_PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE)


def read_only_file(chunks: Iterable[bytes], path: str) -> bytes:
    """The content of the one ordinary file in a tar archive, of MOST_BYTES at most.

    It writes nothing to the disk, follows no links, and reads no more of the archive than
    such a file needs. Raises ManifestError naming ``path`` for a link, a folder, a device, a sparse
    file, several members, one that is too large, and for what is no archive.
    """
    try:
        with tarfile.open(fileobj=BytesIO(_bounded(chunks, path)), mode="r:") as archive:
            return _only(archive, path)
    except (tarfile.TarError, EOFError, ValueError) as error:
        if isinstance(error, ManifestError):
            raise
        raise ManifestError(
            f"{path}: the engine's archive of it cannot be read: {error}"
        ) from error


def _only(archive: tarfile.TarFile, path: str) -> bytes:
    member = archive.next()
    if member is None:
        raise ManifestError(f"{path}: it is not there")
    if member.issym() or member.islnk():
        raise ManifestError(f"{path}: it is a link, to {member.linkname!r}: make it a file")
    if member.type not in _PLAIN or member.issparse():
        raise ManifestError(f"{path}: it is no ordinary file: make it one")
    if member.size > MOST_BYTES:
        raise _too_large(path)
    file = archive.extractfile(member)
    data = b"" if file is None else file.read()
    if len(data) != member.size or archive.next() is not None:
        raise ManifestError(f"{path}: the engine's archive holds more, or less, than this one file")
    return data


def _bounded(chunks: Iterable[bytes], path: str) -> bytes:
    held = bytearray()
    for chunk in chunks:
        held += chunk
        if len(held) > _MOST_ARCHIVE:
            raise _too_large(path)
    return bytes(held)


def _too_large(path: str) -> ManifestError:
    return ManifestError(f"{path}: it is larger than {MOST_BYTES} bytes: shorten it")
