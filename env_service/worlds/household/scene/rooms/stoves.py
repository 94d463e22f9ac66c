"""A stove: its body, four burners, and the knobs that switch them."""

from __future__ import annotations

from dataclasses import replace

from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.rooms.counters import COUNTER_TOP
from env_service.worlds.household.scene.rooms.footprints import Footprint
from env_service.worlds.household.scene.rooms.furnishing import Item
from env_service.worlds.household.scene.rooms.shell import Shell
from env_service.worlds.household.scene.rooms.walls import Wall

STOVE_WIDTH, STOVE_DEPTH = 0.76, 0.62
BURNER = Vec3(0.21, 0.02, 0.21)
KNOB = Vec3(0.05, 0.05, 0.03)
KNOB_HEIGHT = 0.80
PANEL = 0.03
"""Metres that a stove's control panel lies behind the front of its box (see its builder)."""
KNOBS = (-0.27, -0.13, 0.13, 0.27)
"""Metres from the stove's middle to its knobs: beside the clock."""
HOOD = Vec3(0.76, 0.50, 0.46)
HOOD_HEIGHT = 1.62


def build_stove(shell: Shell, wall: Wall, at: float) -> None:
    """Builds a stove with its middle at a position along a wall, and a hood above it."""
    furnishing = shell.furnishing
    style = int(furnishing.draw.integers(1, 31))
    body = Box(
        wall.spot(at, STOVE_DEPTH / 2, COUNTER_TOP / 2),
        Vec3(STOVE_WIDTH, COUNTER_TOP, STOVE_DEPTH),
        Rotation.yaw(wall.yaw),
    )
    furnishing.build("Stove", body, variant=style)
    for number, (right, out) in enumerate(
        ((-0.18, 0.19), (0.18, 0.19), (-0.18, 0.44), (0.18, 0.44))
    ):
        burner = furnishing.put(
            Item("StoveBurner", BURNER, style), wall.spot(at + right, out, COUNTER_TOP), wall.yaw
        )
        place = wall.spot(at + KNOBS[number], STOVE_DEPTH - PANEL + KNOB.z / 2, KNOB_HEIGHT)
        knob = furnishing.put(Item("StoveKnob", KNOB, style), place, wall.yaw)
        furnishing.objects[knob.object_id] = replace(knob, controls=(burner.object_id,))
    spot = wall.spot(at, STOVE_DEPTH / 2)
    furnishing.standing.append(Footprint(spot.x, spot.z, STOVE_WIDTH, STOVE_DEPTH, wall.yaw))
    half = STOVE_WIDTH / 2
    shell.reserve(wall, (at - half, at + half), STOVE_DEPTH, 0.5)
    shell.ledgers[wall.name].take(at - half, at + half)
    hood = Box(wall.spot(at, HOOD.z / 2, HOOD_HEIGHT + HOOD.y / 2), HOOD, Rotation.yaw(wall.yaw))
    furnishing.build("RangeHood", hood, solid=False, variant=style)
