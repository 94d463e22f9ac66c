"""Fitted furniture that AI2-THOR draws without listing it: carcasses, wall cases, and the boards of
shelves.
"""

import math
from collections.abc import Iterator, Sequence

from env_service.worlds.household.assets.model import Detail
from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.counters import OVERHANG, Counter
from env_service.worlds.household.scene.facing import holder_of, slanted_yaw
from env_service.worlds.household.scene.footprints import DIRECTIONS, Rectangle, mirrored
from env_service.worlds.household.scene.import_context import ImportContext
from env_service.worlds.household.scene.room_colors import palette_of
from env_service.worlds.household.scene.spec import Room, StructureSpec
from env_service.worlds.household.scene.surroundings import Surroundings, along
from env_service.worlds.household.scene.thor_records import ThorRecord

SLAB = 0.035
"""Thickness of a counter's top, metres."""

LOWEST = 0.3
"""Metres above the floor: a lower counter has nothing below it."""

_OF_COUNTERS = frozenset({"Cabinet", "CounterTop", "Drawer", "Floor", "Shelf", "Sink", "SinkBasin"})

_DISHWASHER = (0.52, 0.75)
"""Least and most width of a gap that a dishwasher fills, metres."""

_DISHWASHER_WIDTH = 0.6
Span = tuple[float, float]


def bases(plan: ImportContext, stoves: Sequence[Rectangle]) -> list[StructureSpec]:
    """The carcasses under counters, one per free stretch of each run, and one dishwasher in a
    kitchen that has a gap for it."""
    maker = _Maker(plan)
    for counter in plan.counters:
        if counter.top - plan.floor < LOWEST:
            continue
        for strip, yaw in counter.runs:
            maker.run(counter, strip, yaw, stoves)
        for row in counter.slanted:
            maker.slanted(counter, row)
    return maker.parts


