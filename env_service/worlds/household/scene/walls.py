"""Walls with their windows, doors, skirting, ceiling and tiled bands, as structure."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from env_service.worlds.household.assets.model import Detail
from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.counters import Counter
from env_service.worlds.household.scene.footprints import DIRECTIONS, YAWS, Rectangle, mirrored
from env_service.worlds.household.scene.import_context import ImportContext
from env_service.worlds.household.scene.room_shape import ON_WALLS, RoomShape
from env_service.worlds.household.scene.spec import Room, StructureSpec
from env_service.worlds.household.scene.stoves import Stove
from env_service.worlds.household.scene.surroundings import Surroundings
from env_service.worlds.household.scene.thor_records import ThorRecord

THICKNESS = 0.12
"""Of a wall, metres; more where a window is set deep."""

LOWEST_CEILING = 2.5
DOOR = (0.88, 2.05)
"""Width and height of a door with its frame, metres."""

SKIRTING = (0.09, 0.014)
"""Height and depth of a skirting board, metres."""

_FAR, _BEYOND = 0.7, 4.0
"""Metres behind a wall at which the view outside is drawn, and how far it extends beyond the wall's
ends, so that it also fills a window seen from the side."""

_FORWARD, _SIDEWAYS = Vec3(0.0, 0.0, 1.0), Vec3(1.0, 0.0, 0.0)
Span = tuple[float, float]


@dataclass(frozen=True)
class Wall:
    """A straight wall: its face looks to `yaw` and lies at `face`, counted along the yaw; `span`
    is its extent across, in room coordinates."""

    name: str
    yaw: float
    face: float
    span: Span
    outer: bool = True

    def strip(self, ahead: float, behind: float = 0.0) -> Rectangle:
        """The floor from `behind` its face to `ahead` of it."""
        return Rectangle.spanned(self.yaw, self.face - behind, self.face + ahead, *self.span)


def ceiling_height(records: Iterable[ThorRecord], floor: float) -> float:
    """Above everything in the room, and not lower than a usual room."""
    highest = max((r.high for r in records), default=floor)
    return max(floor + LOWEST_CEILING, highest + 0.03)


def walls_of(shape: RoomShape) -> tuple[Wall, ...]:
    """The four outer walls, north, east, south, west, then the partitions."""
    inside = shape.inside
    outer = [
        Wall(f"Wall_{k + 1}", (yaw + 180.0) % 360.0, -inside.side(yaw), inside.across(yaw))
        for k, yaw in enumerate(YAWS)
    ]
    inner = [
        Wall(f"Wall_{k + 5}", p.yaw, p.face, (p.low, p.high), outer=False)
        for k, p in enumerate(shape.partitions)
    ]
    return (*outer, *inner)


def enclosure(
    plan: ImportContext,
    fittings: Sequence[Rectangle],
    splashes: Mapping[str, Sequence[tuple[float, ...]]],
) -> list[StructureSpec]:
    """The enclosure of a room.

    Args:
        fittings: the furniture on the floor that is not an object: carcasses, the stove.
        splashes: by the name of a wall, tiled bands in the room: (low, high, start, end), heights
            from the floor, start and end across the wall in room coordinates.
    """
    parts: list[StructureSpec] = []
    walls = walls_of(plan.around.shape)
    doors = _doors(walls, plan, fittings)
    for wall in walls:
        door = doors.get(wall.name)
        parts += _wall(wall, door, plan, splashes.get(wall.name, ()))
        parts += _skirting(wall, door, plan, fittings)
    parts += _corner_walls(plan)
    over = plan.around.shape.inside.grown(THICKNESS)
    slab = over.box(plan.ceiling, plan.ceiling + 0.1)
    parts.append(StructureSpec("Ceiling", "Ceiling", slab, look_of(plan.name)))
    return parts


def look_of(scene: str) -> int:
    """The number of a scene's look of walls, doors and views."""
    return zlib.crc32(f"{scene} shell".encode()) >> 3


def _belongs(window: Box, wall: Wall) -> bool:
    """Whether a window is set into a wall: it looks the same way and lies at its face."""
    ahead = window.rotation.apply(Vec3(0.0, 0.0, 1.0))
    x, z = DIRECTIONS[wall.yaw]
    if ahead.x * x + ahead.z * z < 0.9:
        return False
    spot = Rectangle.under(window.bounds())
    low, high = spot.across(wall.yaw)
    at = window.center.x * x + window.center.z * z
    middle = (low + high) / 2
    return abs(at - wall.face) < 0.6 and wall.span[0] < middle < wall.span[1]


