"""Images of the engine, as far as an agent's start depends on them."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from docker.client import DockerClient
from docker.errors import ImageNotFound

from env_service.sandbox.agents import AgentImage, AgentSpec, repository
from env_service.sandbox.docker.engine import FAILURES, connect, reason
from env_service.sandbox.errors import AgentStartError, ImageMissingError

SHARED_LABEL = "houseguest.shared"
"""An image with this label at ``true`` is started once, and plays every session of a run."""
LABEL_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Image:
    """An image that the engine has.

    ``id`` is ``sha256:…``; ``repo_digests`` are the digests under which registries know it.
    ``user`` is what its Dockerfile says, often empty; ``volumes`` are the paths that it declares
    as such. ``home``: it says where a home folder is.
    """

    id: str
    repo_digests: tuple[str, ...] = ()
    user: str = ""
    volumes: tuple[str, ...] = ()
    shared: bool = False
    home: bool = False


def find_image(client: DockerClient, reference: str) -> Image:
    """The image of that name, which is never downloaded: what is played is what was looked at.

    Raises ImageMissingError, and AgentStartError where the engine does not answer.
    """
    try:
        found = client.images.get(reference)
    except ImageNotFound as error:
        raise ImageMissingError(
            f"the engine has no image {reference}: build it (docker build -t {reference} FOLDER) or"
            f" download it (docker pull {reference})"
        ) from error
    except FAILURES as error:
        raise AgentStartError(f"cannot inspect the image {reference}: {reason(error)}") from error
    return read_image(found.attrs)


def read_image(attributes: Mapping[str, Any]) -> Image:
    """The image from what the engine says of it."""
    config = attributes.get("Config") or {}
    labels = config.get("Labels") or {}
    return Image(
        id=attributes["Id"],
        repo_digests=tuple(sorted(attributes.get("RepoDigests") or ())),
        user=config.get("User") or "",
        volumes=tuple(sorted(config.get("Volumes") or ())),
        shared=labels.get(SHARED_LABEL, "").lower() == "true",
        home=any(each.startswith("HOME=") for each in config.get("Env") or ()),
    )


def settle_image(agent: AgentSpec) -> AgentSpec:
    """The agent with the current id of its image; any other agent unchanged.

    The label becomes ``image:NAME@sha256:<12 digits of the image's id>`` with the arguments, so
    that a rebuilt image is another agent whatever its tag. Asks the engine, which may take a
    moment. Raises ImageMissingError and AgentStartError.
    """
    launch = agent.launch
    if not isinstance(launch, AgentImage):
        return agent
    image = check_image(launch)
    settled = replace(launch, shared=image.shared, image_id=image.id)
    return AgentSpec(image_label(settled), settled)


def check_image(launch: AgentImage) -> Image:
    """What the engine has under that name. Raises ImageMissingError and AgentStartError."""
    client = connect()
    try:
        return find_image(client, launch.reference)
    finally:
        client.close()


def image_label(launch: AgentImage) -> str:
    """The part of the run's identity that names an image by its id."""
    digits = launch.image_id.removeprefix("sha256:")[:LABEL_DIGITS]
    name = repository(launch.reference)
    at = f"{name}@sha256:{digits}" if name else f"sha256:{digits}"
    return " ".join((f"image:{at}", shlex.join(launch.arguments))).rstrip()
