"""Sinks, basins, shower doors, panes and curtains: their kinds, which of them belong together, and
the details for their builders.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from env_service.worlds.household.assets.model import Detail
from env_service.worlds.household.assets.slabs import rounded_ring
from env_service.worlds.household.geometry import Box, Vec3
from env_service.worlds.household.scene.footprints import YAWS, Point2, Rectangle
from env_service.worlds.household.scene.surroundings import Surroundings, gap
from env_service.worlds.household.scene.thor_records import ThorRecord

LOW_SINK = 0.22
"""Metres: a higher box of a sink reaches to the floor or hangs on a wall."""

_PEDESTAL = 0.5
"""Metres: a sink with a higher box has a foot."""

_RIM = 0.026
"""From the edge of a ceramic sink to the hole under it: less than its flank recedes at the height
of a counter that it is sunk into, metres."""

_LIP = 0.03
"""Least breadth of a rim around a basin, metres; AI2-THOR's boxes of some basins are larger than
those of their sinks."""

_INSIDE = {"SinkBasin": "Sink", "BathtubBasin": "Bathtub"}


def owner_of(basin: ThorRecord, around: Surroundings) -> ThorRecord | None:
    """The sink or bathtub around a basin: the smallest whose box holds its middle, else one that it
    overlaps; None for any other object and for a separate basin."""
    kind = _INSIDE.get(basin.type)
    if kind is None:
        return None
    tub = tub_of(basin, around)
    if tub is not None:
        return tub
    holders = [r for r in around.of(kind) if r.spot.holds(*basin.spot.center)]
    if not holders:
        holders = [r for r in around.of(kind) if r.spot.overlap(basin.spot) is not None]
    return min(holders, key=lambda r: r.spot.width * r.spot.depth, default=None)


def tub_of(basin: ThorRecord, around: Surroundings) -> ThorRecord | None:
    """The bathtub of which a SinkBasin is the hollow: AI2-THOR calls one in FloorPlan420 so."""
    if basin.type != "SinkBasin":
        return None
    if any(sink.spot.holds(*basin.spot.center) for sink in around.of("Sink")):
        return None
    tubs = around.of("Bathtub")
    return next((tub for tub in tubs if tub.spot.holds(*basin.spot.center)), None)


def within_owner(box: Box, owner: Box) -> Box:
    """A basin's box, cut to the rim of its sink or bathtub."""
    turned = owner.rotation.inverse()
    corners = [turned.apply(c - owner.center) for c in box.corners()]
    limits, cut = [], False
    for half, values in (
        (owner.size.x / 2 - _LIP, [c.x for c in corners]),
        (owner.size.z / 2 - _LIP, [c.z for c in corners]),
    ):
        low, high = max(min(values), -half), min(max(values), half)
        if high - low < 0.05:
            return box
        limits.append((low, high))
        cut = cut or low > min(values) or high < max(values)
    (x0, x1), (z0, z1) = limits
    if not cut:
        return box
    height = turned.apply(box.center - owner.center).y
    middle = owner.rotation.apply(Vec3((x0 + x1) / 2, height, (z0 + z1) / 2))
    size = Vec3(x1 - x0, box.size.y, z1 - z0)
    return Box(owner.center + middle, size, owner.rotation)


def kind_of(sink: ThorRecord, around: Surroundings, *, in_counter: bool) -> str | None:
    """The kind of sink to build where its asset does not say; None where it does."""
    height = sink.bounds.size.y
    kitchen = bool(around.of("Fridge"))
    if height > LOW_SINK and in_counter:
        # its box holds the cupboard below too, but the counter's own carcass is drawn
        return "kitchen" if kitchen else "ceramic"
    if sink.asset_id or kitchen:
        return None
    return "ceramic" if height <= LOW_SINK else "wall" if height <= _PEDESTAL else "pedestal"


def basin_kind(basin: ThorRecord, around: Surroundings) -> str:
    """The material of a SinkBasin: its sink's."""
    owner = owner_of(basin, around)
    asset = owner.asset_id if owner is not None else ""
    ceramic = asset.startswith("Sink_") or not around.of("Fridge")
    return "ceramic" if ceramic else "kitchen"


def stands_on(
    sink: ThorRecord, top: float, bodies: Mapping[str, Box], around: Surroundings
) -> bool:
    """Whether a sink is on a counter like a bowl, so that the counter needs no hole."""
    basins = [r for r in around.of("SinkBasin") if owner_of(r, around) is sink]
    return bool(basins) and all(bodies[r.object_id].bottom > top - 0.005 for r in basins)


def ceramic_hole(sink: Box, *, oval: bool) -> Sequence[Point2]:
    """The hole under a ceramic sink, in the room: its outline, a little smaller."""
    w, d = sink.size.x / 2 - _RIM, sink.size.z / 2 - _RIM
    radius = math.inf if oval else min(sink.size.x, sink.size.z) * 0.22 - _RIM
    ring = rounded_ring((-w, -d, w, d), radius, 0.0).tolist()
    corners = (sink.center + sink.rotation.apply(Vec3(x, y, z)) for x, y, z in ring)
    points = [(round(c.x, 4), round(c.z, 4)) for c in corners]
    return [p for k, p in enumerate(points) if p != points[k - 1]]


