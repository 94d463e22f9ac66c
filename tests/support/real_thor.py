"""AI2-THOR's own Python package, unmodified, with the household world as its player."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from env_service.worlds.household.player import stand_in_build
from env_service.worlds.household.player.faults import VARIABLE as FAULTS
from env_service.worlds.household.player.options import SCENES

START_SECONDS = 120.0
"""A start that takes longer is given up; ai2thor itself would wait for ever."""
UNWANTED = ("DISPLAY", "CUDA_VISIBLE_DEVICES", "AI2THOR_VISIBILITY_DISTANCE", SCENES, FAULTS)


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raises TimeoutError in the main thread if the block takes longer."""

    def late(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def own_home(
    home: Path, *, faults: Mapping[str, Any] | None = None, scenes: Path | None = None
) -> Iterator[None]:
    """An environment in which ai2thor finds a separate home and nothing of this machine's."""
    with pytest.MonkeyPatch.context() as patch:
        for name in UNWANTED:
            patch.delenv(name, raising=False)
        patch.setenv("HOME", str(home))
        patch.setenv("HOUSEGUEST_RENDERER", "soft")
        root = str(Path(__file__).resolve().parents[2])
        patch.setenv("PYTHONPATH", os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]))
        if faults is not None:
            patch.setenv(FAULTS, json.dumps(faults))
        if scenes is not None:
            patch.setenv(SCENES, str(scenes))
        yield


def started(home: Path, route: str = "executable", **parameters: Any) -> Any:
    """A real Controller on our player; run it inside `own_home`.

    Args:
        home: its home folder.
        route: "executable" names the player to the Controller; "build" installs it where the
            Controller looks for AI2-THOR's own.
        parameters: the Controller's.
    """
    controller = pytest.importorskip("ai2thor.controller").Controller
    parameters = {"server_start_timeout": START_SECONDS / 2, **parameters}
    with deadline(START_SECONDS):
        if route == "executable":
            return controller(
                local_executable_path=stand_in_build.command(), x_display="0", **parameters
            )
        stand_in_build.install(home)
        return controller(platform=without_vulkan(), commit_id=stand_in_build.COMMIT, **parameters)


def without_vulkan() -> Any:
    """AI2-THOR's platform for servers, without its look for a Vulkan library."""
    platform = pytest.importorskip("ai2thor.platform")

    class CloudRendering(platform.CloudRendering):
        @classmethod
        def validate(cls, _request: object) -> list[str]:
            return []

        @classmethod
        def name(cls) -> str:
            return "CloudRendering"

    return CloudRendering


def stopped(controller: Any) -> None:
    """Stops a controller, whatever state its player is in."""
    with suppress(BrokenPipeError, ValueError):
        controller.stop()
    with suppress(BrokenPipeError, ValueError):
        controller.stop()
