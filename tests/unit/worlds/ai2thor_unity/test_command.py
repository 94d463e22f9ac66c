"""What is started as a player, and its environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_unity import launch_plan
from env_service.worlds.ai2thor_unity.build import InstalledBuild
from env_service.worlds.ai2thor_unity.launch_plan import display_of, environment, plan_launch
from env_service.worlds.ai2thor_unity.settings import COMMIT_ID, Platform, ThorSettings

OWNER = {
    "PATH": "/bin",
    "HOME": "/home",
    "DISPLAY": ":3",
    "WAYLAND_DISPLAY": "wayland-0",
    "CUDA_VISIBLE_DEVICES": "1",
    "AI2THOR_VISIBILITY_DISTANCE": "5",
}


def test_the_owners_environment_does_not_sway_the_player() -> None:
    found = environment(OWNER, {"server_type": "FIFO"}, home=None, display="")
    assert found == {"PATH": "/bin", "HOME": "/home", "AI2THOR_SERVER_TYPE": "FIFO"}
    assert "DISPLAY" in OWNER


def test_the_display_is_the_one_that_was_chosen() -> None:
    assert environment(OWNER, {}, home=None, display=":7.0")["DISPLAY"] == ":7.0"


def test_a_home_of_its_own_keeps_the_key_to_the_display() -> None:
    found = environment(OWNER, {}, home=Path("/thor"), display=":7.0")
    assert found["HOME"] == "/thor"
    assert found["XAUTHORITY"] == "/home/.Xauthority"
    own = {**OWNER, "XAUTHORITY": "/key"}
    assert environment(own, {}, home=Path("/thor"), display=":7.0")["XAUTHORITY"] == "/key"
    assert "XAUTHORITY" not in environment(OWNER, {}, home=Path("/thor"), display="")


def planned(monkeypatch: pytest.MonkeyPatch, platform: Platform) -> launch_plan.LaunchPlan:
    found = InstalledBuild(platform, COMMIT_ID, Path("/thor"), Path("/thor/thor"), ("FIFO",))
    monkeypatch.setattr(launch_plan, "choose", lambda *_: platform)
    monkeypatch.setattr(launch_plan, "installed", lambda *_: found)
    monkeypatch.setattr(launch_plan, "vulkan_index", lambda index: index + 10)
    return plan_launch(ThorSettings(executable="player", gpu=2), ThorStart())


def test_a_gpu_is_a_device_of_vulkans_where_vulkan_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    launch = planned(monkeypatch, Platform.CLOUD_RENDERING)
    assert launch.device == 12
    assert launch.build is not None
    assert planned(monkeypatch, Platform.LINUX64).device is None


def test_an_executable_is_no_build(monkeypatch: pytest.MonkeyPatch) -> None:
    launch = planned(monkeypatch, Platform.EXECUTABLE)
    assert launch.build is None
    assert launch.device is None


def test_an_executable_gets_the_display_that_it_is_given() -> None:
    plain = ThorSettings(platform=Platform.EXECUTABLE, executable="player")
    assert display_of(launch_plan.LaunchPlan(Platform.EXECUTABLE, plain), ThorStart()) is None
    given = ThorSettings(platform=Platform.EXECUTABLE, executable="player", display=":4")
    display = display_of(launch_plan.LaunchPlan(Platform.EXECUTABLE, given), ThorStart())
    assert display is not None
    assert display.name == ":4"