# --- The details for builders of shower doors, panes and curtains: hinges, panes, rods

_CORNER = 0.2
"""Metres: a thicker box of glass has panes around a corner."""

_AT_WALL = 0.15
"""Metres from a wall at which a side of a shower needs no pane."""

_PROFILE = 0.012
"""From the edge of the box to the middle of a pane, metres."""

_LEAST_PANE = 0.06
_NEAR_TUB = 1.6
_TO_WALL = 0.3
"""Metres between a tub's end and the wall that its curtain's rod bridges."""


def shower_details(
    record: ThorRecord, bodies: Mapping[str, Box], around: Surroundings
) -> list[tuple[str, Detail]]:
    """The details of a ShowerDoor, ShowerGlass or ShowerCurtain; none for other types."""
    body = bodies[record.object_id]
    if record.type == "ShowerDoor":
        return _hinge(record, body)
    if record.type == "ShowerCurtain":
        return [*_hinge(record, body), *_rod(record, body, around)]
    if record.type == "ShowerGlass" and min(record.spot.width, record.spot.depth) > _CORNER:
        return _panes(record, body, around)
    return []


def _hinge(record: ThorRecord, body: Box) -> list[tuple[str, Detail]]:
    """The origin of a door or curtain is at its fixed end."""
    local = body.rotation.inverse().apply(record.position - body.center)
    # builders turn a box that is thinner along x, so that its z is the door's -x
    along, extent = (
        (local.x, body.size.x) if body.size.x >= body.size.z else (-local.z, body.size.z)
    )
    if abs(along) < 0.2 * extent:
        return []
    return [("hinge", "left" if along > 0 else "right")]


def bath_of(record: ThorRecord, around: Surroundings) -> ThorRecord | None:
    """The bathtub that a curtain hangs at, None if there is none near."""
    tubs = [tub for tub in around.of("Bathtub") if gap(record, tub) < _NEAR_TUB]
    return min(tubs, key=lambda tub: gap(record, tub), default=None)


def _rod(record: ThorRecord, body: Box, around: Surroundings) -> list[tuple[str, Detail]]:
    """A curtain's rod runs along its tub, from wall to wall where these are near."""
    tub = bath_of(record, around)
    if tub is None:
        return []
    across = body.rotation.apply(Vec3(1.0, 0.0, 0.0))
    along_x = abs(across.x) > 0.9
    if not along_x and abs(across.z) < 0.9:
        return []
    yaw = 0.0 if along_x else 90.0
    low, high = tub.spot.across(yaw)
    least, most = around.shape.inside.across(yaw)
    low = least if low - least < _TO_WALL else low
    high = most if most - high < _TO_WALL else high
    middle, sign = (body.center.x, across.x) if along_x else (body.center.z, across.z)
    start, end = sorted((sign * (low - middle), sign * (high - middle)))
    half = body.size.x / 2
    return [("rod", ((round(min(start, -half), 4), round(max(end, half), 4)),))]


def _panes(record: ThorRecord, body: Box, around: Surroundings) -> list[tuple[str, Detail]]:
    """Panes on the sides of a corner shower that no wall closes, next to its doors."""
    spot, doors = record.spot, [door.spot for door in around.of("ShowerDoor")]
    walls = [around.shape.inside.side(yaw) for yaw in YAWS]
    rows = []
    for yaw, wall in zip(YAWS, walls, strict=True):
        side = spot.side(yaw)
        if wall - side < _AT_WALL:
            continue
        low, high = spot.across(yaw)
        strip = Rectangle.spanned(yaw, side - 0.12, side + 0.12, low, high)
        taken = [both.across(yaw) for door in doors if (both := door.overlap(strip)) is not None]
        taken = [(a, b) for a, b in taken if b - a > _LEAST_PANE]
        for start, end in _between((low, high), taken):
            edge = Rectangle.spanned(yaw, side - _PROFILE, side - _PROFILE, start, end)
            rows.append(_line(edge, body))
    return [("panes", tuple(rows))] if rows else []


def _line(edge: Rectangle, body: Box) -> tuple[float, ...]:
    """A pane's ends in the ground plan of the asset's frame."""
    turned = body.rotation.inverse()
    ends = [
        turned.apply(Vec3(x, body.center.y, z) - body.center)
        for x, z in ((edge.west, edge.south), (edge.east, edge.north))
    ]
    return tuple(round(value, 4) for end in ends for value in (end.x, end.z))


def _between(
    span: tuple[float, float], taken: Iterable[tuple[float, float]]
) -> list[tuple[float, float]]:
    """What intervals leave of a span, slivers left out."""
    found, at = [], span[0]
    for low, high in sorted(taken):
        found.append((at, low))
        at = max(at, high)
    found.append((at, span[1]))
    return [(low, high) for low, high in found if high - low > _LEAST_PANE]
