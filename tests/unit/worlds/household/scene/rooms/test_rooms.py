"""Built-in rooms: many, each sound, each what its name says."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest

from env_service.worlds.household.geometry import Box
from env_service.worlds.household.scene.rooms.larder import ALWAYS
from env_service.worlds.household.scene.rooms.source import KINDS, BuiltInRooms
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.thor.object_types import object_types

ROOMS = BuiltInRooms()
SOME = [f"household-{kind}-{number}" for kind in KINDS for number in (1, 2, 3, 17)]
NEEDED = {
    "kitchen": {
        *ALWAYS, "Fridge", "Microwave", "Toaster", "CoffeeMachine", "Sink", "SinkBasin", "Faucet",
        "StoveBurner", "StoveKnob", "CounterTop", "Cabinet", "Drawer", "GarbageCan", "LightSwitch",
    },
    "living-room": {
        "Sofa", "Television", "TVStand", "RemoteControl", "FloorLamp", "Painting", "Laptop",
        "Newspaper", "LightSwitch", "GarbageCan", "Window",
    },
    "bedroom": {
        "Bed", "Pillow", "Desk", "Laptop", "Book", "CellPhone", "Pen", "Pencil", "SideTable",
        "DeskLamp", "AlarmClock", "Drawer", "LightSwitch", "GarbageCan",
    },
    "bathroom": {
        "Toilet", "Sink", "SinkBasin", "Faucet", "Mirror", "CounterTop", "SoapBottle", "SoapBar",
        "TowelHolder", "Towel", "ToiletPaper", "ShowerHead", "LightSwitch", "GarbageCan",
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


@pytest.mark.parametrize("kind", KINDS)
def test_fifty_rooms_of_each_kind_differ(kind: str) -> None:
    """Not in colours or clutter alone: the furniture stands elsewhere."""
    layouts = set()
    for number in range(1, 51):
        scene = room(f"household-{kind}-{number}")
        fixed = [spec for spec in scene.objects if spec.mass == 0 or spec.type in ("Bed", "Sofa")]
        layouts.add(tuple((spec.type, spec.position) for spec in fixed))
    assert len(layouts) == 50


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
    }  # fmt: skip
    standing = [spec for spec in room(name).objects if spec.type in kinds]
    for k, one in enumerate(standing):
        for other in standing[k + 1 :]:
            assert not overlap(one.bounds, other.bounds), f"{one.object_id} {other.object_id}"


def overlap(a: Box, b: Box) -> bool:
    gaps = zip((a.center - b.center).tuple(), a.size.tuple(), b.size.tuple(), strict=True)
    return all(abs(d) < (p + q) / 2 - 0.005 for d, p, q in gaps)


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
