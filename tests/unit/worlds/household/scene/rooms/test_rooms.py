"""Built-in rooms: many, each sound, each what its name says."""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache

import pytest

from env_service.worlds.ai2thor_api.object_types import object_types
from env_service.worlds.household.geometry import Box, Vec3
from env_service.worlds.household.scene.rooms import bathroom, bedroom, kitchen, living_room
from env_service.worlds.household.scene.rooms.built_in_rooms import KINDS, BuiltInRooms
from env_service.worlds.household.scene.rooms.layout import Footprint
from env_service.worlds.household.scene.spec import SceneSpec

ROOMS = BuiltInRooms()
SOME = [f"household-{kind}-{number}" for kind in KINDS for number in (1, 2, 17)]
NEEDED = {
    "kitchen": {
        *kitchen.ALWAYS, "Fridge", "Microwave", "Toaster", "CoffeeMachine", "Sink", "SinkBasin",
        "Faucet", "StoveBurner", "StoveKnob", "CounterTop", "Cabinet", "Drawer", "GarbageCan",
        "LightSwitch",
    },
    "living-room": {
        *living_room.ALWAYS, "Sofa", "Television", "TVStand", "FloorLamp", "Painting", "Drawer",
        "Shelf", "LightSwitch", "GarbageCan", "Window",
    },
    "bedroom": {
        *bedroom.ALWAYS, "Bed", "Pillow", "Desk", "SideTable", "DeskLamp", "Drawer", "LightSwitch",
        "GarbageCan", "Window",
    },
    "bathroom": {
        *bathroom.ALWAYS, "Toilet", "Sink", "SinkBasin", "Faucet", "Mirror", "CounterTop",
        "TowelHolder", "Towel", "HandTowelHolder", "HandTowel", "ToiletPaperHanger", "ShowerHead",
        "LightSwitch", "GarbageCan", "Plunger", "ScrubBrush",
    },
}  # fmt: skip


@cache
def room(name: str) -> SceneSpec:
    found = ROOMS.load(name)
    assert found is not None
    return found


def kind_of(name: str) -> str:
    found = re.fullmatch(r"household-([a-z-]+)-\d+", name)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("name", SOME)
def test_a_room_is_the_same_each_time(name: str) -> None:
    assert ROOMS.load(name) == room(name)


@pytest.mark.parametrize("name", SOME)
def test_a_room_holds_what_its_kind_needs(name: str) -> None:
    types = Counter(spec.type for spec in room(name).objects)
    assert NEEDED[kind_of(name)] <= set(types)
    if kind_of(name) == "kitchen":
        assert types["StoveBurner"] == types["StoveKnob"] == 4


@pytest.mark.parametrize("name", SOME)
def test_names_and_relations_are_sound(name: str) -> None:
    scene = room(name)
    by_id = scene.by_id
    assert len(by_id) == len(scene.objects)
    assert len({spec.name for spec in scene.objects}) == len(scene.objects)
    for spec in scene.objects:
        base = spec.object_id.removesuffix("|SinkBasin").removesuffix("|BathtubBasin")
        assert re.fullmatch(r"[A-Za-z]+(\|[+-]\d{2}\.\d{2}){3}", base), spec.object_id
        assert re.fullmatch(rf"{spec.type}_[0-9a-f]{{8}}", spec.name)
        for parent in spec.parents or ():
            assert spec.object_id in (by_id[parent].contents or ()), spec.object_id
        for child in spec.contents or ():
            assert spec.object_id in (by_id[child].parents or ()), spec.object_id
        for controlled in spec.controls or ():
            assert by_id[controlled].type == "StoveBurner"


@pytest.mark.parametrize("name", SOME)
def test_everything_is_in_the_room(name: str) -> None:
    scene = room(name)
    space = scene.scene_bounds
    for spec in scene.objects:
        if spec.type not in ("Window", "ShowerHead"):
            for corner in spec.bounds.corners():
                assert space.contains(corner, 0.06), f"{spec.object_id} {spec.bounds}"
    assert scene.bounds.contains(scene.agent.position)


