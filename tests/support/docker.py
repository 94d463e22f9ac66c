"""Docker, where it is: its Compose, and an engine that can build our images."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BASE = "python:3.11-slim-bookworm"
"""What our images are made from; without a registry it has to be there."""


def compose(*arguments: str, folder: Path = ROOT, **environment: str) -> tuple[int, str]:
    """Runs ``docker compose``; its exit status, and both outputs together."""
    return docker("compose", *arguments, folder=folder, environment=environment)


def docker(
    *arguments: str, folder: Path = ROOT, environment: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Runs ``docker``; its exit status, and both outputs together."""
    done = subprocess.run(
        ["docker", *arguments],
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
    """Skips the test where there is no ``docker compose``."""
    if shutil.which("docker") is None or docker("compose", "version")[0]:
        _lacking("docker compose is not installed")


def need_engine() -> None:
    """Skips the test where no engine answers, or has no image to build from."""
    need_compose()
    if docker("version", "--format", "{{.Server.Version}}")[0]:
        _lacking("no Docker engine answers")
    if docker("image", "inspect", BASE)[0]:
        _lacking(f"the engine has no image {BASE}, and tests do not download one")


def _lacking(what: str) -> None:
    """With REQUIRE_DOCKER=1 what is lacking is a failure."""
    if os.environ.get("REQUIRE_DOCKER") == "1":
        pytest.fail(what, pytrace=False)
    pytest.skip(f"{what}; REQUIRE_DOCKER=1 makes this a failure")
