"""Removes containers by their owner."""

from __future__ import annotations

import contextlib

from docker.client import DockerClient

from env_service.sandbox.docker.container import remove
from env_service.sandbox.docker.engine import FAILURES
from env_service.sandbox.docker.owner import LABEL, OWNER_LABEL, Owner


def owned(client: DockerClient) -> dict[str, Owner]:
    """Every container of any service, by its id. Raises FAILURES."""
    found = client.api.containers(all=True, filters={"label": LABEL})
    owners = ((each["Id"], (each.get("Labels") or {}).get(OWNER_LABEL, "")) for each in found)
    return {
        container: owner for container, text in owners if (owner := Owner.parse(text)) is not None
    }


def remove_owned(client: DockerClient, owner: Owner) -> int:
    """Removes what a service has; returns how many containers there were. Raises FAILURES."""
    mine = [container for container, each in owned(client).items() if each == owner]
    for container in mine:
        remove(client, container)
    return len(mine)


def sweep(client: DockerClient) -> int:
    """Removes what houses have left behind that are gone; returns how many containers it was.

    A container that another sweep is removing is no error. Raises FAILURES.
    """
    removed = 0
    for container, owner in owned(client).items():
        if owner.is_gone():
            with contextlib.suppress(*FAILURES):
                remove(client, container)
                removed += 1
    return removed
