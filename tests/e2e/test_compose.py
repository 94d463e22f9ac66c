"""Containers as a user meets them: ``docker compose up`` in a fresh clone.

What needs an engine runs where one answers; REQUIRE_DOCKER=1 turns a skip into a failure.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.docker import ROOT, compose, need_compose, need_engine

GPU = ("-f", "compose.yaml", "-f", "compose.gpu.yaml")
LEFT_OUT = (".git", ".venv", "runs", "build", "__pycache__", ".*_cache", ".hypothesis")
OWNER = 12345
"""A user who is neither root nor in the images."""


def config(*files: str, **environment: str) -> dict[str, Any]:
    """What Compose makes of the files."""
    status, printed = compose(*files, "config", "--format", "json", **environment)
    assert status == 0, printed
    document: dict[str, Any] = json.loads(printed[printed.index("{") :])
    return document["services"]


def test_compose_takes_the_file() -> None:
    need_compose()
    services = config()
    assert set(services) == {"house", "random"}
    assert services["random"]["network_mode"] == "none"


def test_compose_takes_the_override_with_a_graphics_card() -> None:
    need_compose()
    services = config(*GPU, THOR_PLATFORM="Linux64")
    assert set(services) == {"house", "random", "check"}
    for name in ("house", "check"):
        (device,) = services[name]["deploy"]["resources"]["reservations"]["devices"]
        assert set(device["capabilities"]) == {"gpu", "graphics", "utility", "compute"}
        assert services[name]["build"]["args"]["THOR_PLATFORM"] == "Linux64"
        assert services[name]["tmpfs"] == ["/tmp:size=4g,mode=1777,nosuid,nodev"]
    assert services["house"]["depends_on"]["check"]["condition"] == "service_completed_successfully"
    assert "deploy" not in services["random"]
    played = ["run", "--suite", "asgard", "--world", "ai2thor"]
    assert services["house"]["command"][:5] == played


def test_what_is_played_can_be_chosen() -> None:
    need_compose()
    words = config(HOUSEGUEST_RUN="--suite babyai --tasks 'GoTo*'")["house"]["command"]
    assert words[:5] == ["run", "--suite", "babyai", "--tasks", "GoTo*"]


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Path]:
    """A copy of the repository without what is made in it; its containers go with it."""
    need_engine()
    place = tmp_path / "clone"
    shutil.copytree(ROOT, place, ignore=shutil.ignore_patterns(*LEFT_OUT))
    yield place
    compose("down", "--volumes", "--timeout", "5", folder=place)


def test_a_fresh_clone_plays_a_run_and_leaves_its_results_here(clone: Path) -> None:
    if os.geteuid() == 0:
        os.chown(clone / "compose.yaml", OWNER, OWNER)
    run = "--suite babyai --tasks GoToLocal --limit 2"
    status, printed = compose("up", "--build", folder=clone, HOUSEGUEST_RUN=run)
    assert status == 0, printed
    assert "[2/2]" in printed
    (folder,) = (path.parent for path in clone.glob("runs/*/manifest.json"))
    assert len((folder / "episodes.jsonl").read_text().splitlines()) == 2
    assert {path.stat().st_uid for path in clone.glob("runs/**/*")} == {
        (clone / "compose.yaml").stat().st_uid
    }
    tokens = [line for line in printed.splitlines() if "HOUSEGUEST_TOKEN=" in line]
    assert all("$(cat /run/houseguest/seat-" in line for line in tokens)
