"""Finding a free spot on or in a receptacle, and the poses that a thing can have there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.geometry import IDENTITY, Box, Rotation, Transform, Vec3
from env_service.worlds.household.simulation.space.collisions import (
    Obstacle,
    corners,
    free,
    obstacles,
    within,
)
from env_service.worlds.household.simulation.space.containment import ENCLOSING
from env_service.worlds.household.simulation.space.support_surfaces import (
    HOLLOW,
    VESSELS,
    Support,
    supports,
)
from env_service.worlds.household.state import HouseholdState, ObjectState

GRID = 0.025
"""Metres between candidates."""

MOST_CANDIDATES = 1500
"""On one surface, unless a search asks for fewer; larger surfaces get a wider grid."""

EDGE = 0.02
"""Metres that a thing keeps from the edge where there is room to."""

PILING = frozenset({"BathtubBasin", "Bowl", "GarbageCan", "Pot", "Sink", "SinkBasin"})
"""Receptacles with walls, in which things may lie upon others."""

SINKING = 0.02
"""Metres by which a measured thing may sink below the drawn surface that supports it."""

SMALL = 0.07
"""Square metres: a smaller round surface is filled from its middle."""

SQUARE = (0.0, 90.0)
"""Turns against the receptacle, degrees: along it and across."""

Order = Callable[[Vec3], float]
"""How good a spot is; the least is tried first."""


@dataclass(frozen=True)
class Search:
    """How to look for a spot.

    Attributes:
        order: ranks spots.
        turns: yaws against the receptacle to try at each, degrees.
        only: keeps spots of which it says True; None keeps all.
        most: about how many spots of one surface to look at.
    """

    order: Order
    turns: tuple[float, ...] = SQUARE
    only: Callable[[Vec3], bool] | None = None
    most: int = MOST_CANDIDATES


@dataclass(frozen=True)
class Candidate:
    """A spot for the middle of a footprint on a support, the thing's posture and turn (degrees)
    there, and its rank: the least is the best."""

    rank: float
    spot: Vec3
    yaw: float
    support: Support
    stance: Stance


def nearest_to(point: Vec3) -> Order:
    """Prefers spots near a point. Micrometres make no difference, so that last bits make none."""
    return lambda spot: round((spot - point).length(), 6)


def find_spot(
    state: HouseholdState, item: ObjectState, receptacle: ObjectState, search: Search
) -> Transform | None:
    """A pose for the item's local frame on or in the receptacle; None without room. Vessels
    are filled from their middle, whatever the search's order.

    At first the whole item has to be within the surface. Then a part of it may stick out, if the
    kind of receptacle allows it. At last, between walls, it may lie on top of the contents.
    """
    offered = supports(state.scene, receptacle)
    vessel = receptacle.spec.type if receptacle.spec.type in VESSELS else None
    ways = tuple(stances(item.spec.type, item.spec.body.size, vessel=vessel))
    for airy, share in _demands(item, receptacle):
        around = obstacles(state, item, receptacle, airy=airy)
        for stance in ways:
            found = _first_free(item, (offered, around), stance, search, share)
            if found is not None:
                return found @ item.spec.asset_frame.inverse()
    around = obstacles(state, item, receptacle, airy=False)
    for top, over, share in _higher(state, receptacle, offered):
        for stance in ways:
            there = replace(search, only=over) if over else search
            found = _first_free(item, ((top,), around), stance, there, share)
            if found is not None:
                return found @ item.spec.asset_frame.inverse()
    return None


def _higher(
    state: HouseholdState, receptacle: ObjectState, offered: Sequence[Support]
) -> Iterator[tuple[Support, Callable[[Vec3], bool] | None, float]]:
    """Where something may lie in a hollow whose bottom has no room for it: surfaces, which of
    their spots, and which share of the footprint has to be over them."""
    pile = _pile(state, receptacle, offered)
    if pile is not None:
        yield *pile, 0.55
    if receptacle.spec.type == "SinkBasin" and len(offered) == 1:
        yield _between_walls(receptacle, offered[0]), None, 0.6


def _between_walls(basin: ObjectState, bottom: Support) -> Support:
    """Halfway up a basin, whose walls come closer downwards: there a plate that is wider than its
    bottom gets stuck."""
    size, frame = basin.spec.body.size, bottom.frame
    up = Vec3(0.0, (basin.extent[1].y - bottom.height) / 2, 0.0)
    level = Transform(frame.rotation, frame.position + up)
    wide = (bottom.width >= bottom.depth) == (size.x >= size.z)
    width, depth = (size.x, size.z) if wide else (size.z, size.x)
    return replace(bottom, frame=level, width=width * 0.95, depth=depth * 0.95)


def _pile(
    state: HouseholdState, receptacle: ObjectState, offered: Sequence[Support]
) -> tuple[Support, Callable[[Vec3], bool]] | None:
    """The top of a vessel's contents, below its rim, and whether a spot is over them."""
    if receptacle.spec.type not in PILING or not offered:
        return None
    low = min(each.height for each in offered)
    inside = [
        each
        for each in (state.objects.get(key) for key in receptacle.contents or ())
        if each is not None
        and each.spec.can(Trait.PICKUPABLE)
        and each.extent[0].y >= low - SINKING
    ]
    if not inside:
        return None
    height = max(low, *(each.extent[1].y for each in inside))
    if height >= receptacle.extent[1].y - 0.005:
        return None
    below = max((each for each in offered if each.height <= height), key=lambda s: s.height)
    at = below.frame.position
    frame = Transform(below.frame.rotation, Vec3(at.x, height, at.z))
    corners_of = [each.extent for each in inside]

    def over(spot: Vec3) -> bool:
        return any(a.x <= spot.x <= b.x and a.z <= spot.z <= b.z for a, b in corners_of)

    return replace(below, frame=frame, beyond=0.0), over