def _wall(
    wall: Wall, door: Span | None, plan: ImportContext, splash: Sequence[tuple[float, ...]]
) -> list[StructureSpec]:
    """A wall, the door in it, and the view behind its windows."""
    floor, look = plan.floor, look_of(plan.name)
    panes = [plan.bodies[r.object_id] for r in plan.around.of("Window")]
    windows = [pane.bounds() for pane in panes if _belongs(pane, wall)]
    back = (wall.yaw + 180.0) % 360.0
    reach = max((Rectangle.under(b).side(back) + wall.face + 0.01 for b in windows), default=0.0)
    thick = min(max(THICKNESS, reach), 0.6)
    low, high = wall.span
    if wall.outer and wall.yaw in (0.0, 180.0):
        low, high = low - THICKNESS, high + THICKNESS
    middle, edge = (low + high) / 2, (high - low) / 2 - 0.02
    rows: list[tuple[float, ...]] = []
    for pane in windows:
        a, b = mirrored(Rectangle.under(pane).across(wall.yaw), middle, wall.yaw)
        bottom, top = pane.bottom - floor, pane.top - floor
        # a sliver of wall is left at each end
        rows.append((max(a, -edge), bottom, min(b, edge), top))
    parts = []
    if door is not None:
        a, b = mirrored((door[0] + 0.01, door[1] - 0.01), middle, wall.yaw)
        rows.append((a, 0.0, b, DOOR[1] - 0.01))
        place = _standing(wall, door, (-THICKNESS, 0.018), (floor, floor + DOOR[1]))
        parts.append(StructureSpec(wall.name.replace("Wall", "Door"), "Door", place, look))
    rows = [tuple(round(value, 3) for value in row) for row in rows]
    details: list[tuple[str, Detail]] = [("openings", tuple(rows))] if rows else []
    bands = [
        tuple(round(v, 3) for v in (y0, y1, *mirrored((x0, x1), middle, wall.yaw)))
        for y0, y1, x0, x1 in splash
    ]
    if bands:
        details.append(("splash", tuple(bands)))
    body = _standing(wall, (low, high), (-thick, 0.0), (floor, plan.ceiling))
    parts.insert(0, StructureSpec(wall.name, "Wall", body, look, tuple(details)))
    if windows:
        view = _outside(wall, thick, (low, high), plan)
        name = wall.name.replace("Wall", "Sky")
        parts += [StructureSpec(name, "Sky", box, look, (), solid=False) for box in view]
    return parts


def _outside(wall: Wall, thick: float, span: Span, plan: ImportContext) -> list[Box]:
    """Where the view through a wall's windows is drawn. Behind a wall inside the room is the room
    itself, unless that part cannot be reached."""
    if wall.outer:
        return [outside(wall, thick, span, (plan.floor, plan.ceiling))]
    behind = Rectangle.spanned(
        wall.yaw, wall.face - thick - 0.8, wall.face - thick, span[0], span[1]
    )
    if plan.around.floor.share(behind) > 0.1:
        return []
    deep = (-thick - 0.04, -thick - 0.02)
    return [_standing(wall, span, deep, (plan.floor, plan.ceiling))]


def outside(wall: Wall, thick: float, span: Span, tall: Span) -> Box:
    """Where the view through an outer wall's windows is drawn: behind the wall, whose thickness
    and span across are given, between its heights and well beyond."""
    deep = (-thick - _FAR - 0.02, -thick - _FAR)
    heights = (tall[0] - 2.0, tall[1] + 2.6)
    return _standing(wall, (span[0] - _BEYOND, span[1] + _BEYOND), deep, heights)


def _corner_walls(plan: ImportContext) -> list[StructureSpec]:
    """The walls around windows across a corner of the room (one in FloorPlan6), from the windows'
    sills up, and the views behind them."""
    parts: list[StructureSpec] = []
    inside = plan.around.shape.inside
    for record in plan.around.of("Window"):
        pane = plan.bodies[record.object_id]
        ahead, across = (pane.rotation.apply(axis) for axis in (_FORWARD, _SIDEWAYS))
        if min(abs(ahead.x), abs(ahead.z)) < 0.6:
            continue
        at = pane.center
        reach = []
        for sign in (-1.0, 1.0):
            x, z = sign * across.x, sign * across.z
            to_x = (inside.east - at.x if x > 0 else inside.west - at.x) / x
            to_z = (inside.north - at.z if z > 0 else inside.south - at.z) / z
            reach.append(sign * min(to_x, to_z))
        low, high = reach
        half = pane.size.x / 2
        if low > -half - 0.02 or high < half + 0.02:
            continue
        middle, tall = (low + high) / 2, plan.ceiling - pane.bottom + 0.04
        row = (-half - middle, 0.04, half - middle, 0.04 + pane.size.y)
        level = Vec3(0.0, plan.ceiling - tall / 2 - at.y, 0.0)
        wall = Box(
            at + level + across * middle - ahead * 0.03,
            Vec3(high - low, tall, 0.1),
            pane.rotation,
        )
        view = Box(at + level - ahead * 0.1, Vec3(pane.size.x + 0.1, tall, 0.02), pane.rotation)
        number, look = len(parts) // 2 + 1, look_of(plan.name)
        details: tuple[tuple[str, Detail], ...] = (
            ("openings", (tuple(round(value, 3) for value in row),)),
        )
        parts.append(
            StructureSpec(f"CornerWall_{number}", "Wall", wall, look, details, solid=False)
        )
        parts.append(StructureSpec(f"CornerSky_{number}", "Sky", view, look, (), solid=False))
    return parts


