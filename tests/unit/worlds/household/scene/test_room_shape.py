"""Where walls stand."""

from __future__ import annotations

from typing import Any

import pytest

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.room_shape import shape_of, with_hung_cabinets
from env_service.worlds.household.scene.thor_records import read_records
from tests.support.thor_objects import thor_object

AGENT = Vec3(0.0, 0.901, 0.0)


def room(*more: dict[str, Any]) -> list[dict[str, Any]]:
    """A floor of 8 by 6 metres with furniture along the walls of a room of 5 by 4."""
    return [
        thor_object("Floor", (0, -0.1, 0), (8, 0.2, 6)),
        thor_object("Fridge", (2.1, 0.9, 0.5), (0.7, 1.8, 0.7), assetId="Fridge_1"),
        thor_object("Sofa", (-2.0, 0.4, 0), (0.9, 0.8, 2.0), oriented=True),
        thor_object("Painting", (0.5, 1.5, 1.98), (0.8, 0.6, 0.03)),
        thor_object("Painting", (2.48, 1.5, -1.0), (0.03, 0.6, 0.8)),
        thor_object("LightSwitch", (0.5, 1.2, -1.98), (0.1, 0.15, 0.02), assetId="Light_Switch_1"),
        *more,
    ]


def test_walls_are_where_things_hang():
    inside = shape_of(read_records("Room", room()), AGENT).inside
    assert inside.north == pytest.approx(2.0, abs=0.02)
    assert inside.east == pytest.approx(2.5, abs=0.02)
    assert inside.south == pytest.approx(-1.99, abs=0.02)


def test_where_nothing_hangs_and_the_floor_goes_far_there_is_room_left():
    inside = shape_of(read_records("Room", room()), AGENT).inside
    assert -4.0 < inside.west < -2.45


def test_a_window_is_in_its_wall():
    window = thor_object("Window", (-3.0, 1.5, 0), (0.1, 1.0, 1.0))
    sofa_side = shape_of(read_records("Room", room(window)), Vec3(-2.6, 0.9, 1.5)).inside
    assert sofa_side.west == pytest.approx(-2.95, abs=0.02)


def test_the_agent_is_never_in_a_wall():
    agent = Vec3(3.2, 0.901, 0.0)
    assert shape_of(read_records("Room", room()), agent).inside.east >= 3.45


def test_what_hangs_in_the_middle_gets_a_partition():
    bed = thor_object("Bed", (1.5, 0.3, -1.0), (1.4, 0.6, 1.5), oriented=True)
    picture = thor_object("Painting", (1.5, 1.6, 0.02), (0.6, 0.5, 0.03))
    switch = thor_object(
        "LightSwitch",
        (0.9, 1.2, 0.02),
        (0.1, 0.15, 0.02),
        rotation=(0, 180, 0),
        assetId="Light_Switch_2",
    )
    shape = shape_of(read_records("Room", [*room()[:1], *room()[2:], bed, picture, switch]), AGENT)
    (wall,) = shape.partitions
    assert wall.yaw == 180.0
    assert wall.face == pytest.approx(-0.03, abs=0.02)
    assert wall.low < 0.9
    assert wall.high == pytest.approx(shape.inside.east)


def test_wall_cabinets_in_the_middle_get_a_wall():
    hung = [
        thor_object("Cabinet", (-0.5 + 0.5 * k, 1.8, 0.4), (0.5, 0.7, 0.3), position=(k, 1.8, 0.25))
        for k in range(3)
    ]
    records = read_records("Room", room(*hung))
    shape = shape_of(records, AGENT)
    fronts = [(record, 180.0) for record in records if record.type == "Cabinet"]
    (wall,) = with_hung_cabinets(shape, fronts, records).partitions
    assert (wall.yaw, wall.face) == (180.0, pytest.approx(-0.56, abs=0.02))
    assert with_hung_cabinets(shape, [], records) is shape


def test_without_a_floor_the_things_tell_it():
    shape = shape_of(read_records("Room", room()[1:]), None)
    assert shape.floor == pytest.approx(0.0)
    assert shape.inside.holds(0.0, 0.0)


@pytest.mark.parametrize("kind", ["GarbageCan", "ShowerHead", "Shelf"])
def test_right_behind_what_stands_or_hangs_at_walls_is_one(kind):
    thing = thor_object(kind, (-2.7, 1.0, 1.0), (0.4, 0.4, 0.4))
    inside = shape_of(read_records("Room", room(thing)), AGENT).inside
    assert inside.west == pytest.approx(-2.91, abs=0.02)


def test_a_window_inside_the_room_is_in_a_wall_of_its_own():
    window = thor_object("Window", (1.6, 1.2, 1.2), (0.8, 1.6, 0.1))
    (wall,) = shape_of(read_records("Room", room(window)), AGENT).partitions
    assert wall.yaw == 180.0
    assert wall.face == pytest.approx(-1.15)
    assert wall.low < 1.2
    assert wall.high > 2.0


def test_a_towel_holder_on_glass_needs_no_wall():
    holder = thor_object("TowelHolder", (0.3, 1.2, 0.5), (0.7, 0.04, 0.1), rotation=(0, 180, 0))
    glass = thor_object("ShowerGlass", (0.3, 1.0, 0.6), (2.0, 2.0, 0.05))
    assert len(shape_of(read_records("Room", room(holder)), AGENT).partitions) == 1
    assert not shape_of(read_records("Room", room(holder, glass)), AGENT).partitions


def test_turned_shelves_in_the_middle_of_a_room_hang_on_a_wall():
    shelves = [
        thor_object("Shelf", (0.5, high, -0.5), (0.25, 0.2, 0.6), rotation=(0, 270, 0))
        for high in (1.2, 1.6)
    ]
    (wall,) = shape_of(read_records("Room", room(*shelves)), AGENT).partitions
    assert (wall.yaw, wall.face) == (270.0, pytest.approx(-0.625))


def test_what_stands_along_a_wall_may_reach_into_it():
    """The pictures hang flat on the wall, though the counter's box goes on behind it."""
    counter = thor_object("CounterTop", (2.2, 0.9, 1.0), (0.75, 0.04, 1.0))
    inside = shape_of(read_records("Room", room(counter)), AGENT).inside
    assert inside.east == pytest.approx(2.495, abs=0.005)