@pytest.mark.parametrize("name", SOME)
def test_no_two_pieces_of_furniture_share_a_place(name: str) -> None:
    kinds = {
        "Bed", "Sofa", "ArmChair", "Desk", "Dresser", "SideTable", "TVStand", "CoffeeTable",
        "Fridge", "Toilet", "Bathtub", "ShelvingUnit", "DiningTable", "FloorLamp", "GarbageCan",
        "Ottoman", "LaundryHamper", "DogBed", "Safe", "Plunger", "ScrubBrush", "HousePlant",
    }  # fmt: skip
    standing = [
        spec for spec in room(name).objects if spec.type in kinds and spec.bounds.bottom < 0.01
    ]
    for k, one in enumerate(standing):
        for other in standing[k + 1 :]:
            assert not overlap(one.body, other.body), f"{one.object_id} {other.object_id}"


def overlap(a: Box, b: Box) -> bool:
    def plan(box: Box) -> Footprint:
        ahead = box.rotation.apply(Vec3(0.0, 0.0, 1.0))
        yaw = math.degrees(math.atan2(ahead.x, ahead.z))
        return Footprint(box.center.x, box.center.z, box.size.x - 0.01, box.size.z - 0.01, yaw)

    return plan(a).meets(plan(b))


@pytest.mark.parametrize("name", SOME)
def test_things_lie_where_their_type_may(name: str) -> None:
    """By AI2-THOR's table of what may hold what."""
    types = object_types()
    for spec in room(name).objects:
        if spec.type in ("Faucet", "Chair", "Stool") or not spec.parents:
            continue
        allowed = types[spec.type].receptacles
        holders = [parent.split("|")[0] for parent in spec.parents]
        if allowed and holders != ["Floor"]:
            assert holders[0] in allowed | {"Fridge"}, f"{spec.object_id} on {holders}"


def test_the_agent_stands_clear_of_furniture() -> None:
    for name in SOME:
        scene = room(name)
        spot = scene.agent.position
        for spec in scene.objects:
            if spec.type not in ("Floor", "Rug") and not spec.parents:
                box = spec.bounds
                near = Box(box.center, box.size + type(box.size)(0.3, 4.0, 0.3))
                assert not near.contains(spot), f"{name}: {spec.object_id}"


@pytest.mark.parametrize("name", ["household-kitchen-0", "household-attic-1", "FloorPlan1", ""])
def test_another_name_is_no_room(name: str) -> None:
    assert ROOMS.load(name) is None


def test_listed_rooms_exist() -> None:
    names = ROOMS.names()
    assert len(set(names)) == 240
    assert room(names[-1]).name == names[-1]


@pytest.mark.parametrize("kind", KINDS)
def test_things_are_on_their_holders(kind: str) -> None:
    """Towels on rails, paper on hangers, pans on burners, books on boards."""
    scene = room(f"household-{kind}-2")
    hung = {"Towel", "HandTowel", "ToiletPaper", "Pan", "Kettle"}
    for spec in scene.objects:
        if not spec.parents or spec.type not in hung | {"Book", "Laptop", "Television"}:
            continue
        holder = scene.by_id[spec.parents[0]]
        near = holder.bounds.size * 0.5 + Vec3(0.01, 0.3, 0.01)
        away = spec.body.center - holder.bounds.center
        slack = 0.25 if spec.type in hung else 0.0
        assert abs(away.x) <= near.x + slack, f"{spec.object_id} on {holder.object_id}"
        assert abs(away.z) <= near.z + slack, f"{spec.object_id} on {holder.object_id}"


def test_every_faucet_has_a_basin_below_its_mouth() -> None:
    for name in SOME:
        scene = room(name)
        hollows = [s for s in scene.objects if s.type in ("SinkBasin", "BathtubBasin")]
        for tap in (s for s in scene.objects if s.type == "Faucet"):
            if tap.body.center.y > 1.0 and "kitchen" not in name:
                continue  # over a shower's tray
            mouth = tap.body.center + tap.body.rotation.apply(
                Vec3(0, 0, tap.body.size.z / 2 - 0.03)
            )
            assert any(
                abs(mouth.x - each.bounds.center.x) < each.bounds.size.x / 2 - 0.02
                and abs(mouth.z - each.bounds.center.z) < each.bounds.size.z / 2 - 0.02
                for each in hollows
            ), f"{name}: {tap.object_id}"
