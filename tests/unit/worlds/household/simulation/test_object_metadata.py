"""AI2-THOR's 42 keys of an object."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import pytest

from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.simulation.metadata import object_metadata
from env_service.worlds.household.state import HouseholdState, ObjectState, digest
from tests.support.data import reference_data
from tests.support.household_player import Player
from tests.support.household_scenes import kitchen, start
from tests.support.small_home import thing

KEYS = [
    "name",
    "position",
    "rotation",
    "visible",
    "isInteractable",
    "receptacle",
    "toggleable",
    "isToggled",
    "breakable",
    "isBroken",
    "canFillWithLiquid",
    "isFilledWithLiquid",
    "fillLiquid",
    "dirtyable",
    "isDirty",
    "canBeUsedUp",
    "isUsedUp",
    "cookable",
    "isCooked",
    "temperature",
    "isHeatSource",
    "isColdSource",
    "sliceable",
    "isSliced",
    "openable",
    "isOpen",
    "openness",
    "pickupable",
    "isPickedUp",
    "moveable",
    "mass",
    "salientMaterials",
    "receptacleObjectIds",
    "distance",
    "objectType",
    "objectId",
    "assetId",
    "parentReceptacles",
    "controlledObjects",
    "isMoving",
    "axisAlignedBoundingBox",
    "objectOrientedBoundingBox",
]


@pytest.fixture
def player() -> Player:
    return Player(start())


def metadata(state: HouseholdState, item: ObjectState) -> dict[str, Any]:
    return object_metadata(item, visible=True, interactable=False, distance=1.5, state=state)


def test_every_object_has_the_42_keys_in_order(player: Player) -> None:
    for item in player.state.objects.values():
        assert list(metadata(player.state, item)) == KEYS
    assert len(KEYS) == 42


def test_it_is_plain_json(player: Player) -> None:
    mug = metadata(player.state, player["Mug"])
    assert json.loads(json.dumps(mug)) == mug
    assert (mug["visible"], mug["isInteractable"], mug["distance"]) == (True, False, 1.5)
    assert mug["temperature"] == "RoomTemp"
    assert mug["fillLiquid"] is None
    assert mug["receptacleObjectIds"] == []
    assert mug["parentReceptacles"] == [player.id("DiningTable")]
    assert metadata(player.state, player["Apple"])["receptacleObjectIds"] is None
    assert metadata(player.state, player["Fridge"])["objectOrientedBoundingBox"] is None


def test_states_show(player: Player) -> None:
    player.do("DirtyObject", "Mug")
    player.do("FillObjectWithLiquid", "Mug", fillLiquid="coffee")
    player.do("PickupObject", "Mug")
    mug = metadata(player.state, player["Mug"])
    shown = {key: mug[key] for key in ("isDirty", "isFilledWithLiquid", "isPickedUp")}
    assert shown == {"isDirty": True, "isFilledWithLiquid": True, "isPickedUp": True}
    assert (mug["fillLiquid"], mug["temperature"]) == ("coffee", "Hot")
    assert mug["parentReceptacles"] is None
    player.do("OpenObject", "Fridge", openness=0.5)
    fridge = metadata(player.state, player["Fridge"])
    assert (fridge["isOpen"], fridge["openness"]) == (True, 0.5)


def test_a_property_is_reported_only_of_what_has_it(player: Player) -> None:
    player.do("ToggleObjectOn", "StoveKnob")
    player.do("ToggleObjectOn", "Faucet")
    burner = metadata(player.state, player["StoveBurner"])
    assert player["StoveBurner"].toggled
    assert not burner["isToggled"]
    basin = metadata(player.state, player["SinkBasin"])
    assert player["SinkBasin"].liquid == "water"
    assert (basin["isFilledWithLiquid"], basin["fillLiquid"]) == (False, None)
    knob = metadata(player.state, player["StoveKnob"])
    assert knob["controlledObjects"] == [player.id("StoveBurner")]


def test_what_is_handed_out_can_be_changed_without_harm(player: Player) -> None:
    first = metadata(player.state, player["Mug"])
    before = json.dumps(first)
    first["position"]["x"] = 99.0
    first["axisAlignedBoundingBox"]["cornerPoints"][0][0] = 99.0
    first["objectOrientedBoundingBox"]["cornerPoints"].clear()
    first["parentReceptacles"].append("x")
    assert json.dumps(metadata(player.state, player["Mug"])) == before


def test_boxes_are_the_measured_ones_and_move_along(player: Player) -> None:
    mug = player["Mug"]
    bounds = Box(mug.body.center, Vec3(0.13, 0.11, 0.1))
    mug = replace(mug, spec=replace(mug.spec, bounds=bounds))
    box = metadata(player.state, mug)["axisAlignedBoundingBox"]
    assert box["size"] == {"x": 0.13, "y": 0.11, "z": 0.1}
    center = bounds.center
    assert box["cornerPoints"][0] == pytest.approx(
        [center.x + 0.065, center.y + 0.055, center.z + 0.05]
    )
    assert box["cornerPoints"][1] == pytest.approx(
        [center.x + 0.065, center.y + 0.055, center.z - 0.05]
    )
    moved = replace(mug, pose=replace(mug.pose, position=mug.pose.position + Vec3(1.0, 0.0, 0.0)))
    box = metadata(player.state, moved)["axisAlignedBoundingBox"]
    assert box["size"] == {"x": 0.13, "y": 0.11, "z": 0.1}
    assert box["center"]["x"] == pytest.approx(center.x + 1.0)


def test_the_oriented_box_turns_with_the_object() -> None:
    spec = thing("Fork", (0.0, 0.75, -0.9), (0.02, 0.01, 0.2), yaw=90.0)
    state = HouseholdState.at_start(kitchen(spec))
    fork = next(i for i in state.objects.values() if i.id == spec.object_id)
    corners = metadata(state, fork)["objectOrientedBoundingBox"]["cornerPoints"]
    # own +x is the room's -z at yaw 90, own +z the room's +x
    assert corners[0] == pytest.approx([0.1, 0.75, -0.91])
    assert corners[1] == pytest.approx([0.1, 0.75, -0.89])
    assert corners[2] == pytest.approx([-0.1, 0.75, -0.89])
    assert corners[4] == pytest.approx([0.1, 0.76, -0.91])


def test_a_drawer_reports_where_it_came_to(player: Player) -> None:
    shut = metadata(player.state, player["Drawer"])
    player.do("OpenObject", "Drawer")
    out = metadata(player.state, player["Drawer"])
    assert out["position"]["z"] < shut["position"]["z"] - 0.3
    shift = out["position"]["z"] - shut["position"]["z"]
    box, was = out["axisAlignedBoundingBox"], shut["axisAlignedBoundingBox"]
    assert box["center"]["z"] - was["center"]["z"] == pytest.approx(shift)


def test_eighty_objects_take_little_time(player: Player) -> None:
    items = (list(player.state.objects.values()) * 3)[:80]
    for item in items:
        metadata(player.state, item)
    best = min(_seconds(player.state, items) for _ in range(5))
    assert best < 0.01


def _seconds(state: HouseholdState, items: list[ObjectState]) -> float:
    start_time = time.process_time()
    for item in items:
        metadata(state, item)
    return time.process_time() - start_time


@pytest.mark.data
def test_it_matches_what_ai2thor_wrote_of_a_mug() -> None:
    path = reference_data("ithor/dev/data/objects_metadata_samples/FloorPlan12_physics.json")
    real = json.loads(path.read_text())["Mug|+01.46|+00.93|+01.09"]
    assert list(real) == KEYS
    corners = [Vec3(*c) for c in real["objectOrientedBoundingBox"]["cornerPoints"]]
    center = (corners[0] + corners[6]) * 0.5
    size = Vec3(
        (corners[0] - corners[1]).length(),
        (corners[4] - corners[0]).length(),
        (corners[0] - corners[3]).length(),
    )
    rotation = Rotation.from_euler(Vec3.from_json(real["rotation"]))
    state = HouseholdState.at_start(kitchen())
    mug = next(item for item in state.objects.values() if item.spec.type == "Mug")
    mug = replace(mug, spec=replace(mug.spec, oriented=Box(center, size, rotation)))
    ours = metadata(state, mug)["objectOrientedBoundingBox"]["cornerPoints"]
    for mine, theirs in zip(ours, corners, strict=True):
        assert mine == pytest.approx(theirs.tuple(), abs=1e-4)
    assert {k: type(v) for k, v in metadata(state, mug).items()} == {
        k: type(v) for k, v in real.items()
    }


def test_the_digest_tells_states_apart(player: Player) -> None:
    first = digest(player.state)
    assert first == digest(start()) == digest(player.state)
    player.do("DirtyObject", "Mug")
    dirty = digest(player.state)
    player.do("CleanObject", "Mug")
    player.do("PickupObject", "Mug")
    held = digest(player.state)
    player.do("LookDown")
    assert len({first, dirty, held, digest(player.state)}) == 4


def test_an_open_doors_box_reaches_as_far_as_the_door() -> None:
    player = Player(start())

    def size() -> Any:
        fridge = player["Fridge"]
        return metadata_of(fridge, player.state)["axisAlignedBoundingBox"]["size"]

    shut = size()
    player.do("OpenObject", "Fridge")
    opened = size()
    assert max(opened[axis] - shut[axis] for axis in "xz") > 0.3
    assert opened["y"] == pytest.approx(shut["y"])
    player.do("CloseObject", "Fridge")
    assert size() == shut


def metadata_of(item: ObjectState, state: HouseholdState) -> dict[str, Any]:
    return object_metadata(item, visible=True, interactable=True, distance=1.0, state=state)
