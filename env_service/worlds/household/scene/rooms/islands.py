"""Kitchen islands: a counter that stands free, its fronts towards the one at the wall."""

from __future__ import annotations

from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.rooms.counters import (
    BASE,
    CounterPlan,
    build_counter,
)
from env_service.worlds.household.scene.rooms.furnishing import Item
from env_service.worlds.household.scene.rooms.shell import Shell
from env_service.worlds.household.scene.rooms.walls import Ledger, Wall
from env_service.worlds.household.scene.spec import ObjectSpec

DEPTH = 0.64
"""Metres of the counter's carcass."""
AISLE = 1.05
"""Metres between its fronts and those at the wall."""
PANEL = 0.02
"""Metres of the panel that closes its back."""


def build_island(shell: Shell, wall: Wall, span: tuple[float, float], out: float) -> ObjectSpec:
    """An island parallel to a wall; gives back its CounterTop.

    Args:
        wall: the wall that it faces.
        span: from where to where along the wall, metres.
        out: metres from the wall to the fronts of what stands there.
    """
    back = out + AISLE + DEPTH
    length = span[1] - span[0]
    facing = Wall(
        "island",
        wall.spot(span[1], back),
        wall.along * -1.0,
        wall.inward * -1.0,
        length,
        (wall.yaw + 180.0) % 360.0,
    )
    shell.ledgers[facing.name] = Ledger([])
    top = build_counter(shell, facing, CounterPlan(0.0, length, DEPTH, room="kitchen"))
    furnishing = shell.furnishing
    panel = Box(
        facing.spot(length / 2, -PANEL / 2, BASE / 2),
        Vec3(length, BASE, PANEL),
        Rotation.yaw(facing.yaw),
    )
    furnishing.build("Worktop", panel, details=(("stone", furnishing.palette.cabinets),))
    variant = int(furnishing.draw.integers(1, 31))
    floor = (shell.floor.object_id,)
    for share in (0.3, 0.7):
        stool = Item("Stool", variant=variant, parents=floor)
        furnishing.stand(stool, facing.spot(length * share, -0.24), facing.yaw, kept=False)
    return top
