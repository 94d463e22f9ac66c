"""Warm players that are real processes: what an episode changed is gone in the next one, and a
player that broke while nobody used it is nobody's business."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from env_service.worlds.ai2thor_api.controller import ThorEvent, ThorStart
from env_service.worlds.ai2thor_unity.controller import Ai2ThorController
from env_service.worlds.ai2thor_unity.settings import Deadlines, Platform, ThorSettings
from env_service.worlds.ai2thor_unity.warm_pool import WarmPool
from env_service.worlds.household.player.stand_in_build import command
from tests.support.command_line import until
from tests.support.real_thor import deadline, own_home

pytest.importorskip("ai2thor", reason="needs houseguest[ai2thor]")

SCENE = "household-bathroom-1"
OTHER = "household-bathroom-2"
START = ThorStart(
    64, 48, "Low", {"renderInstanceSegmentation": True, "gridSize": 0.25, "renderDepthImage": False}
)
SECONDS = 300.0


@contextmanager
def pool_of(
    home: Path, faults: Mapping[str, Any] | None = None
) -> Iterator[tuple[WarmPool, list[int]]]:
    """A pool of stand-in players, and the processes that it started."""
    started: list[int] = []

    def launch(scene: str, start: ThorStart, settings: ThorSettings) -> Ai2ThorController:
        controller = Ai2ThorController(scene, start, settings)
        started.append(controller.pid)
        return controller

    deadlines = Deadlines(start=60.0, reset=60.0, step=60.0)
    settings = ThorSettings(platform=Platform.EXECUTABLE, executable=command(), deadlines=deadlines)
    with own_home(home, faults=faults), deadline(SECONDS):
        pool = WarmPool(settings, launch)
        try:
            yield pool, started
        finally:
            pool.close()
    assert [pid for pid in started if Path(f"/proc/{pid}").exists()] == []


def shown(event: ThorEvent) -> dict[str, Any]:
    """All that an event shows, in a form that can be compared."""
    masks = {name: event.instance_masks[name].tobytes() for name in event.instance_masks}
    return {
        "metadata": dict(event.metadata),
        "frame": None if event.frame is None else (event.frame.shape, event.frame.tobytes()),
        "depth": event.depth_frame is not None,
        "masks": masks,
        "others": len(event.third_party_camera_frames),
    }


def test_an_episode_leaves_nothing_to_the_next(tmp_path: Path) -> None:
    with pool_of(tmp_path) as (pool, started):
        first = pool.lend(SCENE, START)
        opening = shown(first.last_event)
        cloth = first.last_event.objects_by_type("Cloth")[0]["objectId"]
        assert first.step("PickupObject", objectId=cloth, forceAction=True)
        for cabinet in first.last_event.objects_by_type("Cabinet")[:2]:
            first.step("OpenObject", objectId=cabinet["objectId"], forceAction=True)
        camera = {"position": {"x": 0.0, "y": 1.5, "z": 0.0}, "rotation": {"x": 0, "y": 0, "z": 0}}
        event = first.step("AddThirdPartyCamera", **camera, fieldOfView=60)
        assert len(event.third_party_camera_frames) == 1
        first.step("ChangeFOV", fieldOfView=40)
        assert first.step("ChangeResolution", x=80, y=60).metadata["screenWidth"] == 80
        first.reset(OTHER, gridSize=0.5, renderDepthImage=True, width=32, height=32)
        assert first.last_event.depth_frame is not None
        first.stop()
        second = pool.lend(SCENE, START)
        again = shown(second.last_event)
        assert again == opening
        assert np.asarray(second.step("RotateRight").frame).shape == (48, 64, 3)
        assert len(started) == 1


def test_a_player_that_died_while_idle_is_replaced(tmp_path: Path) -> None:
    with pool_of(tmp_path) as (pool, started):
        pool.lend(SCENE, START).stop()
        os.kill(started[0], signal.SIGKILL)
        lent = pool.lend(SCENE, START)
        assert lent.step("Pass")
        assert len(started) == 2
        until(lambda: not Path(f"/proc/{started[0]}").exists(), seconds=60)


def test_a_player_that_dies_as_it_is_lent_is_replaced(tmp_path: Path) -> None:
    faults = {"on": [{"action": "Reset", "nth": 2, "do": "signal", "number": 11}]}
    with pool_of(tmp_path, faults) as (pool, started):
        pool.lend(SCENE, START).stop()
        assert pool.lend(SCENE, START).step("Pass")
        assert len(started) == 2
