"""A kitchen from metadata: what was told is kept, what was not is sensible."""

from __future__ import annotations

from typing import Any

import pytest

from env_service.worlds.household.assets import catalogue
from env_service.worlds.household.assets.model import Palette
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.footprints import Rectangle
from env_service.worlds.household.scene.spec import (
    ObjectSpec,
    Room,
    SceneSpec,
    StructureSpec,
    request_for,
)
from env_service.worlds.household.scene.thor_metadata import Capture, scene_from_metadata
from tests.support.thor_objects import kitchen, thor_object

NAME = "FloorPlan3_physics"


@pytest.fixture(scope="module")
def scene() -> SceneSpec:
    return scene_from_metadata(NAME, kitchen())


def one(scene: SceneSpec, kind: str) -> ObjectSpec:
    return next(spec for spec in scene.objects if spec.type == kind)


def parts(scene: SceneSpec, kind: str) -> list[StructureSpec]:
    return [part for part in scene.structure if part.type == kind]


def openings(part: StructureSpec) -> tuple[tuple[float, ...], ...]:
    return dict(part.details).get("openings", ())


def facing(spec: ObjectSpec | StructureSpec) -> tuple[float, float]:
    ahead = spec.body.rotation.apply(Vec3(0.0, 0.0, 1.0))
    return round(ahead.x, 6) + 0.0, round(ahead.z, 6) + 0.0


def test_objects_keep_order_names_and_boxes(scene):
    assert [spec.object_id for spec in scene.objects] == [item["objectId"] for item in kitchen()]
    for spec, item in zip(scene.objects, kitchen(), strict=True):
        assert spec.name == item["name"]
        assert spec.bounds.center.to_json() == item["axisAlignedBoundingBox"]["center"]
        assert spec.details[0] == ("asset", item["assetId"])
        assert dict(spec.details).keys() == {key for key, _ in spec.details}
    assert one(scene, "Mug").start.dirty
    assert one(scene, "LightSwitch").start.toggled


def test_the_same_metadata_gives_the_same_scene(scene):
    assert scene_from_metadata(NAME, kitchen()) == scene
    mapping = {item["objectId"]: item for item in kitchen()}
    assert scene_from_metadata(NAME, mapping) == scene


def test_the_agent_is_where_the_distances_say(scene):
    assert scene.agent.position.tuple() == pytest.approx((0.0, 0.901, 0.0), abs=1e-3)


def test_an_agent_that_is_given_is_taken():
    agent = {
        "position": {"x": 1.0, "y": 0.9, "z": 0.5},
        "rotation": {"x": 0.0, "y": 90.0, "z": 0.0},
        "cameraHorizon": 30.0,
        "isStanding": False,
    }
    start = scene_from_metadata(NAME, kitchen(), Capture(agent)).agent
    assert (start.position, start.yaw) == (Vec3(1.0, 0.9, 0.5), 90.0)
    assert (start.horizon, start.standing) == (30.0, False)


@pytest.mark.parametrize("agent", [{}, {"position": 3}, {"position": {"x": 1.0}}])
def test_an_agent_without_a_position_is_refused(agent):
    with pytest.raises(ValueError, match="agent's position"):
        scene_from_metadata(NAME, kitchen(), Capture(agent))


def test_without_distances_it_starts_on_free_floor():
    items = [{**item, "distance": 0.0} for item in kitchen()]
    start = scene_from_metadata(NAME, items).agent.position
    assert -1.4 < start.x < 2.0
    assert -1.3 < start.z < 2.0
    assert start.y == pytest.approx(0.901)


def test_the_walls_stand_behind_the_furniture(scene):
    inside = Rectangle.under(scene.bounds)
    assert inside.west == pytest.approx(-2.0, abs=0.05)
    assert inside.south == pytest.approx(-2.0, abs=0.05)
    assert inside.north == pytest.approx(2.02, abs=0.05)
    assert len(parts(scene, "Wall")) == 4
    assert scene.bounds.bottom == pytest.approx(0.0)
    assert scene.bounds.size.y >= 2.5


def test_the_window_has_an_opening_and_a_view(scene):
    pierced = [wall for wall in parts(scene, "Wall") if "openings" in dict(wall.details)]
    assert any(facing(wall) == (-1.0, 0.0) for wall in pierced)
    (sky,) = parts(scene, "Sky")
    assert sky.body.center.x > 2.0
    assert not sky.solid
    assert scene.daylight == 1.0


def test_the_door_is_beside_the_switch(scene):
    (door,) = parts(scene, "Door")
    assert door.body.center.z == pytest.approx(2.0, abs=0.1)
    assert 0.4 < abs(door.body.center.x - 0.6) < 0.8


