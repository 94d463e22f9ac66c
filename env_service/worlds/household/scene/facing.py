"""The side to which things face, inferred from their places: things at walls, furniture, and fitted
doors and drawers.
"""

from __future__ import annotations

import math

from env_service.worlds.household.geometry import Box, Vec3
from env_service.worlds.household.scene.footprints import DIRECTIONS, YAWS, Rectangle
from env_service.worlds.household.scene.plumbing import bath_of
from env_service.worlds.household.scene.surroundings import (
    Hinge,
    Surroundings,
    along,
    gap,
    nearest_yaw,
    open_front,
    openness,
    wall_gap,
)
from env_service.worlds.household.scene.thor_records import ThorRecord

_ACROSS_CORNER = 0.4
"""Metres: a window with a square box this wide is across a corner."""

_BASINS = ("SinkBasin", "BathtubBasin", "Sink", "Bathtub")


def yaw_of(record: ThorRecord, around: Surroundings) -> float:
    """The yaw to which an object faces: a multiple of 90, of 45 for things across a corner, any for
    things that AI2-THOR turned freely."""
    kind = record.type
    if kind == "Cabinet":
        return cabinet_front(record, around).yaw
    if kind == "Drawer":
        return drawer_front(record, around)
    if kind == "Shelf":
        return shelf_front(record, around)
    if kind == "Window" and _stands_slanted(record) and record.spot.width > _ACROSS_CORNER:
        return _open_diagonal(record, around)
    if kind in {"Mirror", "Painting", "Poster", "Window", "Blinds", "Curtains"}:
        return wall_front(record, around)
    if kind in {"Sink", "SinkBasin", "Bathtub", "BathtubBasin"}:
        return basin_front(record, around)
    if kind == "Faucet":
        return faucet_front(record, around)
    if kind == "StoveKnob":
        return knob_front(record, around)
    if kind == "CounterTop" and _stands_slanted(record):
        return _open_diagonal(record, around)
    if kind == "ShowerCurtain":
        return curtain_front(record, around)
    if kind == "ShowerDoor":
        wide = record.spot.width >= record.spot.depth
        return open_front(record, around, (0.0, 180.0) if wide else (90.0, 270.0))
    if kind in {"ShowerGlass", "CounterTop"} or not record.asset_id:
        return open_front(record, around)
    return record.rotation.y % 360.0


def wall_front(record: ThorRecord, around: Surroundings) -> float:
    """A flat thing faces away from the nearest wall that it is parallel to."""
    spot = record.spot
    if spot.width > spot.depth * 1.2:
        options: tuple[float, ...] = (0.0, 180.0)
    elif spot.depth > spot.width * 1.2:
        options = (90.0, 270.0)
    else:
        options = YAWS
    for wall in around.shape.partitions:
        back = (wall.yaw + 180.0) % 360.0
        low, high = spot.across(wall.yaw)
        near = abs(wall.face + spot.side(back))
        if wall.yaw in options and near < 0.1 and low < wall.high and high > wall.low:
            return wall.yaw
    inside = around.shape.inside
    return min(options, key=lambda yaw: abs(wall_gap(inside, spot, yaw)))


def basin_front(record: ThorRecord, around: Surroundings) -> float:
    """A basin's back is the side of its tap; a basin without a tap has its back to a wall."""
    inner = [r for r in around.of(f"{record.type}Basin") if record.spot.holds(*r.spot.center)]
    if _stands_slanted(record) or (_is_square(record) and any(map(_stands_slanted, inner))):
        return _open_diagonal(record, around)
    taps = [r for r in around.of("Faucet") if gap(record, r) < 0.9]
    spot = record.spot
    if taps and record.type in {"Sink", "SinkBasin"}:
        tap = min(taps, key=lambda r: gap(record, r))
        offset = record.bounds.center - tap.position
        spans = (offset.x / max(spot.width, 0.01), offset.z / max(spot.depth, 0.01))
        if abs(spans[0]) > abs(spans[1]):
            return 90.0 if spans[0] > 0 else 270.0
        return 0.0 if spans[1] > 0 else 180.0
    wide = (0.0, 180.0) if spot.width >= spot.depth else (90.0, 270.0)
    return open_front(record, around, wide if "Bathtub" in record.type else YAWS)


def _stands_slanted(record: ThorRecord) -> bool:
    """Whether AI2-THOR turned a fitting by about 45 degrees; then its box is square."""
    return _is_square(record) and 15.0 < record.rotation.y % 90.0 < 75.0


def _is_square(record: ThorRecord) -> bool:
    return abs(record.spot.width / max(record.spot.depth, 1e-6) - 1.0) < 0.05


def _open_diagonal(record: ThorRecord, around: Surroundings) -> float:
    x, z = record.spot.center
    inside = around.shape.inside.center
    wanted = math.degrees(math.atan2(inside[0] - x, inside[1] - z)) % 360.0
    return min(DIAGONALS, key=lambda yaw: abs((yaw - wanted + 180.0) % 360.0 - 180.0))


