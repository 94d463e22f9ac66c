"""An episode of the household world is the same in every process, whatever Python's hashes are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from tests.support.whole import everything

SCENES = ("household-kitchen-1", "household-bathroom-1")
STEPS = 12 if everything() else 6

PLAY = """
import json, sys
from dataclasses import astuple
from env_service.worlds.household.controller import HouseholdController
from tests.support.household_episode import played

if sys.argv[1] == "without-numba":
    sys.modules["numba"] = None
scenes, steps = sys.argv[3:], int(sys.argv[2])
with HouseholdController(scenes[0], renderer="soft") as controller:
    for scene in scenes:
        for step in played(controller, scene, steps=steps, seed=4):
            print(json.dumps([scene, *astuple(step)]))
"""


def start(hash_seed: str, numba: str, *scenes: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PLAY, numba, str(STEPS), *scenes],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )


def lines(process: subprocess.Popen[str]) -> list[Any]:
    output, _ = process.communicate(timeout=900)
    assert process.returncode == 0
    return sorted(json.loads(line) for line in output.splitlines())


def test_two_processes_play_the_same_episode() -> None:
    first = start("1", "with-numba", *SCENES)
    second = start("2", "without-numba", *reversed(SCENES))
    played, again = lines(first), lines(second)
    assert len(played) == len(SCENES) * (STEPS + 1)
    assert sum(step[3] for step in played) > len(played) // 2, "most actions are carried out"
    assert played == again
