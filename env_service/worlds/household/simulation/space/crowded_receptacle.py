"""Room on or in a crowded receptacle, for what a hand puts down.

`placement` keeps boxes apart, which wastes room: between the legs of a television's box and its
foot, under a lamp's shade, next to a pan's handle, above a shelf whose box is lower than a bottle.
AI2-THOR tests the objects' true shapes (their colliders), and finds that room. Here, when boxes
find no room, these are tried in turn: a place where the drawn shape hits no other drawn shape;
laying a closed thing down in an enclosing receptacle or on a shelf; letting what is too high for a
cabinet's boards pass through them; piling flat things of one type.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.assets.model import Palette
from env_service.worlds.household.geometry import Rotation, Transform, Vec3
from env_service.worlds.household.simulation.space.collisions import FLAT, furniture
from env_service.worlds.household.simulation.space.containment import ENCLOSING, carried_with
from env_service.worlds.household.simulation.space.occupancy import (
    CELL,
    object_shape,
    placed_points,
    surface_of,
)
from env_service.worlds.household.simulation.space.placement import (
    ALWAYS_UPRIGHT,
    Candidate,
    Search,
    Stance,
    candidates,
    lying,
    stances,
)
from env_service.worlds.household.simulation.space.support_surfaces import (
    HOLLOW,
    OPEN_AIR,
    VESSELS,
    Support,
    supports,
)
from env_service.worlds.household.state import HouseholdState, ObjectState

CLOSED = frozenset(
    {
        "Bottle", "PaperTowelRoll", "PepperShaker", "SaltShaker", "SoapBottle", "SprayBottle",
        "WineBottle",
    }
)  # fmt: skip
"""Types that stand upright where possible, and may also be laid down."""

FLAT_TOPPED = frozenset(
    {
        "Book", "CD", "Cloth", "CreditCard", "DishSponge", "HandTowel", "Laptop", "Newspaper",
        "RemoteControl", "SoapBar", "TissueBox", "Towel",
    }
)  # fmt: skip
"""Types of which one can lie on another."""

SHARES = (1.0, 0.7, 0.45)
"""The share of a footprint that has to be within an open surface; the first that finds room
counts."""

ENCLOSED_SHARES = (1.0, 0.88)
"""The same in receptacles that close."""

PILED_SHARE = 0.55
"""The share of a footprint that has to be on a flat thing."""

CLEAR = 0.004
"""Metres above a surface: drawn points lower than this count as the surface itself."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Room:
    """Where to look, and how: surfaces, the shares of a footprint that have to be on them, and
    ways to stand; what comes first is tried first."""

    offered: Sequence[Support]
    shares: tuple[float, ...]
    ways: tuple[Stance, ...]


def crowded_spot(
    state: HouseholdState, item: ObjectState, receptacle: ObjectState, search: Search
) -> Transform | None:
    """A pose for the item's local frame on or in a receptacle in which boxes leave no room; None if
    the drawn shapes leave none either."""
    drawn = _drawn(state, item, receptacle)
    palette = state.scene.palette
    for room in _rooms(state, item, receptacle):
        for stance in room.ways:
            shadow = _shadow(item, stance, palette)
            for share in room.shares:
                found = _free(room.offered, (stance, shadow), drawn, search, share)
                if found is not None:
                    frame = found.stance.place(found.spot, found.yaw)
                    return frame @ item.spec.asset_frame.inverse()
    return None


def _rooms(state: HouseholdState, item: ObjectState, receptacle: ObjectState) -> Iterator[_Room]:
    kind, size = receptacle.spec.type, item.spec.body.size
    offered = supports(state.scene, receptacle)
    closing = kind in ENCLOSING
    shares = ENCLOSED_SHARES if closing else SHARES
    vessel = kind if kind in VESSELS else None
    usual = tuple(stances(item.spec.type, size, vessel=vessel))
    yield _Room(offered if closing else _unroofed(offered), shares, usual)
    if item.spec.type in CLOSED and item.liquid is None and (closing or kind == "Shelf"):
        yield _Room(offered, shares, (lying(size),))
    if kind == "Cabinet":
        yield _Room(_boardless(offered), shares, usual)
    flat = usual if item.spec.type in ALWAYS_UPRIGHT else (lying(size),)
    yield _Room(tuple(_tops(state, item, receptacle)), (PILED_SHARE,), flat)


