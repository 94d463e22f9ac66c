"""Scenes by name."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from env_service.worlds.household.scene.library import MetadataFolder, SceneLibrary
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.scene.thor_metadata import scene_from_metadata
from tests.support.thor_objects import kitchen


class Counted:
    """A source of two scenes that counts its loads."""

    def __init__(self) -> None:
        self.loads = 0

    def names(self) -> Sequence[str]:
        return ("kitchen-1", "kitchen-2")

    def load(self, name: str) -> SceneSpec | None:
        if not name.startswith("kitchen-"):
            return None
        self.loads += 1
        return scene_from_metadata(name, kitchen())


def test_a_scene_stays_loaded_until_others_push_it_out():
    source = Counted()
    library = SceneLibrary([source], kept=2)
    first = library.load("kitchen-1")
    assert library.load("kitchen-1") is first
    library.load("kitchen-2")
    library.load("kitchen-3")
    assert library.load("kitchen-1") is not first
    assert source.loads == 4


def test_an_unknown_name_brings_near_ones():
    with pytest.raises(ValueError, match="near names: kitchen-1"):
        SceneLibrary([Counted()]).load("kitshen-1")
    with pytest.raises(ValueError, match="known scenes include kitchen-1"):
        SceneLibrary([Counted()]).load("zzz")
    with pytest.raises(ValueError, match="no source"):
        SceneLibrary([]).load("FloorPlan1")


def test_floor_plans_come_from_a_folder(tmp_path):
    for number in (10, 2):
        path = tmp_path / f"FloorPlan{number}_physics.json"
        path.write_text(json.dumps({item["objectId"]: item for item in kitchen()}))
    library = SceneLibrary([MetadataFolder(tmp_path), Counted()])
    assert library.names()[:2] == ("FloorPlan2_physics", "FloorPlan10_physics")
    assert library.load("FloorPlan2").name == "FloorPlan2_physics"
    assert library.load("FloorPlan10_physics").name == "FloorPlan10_physics"
    assert library.load("kitchen-1").name == "kitchen-1"
    with pytest.raises(ValueError, match="FloorPlan2_physics"):
        library.load("FloorPlan20_physics")


@pytest.mark.parametrize("name", ["../secret", "", "a/b", "FloorPlan2_physics.json"])
def test_a_name_is_no_path(tmp_path, name):
    assert MetadataFolder(tmp_path).load(name) is None


@pytest.mark.parametrize("text", ["{", "3", '"kitchen"'])
def test_a_broken_file_is_named(tmp_path, text):
    (tmp_path / "FloorPlan2_physics.json").write_text(text)
    with pytest.raises(ValueError, match=r"FloorPlan2_physics\.json"):
        MetadataFolder(tmp_path).load("FloorPlan2")