def box_at(item: ObjectState, asset_frame: Transform) -> Box:
    """The item's box with its asset's frame at that pose."""
    size = item.spec.body.size
    return Box(asset_frame.apply(Vec3(0.0, size.y / 2, 0.0)), size, asset_frame.rotation)


def _demands(item: ObjectState, receptacle: ObjectState) -> Iterator[tuple[bool, float]]:
    """What to ask for, most first: whether boxes of taps are avoided, and which share of the
    footprint has to lie within the surface."""
    kind = receptacle.spec.type
    yield True, 1.0
    if kind in ENCLOSING:
        yield True, 0.88
        return
    if kind in VESSELS or kind == "Plate":
        if item.spec.type in ROUNDISH:
            yield True, 0.55
        elif kind == "Plate":
            yield True, 0.7
            yield True, 0.5
        return
    yield False, 1.0
    yield False, 0.7
    if kind in HOLLOW or kind == "Shelf":
        yield False, 0.45


def _first_free(
    item: ObjectState,
    room: tuple[Sequence[Support], Sequence[Obstacle]],
    stance: Stance,
    search: Search,
    share: float,
) -> Transform | None:
    offered, around = room
    found: list[Candidate] = []
    for support in offered:
        if stance.height > support.clearance + 0.001:
            continue
        found.extend(candidates(support, stance, search, share))
    found.sort(key=lambda each: each.rank)
    near = _around(offered, item, around)
    for each in found:
        frame = stance.place(each.spot, each.yaw)
        if free(box_at(item, frame), near[each.support.receptacle, each.support.height]):
            return frame
    return None


def _around(
    offered: Sequence[Support], item: ObjectState, around: Sequence[Obstacle]
) -> dict[tuple[str, float], tuple[Obstacle, ...]]:
    """The obstacles that anything on each surface could run into."""
    far = item.spec.body.size.length()
    near: dict[tuple[str, float], tuple[Obstacle, ...]] = {}
    for support in offered:
        area = Box(
            support.frame.position, Vec3(support.width, 0.0, support.depth), support.frame.rotation
        )
        low, high = corners(area)
        reach = Vec3(far, far, far)
        key = (support.receptacle, support.height)
        near[key] = (*near.get(key, ()), *within(around, low - reach, high + reach))
    return near