def _unroofed(offered: Sequence[Support]) -> tuple[Support, ...]:
    """Surfaces of an open receptacle. The space above its highest surface is free, whatever the
    height of its box."""
    top = max((each.height for each in offered), default=0.0)
    return tuple(
        replace(each, clearance=OPEN_AIR) if each.height > top - CLEAR else each for each in offered
    )


def _boardless(offered: Sequence[Support]) -> tuple[Support, ...]:
    """The bottom of a cabinet up to its top: AI2-THOR's cabinets have no boards within, so a
    plunger can be upright in them. Here it passes through the drawn board as if the board had a
    hole."""
    if not offered:
        return ()
    low = min(each.height for each in offered)
    top = max(each.height + each.clearance for each in offered)
    return tuple(
        replace(each, clearance=top - each.height) for each in offered if each.height < low + CLEAR
    )


def _tops(state: HouseholdState, item: ObjectState, receptacle: ObjectState) -> Iterator[Support]:
    """The tops of flat things of the item's type that lie on a receptacle's surfaces."""
    if item.spec.type not in FLAT_TOPPED:
        return
    offered = supports(state.scene, receptacle)
    for key in receptacle.contents or ():
        other = state.objects.get(key)
        if other is None or other.spec.type != item.spec.type or other.is_open:
            continue
        low, high = other.extent
        foot = Vec3((low.x + high.x) / 2, low.y, (low.z + high.z) / 2)
        under = [each for each in offered if each.covers(foot, CELL) and each.height < high.y]
        if not under:
            continue
        below = max(under, key=lambda each: each.height)
        yield replace(
            below,
            frame=Transform(below.frame.rotation, Vec3(foot.x, high.y, foot.z)),
            width=high.x - low.x if _along_x(below) else high.z - low.z,
            depth=high.z - low.z if _along_x(below) else high.x - low.x,
            clearance=below.clearance - (high.y - below.height),
            round=False,
        )


def _along_x(support: Support) -> bool:
    """Whether a support's x axis is closer to the room's x axis than to its z axis."""
    axis = support.frame.rotation.apply(Vec3(1.0, 0.0, 0.0))
    return abs(axis.x) >= abs(axis.z)


def _drawn(state: HouseholdState, item: ObjectState, receptacle: ObjectState) -> Floats:
    """Points, [N, 3], of all that a thing could run into. In closing and hollow receptacles one
    can reach from anywhere, and no furniture is in them."""
    moving = {item.id, receptacle.id, *(each.id for each in carried_with(state, item))}
    lone = receptacle.spec.type in ENCLOSING | HOLLOW
    low, high = _reached(state, item, receptacle)
    found = [np.zeros((0, 3))]
    for other in state.objects.values():
        if other.id in moving or other.held or other.in_hand_of or other.replaced:
            continue
        kind = other.spec.type
        loose = other.spec.can(Trait.PICKUPABLE)
        if kind in FLAT or (lone and not loose and kind in furniture()):
            continue
        if _apart(other, low, high):
            continue
        for mesh, place in object_shape(other, state.scene.palette):
            where = np.frombuffer(place).reshape(3, 4)
            found.append(np.stack(placed_points(surface_of(mesh).points, where), 1))
    points = np.concatenate(found)
    inside = (points >= low.tuple()) & (points <= high.tuple())
    return points[inside.all(1)]


def _reached(
    state: HouseholdState, item: ObjectState, receptacle: ObjectState
) -> tuple[Vec3, Vec3]:
    """The corners of the region that a thing on a receptacle could reach into."""
    far = item.spec.body.size.length()
    reach = Vec3(far, far, far)
    ends = [receptacle.extent]
    for each in supports(state.scene, receptacle):
        half = math.hypot(each.width, each.depth) / 2
        aside = Vec3(half, 0.0, half)
        ends.append((each.frame.position - aside, each.frame.position + aside))
    lows, highs = zip(*ends, strict=True)
    low = Vec3(*(min(values) for values in zip(*(each.tuple() for each in lows), strict=True)))
    high = Vec3(*(max(values) for values in zip(*(each.tuple() for each in highs), strict=True)))
    return low - reach, high + reach