def test_cabinets_look_into_the_room_and_know_their_hinges(scene):
    cabinets = [spec for spec in scene.objects if spec.type == "Cabinet"]
    assert [facing(spec) for spec in cabinets] == [(1.0, 0.0)] * 3 + [(0.0, 1.0)]
    # who looks at a front to the east from the east has the south on the left
    assert [dict(spec.details)["hinge"] for spec in cabinets[:3]] == ["left"] * 3
    assert dict(cabinets[3].details)["hinge"] == "left"
    assert cabinets[0].body.size.tuple() == pytest.approx((0.5, 0.7, 0.56))


def test_the_counter_is_an_l_with_a_hole_for_the_sink(scene):
    details = dict(one(scene, "CounterTop").details)
    outline, holes = details["outline"], details["holes"]
    assert isinstance(outline, tuple)
    assert isinstance(holes, tuple)
    assert len(outline) == 6
    assert len(holes) == 1
    runs = parts(scene, "CounterBase")
    assert {facing(base) for base in runs} == {(1.0, 0.0), (0.0, 1.0)}
    start = scene.agent.position
    assert not any(Rectangle.under(base.body.bounds()).holds(start.x, start.z) for base in runs)


def test_shelves_under_a_counter_are_open_in_front():
    low, high = ((0.1, 0.15, -1.7), (0.3, 0.02, 0.5)), ((0.1, 0.5, -1.7), (0.3, 0.02, 0.5))
    shelves = [thor_object("Shelf", *place, receptacle=True) for place in (low, high)]
    made = scene_from_metadata(NAME, [*kitchen(), *shelves])
    plain = scene_from_metadata(NAME, kitchen())
    known = [row for base in parts(plain, "CounterBase") for row in openings(base)]
    rows = [row for base in parts(made, "CounterBase") for row in openings(base)]
    heights = sorted((row[1], row[3]) for row in rows if row not in known)
    assert heights == [(0.16, 0.49), pytest.approx((0.51, 0.87), abs=0.01)]


def test_the_tap_looks_to_the_sink_and_the_sink_away_from_the_wall(scene):
    assert facing(one(scene, "Faucet")) == (0.0, 1.0)
    assert facing(one(scene, "Sink")) == (0.0, 1.0)
    assert "basins" in dict(one(scene, "Sink").details)
    assert one(scene, "Sink").variant == one(scene, "SinkBasin").variant


def test_what_lies_on_its_side_has_its_own_up(scene):
    knife = one(scene, "Knife")
    up = knife.body.rotation.apply(Vec3(0.0, 1.0, 0.0))
    assert up.y == pytest.approx(1.0, abs=1e-6)
    assert knife.body.size.y == pytest.approx(0.02)


def test_the_asset_fills_the_measured_box(scene):
    for spec in scene.objects:
        if spec.oriented is not None:
            body, box = spec.body.bounds(), spec.oriented.bounds()
            assert body.center.tuple() == pytest.approx(box.center.tuple(), abs=1e-6)
            assert body.size.tuple() == pytest.approx(box.size.tuple(), abs=1e-6)


def test_the_floor_covers_the_room(scene):
    details = dict(one(scene, "Floor").details)
    assert isinstance(details["top"], float)
    assert one(scene, "Floor").body.bottom + details["top"] == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("name", "room"),
    [
        ("FloorPlan12_physics", Room.KITCHEN),
        ("FloorPlan205_physics", Room.LIVING_ROOM),
        ("FloorPlan330", Room.BEDROOM),
        ("FloorPlan401_physics", Room.BATHROOM),
        ("somewhere", Room.KITCHEN),
    ],
)
def test_the_room_follows_from_the_name_or_the_things(name, room):
    assert scene_from_metadata(name, kitchen()).room is room


def test_bounds_that_are_given_are_taken():
    given = {"center": {"x": 0, "y": 1, "z": 0}, "size": {"x": 9, "y": 3, "z": 9}}
    scene = scene_from_metadata(NAME, kitchen(), Capture(scene_bounds=given))
    assert scene.scene_bounds.size == Vec3(9.0, 3.0, 9.0)
    with pytest.raises(ValueError, match="bounds"):
        scene_from_metadata(NAME, kitchen(), Capture(scene_bounds={"center": 3}))


def desk_with_a_book() -> list[dict[str, Any]]:
    """A desk whose box reaches over the shelves above it: its top is where the book lies."""
    desk = thor_object(
        "Desk", (1.2, 0.8, 1.6), (1.2, 1.6, 0.6), oriented=True, rotation=(0, 180, 0)
    )
    on_top = thor_object(
        "Book", (1.2, 0.78, 1.5), (0.2, 0.06, 0.1), oriented=True,
        parentReceptacles=[desk["objectId"]],
    )  # fmt: skip
    desk["receptacleObjectIds"] = [on_top["objectId"]]
    return [desk, on_top]


