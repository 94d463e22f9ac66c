"""The stove under the burners, and the hood above them."""

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from env_service.worlds.household.assets.model import Detail
from env_service.worlds.household.geometry import (
    Box,
    Rotation,
    Vec3,
    box_around,
    turn_between,
    yaw_towards,
)
from env_service.worlds.household.scene.counters import STOVE_EDGE, Counter
from env_service.worlds.household.scene.facing import DIAGONALS
from env_service.worlds.household.scene.footprints import YAWS, Rectangle
from env_service.worlds.household.scene.spec import StructureSpec
from env_service.worlds.household.scene.surroundings import Surroundings, open_front
from env_service.worlds.household.scene.thor_records import ThorRecord

_WIDEST, _NARROWEST = 1.15, 0.5
"""The greatest and the least width of a stove between counters, metres."""

_PROUD = 0.0015
"""Metres."""

_HOOD_CLEARANCE = 0.55
"""The least height of a hood over the burners, metres."""


@dataclass(frozen=True)
class Stove:
    """A stove: what it covers, where it looks, the level of its burners' undersides, and whether
    it is only a hob in a counter."""

    spot: Rectangle
    yaw: float
    level: float
    hob: bool
    knobs: tuple[ThorRecord, ...]
    slanted: Box | None = None
    """The plate of a hob across a corner; its heights have no meaning."""


@dataclass(frozen=True)
class _Burners:
    """What is known of a stove at first: its burners' plan and level, its front, its knobs."""

    plate: Rectangle
    yaw: float
    level: float
    knobs: tuple[ThorRecord, ...]


