"""Docker, where it is: its Compose, and an engine that can build our images.

Where something is lacking, tests are skipped. REQUIRE_DOCKER=1 turns that into a failure;
REQUIRE_DOCKER=compose does so where Compose is lacking, and leaves the engine optional.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BASE = "python:3.11-slim-bookworm"
"""What our images are made from; without a registry it has to be there."""
OLD_COMPOSE = ("0.", "1.")


def compose(*arguments: str, folder: Path = ROOT, **environment: str) -> tuple[int, str]:
    """Runs ``docker compose``; its exit status, and both outputs together.

    Where the client of Docker has no Compose, the command ``docker-compose`` does, from version 2
    on: it reads the same files.
    """
    return _run(*_compose_command(), *arguments, folder=folder, environment=environment)


def docker(*arguments: str) -> tuple[int, str]:
    """Runs ``docker``; its exit status, and both outputs together."""
    return _run("docker", *arguments)


@functools.cache
def _compose_command() -> tuple[str, ...]:
    """What Compose is called here, or nothing where there is none."""
    for words in (("docker", "compose"), ("docker-compose",)):
        if shutil.which(words[0]) is None:
            continue
        status, version = _run(*words, "version", "--short")
        if status == 0 and not version.startswith(OLD_COMPOSE):
            return words
    return ()


def _run(
    *command: str, folder: Path = ROOT, environment: Mapping[str, str] | None = None
) -> tuple[int, str]:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
        check=False,
    )
    return done.returncode, done.stdout


def need_compose() -> None:
    """Skips the test without ``docker compose``."""
    if not _compose_command():
        _lacking("docker compose is not installed", "1", "compose")


def need_engine() -> None:
    """Skips the test where no engine answers, or has no image to build from."""
    need_compose()
    if shutil.which("docker") is None or docker("version", "--format", "{{.Server.Version}}")[0]:
        _lacking("no Docker engine answers", "1")
    if docker("image", "inspect", BASE)[0]:
        _lacking(f"the engine has no image {BASE}, and tests do not download one", "1")


def _lacking(what: str, *required: str) -> None:
    """A failure where REQUIRE_DOCKER is one of these, a skip elsewhere."""
    if os.environ.get("REQUIRE_DOCKER") in required:
        pytest.fail(what, pytrace=False)
    pytest.skip(f"{what}; REQUIRE_DOCKER=1 makes this a failure")
