"""To which side cabinets, drawers and shelves open.

They are parts of a floor plan's shell, so their rotations say nothing.
"""

from __future__ import annotations

import math

from env_service.worlds.household.geometry import Box, Vec3
from env_service.worlds.household.scene.furniture_fronts import CASES, case_front
from env_service.worlds.household.scene.rectangle import YAWS, Rectangle
from env_service.worlds.household.scene.surroundings import (
    Hinge,
    Surroundings,
    along,
    gap,
    nearest_yaw,
    openness,
    wall_gap,
)
from env_service.worlds.household.scene.thor_records import ThorRecord

DIAGONALS = (45.0, 135.0, 225.0, 315.0)


def cabinet_front(record: ThorRecord, around: Surroundings) -> Hinge:
    """AI2-THOR puts a cabinet's origin at its hinge, on its front: at an upright edge for a door
    that swings sideways. So the origin leaves two sides; the more open one is the front. An
    origin in the middle of a side means a square cabinet across a corner, or two doors."""
    if record.object_id not in around.hinges:
        around.hinges[record.object_id] = _cabinet_hinge(record, around)
    return around.hinges[record.object_id]


def _cabinet_hinge(record: ThorRecord, around: Surroundings) -> Hinge:
    x, _, z = relative_origin(record)
    slanted = slanted_yaw(record, around)
    if slanted is not None:
        return Hinge(slanted, "left")
    options = _hinged_options(record)
    holder = holder_of(record, around)
    if holder is not None:
        yaw = case_front(holder, around)
    else:
        # among equals, the side that the door's handle sticks out of: its origin is further in
        yaw = max(
            options or list(YAWS),
            key=lambda y: (
                openness(record.spot, y, around)
                + _lined_up(record, y, around)
                + _as_deep(record, y, around)
                + _stacked(record, y, around)
                - 0.05 * abs(along(y, x, z))
            ),
        )
    return Hinge(yaw, hinge_side(record, yaw))


def _hinged_options(record: ThorRecord) -> list[float]:
    """The sides on which a cabinet's origin, its hinge, lies."""
    x, _, z = relative_origin(record)
    return [yaw for yaw in YAWS if along(yaw, x, z) > 0.75]


def _stacked(record: ThorRecord, yaw: float, around: Surroundings) -> float:
    """1 if the cabinets right above and below, of which there is one, can open to this side too:
    those of one cupboard have one front."""
    x, z = record.spot.center
    others = [
        other
        for other in around.of("Cabinet")
        if other is not record
        and math.hypot(other.spot.center[0] - x, other.spot.center[1] - z) < 0.05
        and abs(other.spot.width - record.spot.width) < 0.05
        and abs(other.spot.depth - record.spot.depth) < 0.05
    ]
    return 1.0 if others and all(yaw in _hinged_options(other) for other in others) else 0.0


def _lined_up(record: ThorRecord, yaw: float, around: Surroundings) -> float:
    """1.2 if another front stands right beside in the plane of this side, else 0: fronts come in
    rows."""
    spot, plane = record.spot, record.spot.side(yaw)
    low, high = spot.across(yaw)
    for other in around.of("Cabinet", "Drawer"):
        if other is record or abs(other.spot.side(yaw) - plane) > 0.02:
            continue
        start, end = other.spot.across(yaw)
        beside = min(abs(start - high), abs(end - low)) < 0.06
        level = other.low < record.high and other.high > record.low
        if beside and level:
            return 1.2
    return 0.0


def _as_deep(record: ThorRecord, yaw: float, around: Surroundings) -> float:
    """0.3 if the extent behind this side is the most common one of cabinets at this height: a
    kitchen's cabinets differ in width but not in depth."""
    low = record.low < 0.6
    extents = [
        round(extent, 2)
        for other in around.of("Cabinet")
        if (other.low < 0.6) == low
        for extent in (other.spot.width, other.spot.depth)
    ]
    alike = {e: sum(abs(e - other) < 0.016 for other in extents) for e in extents}
    # a few cabinets may be as wide as others are deep: depth is the smaller
    usual = max(sorted(alike), key=lambda e: (alike[e], -e))
    own = record.spot.depth if yaw in (0.0, 180.0) else record.spot.width
    return 0.3 if alike[usual] > 2 and abs(own - usual) < 0.016 else 0.0


def hinge_side(record: ThorRecord, yaw: float) -> str:
    """The side of a cabinet's hinge as seen from the front: the one that its origin lies at."""
    x, y, z = relative_origin(record)
    # seen from the front, what lies to the right of the facing direction is on the left
    sideways = along((nearest_yaw(yaw) + 90.0) % 360.0, x, z)
    if abs(sideways) >= 0.5:
        return "left" if sideways > 0 else "right"
    if abs(y) >= 0.75:
        return "top" if y > 0 else "bottom"
    return "double"


def relative_origin(record: ThorRecord) -> tuple[float, float, float]:
    """Where an object's origin lies in its box: -1 to 1 along each axis, from side to side."""
    offset = record.position - record.bounds.center
    size = record.bounds.size
    return (
        2 * offset.x / max(size.x, 1e-6),
        2 * offset.y / max(size.y, 1e-6),
        2 * offset.z / max(size.z, 1e-6),
    )