def candidates(
    support: Support, stance: Stance, search: Search, share: float
) -> Iterator[Candidate]:
    """Spots where `share` of the footprint is within the surface, occupied or not."""
    if math.hypot(stance.width, stance.depth) / 2 * share < support.beyond:
        return
    base = _yaw(support.frame.rotation)
    small = support.round and support.width * support.depth < SMALL
    for turn in search.turns:
        for x, z in _points(support, _footprint(stance, turn, share), search.most):
            spot = support.frame.apply(Vec3(x, 0.0, z))
            if search.only is None or search.only(spot):
                rank = round(math.hypot(x, z), 6) if small else search.order(spot)
                yield Candidate(rank, spot, base + turn, support, stance)


def _footprint(stance: Stance, turn: float, share: float) -> tuple[tuple[float, float], ...]:
    """Points around the turned footprint, scaled by `share`: its corners, or eight of its
    outline if it is round."""
    rotation = Rotation.yaw(turn)
    half_x, half_z = stance.width / 2 * share, stance.depth / 2 * share
    outline = _CIRCLE if stance.circular else _SQUARE
    turned = (rotation.apply(Vec3(sx * half_x, 0.0, sz * half_z)) for sx, sz in outline)
    return tuple((point.x, point.z) for point in turned)


_SQUARE = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
_DIAGONAL = 0.7071067811865476
_CIRCLE = (
    *((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)),
    *((sx * _DIAGONAL, sz * _DIAGONAL) for sx, sz in _SQUARE),
)


def _points(
    support: Support, footprint: tuple[tuple[float, float], ...], most: int
) -> Iterator[tuple[float, float]]:
    """Spots for the footprint's middle on a support, in the support's frame, in rows along x."""
    reach_x = max(x for x, _ in footprint)
    reach_z = max(z for _, z in footprint)
    room_x, room_z = support.width / 2 - reach_x, support.depth / 2 - reach_z
    if room_x < -0.001 or room_z < -0.001:
        return
    step = max(GRID, math.sqrt(4 * max(room_x, 0) * max(room_z, 0) / most))
    for z in _steps(room_z, step):
        for x in _steps(room_x, step):
            if not support.round or _in_ellipse(support, footprint, x, z):
                yield x, z


def _in_ellipse(
    support: Support, footprint: tuple[tuple[float, float], ...], x: float, z: float
) -> bool:
    half_x, half_z = support.width / 2, support.depth / 2
    return all(((x + dx) / half_x) ** 2 + ((z + dz) / half_z) ** 2 <= 1.001 for dx, dz in footprint)


def _steps(room: float, step: float) -> list[float]:
    """Values from -room to room about `step` apart, 0 among them; away from the ends by `edge` if
    there is room to."""
    room = max(room, 0.0)
    room = room - EDGE if room > 2 * EDGE else room
    count = math.floor(room / step)
    if count == 0:
        return [0.0] if room < step / 2 else [-room, 0.0, room]
    return [room * k / count for k in range(-count, count + 1)]


def _yaw(rotation: Rotation) -> float:
    return rotation.to_euler().y


# --- Postures of a placed thing: upright as its asset, lying, or leaning in a vessel

ALWAYS_UPRIGHT = frozenset(
    {
        "AlarmClock", "Bottle", "Bowl", "Box", "Candle", "CoffeeMachine", "Cup", "DeskLamp",
        "HousePlant", "Kettle", "Laptop", "Mug", "Pan", "PaperTowelRoll", "PepperShaker", "Plate",
        "Pot", "SaltShaker", "SoapBottle", "SprayBottle", "Statue", "TeddyBear", "TissueBox",
        "Toaster", "Vase", "WateringCan", "WineBottle",
    }
)  # fmt: skip
"""Types that AI2-THOR places only upright, as far as its list is known (`SimObjType` of AI2-THOR
5.0.0), and the dishes and bottles that fall over otherwise."""

LIES_FLAT = frozenset({"HandTowel", "Towel"})
"""Types that hang where they were made for and lie flat anywhere else."""

ROUNDISH = frozenset(
    {
        "Apple", "AppleSliced", "BasketBall", "Bread", "BreadSliced", "DishSponge", "Egg",
        "EggCracked", "Lettuce", "LettuceSliced", "Potato", "PotatoSliced", "Tomato",
        "TomatoSliced",
    }
)  # fmt: skip
"""Types that touch the ground with less than their box, or give way at the edges."""

