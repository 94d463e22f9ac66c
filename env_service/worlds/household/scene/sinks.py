"""Sinks and their basins: what kind they are, which belong together, the holes they need."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from env_service.worlds.household.assets.outlines import rounded_ring
from env_service.worlds.household.geometry import Box, Vec3
from env_service.worlds.household.scene.outlines import Point2
from env_service.worlds.household.scene.surroundings import Surroundings
from env_service.worlds.household.scene.thor_records import ThorRecord

LOW_SINK = 0.22
"""Metres: a higher box of a sink reaches to the floor or hangs on a wall."""

_PEDESTAL = 0.5
"""Metres: what has a higher box stands on a foot."""

_RIM = 0.026
"""From the edge of a ceramic sink to the hole under it: less than its flank recedes at the height
of a counter that it is sunk into, metres."""

_LIP = 0.03
"""Least breadth of a rim around a basin, metres; AI2-THOR's boxes of some basins are larger than
those of their sinks."""

_INSIDE = {"SinkBasin": "Sink", "BathtubBasin": "Bathtub"}


def owner_of(basin: ThorRecord, around: Surroundings) -> ThorRecord | None:
    """The sink or bathtub around a basin: the smallest whose box holds its middle, else one that
    it overlaps; None for any other object and for a basin of its own."""
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
    """What a sink's builder is to make where its asset does not tell; None where it does."""
    height = sink.bounds.size.y
    kitchen = bool(around.of("Fridge"))
    if height > LOW_SINK and in_counter:
        # its box holds the cupboard below too, but the counter's own carcass is drawn
        return "kitchen" if kitchen else "ceramic"
    if sink.asset_id or kitchen:
        return None
    return "ceramic" if height <= LOW_SINK else "wall" if height <= _PEDESTAL else "pedestal"


def basin_kind(basin: ThorRecord, around: Surroundings) -> str:
    """Of what a SinkBasin is: of its sink's material."""
    owner = owner_of(basin, around)
    asset = owner.asset_id if owner is not None else ""
    ceramic = asset.startswith("Sink_") or not around.of("Fridge")
    return "ceramic" if ceramic else "kitchen"


def stands_on(
    sink: ThorRecord, top: float, bodies: Mapping[str, Box], around: Surroundings
) -> bool:
    """Whether a sink stands on a counter like a bowl, so that this needs no hole."""
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
