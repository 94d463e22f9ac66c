"""Tiled bands on walls: above counters, behind stoves, around baths."""

from __future__ import annotations

from collections.abc import Sequence

from env_service.worlds.household.scene.counters import Counter
from env_service.worlds.household.scene.rectangle import Rectangle
from env_service.worlds.household.scene.spec import Room
from env_service.worlds.household.scene.stoves import Stove
from env_service.worlds.household.scene.surroundings import Surroundings
from env_service.worlds.household.scene.walls import Wall, walls_of

_KITCHEN_HIGH = 0.5
"""Height of the tiles above a counter, metres: to the wall cabinets."""

_BATH_HIGH = 1.25
"""Height of the tiles all around a bathroom, metres."""


def splashes_of(
    around: Surroundings, counters: Sequence[Counter], stove: Stove | None, room: Room
) -> dict[str, list[tuple[float, ...]]]:
    """By the name of a wall, bands (low, high, start, end): heights over the floor, start and end
    across the wall in room coordinates. Only kitchens and bathrooms have them."""
    floor = around.shape.floor
    found: dict[str, list[tuple[float, ...]]] = {}
    if room is Room.BATHROOM:
        for wall in walls_of(around.shape):
            found[wall.name] = [(0.0, _BATH_HIGH, *wall.span)]
        return found
    if room is not Room.KITCHEN:
        return found
    places = [(strip, counter.top) for counter in counters for strip, _ in counter.runs]
    if stove is not None and not stove.hob:
        places.append((stove.spot, stove.level))
    for wall in walls_of(around.shape):
        spans = sorted(
            (max(low, wall.span[0]), min(high, wall.span[1]), top)
            for strip, top in places
            if _touches(strip, wall)
            for low, high in [strip.across(wall.yaw)]
        )
        bands: list[tuple[float, ...]] = []
        at = wall.span[0]
        for low, high, top in spans:
            start = max(low, at)
            if high - start > 0.05:
                bands.append((top - floor, top - floor + _KITCHEN_HIGH, start, high))
                at = high
        if bands:
            found[wall.name] = bands
    return found


def _touches(strip: Rectangle, wall: Wall) -> bool:
    low, high = strip.across(wall.yaw)
    back = (wall.yaw + 180.0) % 360.0
    near = abs(-strip.side(back) - wall.face) < 0.12
    return near and low < wall.span[1] and high > wall.span[0]
