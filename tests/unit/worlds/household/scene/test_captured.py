"""Captured scenes, imported: what a capture tells is taken as it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from env_service.worlds.ai2thor_api.capture.folder import CaptureFolder
from env_service.worlds.ai2thor_api.capture.recording import Recording, record
from env_service.worlds.ai2thor_api.capture.sidecar import SCHEMA, digest
from env_service.worlds.household.controller import HouseholdController
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.library import MetadataFolder, SceneLibrary
from env_service.worlds.household.scene.rooms.built_in_rooms import BuiltInRooms
from env_service.worlds.household.scene.spec import SceneSpec
from tests.support.data import reference_data
from tests.support.thor_objects import kitchen, xyz

NAME = "household-bathroom-1"
DUMPS = "ithor/dev/data/objects_metadata_samples"
MOMENTARY = ("visible", "isInteractable", "isMoving")
"""Keys that tell of the moment and of the drawing, not of the scene."""


def recorded(scene: str, library: SceneLibrary) -> Recording:
    """A scene of the household world, written down without pictures."""
    with HouseholdController(
        scene, library=library, renderer="none", gridSize=0.25, snapToGrid=False
    ) as controller:
        return record(controller, controller.last_event, None, 0)


def imported(folder: Path, recording: Recording, name: str = NAME) -> SceneLibrary:
    """The library of a folder with that recording alone."""
    CaptureFolder(folder).write(name, recording, {"gridSize": 0.25, "request": {}})
    return SceneLibrary([MetadataFolder(folder)])


@pytest.fixture(scope="module")
def original() -> Recording:
    return recorded(NAME, SceneLibrary([BuiltInRooms()]))


def alike(found: Any, wanted: Any, tolerance: float, where: str = "") -> None:
    """Fails where two documents differ by more than a tolerance in a number, or in any word."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys(), where
        for key in wanted:
            alike(found[key], wanted[key], tolerance, f"{where}/{key}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), where
        for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
            alike(one, other, tolerance, f"{where}/{number}")
    elif isinstance(wanted, float | int) and not isinstance(wanted, bool):
        assert found == pytest.approx(wanted, abs=tolerance), where
    else:
        assert found == wanted, where


def objects(recording: Recording) -> dict[str, Any]:
    """The objects without what is momentary."""
    read: dict[str, dict[str, Any]] = json.loads(recording.objects)
    return {
        name: {key: value for key, value in item.items() if key not in MOMENTARY}
        for name, item in read.items()
    }


def test_what_is_captured_and_imported_is_captured_the_same(
    tmp_path: Path, original: Recording
) -> None:
    again = recorded(NAME, imported(tmp_path, original))
    alike(objects(again), objects(original), 1e-12)
    for key in ("agent", "sceneBounds", "reachablePositions", "cameraPosition"):
        assert again.facts[key] == original.facts[key]


def test_the_agent_can_stand_wherever_it_could(tmp_path: Path, original: Recording) -> None:
    library = imported(tmp_path, original)
    with HouseholdController(NAME, library=library, renderer="none") as controller:
        for point in original.facts["reachablePositions"]:
            assert controller.step("Teleport", position=point)


@pytest.mark.data
@pytest.mark.parametrize("name", ["FloorPlan12_physics", "FloorPlan402_physics"])
def test_a_floor_plan_is_captured_as_it_was_published(tmp_path: Path, name: str) -> None:
    dump = reference_data(f"{DUMPS}/{name}.json")
    published = json.loads(dump.read_text(encoding="utf-8"))
    captured = recorded(name, SceneLibrary([MetadataFolder(dump.parent)]))
    found = objects(captured)
    assert list(found) == list(published)
    assert [list(item) for item in json.loads(captured.objects).values()] == [
        list(item) for item in published.values()
    ]
    for object_id, item in published.items():
        wanted = {key: value for key, value in item.items() if key not in MOMENTARY}
        alike(found[object_id], wanted, 2e-3, object_id)
    imported(tmp_path, captured, name).load(name)


def written(folder: Path, change: Callable[[dict[str, Any]], None]) -> MetadataFolder:
    """A folder with a made kitchen, and a sidecar that was changed."""
    path = folder / "Kitchen.json"
    path.write_text(json.dumps(kitchen()), encoding="utf-8")
    sidecar: dict[str, Any] = {
        "format": "houseguest-scene-capture",
        "schema": SCHEMA,
        "objects": {"sha256": digest(path.read_bytes())},
        "agent": {"position": xyz((0.5, 0.9, 0.5)), "rotation": xyz((0.0, 90.0, 0.0)),
                  "cameraHorizon": 30.0, "isStanding": False},
        "sceneBounds": {"center": xyz((0.0, 1.0, 0.0)), "size": xyz((9.0, 3.0, 9.0))},
        "gridSize": 0.25,
        "reachablePositions": [xyz((0.5, 0.9, 0.5)), xyz((0.75, 0.9, 0.5))],
        "house": None,
    }  # fmt: skip
    change(sidecar)
    (folder / "Kitchen.capture.json").write_text(json.dumps(sidecar), encoding="utf-8")
    return MetadataFolder(folder)


def loaded(folder: Path, change: Callable[[dict[str, Any]], None] = lambda _: None) -> SceneSpec:
    scene = written(folder, change).load("Kitchen")
    assert scene is not None
    return scene


def test_the_start_is_the_captured_one(tmp_path: Path) -> None:
    scene = loaded(tmp_path)
    assert scene.agent.position == Vec3(0.5, 0.9, 0.5)
    assert (scene.agent.yaw, scene.agent.horizon, scene.agent.standing) == (90.0, 30.0, False)
    assert scene.scene_bounds.size == Vec3(9.0, 3.0, 9.0)
    assert scene.survey is not None
    assert scene.survey.positions[1] == Vec3(0.75, 0.9, 0.5)


def test_no_wall_stands_where_the_agent_went(tmp_path: Path) -> None:
    far = xyz((0.5, 0.9, 2.75))
    wide = loaded(tmp_path, lambda told: told["reachablePositions"].append(far))
    assert wide.bounds.center.z + wide.bounds.size.z / 2 >= 2.95
    narrow = loaded(tmp_path)
    assert narrow.bounds.center.z + narrow.bounds.size.z / 2 < 2.5


def test_a_sidecar_is_no_scene(tmp_path: Path) -> None:
    folder = written(tmp_path, lambda _: None)
    assert folder.names() == ("Kitchen",)
    assert folder.load("Kitchen.capture") is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": SCHEMA + 1}, r"Kitchen\.capture\.json has schema 2.*update houseguest"),
        ({"schema": True}, "capture the scene again"),
        ({"format": "other"}, "does not say that it is"),
        ({"objects": {"sha256": "00"}}, r"does not belong to Kitchen\.json"),
        ({"objects": None}, "objects is not a JSON object"),
        ({"world": "ai2thor"}, "world is not a JSON object"),
        ({"agent": []}, "agent is not a JSON object"),
        ({"house": 3}, "house is not a JSON object"),
        ({"house": {"rooms": []}}, "rooms or walls are invalid"),
        ({"house": {"rooms": [], "walls": []}}, "rooms or walls are invalid|no rooms"),
        ({"gridSize": 0}, "gridSize"),
        ({"gridSize": "wide"}, "gridSize"),
        ({"reachablePositions": {"x": 1}}, "reachablePositions"),
        ({"reachablePositions": [{"x": 1}]}, "no finite x, y and z"),
    ],
)
def test_a_broken_sidecar_is_named(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        loaded(tmp_path, lambda told: told.update(change))


def test_a_sidecar_that_is_no_json_is_named(tmp_path: Path) -> None:
    folder = written(tmp_path, lambda _: None)
    (tmp_path / "Kitchen.capture.json").write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match=r"Kitchen\.capture\.json is not JSON"):
        folder.load("Kitchen")


def test_a_sidecar_may_say_little(tmp_path: Path) -> None:
    def forget(told: dict[str, Any]) -> None:
        for key in ("agent", "sceneBounds", "reachablePositions", "gridSize", "house"):
            del told[key]

    scene = loaded(tmp_path, forget)
    assert scene.survey is None
    assert scene.agent.position.y == pytest.approx(0.901, abs=1e-3)
