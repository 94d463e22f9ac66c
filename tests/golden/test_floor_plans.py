"""The 120 floor plans: what AI2-THOR measured is kept, what was inferred is plausible."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.assets import catalogue
from env_service.worlds.household.geometry import Box, Vec3
from env_service.worlds.household.scene.footprints import Rectangle
from env_service.worlds.household.scene.ithor_starts import STARTS
from env_service.worlds.household.scene.library import MetadataFolder, SceneLibrary
from env_service.worlds.household.scene.spec import Room, SceneSpec, request_for
from env_service.worlds.household.scene.thor_metadata import scene_from_metadata
from tests.support.data import reference_data
from tests.support.whole import sample

pytestmark = pytest.mark.data

FOLDER = "ithor/dev/data/objects_metadata_samples"
MILLIMETRE = 0.001
FACING = {
    "ArmChair", "Bed", "Cabinet", "CoffeeMachine", "Desk", "Drawer", "Dresser", "Fridge",
    "Microwave", "Safe", "ShelvingUnit", "SideTable", "Sofa", "Television", "Toilet", "TVStand",
}  # fmt: skip
"""Types whose front somebody has to reach or see."""

TABLES = {"CoffeeTable", "DiningTable", "Dresser", "SideTable", "TVStand"}
"""Types whose box may reach over the surface on which things lie."""


@pytest.fixture(scope="module")
def dumps() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    folder = reference_data(FOLDER)
    return {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}


@pytest.fixture(scope="module")
def scenes(dumps) -> Mapping[str, SceneSpec]:
    return {name: scene_from_metadata(name, items) for name, items in dumps.items()}


@pytest.fixture(scope="module")
def reachable() -> Mapping[str, list[tuple[float, float]]]:
    found: dict[str, list[tuple[float, float]]] = json.loads(
        reference_data("ithor/floorplan_reachable.json").read_text()
    )
    return {f"{name}_physics": points for name, points in found.items()}


def xyz(value: Mapping[str, float]) -> tuple[float, float, float]:
    return value["x"], value["y"], value["z"]


def corners_of(box: Box) -> list[tuple[float, float, float]]:
    """In AI2-THOR's order of an oriented box."""
    half = box.size * 0.5
    signs = [(x, y, z) for y in (-1, 1) for x, z in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    return [
        (box.center + box.rotation.apply(Vec3(x * half.x, y * half.y, z * half.z))).tuple()
        for x, y, z in signs
    ]


def test_all_of_them_load(scenes):
    assert len(scenes) == 120
    assert sum(len(scene.objects) for scene in scenes.values()) == 5672
    assert Counter(scene.room for scene in scenes.values()) == dict.fromkeys(Room, 30)


def test_ids_places_and_relations_are_kept(dumps, scenes):
    for name, scene in scenes.items():
        for spec, item in zip(scene.objects, dumps[name].values(), strict=True):
            assert (spec.object_id, spec.name) == (item["objectId"], item["name"])
            assert (spec.type, spec.asset_id) == (item["objectType"], item["assetId"])
            assert spec.position.tuple() == xyz(item["position"])
            assert spec.rotation.tuple() == xyz(item["rotation"])
            assert spec.mass == item["mass"]
            lists = (spec.materials, spec.parents, spec.contents, spec.controls)
            keys = (
                "salientMaterials",
                "parentReceptacles",
                "receptacleObjectIds",
                "controlledObjects",
            )
            assert [list(ids) if ids is not None else None for ids in lists] == [
                item[key] for key in keys
            ]


def test_traits_and_states_are_kept(dumps, scenes):
    for name, scene in scenes.items():
        for spec, item in zip(scene.objects, dumps[name].values(), strict=True):
            assert spec.can(Trait.PICKUPABLE) == item["pickupable"]
            assert spec.can(Trait.FILLABLE) == item["canFillWithLiquid"]
            assert spec.can(Trait.USABLE) == item["canBeUsedUp"]
            assert spec.can(Trait.HEAT_SOURCE) == item["isHeatSource"]
            start = spec.start
            assert (start.openness > 0, start.toggled) == (item["isOpen"], item["isToggled"])
            assert (start.dirty, start.broken) == (item["isDirty"], item["isBroken"])
            assert start.temperature.value == item["temperature"]
            assert (start.liquid is not None) == item["isFilledWithLiquid"]
            assert (start.liquid or None) == item["fillLiquid"]


def test_the_agent_starts_where_and_as_ai2thor_starts_it(scenes):
    for name, scene in scenes.items():
        x, z, yaw = STARTS[int(name.removeprefix("FloorPlan").removesuffix("_physics"))]
        at = scene.agent.position
        assert (at.x, at.z) == pytest.approx((x, z), abs=0.002)
        assert (scene.agent.yaw, scene.agent.horizon) == (yaw, 0.0)


def test_boxes_are_kept_to_a_millimetre(dumps, scenes):
    for name, scene in scenes.items():
        for spec, item in zip(scene.objects, dumps[name].values(), strict=True):
            box = item["axisAlignedBoundingBox"]
            assert spec.bounds.center.tuple() == xyz(box["center"])
            assert spec.bounds.size.tuple() == xyz(box["size"])
            told = item["objectOrientedBoundingBox"]
            assert (spec.oriented is None) == (told is None)
            if spec.oriented is not None:
                for found, corner in zip(
                    corners_of(spec.oriented), told["cornerPoints"], strict=True
                ):
                    assert found == pytest.approx(corner, abs=MILLIMETRE)


def test_assets_fill_the_measured_boxes(scenes):
    """But for those of which AI2-THOR's box is known to hold more than the thing, or none of it."""
    for scene in scenes.values():
        for spec in scene.objects:
            if spec.type in {"Desk", "Toilet"} or 0.0 in spec.bounds.size.tuple():
                continue
            if spec.type in TABLES and spec.oriented is not None:
                assert spec.body.bottom == pytest.approx(spec.oriented.bottom, abs=MILLIMETRE)
                assert 0 <= spec.oriented.top - spec.body.top + MILLIMETRE < 0.13 + 2 * MILLIMETRE
                continue
            if spec.oriented is not None:
                assert spec.body.center == spec.oriented.center
                assert sorted(spec.body.size.tuple()) == pytest.approx(
                    sorted(spec.oriented.size.tuple()), abs=MILLIMETRE
                )
                continue
            low, high = extent(spec.body)
            near, far = extent(spec.bounds)
            assert all(a >= b - 0.06 for a, b in zip(low, near, strict=True)), spec.object_id
            assert all(a <= b + 0.06 for a, b in zip(high, far, strict=True)), spec.object_id


def extent(box: Box) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    bounds = box.bounds()
    return (
        (bounds.center - bounds.size * 0.5).tuple(),
        (bounds.center + bounds.size * 0.5).tuple(),
    )


def test_the_agent_stands_where_it_stood(dumps, scenes, reachable):
    """All its distances agree, and it is a reachable point."""
    near = 0
    for name, scene in scenes.items():
        start = scene.agent.position
        for item in dumps[name].values():
            told = (Vec3.from_json(item["position"]) - start).length()
            assert told == pytest.approx(item["distance"], abs=0.001)
        near += any(abs(x - start.x) + abs(z - start.z) < 0.01 for x, z in reachable[name])
    assert near >= 117


def test_the_free_floor_is_the_reachable_floor(scenes, reachable):
    """At least 99.5 % of the points that AI2-THOR's agent reaches lie within our walls and in no
    solid structure."""
    points = blocked = 0
    for name, scene in scenes.items():
        room = Rectangle.under(scene.bounds)
        floor = scene.bounds.bottom
        solid = [
            part.body
            for part in scene.structure
            if part.solid and part.type != "Ceiling" and part.body.bottom < floor + 1.5
        ]
        for x, z in reachable[name]:
            points += 1
            outside = not room.holds(x, z, -0.1)
            blocked += outside or any(box.contains(Vec3(x, box.center.y, z), 0.05) for box in solid)
    assert points > 14_000
    assert blocked / points < 0.005


def test_rooms_are_not_much_larger_than_what_can_be_reached(scenes, reachable):
    """A wall stands mostly within a metre of where the agent can go: it keeps 0.2 m off, and
    furniture may stand between."""
    gaps = []
    for name, scene in scenes.items():
        room = Rectangle.under(scene.bounds)
        xs, zs = zip(*reachable[name], strict=True)
        gaps += [min(xs) - room.west, room.east - max(xs), min(zs) - room.south]
        gaps.append(room.north - max(zs))
    assert sum(gap < 1.0 for gap in gaps) / len(gaps) > 0.8


def test_fronts_are_not_against_walls(scenes):
    """A third of a metre before a front is still room: for 98 % of all, and for each type nine of
    ten."""
    faced: Counter[str] = Counter()
    free: Counter[str] = Counter()
    for scene in scenes.values():
        room = Rectangle.under(scene.bounds)
        for spec in scene.objects:
            if spec.type in FACING:
                ahead = spec.body.rotation.apply(Vec3(0.0, 0.0, 1.0))
                point = spec.body.center + ahead * (spec.body.size.z / 2 + 0.35)
                faced[spec.type] += 1
                free[spec.type] += room.holds(point.x, point.z)
    assert sum(free.values()) / sum(faced.values()) > 0.98
    assert {kind for kind in faced if free[kind] < 0.9 * faced[kind]} == set()


def test_every_kitchen_has_its_structure(scenes):
    for scene in scenes.values():
        kinds = Counter(part.type for part in scene.structure)
        names = [part.name for part in scene.structure]
        assert len(names) == len(set(names))
        assert kinds["Wall"] >= 4
        assert kinds["Ceiling"] == 1
        if scene.room is Room.KITCHEN:
            assert kinds["Stove"] == 1
            assert kinds["CounterBase"] >= 1
    doors = sum(any(part.type == "Door" for part in scene.structure) for scene in scenes.values())
    assert doors >= 110


def test_every_asset_can_be_built(scenes):
    """Of each type the smallest, one in the middle and the largest, unless all are asked for."""
    by_type: dict[str, list[tuple[float, int, Any]]] = {}
    for scene in scenes.values():
        for spec in (*scene.objects, *scene.structure):
            size = spec.body.size
            request = request_for(spec, scene.palette)
            found = by_type.setdefault(spec.type, [])
            found.append((size.x * size.y * size.z, len(found), request))
    assert len(by_type) > 100
    for found in by_type.values():
        ranked = [request for *_, request in sorted(found)]
        for request in sample(ranked, [ranked[0], ranked[len(ranked) // 2], ranked[-1]]):
            assert catalogue.model(request).parts, request


def test_the_library_finds_them_by_both_names():
    library = SceneLibrary([MetadataFolder(reference_data(FOLDER))])
    assert len(library.names()) == 120
    assert library.load("FloorPlan12") == library.load("FloorPlan12_physics")
    with pytest.raises(ValueError, match="FloorPlan"):
        library.load("FloorPlan31")
