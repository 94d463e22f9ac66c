"""What reaches a player at its start, and what keeps it from being started at all."""

from __future__ import annotations

import importlib.metadata
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_unity import controller, launch_plan
from env_service.worlds.ai2thor_unity.build import InstalledBuild
from env_service.worlds.ai2thor_unity.controller import Ai2ThorController
from env_service.worlds.ai2thor_unity.graphics.displays import Display
from env_service.worlds.ai2thor_unity.settings import COMMIT_ID, Platform, ThorSettings
from env_service.worlds.base import WorldUnavailableError
from env_service.worlds.household.player import stand_in_build
from tests.support import tiny_player
from tests.support.ai2thor_adapter import (
    PATIENT,
    SCENE,
    calm_down,
    diary,
    install_tiny,
    own_place,
    settings,
    started,
    traces,
)

pytest.importorskip("ai2thor", reason="needs houseguest[ai2thor]")
pytestmark = pytest.mark.filterwarnings("ignore:AI2THOR_VISIBILITY_DISTANCE")

ASGARD: dict[str, Any] = {
    "agentMode": "default",
    "visibilityDistance": 5,
    "gridSize": 0.25,
    "snapToGrid": False,
    "rotateStepDegrees": 5,
    "renderDepthImage": False,
    "fieldOfView": 60,
    "makeAgentsVisible": False,
    "renderInstanceSegmentation": True,
}
"""AsgardBench's parameters of Initialize, from its published code."""
ASGARD_START = ThorStart(1024, 1024, "High", ASGARD)


@pytest.fixture(scope="module", autouse=True)
def _calm() -> None:
    calm_down()