def slanted_yaw(record: ThorRecord, around: Surroundings) -> float | None:
    """The yaw of a cabinet or drawer that stands across a corner, None if it stands straight.

    Seen from above its box is square. A slanted cabinet's hinge lies on one side of the box but
    not at a corner; a slanted drawer overlaps its neighbours' boxes or lies over such a cabinet.
    """
    if record.object_id not in around.slants:
        around.slants[record.object_id] = _slant(record, around)
    return around.slants[record.object_id]


def _slant(record: ThorRecord, around: Surroundings) -> float | None:
    spot = record.spot
    if abs(spot.width - spot.depth) > 0.06 * max(spot.width, spot.depth):
        return None
    if record.type == "Cabinet":
        x, _, z = (abs(value) for value in relative_origin(record))
        if max(x, z) < 0.85 or max(x, z) > 1.2 or min(x, z) > 0.8:
            return None
    elif not _crowded(record, spot, around):
        return None
    x, z = spot.center
    best, found = 0.0, None
    for yaw in DIAGONALS:
        a, b = math.sin(math.radians(yaw)), math.cos(math.radians(yaw))
        reach = spot.width * 0.5 + 0.75
        near = Rectangle(*_square(x + a * reach, z + b * reach, 0.35))
        far = Rectangle(*_square(x - a * reach, z - b * reach, 0.35))
        worth = around.floor.share(near) - around.floor.share(far)
        if worth > best:
            best, found = worth, yaw
    return found


def _square(x: float, z: float, half: float) -> tuple[float, float, float, float]:
    return x - half, x + half, z - half, z + half


def _crowded(record: ThorRecord, spot: Rectangle, around: Surroundings) -> bool:
    low, high = record.low, record.high
    for other in around.of("Drawer", "Cabinet"):
        if other is record:
            continue
        place = other.spot
        both = spot.overlap(place)
        if both is None or both.width * both.depth < 0.15 * spot.width * spot.depth:
            continue
        level = other.low < high - 0.02 and other.high > low + 0.02
        if level and other.type == "Drawer":
            return True
        near = gap(record, other) < 0.2
        if near and other.type == "Cabinet" and slanted_yaw(other, around) is not None:
            return True
    return False


def drawer_front(record: ThorRecord, around: Surroundings) -> float:
    """A drawer opens to the front of the furniture that it is in, else to the free floor."""
    holder = holder_of(record, around)
    if holder is not None:
        return case_front(holder, around)
    slanted = slanted_yaw(record, around)
    if slanted is not None:
        return slanted
    below = [
        other
        for other in around.of("Cabinet")
        if other.spot.holds(*record.spot.center)
        and -0.02 < record.low - other.high < 0.12
        and slanted_yaw(other, around) is None
    ]
    if below:
        return cabinet_front(below[0], around).yaw
    options = [yaw for yaw in YAWS if not _hidden(record, yaw, around)]
    return max(
        options or YAWS,
        key=lambda y: openness(record.spot, y, around) + _lined_up(record, y, around),
    )


def _hidden(record: ThorRecord, yaw: float, around: Surroundings) -> bool:
    """Whether a fitted neighbour stands right before a side, so that nothing could open there."""
    spot = record.spot
    low, high = spot.across(yaw)
    near = Rectangle.spanned(yaw, spot.side(yaw), spot.side(yaw) + 0.05, low + 0.03, high - 0.03)
    return any(
        other is not record
        and other.low < record.high - 0.02
        and other.high > record.low + 0.02
        and other.spot.overlap(near) is not None
        for other in around.of("Cabinet", "Drawer", "Fridge")
    )


def shelf_front(record: ThorRecord, around: Surroundings) -> float:
    """A shelf looks as the furniture that it is in, else away from the wall at its long side."""
    holder = holder_of(record, around)
    if holder is not None:
        return case_front(holder, around)
    spot = record.spot
    if spot.width > 1.3 * spot.depth:
        options: tuple[float, ...] = (0.0, 180.0)
    elif spot.depth > 1.3 * spot.width:
        options = (90.0, 270.0)
    else:
        options = YAWS
    return min(options, key=lambda yaw: wall_gap(around.shape.inside, spot, yaw))


def holder_of(record: ThorRecord, around: Surroundings) -> ThorRecord | None:
    """The piece of furniture that a drawer, cabinet or shelf is built into: one whose box holds
    its middle."""
    if record.object_id not in around.holders:
        around.holders[record.object_id] = _holder(record, around)
    return around.holders[record.object_id]


def _holder(record: ThorRecord, around: Surroundings) -> ThorRecord | None:
    for holder in around.of(*sorted(CASES), "DiningTable", "CoffeeTable"):
        box = holder.oriented or holder.bounds
        grown = Box(box.center, box.size + Vec3(0.04, 0.04, 0.04), box.rotation)
        if grown.contains(record.bounds.center):
            return holder
    return None
