"""The true shape of counters.

AI2-THOR describes a counter that runs around a corner by one box around all of it. Its outline
follows from the objects below it, in it and on it: each side of the box that has such objects gets
a strip as deep as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from env_service.worlds.household.geometry import Box, Vec3, box_around
from env_service.worlds.household.scene.facing import (
    basin_front,
    cabinet_front,
    drawer_front,
    holder_of,
    slanted_yaw,
    yaw_of,
)
from env_service.worlds.household.scene.footprints import YAWS, Point2, Rectangle, outline_of
from env_service.worlds.household.scene.surroundings import Surroundings
from env_service.worlds.household.scene.thor_records import ThorRecord

USUAL_DEPTH = 0.64
"""Depth of a kitchen counter, metres; for a side where no object shows it."""

NARROW = 1.05
"""Metres: a counter with a narrower side is one straight run."""

OVERHANG = 0.025
"""Metres by which the top projects over the fronts below."""

STOVE_EDGE = 0.055
"""From the burners to the edge of a stove, metres."""

_BLOCKERS = ("ArmChair", "Bed", "Chair", "DiningTable", "Fridge", "GarbageCan", "ShelvingUnit",
             "SideTable", "Sofa", "Stool")  # fmt: skip


@dataclass(frozen=True)
class Counter:
    """A counter top's shape.

    Attributes:
        record: the CounterTop.
        outline: corners in the room, (x, z); a rectangle for most.
        runs: the straight strips that the outline is made of, with the yaw of their fronts.
        top: height of the surface, metres.
        plain: whether the outline is the object's box.
        slanted: rows of fronts across a corner: their ground plans with the overhang.
    """

    record: ThorRecord
    outline: tuple[Point2, ...]
    runs: tuple[tuple[Rectangle, float], ...]
    top: float
    plain: bool
    slanted: tuple[Box, ...] = ()


@dataclass(frozen=True)
class _Site:
    """A counter top, its largest possible ground plan, and the objects fitted below it."""

    top: ThorRecord
    area: Rectangle
    fitted: Sequence[ThorRecord]
    around: Surroundings


def counters_of(
    records: Sequence[ThorRecord], bodies: Mapping[str, Box], around: Surroundings
) -> tuple[Counter, ...]:
    """The shapes of all counter tops of a scene, in their order."""
    tops = [r for r in records if r.type == "CounterTop"]
    fitted: dict[str, list[ThorRecord]] = {top.object_id: [] for top in tops}
    for record in around.of("Cabinet", "Drawer"):
        owner = _owner(record, tops)
        if owner is not None and holder_of(record, around) is None:
            fitted[owner.object_id].append(record)
    return tuple(_counter(top, fitted[top.object_id], bodies, around) for top in tops)


def surface_height(top: ThorRecord, around: Surroundings) -> float:
    """The height of a counter's surface: the median of the undersides of the objects on it, else
    the underside of its box, which AI2-THOR draws over the surface."""
    resting = sorted(
        r.low
        for items in around.by_type.values()
        for r in items
        if r.parents and top.object_id in r.parents and r.type not in {"Sink", "Faucet"}
    )
    low, high = top.low - 0.05, top.high + 0.05
    usable = [y for y in resting if low < y < high]
    return usable[len(usable) // 2] if usable else top.low


def _owner(record: ThorRecord, tops: Sequence[ThorRecord]) -> ThorRecord | None:
    """The counter above a cabinet or drawer: the smallest whose box reaches over it."""
    x, z = record.spot.center
    over = [top for top in tops if top.spot.holds(x, z, 0.06) and record.high < top.high + 0.06]
    return min(over, key=lambda top: top.spot.width * top.spot.depth, default=None)


def _counter(
    top: ThorRecord,
    fitted: Sequence[ThorRecord],
    bodies: Mapping[str, Box],
    around: Surroundings,
) -> Counter:
    height = surface_height(top, around)
    # a counter's box may reach into the wall, where a mesh was turned
    area = top.spot.overlap(around.shape.inside) or top.spot
    turned = bodies[top.object_id]
    if round(yaw_of(top, around)) % 90 != 0:
        corners = tuple((c.x, c.z) for c in turned.corners()[:4])
        return Counter(top, corners, (), height, plain=True)
    slanted = [bodies[r.object_id] for r in fitted if slanted_yaw(r, around) is not None]
    tub = any(area.holds(*r.spot.center) for r in around.of("Bathtub"))
    if tub or (_is_straight(area, around, fitted) and not slanted):
        return Counter(
            top, _corners(area), ((area, _run_front(area, fitted, around)),), height, plain=True
        )
    site = _Site(top, area, fitted, around)
    runs = []
    for yaw in YAWS:
        strip = _strip(site, yaw, reaches=not slanted)
        if strip is not None:
            runs.append((strip, yaw))
    loose = [
        r
        for r in _on(top, around)
        if not any(strip.holds(*r.spot.center, 0.03) for strip, _ in runs)
    ]
    rows = _rows(slanted, loose)
    loose = [r for r in loose if not any(row.contains(_level(r, row)) for row in rows)]
    runs += [(strip, yaw) for yaw in YAWS if (strip := _bare_strip(site, yaw, loose)) is not None]
    if not runs:
        return Counter(
            top, _corners(area), ((area, _run_front(area, fitted, around)),), height, plain=True
        )
    outline = outline_of([strip for strip, _ in runs], rows)
    return Counter(top, outline, tuple(runs), height, plain=False, slanted=tuple(rows))


def _corners(area: Rectangle) -> tuple[Point2, ...]:
    return (
        (area.west, area.south),
        (area.east, area.south),
        (area.east, area.north),
        (area.west, area.north),
    )


def _is_straight(area: Rectangle, around: Surroundings, fitted: Sequence[ThorRecord]) -> bool:
    """Whether a counter is one rectangle: narrow, or an island."""
    if min(area.width, area.depth) <= NARROW:
        return True
    inside = around.shape.inside
    walls = sum(inside.side(yaw) - area.side(yaw) < 0.4 for yaw in YAWS)
    return walls == 0 or (walls < 2 and not fitted and max(area.width, area.depth) < 2.2)


def _run_front(area: Rectangle, fitted: Sequence[ThorRecord], around: Surroundings) -> float:
    """The front of a straight run: that of most objects fitted below, else its open long side."""
    votes = [_front(r, around) for r in fitted]
    straight = [yaw for yaw in votes if yaw in YAWS]
    if straight:
        return max(YAWS, key=straight.count)
    long = (0.0, 180.0) if area.width >= area.depth else (90.0, 270.0)
    return max(long, key=lambda yaw: around.floor.ahead(area, yaw))


def _front(record: ThorRecord, around: Surroundings) -> float:
    if record.type == "Cabinet":
        return cabinet_front(record, around).yaw
    return drawer_front(record, around)


def _strip(site: _Site, yaw: float, *, reaches: bool) -> Rectangle | None:
    """The run whose front looks to `yaw`, its back along the other side of the box."""
    top, area, around = site.top, site.area, site.around
    back = (yaw + 180.0) % 360.0
    edge = area.side(back)
    below = [r for r in site.fitted if _front(r, around) == yaw and edge - r.spot.side(back) < 1.0]
    let_in = [
        r
        for r in around.of("Sink", "SinkBasin", "StoveBurner")
        if area.holds(*r.spot.center)
        and abs(r.high - top.low) < 0.25
        and _let_in_from(area, r, around) == back
    ]
    at_wall = around.shape.inside.side(back) - edge < 0.5
    if not below and not (let_in and at_wall):
        return None
    on_top = [r for r in _on(top, around) if nearest_side(area, r) == back]
    depths = [edge + r.spot.side(yaw) + OVERHANG for r in below]
    depths += [edge + r.spot.side(yaw) + 0.05 for r in let_in]
    if not below:
        depths.append(USUAL_DEPTH)
    depth = min(max(depths), 0.95)
    near = [r for r in on_top if edge - r.spot.side(back) < depth]
    ends = [r.spot.across(yaw) for r in [*below, *let_in, *near]]
    low, high = min(a for a, _ in ends), max(b for _, b in ends)
    least, most = area.across(yaw)
    low, high = max(low, least), min(high, most)
    if not reaches:
        # a stretch that is longer than a corner's dead space belongs to the slanted pieces
        least = least if low - least < 0.75 or _in_corner(site, yaw, least) else low
        most = most if most - high < 0.75 or _in_corner(site, yaw, most) else high
    low = _extended(site, yaw, (-edge, depth - edge), (low, least))
    high = _extended(site, yaw, (-edge, depth - edge), (high, most))
    return Rectangle.spanned(yaw, -edge, depth - edge, low, high)


def _on(top: ThorRecord, around: Surroundings) -> list[ThorRecord]:
    """The objects on a counter."""
    return [
        r
        for items in around.by_type.values()
        for r in items
        if r.parents and top.object_id in r.parents
    ]


def _bare_strip(site: _Site, yaw: float, loose: Sequence[ThorRecord]) -> Rectangle | None:
    """A run along a wall that only the objects on it show."""
    back = (yaw + 180.0) % 360.0
    edge = site.area.side(back)
    here = [
        r
        for r in loose
        if nearest_side(site.area, r) == back and edge - r.spot.side(back) < USUAL_DEPTH - 0.1
    ]
    if not here or site.around.shape.inside.side(back) - edge > 0.3:
        return None
    ends = [r.spot.across(yaw) for r in here]
    deep = (-edge, USUAL_DEPTH - edge)
    least, most = site.area.across(yaw)
    low = _extended(site, yaw, deep, (max(min(a for a, _ in ends), least), least))
    high = _extended(site, yaw, deep, (min(max(b for _, b in ends), most), most))
    return Rectangle.spanned(yaw, *deep, low, high)


def _let_in_from(area: Rectangle, record: ThorRecord, around: Surroundings) -> float:
    """The side of a counter at the back of a sink or burner in it."""
    if record.type == "StoveBurner":
        return nearest_side(area, record)
    front = basin_front(record, around)
    return (front + 180.0) % 360.0 if front in YAWS else nearest_side(area, record)


def nearest_side(area: Rectangle, record: ThorRecord) -> float:
    """The yaw of the side of an area that an object is nearest to."""
    x, z = record.spot.center
    gaps = {0.0: area.north - z, 90.0: area.east - x, 180.0: z - area.south, 270.0: x - area.west}
    return min(YAWS, key=lambda yaw: gaps[yaw])


def _extended(
    site: _Site, yaw: float, deep: tuple[float, float], ends: tuple[float, float]
) -> float:
    """The end of a run: that of the box, unless furniture on the floor comes before it."""
    top, area, around = site.top, site.area, site.around
    start, end = ends
    low, high = min(start, end), max(start, end)
    if high - low < 0.02:
        return end
    gap = Rectangle.spanned(yaw, deep[0] + 0.05, deep[1] - 0.05, low, high)
    stops = [end]
    burners = around.of("StoveBurner")
    if not all(area.holds(*r.spot.center) for r in burners):
        # a stove next to the counter, not a hob in it
        for record in burners:
            both = gap.overlap(record.spot.grown(STOVE_EDGE))
            if both is not None:
                near, far = both.across(yaw)
                stops.append(near if end > start else far)
    for record in around.of(*_BLOCKERS, "CounterTop"):
        if record is top or record.low > top.low - 0.3:
            if record.type != "CounterTop" or record is top:
                continue
            if record.spot.width * record.spot.depth > area.width * area.depth:
                continue
        both = gap.overlap(record.spot)
        if both is not None:
            near, far = both.across(yaw)
            stops.append(near if end > start else far)
    if around.floor.share(gap) > 0.6 and high - low > 1.2 and not _in_corner(site, yaw, end):
        return start
    return min(stops) if end > start else max(stops)


def _in_corner(site: _Site, yaw: float, end: float) -> bool:
    """Whether a run that reaches `end` reaches a corner of the room."""
    return min(abs(end - wall) for wall in site.around.shape.inside.across(yaw)) < 0.15


def _rows(slanted: Sequence[Box], loose: Sequence[ThorRecord]) -> list[Box]:
    """Slanted boxes that face one way, each row as one box with the overhang, long enough for the
    objects on its ends."""
    rows: dict[tuple[float, ...], list[Box]] = {}
    for box in slanted:
        ahead = box.rotation.apply(Vec3(0.0, 0.0, 1.0))
        rows.setdefault((round(ahead.x, 2), round(ahead.z, 2)), []).append(box)
    merged = []
    for boxes in rows.values():
        turn = boxes[0].rotation
        corners = [turn.inverse().apply(c) for box in boxes for c in box.corners()]
        whole = box_around(tuple(corners))
        for record in loose:
            local = turn.inverse().apply(record.bounds.center)
            offset = local - whole.center
            beside = abs(offset.x) < whole.size.x / 2 + 0.9 and abs(offset.z) < whole.size.z / 2
            if beside:
                spare = Vec3(max(record.spot.width, record.spot.depth) / 2 + 0.03, 0.0, 0.0)
                corners += [local - spare, local + spare]
        long = box_around(tuple(corners))
        size = Vec3(long.size.x + 0.06, whole.size.y, whole.size.z + 2 * OVERHANG)
        center = Vec3(long.center.x, whole.center.y, whole.center.z)
        merged.append(Box(turn.apply(center), size, turn))
    return merged


def _level(record: ThorRecord, row: Box) -> Vec3:
    """The middle of a thing, brought to the level of a row."""
    return Vec3(record.bounds.center.x, row.center.y, record.bounds.center.z)
