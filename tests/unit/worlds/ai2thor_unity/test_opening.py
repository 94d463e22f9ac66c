"""AI2-THOR's world, opened by name: settings from the environment, players that stay warm."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_api.world_registry import open_world
from env_service.worlds.ai2thor_unity import controller, opening
from env_service.worlds.ai2thor_unity.build import InstalledBuild
from env_service.worlds.ai2thor_unity.graphics.displays import Survey
from env_service.worlds.ai2thor_unity.graphics.nvidia import Gpu, Nvidia
from env_service.worlds.ai2thor_unity.settings import COMMIT_ID, Platform, ThorSettings
from env_service.worlds.base import WorldUnavailableError, describe_world
from tests.support.fake_thor import Starter

START = ThorStart(64, 48)
H100, H200 = Gpu(0, "NVIDIA H100", "GPU-0"), Gpu(1, "NVIDIA H200", "GPU-1")


@pytest.fixture
def starter(monkeypatch: pytest.MonkeyPatch) -> Iterator[Starter]:
    """What the world starts in the place of players."""
    made = Starter()
    monkeypatch.setattr(controller, "Ai2ThorController", made)
    monkeypatch.setenv("HOUSEGUEST_THOR_PLATFORM", "executable")
    monkeypatch.setenv("HOUSEGUEST_THOR_EXECUTABLE", "/opt/thor/player")
    yield made
    opening.close()


def chosen(monkeypatch: pytest.MonkeyPatch, platform: Platform) -> None:
    """A machine with a build for a platform, on which that platform is chosen."""
    build = InstalledBuild(platform, COMMIT_ID, Path("/opt"), Path("/opt/player"), ("FIFO",))
    monkeypatch.setattr(opening, "choose", lambda *_: platform)
    monkeypatch.setattr(opening, "installed", lambda *_: build)
    monkeypatch.setattr(opening, "survey", lambda *_: Survey(":0.0"))
    monkeypatch.setattr(opening, "look", lambda: Nvidia("550.1", (H100, H200)))


def test_episodes_follow_each_other_on_one_player(starter: Starter) -> None:
    for scene in ("FloorPlan1", "FloorPlan2"):
        open_world("ai2thor", scene, START).stop()
    (player,) = starter.players
    assert player.resets[0][0] == "FloorPlan2"


def test_players_are_run_as_the_environment_says(
    starter: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_world("ai2thor", "FloorPlan1", START).stop()
    monkeypatch.setenv("HOUSEGUEST_THOR_CPUS", "1")
    open_world("ai2thor", "FloorPlan1", START).stop()
    assert len(starter.players) == 2


def test_closing_stops_all_and_the_next_opening_starts_anew(starter: Starter) -> None:
    open_world("ai2thor", "FloorPlan1", START)
    opening.close()
    assert starter.running == []
    open_world("ai2thor", "FloorPlan1", START)
    assert starter.running == [1]


def test_a_setting_that_makes_no_sense_is_the_machines_fault(
    starter: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOUSEGUEST_THOR_WARM", "-1")
    for ask in (
        lambda: open_world("ai2thor", "FloorPlan1", START),
        lambda: describe_world("ai2thor"),
    ):
        with pytest.raises(WorldUnavailableError, match="HOUSEGUEST_THOR_WARM is '-1'"):
            ask()


def test_a_build_is_described_by_what_could_change_a_picture(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chosen(monkeypatch, Platform.CLOUD_RENDERING)
    assert describe_world("ai2thor") == {
        "package": "ai2thor 5.0.0",
        "platform": "CloudRendering",
        "commit": COMMIT_ID,
        "driver": "550.1",
        "gpus": "NVIDIA H100, NVIDIA H200",
    }
    monkeypatch.setenv("HOUSEGUEST_THOR_GPU", "1")
    assert describe_world("ai2thor")["gpus"] == "NVIDIA H200"


@pytest.mark.parametrize(("name", "kind"), [(":0.0", "X server"), ("", "Xvfb")])
def test_a_display_is_described_by_its_kind(
    monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    chosen(monkeypatch, Platform.LINUX64)
    monkeypatch.setattr(opening, "survey", lambda *_: Survey(name, "/usr/bin/Xvfb"))
    monkeypatch.setattr(opening, "look", lambda: Nvidia(fault="no NVIDIA driver"))
    facts = describe_world("ai2thor")
    assert facts["display"] == kind
    assert set(facts) == {"package", "platform", "commit", "display"}


def test_an_executable_is_described_by_its_command(
    starter: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen(monkeypatch, Platform.EXECUTABLE)
    facts = describe_world("ai2thor")
    assert facts["player"] == "/opt/thor/player"
    assert "commit" not in facts
    assert starter.players == []


def test_settings_that_are_equal_share_their_players() -> None:
    assert hash(ThorSettings()) == hash(ThorSettings.from_environment({}))