def _apart(other: ObjectState, low: Vec3, high: Vec3) -> bool:
    """Whether a thing is outside a region: its box is a metre away, because open doors reach out of
    the box."""
    first, last = other.extent
    return any(
        b < c - 1.0 or a > d + 1.0
        for a, b, c, d in zip(first.tuple(), last.tuple(), low.tuple(), high.tuple(), strict=True)
    )


def _shadow(item: ObjectState, stance: Stance, palette: Palette) -> Floats:
    """Points, [N, 2] along x and z, that fill the item's footprint in its present pose, relative to
    the footprint's middle; neighbours are at most half a cell apart."""
    still = replace(item, pose=item.spec.asset_frame.inverse())
    turn = Transform(stance.rotation, stance.lift).array()
    found = []
    for mesh, place in object_shape(still, palette):
        points = np.stack(
            placed_points(surface_of(mesh).points, np.frombuffer(place).reshape(3, 4)), 1
        )
        x, _, z = placed_points(points, turn)
        found.append(np.stack([x, z], 1))
    half = np.array([stance.width / 2, stance.depth / 2])
    spots = np.clip(np.concatenate(found), -half, half)
    return np.unique(np.round(spots / (CELL / 2)), axis=0) * (CELL / 2)


def _free(
    offered: Sequence[Support],
    standing: tuple[Stance, Floats],
    drawn: Floats,
    search: Search,
    share: float,
) -> Candidate | None:
    """The best spot where nothing is hit."""
    stance, shadow = standing
    spots: list[Candidate] = []
    for support in offered:
        if stance.height <= support.clearance + 0.001:
            spots.extend(candidates(support, stance, search, share))
    spots.sort(key=lambda each: each.rank)
    taken: dict[float, _Cells] = {}
    turned: dict[float, Floats] = {}
    for each in spots:
        level = each.spot.y
        if level not in taken:
            taken[level] = _Cells.between(drawn, level + CLEAR, level + stance.height)
        if each.yaw not in turned:
            turned[each.yaw] = _turned(shadow, each.yaw)
        if not taken[level].hit(turned[each.yaw] + (each.spot.x, each.spot.z)):
            return each
    return None


@dataclass(frozen=True, eq=False)
class _Cells:
    """The cells, by x and z, in which something is drawn between two heights: the lowest cell's
    numbers, and which are taken, bool [X, Z], with free ones all around."""

    low: NDArray[np.int64]
    taken: NDArray[np.bool_]

    @staticmethod
    def between(drawn: Floats, low: float, high: float) -> _Cells:
        band = drawn[(drawn[:, 1] > low) & (drawn[:, 1] < high)]
        cells = np.floor(band[:, (0, 2)] / CELL).astype(np.int64)
        if not len(cells):
            return _Cells(np.zeros(2, np.int64), np.zeros((1, 1), np.bool_))
        first = cells.min(0) - 1
        taken = np.zeros(cells.max(0) - first + 2, np.bool_)
        taken[tuple((cells - first).T)] = True
        return _Cells(first, taken)

    def hit(self, spots: Floats) -> bool:
        """Whether one of the points, [N, 2], is in a taken cell."""
        cells = np.floor(spots / CELL).astype(np.int64) - self.low
        x, z = np.clip(cells, 0, np.array(self.taken.shape) - 1).T
        return bool(self.taken[x, z].any())


def _turned(shadow: Floats, yaw: float) -> Floats:
    """The points turned about the vertical."""
    (a, _, b), _, (c, _, d) = Rotation.yaw(yaw).rows
    x, z = shadow[:, 0], shadow[:, 1]
    return np.stack([a * x + b * z, c * x + d * z], 1)
