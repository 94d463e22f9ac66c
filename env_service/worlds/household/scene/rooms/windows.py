"""Windows with what hangs before them: curtains, blinds, or nothing."""

from __future__ import annotations

from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.rooms.footprints import Footprint
from env_service.worlds.household.scene.rooms.furnishing import Item
from env_service.worlds.household.scene.rooms.shell import Opening, Shell
from env_service.worlds.household.scene.rooms.walls import THICKNESS, Wall
from env_service.worlds.household.scene.spec import ObjectSpec

SKY_DISTANCE = 1.2
"""Metres from a window to the picture of the world outside."""
DEPTH = 0.12
"""Metres of a window, in the wall and before it."""
BEYOND = 0.28
"""Metres that curtains reach beyond a window at each side."""
HANGING = 0.16
"""Metres of wall above a window that a curtain rod takes."""


def build_window(shell: Shell, wall: Wall, opening: Opening) -> ObjectSpec:
    """A window with a view."""
    shell.openings[wall.name].append(opening)
    shell.ledgers[wall.name].take(
        opening.start - 0.06, opening.end + 0.06, opening.low - 0.06, opening.high + 0.06
    )
    across, up = opening.end - opening.start, opening.high - opening.low
    middle = (opening.start + opening.end) / 2
    furnishing = shell.furnishing
    high = (opening.low + opening.high) / 2
    body = Box(
        wall.spot(middle, -THICKNESS - SKY_DISTANCE, high),
        Vec3(across + 2.4, up + 2.4, 0.02),
        Rotation.yaw(wall.yaw),
    )
    furnishing.build("Sky", body, solid=False, variant=int(furnishing.draw.integers(8)))
    item = Item("Window", Vec3(across, up, DEPTH))
    return furnishing.put(item, wall.spot(middle, -0.03, opening.low), wall.yaw)


def hang_curtains(shell: Shell, wall: Wall, opening: Opening) -> ObjectSpec | None:
    """Curtains down to the floor, drawn aside; None where the wall beside the window is short or
    taken."""
    start, end = opening.start - BEYOND, opening.end + BEYOND
    top = opening.high + HANGING
    ledger = shell.ledgers[wall.name]
    sides = ((start, opening.start - 0.07), (opening.end + 0.07, end))
    if start < 0.02 or end > wall.length - 0.02:
        return None
    if not all(ledger.free(low, high, 0.0, top) for low, high in sides):
        return None
    for low, high in sides:
        ledger.take(low, high, 0.0, top)
        middle = wall.spot((low + high) / 2, 0.08)
        bunch = Footprint(middle.x, middle.z, high - low, 0.16, wall.yaw)
        shell.furnishing.standing.append(bunch)
    item = Item("Curtains", Vec3(end - start, top - 0.02, 0.14), _same(shell, "Curtains"))
    return shell.furnishing.put(item, wall.spot((start + end) / 2, 0.09, 0.02), wall.yaw)


def hang_blinds(shell: Shell, wall: Wall, opening: Opening) -> ObjectSpec:
    """A Venetian blind, drawn up."""
    size = Vec3(opening.end - opening.start + 0.06, opening.high - opening.low + 0.08, 0.04)
    middle = (opening.start + opening.end) / 2
    place = wall.spot(middle, 0.055, opening.low - 0.02)
    return shell.furnishing.put(Item("Blinds", size, _same(shell, "Blinds")), place, wall.yaw)


def _same(shell: Shell, kind: str) -> int | None:
    """The look that a type has in the room already; None if it has none."""
    alike = (spec.variant for spec in shell.furnishing.objects.values() if spec.type == kind)
    return next(alike, None)


def dress_window(shell: Shell, wall: Wall, opening: Opening, *, curtains: float) -> None:
    """Curtains with a chance, else mostly blinds."""
    drawn = float(shell.furnishing.draw.random())
    if drawn < curtains and hang_curtains(shell, wall, opening) is not None:
        return
    if drawn < 0.9:
        hang_blinds(shell, wall, opening)