@pytest.fixture
def patch(tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    """A place whose environment would sway an unsupervised controller."""
    with own_place(tmp_path) as patch:
        patch.setenv("CUDA_VISIBLE_DEVICES", "7")
        patch.setenv("DISPLAY", ":5")
        patch.setenv("AI2THOR_VISIBILITY_DISTANCE", "9")
        patch.setenv("AI2THOR_ANYTHING", "else")
        patch.setenv("TINY_PLAYER_DIARY", str(tmp_path / "diary"))
        yield patch


def on(patch: pytest.MonkeyPatch, platform: Platform, home: Path) -> ThorSettings:
    """Settings for an installed build on a machine that has all that it takes."""
    patch.setattr(launch_plan, "choose", lambda *_: platform)
    patch.setattr(launch_plan, "display_for", lambda *_: Display(":99.0"))
    patch.setattr(launch_plan, "vulkan_index", lambda index: index + 10)
    return ThorSettings(platform=platform, home=home, gpu=1, deadlines=PATIENT)


@pytest.mark.parametrize("platform", [Platform.CLOUD_RENDERING, Platform.LINUX64])
def test_asgard_bench_is_started_as_it_starts_itself(
    patch: pytest.MonkeyPatch, tmp_path: Path, platform: Platform
) -> None:
    executable = install_tiny(tmp_path / "home", platform)
    on_vulkan = platform is Platform.CLOUD_RENDERING
    with Ai2ThorController(SCENE, ASGARD_START, on(patch, platform, tmp_path / "home")) as thor:
        frame = thor.last_event.frame
        assert frame is not None
        assert frame.shape == (1024, 1024, 3)
        assert thor.step("Pass")
        assert thor.facts == {
            "platform": platform.value,
            "quality": "High",
            "player": str(executable),
            "commit": COMMIT_ID,
            "gpu": "1",
            **({"device": "11"} if on_vulkan else {"display": ":99.0"}),
        }
    arguments, environment, actions = diary(tmp_path / "diary")
    quality = ["-screen-fullscreen", "0", "-screen-quality", "5"]
    device = ["-force-device-index", "11"] if on_vulkan else []
    assert arguments == [*quality, "-screen-width", "1024", "-screen-height", "1024", *device]
    told = {name for name in environment if name.startswith("AI2THOR_")}
    assert told == {
        "AI2THOR_CLIENT_TOKEN",
        "AI2THOR_FIFO_CLIENT_PIPE_PATH",
        "AI2THOR_FIFO_SERVER_PIPE_PATH",
        "AI2THOR_SERVER_SIDE_SCREENSHOT",
        "AI2THOR_SERVER_TYPE",
    }
    assert environment["AI2THOR_SERVER_SIDE_SCREENSHOT"] == "True"
    assert environment["AI2THOR_SERVER_TYPE"] == "FIFO"
    assert environment["HOME"] == str(tmp_path / "home")
    assert environment.get("DISPLAY") == (None if on_vulkan else ":99.0")
    assert "CUDA_VISIBLE_DEVICES" not in environment
    change = [{"action": "ChangeQuality", "quality": "High"}] if on_vulkan else []
    assert [{**action, "sequenceId": None} for action in actions] == [
        {**action, "sequenceId": None}
        for action in (
            {"action": "GetScenesInBuild"},
            {"action": "Reset", "sceneName": "FloorPlan1_physics"},
            {"action": "ChangeResolution", "x": 1024, "y": 1024},
            *change,
            {"action": "Initialize", **ASGARD},
            {"action": "Pass"},
        )
    ]


def test_an_executable_is_started_by_its_command_line(
    patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "a folder of one's own"
    folder.mkdir()
    program = shutil.copy(tiny_player.__file__, folder)
    words = shlex.join([sys.executable, program, "-logFile", "a b"])
    root = str(Path(tiny_player.__file__).resolve().parents[2])
    patch.setenv("PYTHONPATH", root)
    with Ai2ThorController(SCENE, ThorStart(64, 48), settings(words)) as thor:
        assert thor.step("Pass", rotation=90)
    arguments, environment, actions = diary(tmp_path / "diary")
    assert arguments[:2] == ["-logFile", "a b"]
    assert arguments[2:6] == ["-screen-fullscreen", "0", "-screen-quality", "7"]
    assert "DISPLAY" not in environment
    assert actions[-1] == {"action": "Pass", "rotation": {"y": 90}, "sequenceId": 2}


def test_a_build_may_lie_in_a_folder_with_spaces(patch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    platform, home = Platform.LINUX64, tmp_path / "it's a home"
    executable = install_tiny(home, platform)
    found = InstalledBuild(platform, COMMIT_ID, executable.parent, executable, ("FIFO",))
    patch.setattr(launch_plan, "installed", lambda *_: found)
    with Ai2ThorController(SCENE, ThorStart(), on(patch, platform, home)) as thor:
        assert thor.step("Pass")


def test_a_player_runs_on_the_processors_that_it_was_given(
    patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    one = min(os.sched_getaffinity(0))
    with Ai2ThorController(SCENE, ThorStart(64, 48), settings(cpus=(one,))) as thor:
        assert os.sched_getaffinity(thor.pid) == {one}
        assert thor.resident_bytes() > 2**20


def test_a_build_of_another_commit_is_not_started(
    patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install_tiny(tmp_path, Platform.CLOUD_RENDERING, "0" * 40)
    before = traces()
    with pytest.raises(WorldUnavailableError, match="houseguest thor install"):
        Ai2ThorController(SCENE, ThorStart(), on(patch, Platform.CLOUD_RENDERING, tmp_path))
    assert traces() == before
    assert not (tmp_path / "diary").exists()


def test_another_version_of_the_package_is_refused(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(controller, "version", lambda _: "4.2.0")
    with pytest.raises(
        WorldUnavailableError, match=r"version 4.2.0, and only 5.0.0 .* pip install"
    ):
        started()


def test_a_package_that_is_not_there_is_named(patch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    patch.setattr(controller, "version", missing)
    with pytest.raises(WorldUnavailableError, match=r"pip install 'houseguest\[ai2thor\]'"):
        started()


def test_the_household_player_is_started_as_an_installed_build(
    patch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stand_in_build.install(tmp_path)
    start = ThorStart(64, 48, initialization={"renderInstanceSegmentation": True})
    chosen = on(patch, Platform.CLOUD_RENDERING, tmp_path)
    with Ai2ThorController("household-bathroom-1", start, chosen) as thor:
        assert thor.facts["commit"] == COMMIT_ID
        event = thor.step("RotateRight")
        assert event.frame is not None
        assert event.frame.shape == (48, 64, 3)
        assert event.frame.flags.c_contiguous
        assert len(event.instance_masks) > 3


@pytest.mark.parametrize(
    ("scene", "start", "text"),
    [
        ("FloorPlan9999", ThorStart(64, 48), "FloorPlan9999"),
        (SCENE, ThorStart(64, 48, initialization={"error": "gridSize < 0"}), "gridSize < 0"),
        (SCENE, ThorStart(64, 48, initialization={"width": 3}), "width: no parameter of"),
        (SCENE, ThorStart(64, 48, initialization={"gridSize": object()}), "cannot be written"),
    ],
)
def test_a_start_that_makes_no_sense_leaves_nothing_behind(
    patch: pytest.MonkeyPatch, scene: str, start: ThorStart, text: str
) -> None:
    before = traces()
    with pytest.raises(ValueError, match=text):
        started(scene, start=start)
    assert traces() == before


def test_a_player_survives_its_callers_mistakes(patch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with started(start=ThorStart(64, 48, initialization={"gridSize": 0.5})) as thor:
        trace = "NullReferenceException: no such thing. trace:   at Agent.Step () [0x0]\n at X"
        for code in ("InvalidAction", "MissingArguments", "AmbiguousAction", "InvalidArgument"):
            with pytest.raises(ValueError, match=r"no such thing$"):
                thor.step("Fly", error=trace, code=code)
            assert not thor.last_event
        with pytest.raises(RuntimeError, match=r"no such thing$"):
            thor.step("Fly", error=trace, raise_for_failure=True)
        refused = thor.step("Fly", error=trace)
        assert not refused
        assert refused.metadata["errorMessage"] == "NullReferenceException: no such thing"
        with pytest.raises(ValueError, match="cannot be written as JSON"):
            thor.step("Teleport", position=object())
        with pytest.raises(ValueError, match="it was too dark"):
            thor.reset(width=80, error="it was too dark", gridSize=0.25)
        assert thor.reset().frame is not None
        assert thor.step({})
        assert thor.step({"action": ["Pass"]})
        assert thor.alive
    actions = diary(tmp_path / "diary")[2]
    last = [action for action in actions if action.get("action") == "Initialize"][-1]
    assert last == {"action": "Initialize", "gridSize": 0.5, "sequenceId": 2}
    assert [action for action in actions if action.get("action") == "Teleport"] == []


def test_of_several_agents_the_one_that_acted_is_shown(patch: pytest.MonkeyPatch) -> None:
    start = ThorStart(64, 48, initialization={"agentCount": 2, "renderInstanceSegmentation": True})
    with started(start=start) as thor:
        for agent in (1, 0):
            event = thor.step("Pass", agentId=agent)
            assert event.metadata["agentId"] == agent
            assert event.frame is not None
            assert event.frame.shape == (48, 64, 3)
            assert event.instance_detections2D[tiny_player.MUG] == (0, 0, 63, 47)


def test_events_share_pictures_that_did_not_change(patch: pytest.MonkeyPatch) -> None:
    with started() as thor:
        first = thor.step("Pass")
        query = thor.step("GetReachablePositions")
        with pytest.raises(ValueError, match="wrong"):
            thor.step("Pass", error="wrong", code="InvalidAction")
        later = thor.step("GetReachablePositions")
        assert query.metadata["lastAction"] == "GetReachablePositions"
        assert first.metadata["lastAction"] == "Pass"
        assert query.frame is first.frame
        assert later.frame is not first.frame
    assert first.frame is not None
    assert not first.frame.flags.writeable