CIRCULAR = frozenset({"Bowl", "Candle", "Cup", "GarbageCan", "PaperTowelRoll", "Plate", "Vase"})
"""Types that stand on a circle."""

LEAN = 14.0
"""Degrees by which cutlery leans in a mug."""


@dataclass(frozen=True)
class Stance:
    """A way to stand.

    Attributes:
        rotation: of the asset, before it is turned about the vertical.
        width, depth: of the footprint, along x and z.
        height: of the whole.
        lift: from the middle of the footprint to the asset's origin.
        circular: whether the footprint is the ellipse in that rectangle.
    """

    rotation: Rotation
    width: float
    depth: float
    height: float
    lift: Vec3
    circular: bool = False

    def place(self, spot: Vec3, yaw: float) -> Transform:
        """The asset's frame where the middle of the footprint is at a spot."""
        turn = Rotation.yaw(yaw)
        return Transform(turn @ self.rotation, spot + turn.apply(self.lift))


def stances(kind: str, size: Vec3, *, vessel: str | None = None) -> Iterator[Stance]:
    """The ways in which a thing of a type and size may stand, the natural one first.

    Args:
        kind: its object type.
        size: of its box, along the asset's own axes.
        vessel: type of the vessel to put it in, None if the receptacle is not a vessel.
    """
    circular = kind in CIRCULAR
    upright = Stance(IDENTITY, size.x, size.z, size.y, Vec3(0.0, 0.0, 0.0), circular)
    if kind in ALWAYS_UPRIGHT:
        yield upright
        return
    if kind in LIES_FLAT:
        yield lying(size)
        return
    yield upright
    if vessel in VESSELS and kind not in ROUNDISH:
        yield leaning(size)
    elif size.y > min(size.x, size.z):
        yield lying(size)


def lying(size: Vec3) -> Stance:
    """On the largest side: the shortest axis of the box is vertical."""
    if size.y <= min(size.x, size.z):
        return Stance(IDENTITY, size.x, size.z, size.y, Vec3(0.0, 0.0, 0.0))
    if size.z <= size.x:  # front up
        return resting(Rotation.from_euler(Vec3(-90.0, 0.0, 0.0)), size)
    return resting(Rotation.from_euler(Vec3(0.0, 0.0, 90.0)), size)


def resting(rotation: Rotation, size: Vec3) -> Stance:
    """Turned, with the lowest point on the ground; the whole shadow is the footprint."""
    box = _turned_box(rotation, size)
    bounds = box.bounds()
    middle = bounds.center
    lift = Vec3(-middle.x, -bounds.bottom, -middle.z)
    return Stance(rotation, bounds.size.x, bounds.size.z, bounds.size.y, lift)


def leaning(size: Vec3) -> Stance:
    """On its end, the longest axis almost upright: a spoon in a mug. Only the end of it needs
    room."""
    rotation = Rotation.from_euler(Vec3(LEAN, 0.0, 0.0)) @ _longest_up(size)
    box = _turned_box(rotation, size)
    bounds = box.bounds()
    corners = sorted(box.corners(), key=lambda corner: corner.y)[:4]
    foot = Vec3(math.fsum(c.x for c in corners) / 4, 0.0, math.fsum(c.z for c in corners) / 4)
    short = sorted(size.tuple())[:2]
    lift = Vec3(-foot.x, -bounds.bottom, -foot.z)
    return Stance(rotation, short[1], short[0], bounds.size.y, lift)


def _longest_up(size: Vec3) -> Rotation:
    longest = max(size.tuple())
    if size.y == longest:
        return IDENTITY
    if size.z == longest:  # its front ends up on top
        return Rotation.from_euler(Vec3(-90.0, 0.0, 0.0))
    return Rotation.from_euler(Vec3(0.0, 0.0, 90.0))


def _turned_box(rotation: Rotation, size: Vec3) -> Box:
    return Box(Vec3(0.0, size.y / 2, 0.0), size).moved(Transform(rotation))
