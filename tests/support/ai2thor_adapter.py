"""The adapter to AI2-THOR with players that are not Unity, and what they leave behind."""

from __future__ import annotations

import gc
import json
import os
import re
import shlex
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from env_service.domain.failure import WorldFault
from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_unity.controller import Ai2ThorController
from env_service.worlds.ai2thor_unity.settings import COMMIT_ID, Deadlines, Platform, ThorSettings
from env_service.worlds.household.player import stand_in_build
from env_service.worlds.household.player.faults import VARIABLE as FAULTS
from env_service.worlds.household.player.options import SCENES
from tests.support import tiny_player

SCENE = "FloorPlan1"
UNWANTED = ("DISPLAY", "CUDA_VISIBLE_DEVICES", "AI2THOR_VISIBILITY_DISTANCE", SCENES, FAULTS)
TINY = shlex.join([sys.executable, str(Path(tiny_player.__file__).resolve())])
"""The command line of the player that starts in an instant."""
STAND_IN = stand_in_build.command()
"""That of the household world's player."""
PATIENT = Deadlines(start=60.0, reset=60.0, step=60.0, stop=10.0)
"""For players that are to answer, on a machine that is busy."""
GRACE = 60.0
"""Seconds for the kernel to end processes that were killed."""


@contextmanager
def own_place(folder: Path) -> Iterator[pytest.MonkeyPatch]:
    """An environment with a separate home and folder for temporary files, and nothing of this
    machine's."""
    temporary = folder / "tmp"
    temporary.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        for name in UNWANTED:
            patch.delenv(name, raising=False)
        patch.setenv("HOME", str(folder))
        patch.setenv("HOUSEGUEST_RENDERER", "soft")
        root = str(Path(__file__).resolve().parents[2])
        patch.setenv("PYTHONPATH", os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]))
        patch.setattr(tempfile, "tempdir", str(temporary))
        yield patch


def misbehave(patch: pytest.MonkeyPatch, **faults: Any) -> None:
    """Lets players that are started from now on misbehave; see household.player.faults."""
    patch.setenv(FAULTS, json.dumps(faults))


def settings(command: str = TINY, deadlines: Deadlines = PATIENT, **more: Any) -> ThorSettings:
    """Settings for a player by its command line."""
    return ThorSettings(
        platform=Platform.EXECUTABLE, executable=command, deadlines=deadlines, **more
    )


def started(
    scene: str = SCENE,
    command: str = TINY,
    deadlines: Deadlines = PATIENT,
    start: ThorStart | None = None,
) -> Ai2ThorController:
    """A controller with small pictures."""
    return Ai2ThorController(scene, start or ThorStart(64, 48), settings(command, deadlines))


def install_tiny(home: Path, platform: Platform, commit: str = COMMIT_ID) -> Path:
    """Lays the tiny player out as an installed build, and gives back its executable."""
    name = f"thor-{platform.value}-{commit}"
    folder = home / ".ai2thor" / "releases" / name
    folder.mkdir(parents=True)
    (folder / "metadata.json").write_text(json.dumps({"server_types": ["FIFO"]}), encoding="utf-8")
    executable = folder / name
    executable.write_text(f'#!/bin/sh\nexec {TINY} "$@"\n', encoding="utf-8")
    executable.chmod(0o755)
    return executable


def diary(path: Path) -> tuple[list[str], dict[str, str], list[dict[str, Any]]]:
    """The tiny player's: its arguments, its environment, the actions it received."""
    arguments, environment, *actions = map(json.loads, path.read_text().splitlines())
    return arguments, environment, actions


def player_of(fault: WorldFault) -> int:
    """The process that a fault names."""
    found = re.search(r"process (\d+)", fault.detail)
    assert found, fault.detail
    return int(found[1])


def group(leader: int) -> list[int]:
    """The living processes of a group."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, _, pgrp = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
            if int(pgrp) == leader and state != "Z":
                found.append(int(folder.name))
    return found


def gone(leader: int, seconds: float = GRACE) -> bool:
    """Whether a group has ended, or does within so many seconds."""
    end = time.monotonic() + seconds
    while group(leader) and time.monotonic() < end:
        time.sleep(0.02)
    return not group(leader)


def traces() -> Mapping[str, Sequence[str]]:
    """What a player could leave behind in its owner, apart from its processes.

    What earlier tests dropped goes first: it would vanish in between.
    """
    gc.collect()
    descriptors = [str(path.readlink()) for path in _links(Path("/proc/self/fd"))]
    return {
        "descriptors": sorted(name for name in descriptors if not name.startswith("/proc")),
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "children": Path(f"/proc/self/task/{os.getpid()}/children").read_text().split(),
        "files": files(),
    }


def calm_down() -> None:
    """Waits for what earlier tests left in this process and what is on its way out: connections
    that are being closed, threads that are ending."""
    end, before = time.monotonic() + 10.0, {}
    while (now := {**traces(), "files": []}) != before and time.monotonic() < end:
        before = now
        time.sleep(0.2)


def files() -> list[str]:
    """The contents of the folder for temporary files."""
    return sorted(path.name for path in Path(tempfile.gettempdir()).iterdir())


def _links(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        with suppress(OSError):
            path.readlink()
            yield path
