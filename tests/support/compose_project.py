"""compose.yaml in a copy of the repository, and what its containers can reach."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support import confinement_probe
from tests.support.docker import BASE, ROOT, compose, docker, need_engine

LEFT_OUT = (".git", ".venv", "runs", "build", "__pycache__", ".*_cache", ".hypothesis")
EVERYTHING = ("--profile", "*")


@dataclass(frozen=True, slots=True)
class Project:
    """A checkout that a user would run ``docker compose`` in, with what the shell would set."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def compose(self, *arguments: str) -> tuple[int, str]:
        """Runs ``docker compose``; its exit status, and both outputs together."""
        return compose(*arguments, folder=self.folder, **self.environment)

    def done(self, *arguments: str) -> str:
        """Runs ``docker compose``, which has to go well; both outputs together."""
        status, printed = self.compose(*arguments)
        assert status == 0, printed
        return printed

    def probe(self, service: str, **asked: Any) -> dict[str, Any]:
        """What a process in a service's container can reach: see confinement_probe."""
        source = Path(confinement_probe.__file__).read_text(encoding="utf-8")
        printed = self.done(
            *("run", "--rm", "--no-deps", "-T", "--entrypoint", "python", service, "-c"),
            *(source, json.dumps(asked)),
        )
        found: dict[str, Any] = json.loads(printed.splitlines()[-1])
        return found

    def inspect(self, service: str) -> dict[str, Any]:
        """The engine's facts about a service's container, which may have ended."""
        identity = self.done("ps", "--all", "--quiet", service).split()[-1]
        status, printed = docker("inspect", identity)
        assert status == 0, printed
        (found,) = json.loads(printed)
        return dict(found)


@contextmanager
def project(place: Path, **environment: str) -> Iterator[Project]:
    """A copy of the repository without what is made in it; its containers go with it."""
    need_engine()
    shutil.copytree(ROOT, place, ignore=shutil.ignore_patterns(*LEFT_OUT))
    unique = f"houseguest-{uuid.uuid4().hex[:12]}"
    made = Project(
        place,
        {"COMPOSE_PROJECT_NAME": unique, "HOUSEGUEST_NETWORK": f"{unique}-model", **environment},
    )
    try:
        yield made
    finally:
        made.compose(*EVERYTHING, "down", "--volumes", "--remove-orphans", "--timeout", "5")


@contextmanager
def model_image(place: Path) -> Iterator[str]:
    """An image of a model's server that stands in for vLLM's; yields its name."""
    need_engine()
    name = f"houseguest-test-model-{uuid.uuid4().hex[:12]}"
    shutil.copytree(ROOT / "tests/support/model_image", place)
    shutil.copy(ROOT / "tests/support/model_server.py", place)
    base = os.environ.get("HOUSEGUEST_BASE", BASE)
    status, printed = docker("build", "--build-arg", f"BASE={base}", "-t", name, str(place))
    assert status == 0, printed
    try:
        yield name
    finally:
        docker("image", "rm", "--force", name)


@contextmanager
def container(*arguments: str) -> Iterator[str]:
    """A container that runs in the background; yields its id."""
    status, printed = docker("run", "--detach", "--init", *arguments)
    assert status == 0, printed
    identity = printed.split()[-1]
    try:
        yield identity
    finally:
        docker("rm", "--force", "--volumes", identity)