class _Maker:
    """Makes carcasses one after the other; later ones leave out the space of earlier ones."""

    def __init__(self, plan: ImportContext) -> None:
        self.parts: list[StructureSpec] = []
        self._plan, self._around = plan, plan.around
        cabinets = plan.around.of("Cabinet", "Drawer")
        self._fitted = [r for r in cabinets if holder_of(r, plan.around) is None]
        shelves = plan.around.of("Shelf")
        self._boards = [r for r in shelves if holder_of(r, plan.around) is None]
        self._washers = 1 if plan.room is Room.KITCHEN else 0
        self._done: list[Rectangle] = []

    def run(
        self, counter: Counter, strip: Rectangle, yaw: float, stoves: Sequence[Rectangle]
    ) -> None:
        """The carcasses of a straight run."""
        fronts = [r for r in self._fitted if self._is_front(r, strip, yaw, counter.top)]
        near = -strip.side((yaw + 180.0) % 360.0)
        face = _face(strip, yaw, fronts)
        deep = Rectangle.spanned(yaw, near, face, *strip.across(yaw))
        taken = [*stoves, *_underneath(counter, self._around), *self._done]
        for span in _stretches(deep, yaw, taken):
            area = Rectangle.spanned(yaw, near, face, *span)
            if area.width >= 0.05 and area.depth >= 0.05:
                self._base(counter.top, area, yaw, fronts)
                self._done.append(area)

    def _is_front(self, record: ThorRecord, strip: Rectangle, yaw: float, top: float) -> bool:
        """Whether a cabinet or drawer is fitted below a run and looks the same way."""
        ahead = self._plan.bodies[record.object_id].rotation.apply(Vec3(0.0, 0.0, 1.0))
        return (
            along(yaw, ahead.x, ahead.z) > 0.95
            and strip.holds(*record.spot.center, 0.03)
            and record.high < top + 0.02
        )

    def _base(
        self, counter_top: float, area: Rectangle, yaw: float, fronts: Sequence[ThorRecord]
    ) -> None:
        """One carcass, with openings for what is fitted, and a dishwasher in the first gap."""
        floor, top = self._plan.floor, counter_top - SLAB + 0.002
        low, high = area.across(yaw)
        middle = (low + high) / 2
        openings = []
        for record in fronts:
            start, end = record.spot.across(yaw)
            if end > low + 0.02 and start < high - 0.02:
                a, b = mirrored((start, end), middle, yaw)
                openings.append((a, record.low - floor, b, record.high - floor))
        for start, bottom, end, ceiling in self._shelved(area, yaw, top):
            a, b = mirrored((start, end), middle, yaw)
            openings.append((a, bottom - floor, b, ceiling - floor))
        x, z = area.center
        size = Vec3(high - low, top - floor, area.depth if yaw in (0.0, 180.0) else area.width)
        body = Box(Vec3(x, (floor + top) / 2, z), size, Rotation.yaw(yaw))
        gap = self._washer_gap(area, yaw, fronts) if self._washers and fronts else None
        if gap is not None:
            a, b = mirrored(gap, middle, yaw)
            openings.append((a, 0.0, b, size.y))
            shift = body.rotation.apply(Vec3((a + b) / 2, 0.0, 0.004))
            place = Box(body.center + shift, Vec3(b - a - 0.006, size.y, size.z), body.rotation)
            self.parts.append(StructureSpec("Dishwasher_1", "Dishwasher", place, len(self.parts)))
            self._washers -= 1
        self._add(body, openings)

    def _shelved(self, area: Rectangle, yaw: float, top: float) -> Iterator[tuple[float, ...]]:
        """The room over each shelf under a counter, to the next one or to the top: its span along
        the front, and heights. Such shelves are open."""
        inside = [r for r in self._boards if r.high < top and area.holds(*r.spot.center)]
        for record in inside:
            over = (r.low for r in inside if r.low > record.high)
            start, end = record.spot.across(yaw)
            yield start, record.high, end, min(over, default=top)

    def _add(self, body: Box, openings: Sequence[tuple[float, ...]]) -> None:
        details: tuple[tuple[str, Detail], ...] = ()
        if openings:
            # to the millimetre: edges of neighbours that nearly agree become one
            rows = tuple(tuple(round(value, 3) for value in row) for row in openings)
            details = (("openings", rows),)
        name = f"CounterBase_{len(self.parts) + 1}"
        self.parts.append(StructureSpec(name, "CounterBase", body, 0, details))

    def _washer_gap(self, area: Rectangle, yaw: float, fronts: Sequence[ThorRecord]) -> Span | None:
        """A gap between fronts, or after the last, that is as wide as a dishwasher and has free
        floor before it. A gap under a basin does not count."""
        low, high = area.across(yaw)
        basins = (r for r in self._around.of("SinkBasin") if r.spot.overlap(area) is not None)
        spans = sorted(r.spot.across(yaw) for r in (*fronts, *basins))
        at, gaps = low, []
        for start, end in spans:
            gaps.append((at, start))
            at = max(at, end)
        gaps.append((at, high))
        for start, end in gaps:
            wide = end - start
            if not _DISHWASHER[0] <= wide <= _DISHWASHER[1]:
                continue
            spare = max(0.0, wide - _DISHWASHER_WIDTH) / 2
            span = (start + spare, end - spare)
            front = Rectangle.spanned(yaw, area.side(yaw), area.side(yaw) + 0.6, *span)
            corner = any(
                strip.overlap(front) is not None
                for counter in self._plan.counters
                for strip, other in counter.runs
                if other != yaw
            )
            if self._around.floor.share(front) > 0.7 and not corner:
                return span
        return None

    def slanted(self, counter: Counter, row: Box) -> None:
        """The carcass of a row of fronts across a corner."""
        floor, top = self._plan.floor, counter.top - SLAB + 0.002
        turned, facing = row.rotation.inverse(), row.rotation.apply(Vec3(0.0, 0.0, 1.0))
        boxes = []
        for record in self._fitted:
            box = self._plan.bodies[record.object_id]
            local = turned.apply(box.center - row.center)
            near = abs(local.x) < row.size.x / 2 and abs(local.z) < row.size.z / 2
            alike = box.rotation.apply(Vec3(0.0, 0.0, 1.0)).dot(facing) > 0.95
            if near and alike and box.top < counter.top + 0.02:
                boxes.append((local, box))
        openings = [
            (at.x - box.size.x / 2, box.bottom - floor, at.x + box.size.x / 2, box.top - floor)
            for at, box in boxes
        ]
        ends = sorted(at.z + box.size.z / 2 for at, box in boxes)
        front = ends[len(ends) // 2] if ends else row.size.z / 2 - OVERHANG
        back = -row.size.z / 2 + 0.005
        center = row.center + row.rotation.apply(Vec3(0.0, 0.0, (front + back) / 2))
        size = Vec3(row.size.x - 0.01, top - floor, front - back)
        place = Vec3(center.x, (floor + top) / 2, center.z)
        self._add(Box(place, size, row.rotation), openings)


def _face(strip: Rectangle, yaw: float, fronts: Sequence[ThorRecord]) -> float:
    """The front of the carcass: that of most of the fitted objects, else behind the edge of the
    counter."""
    planes = sorted(r.spot.side(yaw) for r in fronts)
    return planes[len(planes) // 2] if planes else strip.side(yaw) - OVERHANG


def _underneath(counter: Counter, around: Surroundings) -> list[Rectangle]:
    """Things on the floor below a counter, where the carcass has a gap."""
    floor = around.shape.floor
    return [
        record.spot
        for kind, items in around.by_type.items()
        if kind not in _OF_COUNTERS
        for record in items
        if record.low < floor + 0.06 < record.high - 0.02 and record.low < counter.top - 0.3
    ]


def _stretches(area: Rectangle, yaw: float, taken: Sequence[Rectangle]) -> list[Span]:
    """The parts of a run, across its front, with nothing else on the floor below."""
    core = Rectangle.spanned(
        yaw, -area.side((yaw + 180.0) % 360.0) + 0.08, area.side(yaw) - 0.08, *area.across(yaw)
    )
    low, high = area.across(yaw)
    cuts = sorted(
        both.across(yaw) for both in (core.overlap(item) for item in taken) if both is not None
    )
    found, at = [], low
    for start, end in cuts:
        if start - at > 0.03:
            found.append((at, start))
        at = max(at, end)
    if high - at > 0.03:
        found.append((at, high))
    return found


def missing_hollows(plan: ImportContext) -> list[StructureSpec]:
    """The insides of bathtubs without a separate basin; a bathtub's asset leaves its inside to the
    basin."""
    parts: list[StructureSpec] = []
    for tub in plan.around.of("Bathtub"):
        body = plan.bodies[tub.object_id]
        # AI2-THOR calls some tubs' hollows basins of sinks (one in FloorPlan420)
        basins = plan.around.of("BathtubBasin", "SinkBasin")
        if any(tub.spot.holds(*basin.spot.center) for basin in basins):
            continue
        # the hollow that a tub without a basin is drawn with keeps 12 % of its narrow side
        edge = 0.12 * min(body.size.x, body.size.z)
        size = Vec3(body.size.x - 2 * edge, body.size.y * 0.85, body.size.z - 2 * edge)
        lift = body.rotation.apply(Vec3(0.0, (body.size.y - size.y) / 2, 0.0))
        name = f"BathtubBasin_{len(parts) + 1}"
        place = Box(body.center + lift, size, body.rotation)
        parts.append(StructureSpec(name, "BathtubBasin", place, 0, (), solid=False))
    return parts


def wall_cases(plan: ImportContext) -> list[StructureSpec]:
    """Fillers between wall cabinets and the wall behind them, so that none hangs in the air."""
    parts: list[StructureSpec] = []
    around, inside = plan.around, plan.around.shape.inside
    for record in around.of("Cabinet"):
        if record.low < around.shape.floor + 1.0 or slanted_yaw(record, around) is not None:
            continue
        if holder_of(record, around) is not None:
            continue
        ahead = plan.bodies[record.object_id].rotation.apply(Vec3(0.0, 0.0, 1.0))
        yaw = next(
            (y for y, (x, z) in DIRECTIONS.items() if ahead.x * x + ahead.z * z > 0.95), None
        )
        if yaw is None:
            continue
        back = (yaw + 180.0) % 360.0
        start, wall = record.spot.side(back), inside.side(back)
        if not 0.045 < wall - start < 0.45:
            continue
        spot = Rectangle.spanned(back, start, wall, *record.spot.across(yaw))
        box = spot.box(record.low, record.high)
        size = Vec3(spot.width if yaw in (0.0, 180.0) else spot.depth, box.size.y, wall - start)
        body = Box(box.center, size, Rotation.yaw(yaw))
        name = f"CabinetCase_{len(parts) + 1}"
        parts.append(StructureSpec(name, "CabinetCase", body, 0, (), solid=False))
    return parts


def hutches(plan: ImportContext) -> list[StructureSpec]:
    """The cases around the shelves over a desk. The shelves are separate objects: AI2-THOR's box of
    such a desk includes them, and its asset here ends at the writing surface."""
    parts: list[StructureSpec] = []
    for desk in plan.around.of("Desk"):
        body, whole = plan.bodies[desk.object_id], desk.oriented or desk.bounds
        shelves = [
            plan.bodies[r.object_id]
            for r in plan.around.of("Shelf")
            if whole.contains(r.bounds.center, 0.05) and r.low > body.top - 0.02
        ]
        if not shelves or whole.top - body.top < 0.2:
            continue
        turned = body.rotation.inverse()
        corners = [turned.apply(c - body.center) for shelf in shelves for c in shelf.corners()]
        x0, x1 = min(c.x for c in corners) - 0.02, max(c.x for c in corners) + 0.02
        z0, z1 = min(c.z for c in corners), max(c.z for c in corners) + 0.004
        bottom, top = body.size.y / 2, body.size.y / 2 + whole.top - body.top
        middle = Vec3((x0 + x1) / 2, (bottom + top) / 2, (z0 + z1) / 2)
        place = Box(
            body.center + body.rotation.apply(middle),
            Vec3(x1 - x0, top - bottom, z1 - z0),
            body.rotation,
        )
        levels = sorted({round(level_over(shelf.bottom - body.top), 3) for shelf in shelves})
        details: tuple[tuple[str, Detail], ...] = (
            ("boards", (*((level,) for level in levels), (round(top - bottom, 3),))),
            ("shelves", "separate"),
        )
        name = f"Hutch_{len(parts) + 1}"
        # variant 0 is a bookcase
        parts.append(StructureSpec(name, "ShelvingUnit", place, 0, details, solid=False))
    return parts


def towers(plan: ImportContext) -> list[StructureSpec]:
    """The cases around open shelves between an upper and a lower cabinet of one cupboard."""
    parts: list[StructureSpec] = []
    shelves = [r for r in plan.around.of("Shelf") if holder_of(r, plan.around) is None]
    cabinets = plan.around.of("Cabinet")
    for upper in cabinets:
        body = plan.bodies[upper.object_id]
        below = [r for r in cabinets if r is not upper and _over(upper, r) and r.high < upper.low]
        if not below:
            continue
        bottom = max(r.high for r in below)
        levels = sorted(
            plan.bodies[r.object_id].bottom - bottom + 0.003
            for r in shelves
            if _over(upper, r) and bottom - 0.02 < r.low < upper.low
        )
        if not levels or upper.low - bottom < 0.2:
            continue
        center = Vec3(body.center.x, (bottom + upper.low) / 2, body.center.z)
        place = Box(center, Vec3(body.size.x, upper.low - bottom, body.size.z), body.rotation)
        details: tuple[tuple[str, Detail], ...] = (
            ("boards", tuple((round(level, 3),) for level in levels)),
            ("shelves", "separate"),
            ("wood", palette_of(plan.name, plan.room).cabinets),
        )
        name = f"Tower_{len(parts) + 1}"
        parts.append(StructureSpec(name, "ShelvingUnit", place, 0, details, solid=False))
    return parts


def _over(upper: ThorRecord, other: ThorRecord) -> bool:
    x, z = upper.spot.center
    return math.hypot(other.spot.center[0] - x, other.spot.center[1] - z) < 0.06


# --- The boards of shelves

ON_TOP = 0.03
"""Metres above a piece of furniture up to which a shelf has no separate board. AI2-THOR's boxes of
such shelves, the lowest compartments of hutches, begin 8 to 22 mm above the desk (FloorPlan301, 308
and 312)."""

VENEER = 0.001
"""Metres: the thickness of the layer that replaces the board then. Pencils and cards on the desk
are thicker, and stay visible."""

INTO_BOX = 0.003
"""Metres by which a separate board reaches into a shelf's box:
`assets.builders.cabinets_and_counters.shelf`."""


def level_over(over: float) -> float:
    """The height of things on a shelf, in metres above the furniture's top, by the distance in
    metres of the shelf's box above that top."""
    return VENEER if 0.0 < over < ON_TOP else over + INTO_BOX


def board_of(record: ThorRecord, top: float | None, *, on_wall: bool) -> list[tuple[str, Detail]]:
    """The details of a shelf's board. ``top``: the upper side of the furniture that it belongs to,
    metres of height in the room; None for none. ``on_wall``: whether its back is at a wall."""
    over = None if top is None else record.low - top
    if over is not None and 0.0 < over < ON_TOP:
        return [("top", round(level_over(over) - over, 4)), ("thickness", VENEER)]
    hangs = on_wall and (over is None or over > 0.0)
    return [("brackets", "yes")] if hangs else []
