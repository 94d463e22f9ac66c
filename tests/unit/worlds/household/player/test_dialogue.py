"""What a player plays in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from env_service.datasets.folder import PackFolder
from env_service.datasets.registry import definition
from env_service.worlds.ai2thor_api.floor_plans import VARIABLE
from env_service.worlds.household.player.dialogue import PlayedSimulator
from env_service.worlds.household.player.options import Options
from tests.support.data import reference_data

PLAN = "dev/data/objects_metadata_samples/FloorPlan12_physics.json"
OPTIONS = Options("/to", "/from")


@pytest.fixture(autouse=True)
def packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path))
    monkeypatch.setenv("HOUSEGUEST_RENDERER", "none")
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.mark.data
def test_a_fetched_pack_is_found() -> None:
    source, target = reference_data(f"ithor/{PLAN}"), PackFolder(definition("ithor")).path / PLAN
    target.parent.mkdir(parents=True)
    shutil.copy(source, target)
    simulator = PlayedSimulator(OPTIONS)
    listed = simulator.play({"action": "GetScenesInBuild"}).event.metadata["actionReturn"]
    assert listed[0] == "FloorPlan12_physics"
    assert simulator.play({"action": "Reset", "sceneName": "FloorPlan12"}).event


def test_without_a_pack_there_are_the_built_in_rooms() -> None:
    simulator = PlayedSimulator(OPTIONS)
    listed = simulator.play({"action": "GetScenesInBuild"}).event.metadata["actionReturn"]
    assert "household-kitchen-1" in listed
    assert not [name for name in listed if name.startswith("FloorPlan")]