def test_shelves_over_a_desk_stand_in_a_case():
    shelf = thor_object("Shelf", (1.2, 1.3, 1.75), (1.1, 0.25, 0.25))
    scene = scene_from_metadata(NAME, [*kitchen(), *desk_with_a_book(), shelf])
    (case,) = (part for part in scene.structure if part.name.startswith("Hutch"))
    assert case.type == "ShelvingUnit"
    assert case.body.bottom == pytest.approx(0.75, abs=1e-3)
    assert case.body.top == pytest.approx(1.6, abs=1e-3)
    assert case.body.contains(Vec3(1.2, 1.3, 1.75))


def test_the_lowest_compartment_of_a_hutch_hides_nothing_on_the_desk():
    low = thor_object("Shelf", (1.2, 0.895, 1.75), (1.1, 0.25, 0.25), receptacle=True)
    high = thor_object("Shelf", (1.2, 1.3, 1.75), (1.1, 0.25, 0.25), receptacle=True)
    scene = scene_from_metadata(NAME, [*kitchen(), *desk_with_a_book(), low, high])
    first, second = (spec for spec in scene.objects if spec.type == "Shelf")
    (surface,) = catalogue.model(request_for(first, Palette())).surfaces
    assert first.body.bottom + surface.height == pytest.approx(0.75, abs=2e-3)
    (surface,) = catalogue.model(request_for(second, Palette())).surfaces
    assert second.body.bottom + surface.height == pytest.approx(1.178, abs=1e-3)
    (case,) = (part for part in scene.structure if part.name.startswith("Hutch"))
    assert dict(case.details)["boards"][0] == (pytest.approx(0.0, abs=2e-3),)


def test_a_shelf_that_is_a_plane_becomes_a_board_under_what_lies_on_it():
    shelf = thor_object("Shelf", (1.0, 1.5, 1.8), (0.4, 0.6, 0.0), receptacle=True)
    box = thor_object(
        "Book", (1.1, 1.23, 1.85), (0.1, 0.06, 0.2), oriented=True,
        parentReceptacles=[shelf["objectId"]],
    )  # fmt: skip
    shelf["receptacleObjectIds"] = [box["objectId"]]
    scene = scene_from_metadata(NAME, [*kitchen(), shelf, box])
    board = one(scene, "Shelf").body
    assert board.top == pytest.approx(1.2)
    assert board.bounds().contains(Vec3(1.1, 1.19, 1.85))
    assert one(scene, "Shelf").bounds.size.z == 0.0


def test_a_fridge_has_boards_where_things_lie():
    items = kitchen()
    fridge = next(item for item in items if item["objectType"] == "Fridge")
    egg = thor_object(
        "Egg", (1.6, 1.13, -1.6), (0.05, 0.06, 0.05), oriented=True,
        parentReceptacles=[fridge["objectId"]],
    )  # fmt: skip
    fridge["receptacleObjectIds"] = [egg["objectId"]]
    spec = one(scene_from_metadata(NAME, [*items, egg]), "Fridge")
    assert dict(spec.details)["boards"] == ((pytest.approx(1.1),),)
    levels = [surface.height for surface in catalogue.model(request_for(spec, Palette())).surfaces]
    assert min(abs(level - 1.1) for level in levels) < 1e-3


def test_a_cupboard_with_open_shelves_has_one_front_and_a_case():
    """Its cabinets' hinges leave two sides each, of which they share the east."""
    at = (1.0, 1.0)
    low, high = (
        thor_object(
            "Cabinet", (at[0], y, at[1]), (0.42, 0.7, 0.42), position=(at[0] + 0.2, y, at[1] + z)
        )
        for y, z in ((0.45, -0.2), (2.0, 0.2))
    )
    shelf = thor_object("Shelf", (at[0], 1.3, at[1]), (0.4, 0.2, 0.4))
    scene = scene_from_metadata(NAME, [*kitchen(), low, high, shelf])
    fronts = {
        facing(s) for s in scene.objects if s.object_id in {low["objectId"], high["objectId"]}
    }
    assert fronts == {(1.0, 0.0)}
    (case,) = (part for part in scene.structure if part.name.startswith("Tower"))
    assert (case.body.bottom, case.body.top) == (pytest.approx(0.8), pytest.approx(1.65))


def test_a_window_across_a_corner_has_a_wall_there():
    pane = thor_object("Window", (1.5, 1.6, 1.5), (0.8, 1.2, 0.8), rotation=(90, 45, 0))
    scene = scene_from_metadata(NAME, [*kitchen(), pane])
    window = next(spec for spec in scene.objects if spec.object_id == pane["objectId"])
    assert facing(window) == pytest.approx((-(0.5**0.5), -(0.5**0.5)))
    (wall,) = (part for part in scene.structure if part.name.startswith("CornerWall"))
    assert wall.body.size.x > window.body.size.x
    assert "openings" in dict(wall.details)
    assert any(part.name.startswith("CornerSky") for part in scene.structure)