def stove_of(around: Surroundings, counters: Sequence[Counter]) -> Stove | None:
    """The stove of a scene, None if it has no burners."""
    burners, knobs = around.of("StoveBurner"), tuple(around.of("StoveKnob"))
    if not burners:
        return None
    spots = [r.spot for r in burners]
    plate = _around(spots)
    levels = sorted(r.low for r in burners)
    level = levels[len(levels) // 2]
    yaw = _front(plate, knobs, level, around)
    fitted = [r for r in around.of("Cabinet", "Drawer") if r.high < level]
    below = [
        r for r in fitted if (both := r.spot.overlap(plate)) and both.width * both.depth > 0.03
    ]
    counter = _counter_around(plate, level, counters)
    if below or counter:
        flat = [k.spot for k in knobs if abs(k.low - level) < 0.03]
        spot = _around([*spots, *flat]).grown(0.03)
        across = _slanted_plate(burners, around)
        return Stove(spot, yaw, level, hob=True, knobs=knobs, slanted=across)
    spot = _range(_Burners(plate, yaw, level, knobs), around, counters)
    return Stove(spot, yaw, level, hob=False, knobs=knobs)


def _slanted_plate(burners: Sequence[ThorRecord], around: Surroundings) -> Box | None:
    """The plate of a hob whose burners AI2-THOR turned by 45 degrees, looking to the room's
    middle; None for a straight one."""
    if not all(15.0 < burner.rotation.y % 90.0 < 75.0 for burner in burners):
        return None
    x, z = around.shape.inside.center
    first = burners[0].bounds.center
    yaw = min(
        DIAGONALS,
        key=lambda turn: abs(turn_between(turn, yaw_towards(first, Vec3(x, first.y, z)))),
    )
    turn = Rotation.yaw(yaw)
    middles = [turn.inverse().apply(burner.bounds.center) for burner in burners]
    # a disc's axis-aligned box, turned by 45 degrees, is that of its turned square
    half = max(burner.spot.width for burner in burners) / 2**0.5 / 2 + 0.03
    spare = Vec3(half, 0.0, half)
    whole = box_around(tuple(p + d for p in middles for d in (spare, -spare)))
    return Box(turn.apply(whole.center), whole.size, turn)


def _around(spots: Sequence[Rectangle]) -> Rectangle:
    return Rectangle(
        min(s.west for s in spots),
        max(s.east for s in spots),
        min(s.south for s in spots),
        max(s.north for s in spots),
    )


def _front(
    plate: Rectangle, knobs: Sequence[ThorRecord], level: float, around: Surroundings
) -> float:
    """The side of the knobs, unless these are on a panel behind the burners, which rises above
    them; without knobs the open side."""
    if not knobs:
        holder = around.of("StoveBurner")[0]
        return open_front(holder, around)
    x = math.fsum(k.spot.center[0] for k in knobs) / len(knobs) - plate.center[0]
    z = math.fsum(k.spot.center[1] for k in knobs) / len(knobs) - plate.center[1]
    side = max(YAWS, key=lambda yaw: {0.0: z, 90.0: x, 180.0: -z, 270.0: -x}[yaw])
    raised = min(k.bounds.center.y for k in knobs) > level + 0.1
    return (side + 180.0) % 360.0 if raised else side


def _counter_around(plate: Rectangle, level: float, counters: Sequence[Counter]) -> bool:
    """Whether the burners lie on a counter: in one of its runs."""
    x, z = plate.center
    for counter in counters:
        if abs(counter.top - level) > 0.06:
            continue
        for strip, _ in counter.runs:
            if strip.holds(x, z):
                return True
    return False


def _range(burners: _Burners, around: Surroundings, counters: Sequence[Counter]) -> Rectangle:
    """The ground plan of a range: as wide as the gap between its neighbours, as deep as from the
    wall to the knobs or the neighbours' fronts."""
    plate, yaw, level = burners.plate, burners.yaw, burners.level
    back = (yaw + 180.0) % 360.0
    low, high = plate.across(yaw)
    low, high = low - STOVE_EDGE, high + STOVE_EDGE
    beside = [
        r.spot
        for r in around.of("Cabinet", "Drawer", "Fridge")
        if r.low < level - 0.3 and r.high < level + 1.2
    ]
    beside += [strip for counter in counters for strip, _ in counter.runs]
    inner = Rectangle.spanned(
        yaw, -plate.side(back), plate.side(yaw), *around.shape.inside.across(yaw)
    )
    near = [spot for spot in beside if spot.overlap(inner) is not None]
    left = max(
        (s.across(yaw)[1] for s in near if s.across(yaw)[1] < plate.across(yaw)[0] + 0.03),
        default=-1e9,
    )
    right = min(
        (s.across(yaw)[0] for s in near if s.across(yaw)[0] > plate.across(yaw)[1] - 0.03),
        default=1e9,
    )
    if _NARROWEST < right - left < _WIDEST:
        low, high = left + 0.003, right - 0.003
    else:
        low, high = max(low, left + 0.003), min(high, right - 0.003)
    front = plate.side(yaw) + STOVE_EDGE
    fronts = [s.side(yaw) for s in near if abs(s.side(yaw) - front) < 0.25]
    before = [k.spot.side(yaw) for k in burners.knobs if k.bounds.center.y < level + 0.1]
    if before:
        front = max(before) + (
            0.015 if min(k.bounds.center.y for k in burners.knobs) > level else -0.035
        )
    elif fronts:
        front = max(fronts)
    behind = -plate.side(back) - STOVE_EDGE
    wall = -around.shape.inside.side(back)
    if behind - wall < 0.3:
        behind = wall
    return Rectangle.spanned(yaw, behind, front, low, high)


def stove_parts(stove: Stove, around: Surroundings, scene: str) -> list[StructureSpec]:
    """The range or the hob, and the panel behind it if it carries the knobs."""
    variant = zlib.crc32(f"{scene} stove".encode())
    floor = around.shape.floor
    raised = [k for k in stove.knobs if k.bounds.center.y > stove.level + 0.1]
    flush = [k for k in stove.knobs if k.bounds.center.y < stove.level - 0.005]
    panel: tuple[tuple[str, Detail], ...] = (("panel", "front" if flush else "none"),)
    low = stove.level - 0.012 if stove.hob else floor
    # a hob's plate lies a little over the counter, under the burners' upper sides
    high = stove.level + (_PROUD if stove.hob else 0.0)
    body = _box(stove.spot, stove.yaw, low, high)
    if stove.slanted is not None:
        plate = stove.slanted
        center = Vec3(plate.center.x, body.center.y, plate.center.z)
        size = Vec3(plate.size.x, body.size.y, plate.size.z)
        body = Box(center, size, plate.rotation)
    parts = [StructureSpec("Stove_1", "Stove", body, variant, panel)]
    if raised:
        back = (stove.yaw + 180.0) % 360.0
        face = min(k.spot.side(back) for k in raised)
        deep = max(k.spot.side(back) for k in raised)
        # the knobs stand on the panel's face
        near = (face + deep) / 2 if deep - face > 0.03 else deep
        limit = max(stove.spot.side(back), near + 0.03)
        spot = Rectangle.spanned(back, near, limit, *stove.spot.across(stove.yaw))
        top = max(k.high for k in raised) + 0.03
        parts.append(
            StructureSpec(
                "StoveBack_1", "StoveBack", _box(spot, stove.yaw, stove.level, top), variant
            )
        )
    hood = _hood(stove, around)
    if hood is not None:
        parts.append(StructureSpec("RangeHood_1", "RangeHood", hood, variant, (), solid=False))
    return parts


def _box(spot: Rectangle, yaw: float, low: float, high: float) -> Box:
    across, along = (spot.width, spot.depth) if yaw in (0.0, 180.0) else (spot.depth, spot.width)
    x, z = spot.center
    return Box(Vec3(x, (low + high) / 2, z), Vec3(across, high - low, along), Rotation.yaw(yaw))


def _hood(stove: Stove, around: Surroundings) -> Box | None:
    """A hood, if a wall is behind the stove and has neither a microwave nor a window there: right
    under the cabinets above, else with a shaft up the wall."""
    back = (stove.yaw + 180.0) % 360.0
    if around.shape.inside.side(back) - stove.spot.side(back) > 0.3:
        return None
    low, high = stove.spot.across(stove.yaw)
    wall = -around.shape.inside.side(back)
    deep = min(0.5, stove.spot.side(stove.yaw) - wall)
    zone = Rectangle.spanned(stove.yaw, wall - 0.5, wall + deep, low + 0.03, high - 0.03)
    over = [
        r
        for kind, items in around.by_type.items()
        if kind not in {"Floor", "StoveBurner", "StoveKnob"}
        for r in items
        if r.high > stove.level + _HOOD_CLEARANCE and r.spot.overlap(zone) is not None
    ]
    if any(r.type != "Cabinet" for r in over):
        return None
    if over:
        top = min(r.low for r in over)
        bottom = top - 0.14
    else:
        bottom = stove.level + 0.72
        top = bottom + 0.75
    if bottom < stove.level + _HOOD_CLEARANCE:
        return None
    spot = Rectangle.spanned(stove.yaw, wall, wall + deep, low, high)
    return _box(spot, stove.yaw, bottom, top)