def _standing(wall: Wall, span: Span, deep: Span, tall: Span) -> Box:
    """An upright box along a wall: its span across, its depth before the wall's face, its
    heights."""
    spot = Rectangle.spanned(wall.yaw, wall.face + deep[0], wall.face + deep[1], *span)
    x, z = spot.center
    size = Vec3(span[1] - span[0], tall[1] - tall[0], deep[1] - deep[0])
    return Box(Vec3(x, (tall[0] + tall[1]) / 2, z), size, Rotation.yaw(wall.yaw))


def _doors(
    walls: Sequence[Wall], plan: ImportContext, fittings: Sequence[Rectangle]
) -> dict[str, Span]:
    """One door, next to the first light switch if there is room; by the name of its wall."""
    if plan.ceiling - plan.floor < DOOR[1] + 0.1:
        return {}
    switches = plan.around.of("LightSwitch")
    best: tuple[float, str, Span] | None = None
    for wall in walls:
        if not wall.outer:
            continue
        near = [s for s in switches if s.spot.overlap(wall.strip(0.12, 0.12)) is not None]
        goal = sum(near[0].spot.across(wall.yaw)) / 2 if near else None
        for start in _free_starts(wall, plan, fittings):
            span = (start, start + DOOR[0])
            middle = start + DOOR[0] / 2
            far = abs(middle - goal) if goal is not None else 5.0 + abs(middle - sum(wall.span) / 2)
            if best is None or far < best[0]:
                best = (far, wall.name, span)
    return {best[1]: best[2]} if best else {}


def _free_starts(wall: Wall, plan: ImportContext, fittings: Sequence[Rectangle]) -> list[float]:
    """Possible places of a door's lower end, in steps of 5 cm, with no furniture before them."""
    zone = wall.strip(0.55, 0.7)
    taken = [
        r.spot.across(wall.yaw)
        for r in plan.records
        if r.type != "Floor" and r.low < plan.floor + DOOR[1]
        and r.spot.overlap(zone) is not None
    ]  # fmt: skip
    taken += [spot.across(wall.yaw) for spot in fittings if spot.overlap(zone) is not None]
    found, start = [], wall.span[0] + 0.08
    while start + DOOR[0] < wall.span[1] - 0.08:
        if all(high < start - 0.02 or low > start + DOOR[0] + 0.02 for low, high in taken):
            found.append(start)
        start += 0.05
    return found


def _skirting(
    wall: Wall, door: Span | None, plan: ImportContext, fittings: Sequence[Rectangle]
) -> list[StructureSpec]:
    """Skirting boards where the wall is free of furniture."""
    zone = wall.strip(0.06, 0.05)
    taken = [door] if door is not None else []
    taken += [
        r.spot.across(wall.yaw)
        for r in plan.records
        if r.type != "Floor" and r.type not in ON_WALLS and r.low < plan.floor + 0.11
        and r.spot.overlap(zone) is not None
    ]  # fmt: skip
    taken += [spot.across(wall.yaw) for spot in fittings if spot.overlap(zone) is not None]
    parts = []
    for k, (low, high) in enumerate(_gaps(wall.span, taken)):
        if high - low < 0.1:
            continue
        tall = (plan.floor, plan.floor + SKIRTING[0])
        body = _standing(wall, (low, high), (0.0, SKIRTING[1]), tall)
        name = f"{wall.name.replace('Wall', 'Baseboard')}_{k + 1}"
        parts.append(StructureSpec(name, "Baseboard", body, 0, (), solid=False))
    return parts


def _gaps(span: Span, taken: Iterable[Span]) -> list[Span]:
    """What intervals leave of a span."""
    found, at = [], span[0]
    for low, high in sorted(taken):
        if low > at:
            found.append((at, min(low, span[1])))
        at = max(at, high)
    if at < span[1]:
        found.append((at, span[1]))
    return [(low, high) for low, high in found if high > low]


# --- Tiled bands on walls: above counters, behind stoves, around baths

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