def curtain_front(record: ThorRecord, around: Surroundings) -> float:
    """A shower's curtain hangs along its tub and looks away from it."""
    tub = bath_of(record, around)
    if tub is None:
        return open_front(record, around)
    along_x = tub.spot.width >= tub.spot.depth
    (x, z), (tub_x, tub_z) = record.spot.center, tub.spot.center
    if along_x:
        return 0.0 if z >= tub_z else 180.0
    return 90.0 if x >= tub_x else 270.0


def faucet_front(record: ThorRecord, around: Surroundings) -> float:
    """A tap looks to the basin that it runs into."""
    own = record.rotation.y % 360.0
    basins = [r for r in around.of(*_BASINS) if gap(record, r) < 1.6]
    if not basins:
        return own
    basin = min(basins, key=lambda r: (gap(record, r), r.object_id))
    there, here = basin.bounds.center, record.position
    if math.hypot(there.x - here.x, there.z - here.z) < 0.05:
        return own
    wanted = math.degrees(math.atan2(there.x - here.x, there.z - here.z)) % 360.0
    if abs((own - wanted + 180.0) % 360.0 - 180.0) <= 60.0:
        return own
    return nearest_yaw(wanted)


def knob_front(record: ThorRecord, around: Surroundings) -> float:
    """A stove's knobs look away from its burners where they are before them, else over them."""
    burners = around.of("StoveBurner")
    if not burners:
        return open_front(record, around)
    near = sorted(burners, key=lambda r: gap(record, r))[:4]
    return open_front(min(near, key=lambda r: r.object_id), around)


# --- The side to which furniture faces

CASES = frozenset({"Desk", "Dresser", "ShelvingUnit", "SideTable", "TVStand"})
"""Furniture that drawers, cabinets and shelves are built into."""

TURNABLE = CASES | {"ArmChair", "Bed", "CoffeeMachine", "Fridge", "Microwave", "Safe", "Sofa"}
"""Furniture of which a few assets face along another of their axes than +z."""


def quarter_turns(record: ThorRecord, around: Surroundings) -> int:
    """The quarter turns from a piece's +z to its front: 0 unless +z would face a wall while another
    side faces free floor. Chairs without an asset face their table."""
    if record.type == "Chair" and not record.asset_id:
        return _towards_table(record, around)
    if record.type == "Television":
        return _screen_side(record, around)
    if record.type not in TURNABLE:
        return 0
    spot, own = record.spot, nearest_yaw(record.rotation.y)
    free = [around.floor.ahead(spot, (own + 90.0 * k) % 360.0) for k in range(4)]
    if free[0] >= 0.15:
        return 0
    best = max(range(4), key=lambda k: free[k])
    return best if free[best] > 0.4 else 0


def _towards_table(record: ThorRecord, around: Surroundings) -> int:
    tables = around.of("DiningTable", "Desk", "CounterTop")
    if not tables:
        return 0
    here = record.bounds.center
    table = min(tables, key=lambda r: gap(record, r))
    there = table.bounds.center
    wanted = math.degrees(math.atan2(there.x - here.x, there.z - here.z))
    return round((wanted - record.rotation.y) / 90.0) % 4


def _screen_side(record: ThorRecord, around: Surroundings) -> int:
    """A television looks across its thin side: to the seats, else to the free floor."""
    own = nearest_yaw(record.rotation.y)
    spot = record.spot
    thin_is_z = spot.depth <= spot.width
    options = [k for k in range(4) if ((own + 90.0 * k) % 180.0 == 0.0) == thin_is_z]
    seats = around.of("Sofa", "ArmChair", "Bed")

    def worth(k: int) -> float:
        yaw = (own + 90.0 * k) % 360.0
        x, z = DIRECTIONS[yaw]
        offsets = [r.bounds.center - record.bounds.center for r in seats]
        watched = sum(1.0 for o in offsets if o.x * x + o.z * z > 0) / max(len(offsets), 1)
        return around.floor.ahead(spot, yaw) + watched

    return max(options, key=worth)


def case_front(holder: ThorRecord, around: Surroundings) -> float:
    """The yaw of a piece of furniture with drawers."""
    own = holder.rotation.y if holder.asset_id else open_front(holder, around)
    yaw = (own + 90.0 * quarter_turns(holder, around)) % 360.0
    return nearest_yaw(yaw) if abs((yaw + 45.0) % 90.0 - 45.0) < 3.0 else yaw


# --- The side to which cabinets, drawers and shelves open

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
    """1 if cabinets are right above or below and can open to this side too: those of one cupboard
    have one front."""
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
    """1.2 if another front is adjacent in the plane of this side, else 0: fronts come in rows."""
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
    """The place of an object's origin in its box: -1 to 1 along each axis, from side to side."""
    offset = record.position - record.bounds.center
    size = record.bounds.size
    return (
        2 * offset.x / max(size.x, 1e-6),
        2 * offset.y / max(size.y, 1e-6),
        2 * offset.z / max(size.z, 1e-6),
    )


def slanted_yaw(record: ThorRecord, around: Surroundings) -> float | None:
    """The yaw of a cabinet or drawer across a corner, None for a straight one.

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
    """Whether a fitted neighbour is right before a side, so that nothing could open there."""
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
    """A shelf faces like the furniture that it is in, else away from the wall at its long side."""
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
