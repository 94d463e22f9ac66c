"""The household world, opened by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_api.floor_plans import VARIABLE as FLOOR_PLANS
from env_service.worlds.ai2thor_api.world_registry import open_world
from env_service.worlds.base import WorldUnavailableError, describe_world
from env_service.worlds.household import opening
from env_service.worlds.household.opening import trim_memory
from env_service.worlds.household.render.selection import VARIABLE

SCENE = "household-bathroom-1"
START = ThorStart(64, 48, "High", {"fieldOfView": 60, "renderInstanceSegmentation": True})


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "soft")
    monkeypatch.delenv(FLOOR_PLANS, raising=False)


def test_a_scene_opens_as_the_start_says() -> None:
    thor = open_world("household", SCENE, START)
    event = thor.last_event
    thor.stop()
    assert event.metadata["sceneName"] == SCENE
    assert event.metadata["fov"] == 60
    assert (event.metadata["screenWidth"], event.metadata["screenHeight"]) == (64, 48)
    assert event.metadata["colors"]


def test_scenes_stay_loaded_between_episodes() -> None:
    first = open_world("household", SCENE, START)
    scene = first._simulator.state.scene  # type: ignore[attr-defined] # which object is the question
    first.stop()
    second = open_world("household", SCENE, START)
    assert second._simulator.state.scene is scene  # type: ignore[attr-defined]
    second.stop()


def test_floor_plans_come_from_the_folder_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "FloorPlan7_physics.json").write_text("[]", encoding="utf-8")
    with pytest.raises(ValueError, match="FloorPlan7_physics"):
        open_world("household", "FloorPlan7", START)
    monkeypatch.setenv(FLOOR_PLANS, str(tmp_path))
    with pytest.raises(ValueError, match="object"):  # it is found, and there is nothing in it
        open_world("household", "FloorPlan7", START)


def test_an_unknown_scene_is_told() -> None:
    with pytest.raises(ValueError, match="castle"):
        open_world("household", "castle", START)


def test_a_renderer_that_does_not_exist_is_the_machines_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(VARIABLE, "oil")
    for ask in (lambda: open_world("household", SCENE, START), lambda: describe_world("household")):
        with pytest.raises(WorldUnavailableError, match=f"{VARIABLE} is 'oil'"):
            ask()


def test_a_folder_that_is_not_there_is_the_machines_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FLOOR_PLANS, str(tmp_path / "absent"))
    with pytest.raises(WorldUnavailableError, match=FLOOR_PLANS):
        open_world("household", SCENE, START)


def test_it_says_what_draws() -> None:
    facts = describe_world("household")
    assert facts["renderer"] == "soft"
    assert set(facts) == {"version", "rules", "renderer"}


def test_opening_gives_back_what_the_episode_before_has_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[bool] = []
    monkeypatch.setattr(opening, "trim_memory", lambda: given.append(True))
    for _ in range(2):
        open_world("household", SCENE, START).stop()
    assert len(given) == 2


def test_giving_memory_back_is_harmless_wherever_it_is_possible() -> None:
    held = bytearray(b"x" * (1 << 20))
    trim_memory()
    trim_memory()
    assert held == b"x" * (1 << 20)
