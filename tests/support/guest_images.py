"""Images of guests for tests, built from what the engine has, and removed again."""

from __future__ import annotations

import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.docker import BASE, ROOT, docker

_DOCKERFILE = f"""
FROM {BASE} AS obedient
COPY image_guest.py /guest.py
USER root
ENV HOUSEGUEST_TOKEN=of-the-image
VOLUME /data /tmp
EXPOSE 80
STOPSIGNAL SIGCONT
HEALTHCHECK --interval=1s CMD touch /tmp/healthy
ENTRYPOINT ["python3", "/guest.py"]

FROM obedient AS absent
ENTRYPOINT ["/no/such/program"]

FROM obedient AS closed
ENTRYPOINT ["/guest.py"]

FROM obedient AS together
LABEL houseguest.shared=true
USER 4242:4243
"""


@dataclass(frozen=True, slots=True)
class GuestImages:
    """Names of images.

    ``obedient`` does what its first argument says (tests.support.image_guest), and declares what
    an image can declare. The entry point of ``absent`` does not exist, that of ``closed`` may not
    be executed. ``together`` wants to play every seat, as another user.
    """

    obedient: str
    absent: str
    closed: str
    together: str


@contextmanager
def guest_images() -> Iterator[GuestImages]:
    """Builds them all, under unique names."""
    mark = secrets.token_hex(4)
    names = {name: f"houseguest-test-{name}-{mark}" for name in GuestImages.__slots__}
    try:
        for name, tag in names.items():
            _build(tag, "--target", name, "--file", "-", ROOT / "tests" / "support")
        yield GuestImages(**names)
    finally:
        docker("image", "rm", "--force", *names.values())


@contextmanager
def random_image() -> Iterator[str]:
    """The agent that acts at random, as its Dockerfile makes it."""
    tag = f"houseguest-test-random-{secrets.token_hex(4)}"
    try:
        _build(tag, "--file", "agents/random/Dockerfile", ROOT)
        yield tag
    finally:
        docker("image", "rm", "--force", tag)


def _build(tag: str, *arguments: str | Path) -> None:
    command = ["docker", "build", "--quiet", "--network", "none", "--tag", tag]
    subprocess.run(
        [*command, *map(str, arguments)],
        input=_DOCKERFILE,
        cwd=ROOT,
        text=True,
        check=True,
        timeout=600,
        stdout=subprocess.DEVNULL,
    )
