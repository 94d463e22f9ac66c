"""Colours and light of rooms."""

from __future__ import annotations

import pytest

from env_service.worlds.household.assets import palette as materials
from env_service.worlds.household.scene import room_colors
from env_service.worlds.household.scene.footprints import Rectangle
from env_service.worlds.household.scene.spec import Room


@pytest.mark.parametrize(
    ("name", "room"),
    [
        *((f"FloorPlan{number}", Room.KITCHEN) for number in (11, 12, 13, 19, 20, 28)),
        ("FloorPlan202", Room.LIVING_ROOM),
        ("FloorPlan406", Room.BATHROOM),
    ],
)
def test_known_rooms_have_materials_that_exist(name, room):
    found = room_colors.palette_of(f"{name}_physics", room)
    assert found == room_colors.palette_of(name, room)
    assert found.walls in materials.WALLS
    assert found.floor in materials.FLOORS
    assert found.counter in materials.STONES
    assert {found.cabinets, found.wood} <= materials.WOODS.keys() | materials.PAINTS.keys()
    assert found.metal in materials.METALS
    assert found.fabric in materials.PAINTS
    assert found.tiles in materials.TILES


@pytest.mark.parametrize(
    ("width", "depth", "count"), [(2.5, 3.0, 1), (4.5, 5.0, 1), (4.0, 7.0, 2), (8.0, 7.0, 4)]
)
def test_a_large_room_has_a_grid_of_lights(width, depth, count):
    room = Rectangle(1.0, 1.0 + width, -1.0, -1.0 + depth)
    lights = room_colors.ceiling_lights(room, 2.5, Room.BEDROOM)
    assert len(lights) == count
    for light in lights:
        assert room.holds(light.position.x, light.position.z, -0.9)
        assert 1.9 < light.position.y < 2.3
    middle = sum(light.position.x for light in lights) / count
    assert middle == pytest.approx(room.center[0])
