"""The stand-in player under AI2-THOR's own Python package: starts, plays, misbehaves, ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from env_service.worlds.household.player.options import FROM_CONTROLLER, TO_CONTROLLER
from env_service.worlds.household.player.stand_in_build import COMMIT
from tests.conformance.engine_kit import is_alive
from tests.support.command_line import until
from tests.support.data import reference_data, reference_path
from tests.support.real_thor import deadline, own_home, started, stopped

SCENE = "household-bathroom-1"
SMALL = {"width": 64, "height": 48, "scene": SCENE}
PLAYER = [sys.executable, "-m", "env_service.worlds.household.player"]

pytest.importorskip("ai2thor", reason="needs houseguest[ai2thor]")


FLOOR_PLANS = "ithor/dev/data/objects_metadata_samples"


@pytest.fixture(scope="module")
def controller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A controller that the tests of this module share; it knows the floor plans if they are
    here."""
    home, folder = tmp_path_factory.mktemp("home"), reference_path(FLOOR_PLANS)
    with own_home(home, scenes=folder if folder.exists() else None):
        shared = started(home, **SMALL)
    yield shared
    player = shared.server.unity_proc
    stopped(shared)
    assert gone(player)


def gone(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process has ended, or does soon."""
    with deadline(60.0):
        process.wait()
    return process.returncode is not None


def test_it_is_started_by_its_command(controller: Any) -> None:
    event = controller.reset(SCENE, width=64, height=48)
    assert event.metadata["sceneName"] == SCENE
    assert event.frame.shape == (48, 64, 3)
    assert controller.step("RotateRight")


def test_it_is_started_as_an_installed_build(tmp_path: Path) -> None:
    with own_home(tmp_path):
        installed = started(tmp_path, "build", **SMALL)
    try:
        assert installed.last_event.metadata["sceneName"] == SCENE
        assert installed.step("RotateRight").frame.shape == (48, 64, 3)
        assert installed._build.commit_id == COMMIT
        player = installed.server.unity_proc
    finally:
        stopped(installed)
    assert gone(player)


def test_resolution_changes_with_a_reset(controller: Any) -> None:
    event = controller.reset(SCENE, width=80, height=96)
    assert event.frame.shape == (96, 80, 3)
    assert controller.step("Pass").frame.shape == (96, 80, 3)


def test_queries_are_answered_by_a_patch_and_leave_the_picture(controller: Any) -> None:
    controller.reset(SCENE)
    before = controller.step("Pass").frame.copy()
    event = controller.step("GetReachablePositions")
    assert len(event.metadata["actionReturn"]) > 4
    assert np.array_equal(event.frame, before)
    assert event.metadata["lastAction"] == "GetReachablePositions"


@pytest.mark.data
def test_floor_plans_are_played_from_their_folder(controller: Any) -> None:
    reference_data(FLOOR_PLANS)
    event = controller.reset("FloorPlan12")
    names = {each["name"] for each in event.metadata["objects"]}
    assert "Mug_a529cf46" in names
    assert len([name for name in controller.scenes_in_build if "FloorPlan" in name]) == 120


@pytest.mark.parametrize(
    "fault",
    [
        {"do": "signal", "number": 9},
        {"do": "half"},
        {"do": "garbage"},
        {"do": "wrong sequence"},
    ],
    ids=lambda fault: str(fault["do"]),
)
def test_a_player_that_misbehaves_is_noticed(tmp_path: Path, fault: dict[str, Any]) -> None:
    faults = {"on": [{"action": "GetScenesInBuild", **fault}]}
    with own_home(tmp_path, faults=faults), pytest.raises(RuntimeError, match="GetScenesInBuild"):
        started(tmp_path, server_timeout=None, **SMALL)
    end_players(tmp_path)


@pytest.mark.parametrize("start", ["hang after open", "exit after open"])
def test_a_start_that_goes_wrong_is_noticed(tmp_path: Path, start: str) -> None:
    with own_home(tmp_path, faults={"start": start}), pytest.raises(
        (TimeoutError, RuntimeError)
    ):  # fmt: skip
        started(tmp_path, server_start_timeout=2.0, **SMALL)
    end_players(tmp_path)


def test_a_slow_player_is_late_and_right(tmp_path: Path) -> None:
    faults = {"on": [{"action": "GetScenesInBuild", "do": "slow", "seconds": 0.4}]}
    with own_home(tmp_path, faults=faults):
        controller = started(tmp_path, **SMALL)
    try:
        assert controller.step("Pass")
        assert SCENE in controller.scenes_in_build
    finally:
        stopped(controller)


def test_a_player_outlives_neither_its_controller_nor_its_parent(tmp_path: Path) -> None:
    """The parent dies before it opens a pipe, and before the player has read its own source:
    nobody would ever tell the player."""
    for name in ("to", "from"):
        os.mkfifo(tmp_path / name)
    starter = (
        "import subprocess, sys\n"
        f"print(subprocess.Popen({PLAYER!r}, stderr=subprocess.DEVNULL).pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    with own_home(tmp_path):
        pipes = {TO_CONTROLLER: str(tmp_path / "to"), FROM_CONTROLLER: str(tmp_path / "from")}
        parent = subprocess.Popen(
            [sys.executable, "-c", starter],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **pipes},
        )  # fmt: skip
        assert parent.stdout is not None
        number = int(parent.stdout.readline())
        until(lambda: "numpy" in Path(f"/proc/{number}/maps").read_text(encoding="utf-8"))
        parent.kill()
        parent.wait()
        until(lambda: not is_alive(number))


def end_players(home: Path) -> None:
    """Kills what ai2thor leaves behind when its constructor fails."""
    for process in Path("/proc").glob("[0-9]*"):
        if _belongs(process, home):
            os.kill(int(process.name), signal.SIGKILL)


def _belongs(process: Path, home: Path) -> bool:
    try:
        return f"HOME={home}".encode() in (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def test_a_start_by_hand_says_what_it_is_for(tmp_path: Path) -> None:
    with own_home(tmp_path):
        told = subprocess.run([*PLAYER, "--help"], capture_output=True, text=True, check=False)
        alone = subprocess.run(PLAYER, capture_output=True, text=True, check=False)
    assert told.returncode == 0
    assert "local_executable_path" in told.stdout
    assert alone.returncode == 2
    assert "ai2thor starts this program" in alone.stderr
