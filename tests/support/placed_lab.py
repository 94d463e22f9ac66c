"""A laboratory in a world that has a build, and that shows where it runs.

Its world ``lab-thor`` is one behind AI2-THOR's controller API, as far as the service knows: what it
says of itself stands as JSON in the environment variable FACTS, and without that it cannot be
had. Opening an episode takes the seconds in START; the first text says where and when.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from env_service.domain.episode import FirstObservation
from env_service.plugins import Group, installed, installed_by_group
from env_service.suites.base import EpisodeOrder
from env_service.worlds.ai2thor_api.controller import ThorController, ThorStart
from env_service.worlds.base import WorldUnavailableError
from tests.support.lab import LabEpisode, LabSuite

FACTS = "LAB_THOR_FACTS"
START = "LAB_THOR_START_SECONDS"
PLACED_LAB = f"{__name__}:PlacedLabSuite"

if "lab-thor" not in installed(Group.WORLDS):
    # Workers get the path from here.
    sys.path.append(str(Path(__file__).with_name("plugins")))
    installed_by_group.cache_clear()


def describe() -> Mapping[str, str]:
    """What the world says of itself."""
    told = os.environ.get(FACTS)
    if told is None:
        raise WorldUnavailableError("lab-thor is not installed here. Set LAB_THOR_FACTS.")
    facts: dict[str, str] = json.loads(told)
    return facts


def hosting_limits(facts: Mapping[str, str], environment: Mapping[str, str]) -> None:
    """Nothing out of the ordinary."""
    del facts, environment


def open_scene(scene: str, start: ThorStart) -> ThorController:
    """It has no scenes: no suite of ours can be played in it."""
    raise WorldUnavailableError(f"lab-thor has no scene {scene!r}, started as {start}")


class _PlacedEpisode(LabEpisode):
    def start(self) -> FirstObservation:
        """Opens, and reports it."""
        began = time.monotonic()
        time.sleep(float(os.environ.get(START, "0")))
        names = ("HOUSEGUEST_WORKER_GPU", "HOUSEGUEST_WORKER_CPUS", "OMP_NUM_THREADS")
        told = {name: os.environ.get(name) for name in (*names, "CUDA_VISIBLE_DEVICES", FACTS)}
        cores = sorted(os.sched_getaffinity(0))
        when = {"began": began, "ended": time.monotonic()}
        self._note = json.dumps({**told, **when, "cores": cores, "pid": os.getpid()})
        return super().start()


class PlacedLabSuite(LabSuite):
    """Heavy, in ``lab-thor`` and elsewhere."""

    worlds = ("heavy", "light", "lab-thor")

    def open_episode(self, order: EpisodeOrder) -> LabEpisode:
        """Makes the episode."""
        return _PlacedEpisode(order)


def told(text: str) -> dict[str, Any]:
    """The content of an episode's first text."""
    found: dict[str, Any] = json.loads(text[text.index("{") :])
    return found
