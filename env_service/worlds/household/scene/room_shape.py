"""A room's walls, inferred from the objects that hang on them and stand along them.

The floor's box is a first bound, but in a third of the floor plans it extends behind the walls.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.footprints import DIRECTIONS, YAWS, Rectangle
from env_service.worlds.household.scene.spec import Survey
from env_service.worlds.household.scene.thor_records import FARTHEST, ThorRecord

ON_WALLS = frozenset(
    {
        "HandTowelHolder",
        "LightSwitch",
        "Mirror",
        "Painting",
        "Poster",
        "ToiletPaperHanger",
        "TowelHolder",
    }
)
"""Types that hang on walls, flat against them."""

_AT_WINDOWS = frozenset({"Blinds", "Curtains", "Window"})

_ALONG_WALLS = frozenset(
    {
        "CoffeeMachine",
        "DeskLamp",
        "FloorLamp",
        "GarbageCan",
        "LaundryHamper",
        "Plunger",
        "ScrubBrush",
        "Shelf",
        "ShowerHead",
        "Sofa",
        "TVStand",
        "Television",
        "TowelHolder",
    }
)
"""Types with a wall right behind them, unless an object is further out: in none of the floor plans
does the walkable floor extend beyond one of these."""

_HUNG = frozenset({"LightSwitch", "Painting", "Poster", "HandTowelHolder", "TowelHolder"})
"""Types that show a wall inside the room. Mirrors and paper hangers are on furniture too."""

_GLASS = frozenset({"ShowerDoor", "ShowerGlass"})
_FREE = 0.3
"""Metres from an outer wall: a hanging object that is further away has another wall behind it."""

_SHELF_HIGH = 1.0
"""Height in metres from which a shelf hangs; lower ones are parts of furniture too."""
BODY, AT_START = 0.2, 0.25
"""Metres from the middle of the agent's body to a wall: at least, and at the start."""

_TOUCH = 0.12
"""Metres within which things count as standing in one plane."""


@dataclass(frozen=True)
class Partition:
    """A wall inside the room: its face's rectangle of no thickness, and where it faces."""

    yaw: float
    face: float
    low: float
    high: float


@dataclass(frozen=True)
class RoomShape:
    """The free floor between the outer walls, the walls inside it, and the floor's height."""

    inside: Rectangle
    partitions: tuple[Partition, ...]
    floor: float


def shape_of(
    records: Sequence[ThorRecord], agent: Vec3 | None, survey: Survey | None = None
) -> RoomShape:
    """The room around some objects, with space for the agent at its start and wherever it can go. A
    scene without a Floor gets the objects' extent."""
    slabs = [r for r in records if r.type == "Floor"]
    solid = _solid(records)
    if slabs:
        slab = max(slabs, key=lambda r: r.bounds.size.x * r.bounds.size.z)
        edge, level = slab.spot, slab.high
    else:
        boxes = [r.spot for r in records]
        edge = Rectangle(
            min(b.west for b in boxes),
            max(b.east for b in boxes),
            min(b.south for b in boxes),
            max(b.north for b in boxes),
        )
        level = min(r.low for r in records)
    reached = survey.positions if survey else ()
    trodden = [*((point, BODY) for point in reached), *([(agent, AT_START)] if agent else [])]
    north, east, south, west = (_outer_wall(yaw, edge, solid, records, trodden) for yaw in YAWS)
    inside = Rectangle(-west, east, -south, north)
    return RoomShape(inside, _partitions(inside, records, solid), level)


def _outer_wall(
    yaw: float,
    edge: Rectangle,
    solid: Sequence[ThorRecord],
    records: Sequence[ThorRecord],
    trodden: Sequence[tuple[Vec3, float]],
) -> float:
    """The coordinate of a wall's face, counted along the direction of the wall; `trodden` are
    points where the agent can stand, each with the metres that it needs around it."""
    limit = edge.side(yaw)
    last = max(solid, key=lambda r: min(r.spot.side(yaw), limit), default=None)
    furthest = limit - 0.1 if last is None else min(last.spot.side(yaw), limit)
    along_wall, stood = last is not None and last.type in _ALONG_WALLS, -FARTHEST
    if trodden:
        x, z = DIRECTIONS[yaw]
        stood = max(point.x * x + point.z * z + around for point, around in trodden)
        furthest, along_wall = max(furthest, stood), along_wall and stood <= furthest
    hung = [r for r in records if r.type in ON_WALLS and _flat(r, yaw)]
    backs = [r.spot.side(yaw) for r in hung]
    backs = [back for back in backs if furthest - _TOUCH <= back <= limit + 0.3]
    panes = [
        -r.spot.side((yaw + 180) % 360) for r in records if r.type == "Window" and _flat(r, yaw)
    ]
    panes = [min(pane, limit) for pane in panes if furthest - 0.35 <= pane <= limit + 0.3]
    if backs and max(backs) + 0.5 > max(panes, default=max(backs)):
        # objects along a wall often reach into it, those that hang on it do not
        return max(stood, *backs)
    if panes:
        return max(furthest, *panes)
    spare = limit - furthest
    if spare < 0.6 or along_wall:
        return furthest + 0.01
    return limit - 0.3 if spare < 2.4 else furthest + 0.3


def _flat(record: ThorRecord, yaw: float) -> bool:
    """Whether a thing is thin along a direction: it may hang on a wall there."""
    size = record.bounds.size
    along, across = (size.z, size.x) if yaw in (0.0, 180.0) else (size.x, size.z)
    return along <= across


def _partitions(
    inside: Rectangle, records: Sequence[ThorRecord], solid: Sequence[ThorRecord]
) -> tuple[Partition, ...]:
    """Walls for objects that hang in the middle of the room. They extend until an object shows that
    the room continues beyond them."""
    found: list[Partition] = []
    for record in records:
        facing = _facing_inside(record, inside)
        if facing is None:
            continue
        spot, back = record.spot, (facing + 180.0) % 360.0
        # a window is in its wall, which ends flush with the window's front
        face = spot.side(back) if record.type != "Window" else -spot.side(facing)
        if inside.side(back) - face < _FREE or _leans(record, spot, back, solid):
            continue
        low, high = spot.across(facing)
        reached = _reach(inside, back, face, (low - 0.15, high + 0.15), solid)
        found.append(Partition(facing, -face, *reached))
    return _merged(found)


def _facing_inside(record: ThorRecord, inside: Rectangle) -> float | None:
    """The yaw of a thing that needs a wall inside the room, if none of the outer walls is behind
    it; None for all else."""
    if record.type in _HUNG:
        return None if record.parents else facing_of_flat(record, inside)
    gaps = [abs(inside.side(yaw) - record.spot.side(yaw)) for yaw in YAWS]
    straight = abs((record.rotation.y + 45.0) % 90.0 - 45.0) < 1.0
    if not straight or min(gaps) < _FREE:
        return None
    if record.type == "Window" and min(record.spot.width, record.spot.depth) < _FREE:
        return _across_thin(record, inside)
    # a shelf has no asset, so if it is turned, it is turned like its wall
    own = _own_yaw(record)
    hangs = record.type == "Shelf" and record.low > _SHELF_HIGH
    return own if hangs and own and _flat(record, own) else None


def facing_of_flat(record: ThorRecord, inside: Rectangle) -> float:
    """The yaw to which a thing on a wall faces: across its thin side, away from the wall.

    The yaws of light switches and towel holders are right in all 120 scenes; those of paintings and
    mirrors are arbitrary, so these face the room's middle.
    """
    if record.type == "LightSwitch" or "TowelHolder" in record.type:
        return _own_yaw(record)
    return _across_thin(record, inside)


def _across_thin(record: ThorRecord, inside: Rectangle) -> float:
    """The yaw across a thing's thin side that looks to the room's middle."""
    x, z = inside.center
    at = record.bounds.center
    if _flat(record, 0.0) and record.bounds.size.x != record.bounds.size.z:
        return 0.0 if at.z < z else 180.0
    return 90.0 if at.x < x else 270.0


def _own_yaw(record: ThorRecord) -> float:
    return round(record.rotation.y / 90.0) % 4 * 90.0


def _leans(record: ThorRecord, spot: Rectangle, back: float, solid: Sequence[ThorRecord]) -> bool:
    """Whether a piece of furniture is right behind or under a thing, which then needs no wall."""
    near = Rectangle.spanned(
        back, spot.side(back) - 0.05, spot.side(back) + 0.1, *spot.across(back)
    )
    bottom = record.low
    return any(
        other is not record
        and near.overlap(other.spot if other.type not in _GLASS else other.spot.grown(0.1))
        is not None
        and other.high > bottom - 0.03
        and max(other.bounds.size.tuple()) > 0.4
        for other in solid
    )


def _reach(
    inside: Rectangle,
    back: float,
    face: float,
    span: tuple[float, float],
    solid: Sequence[ThorRecord],
) -> tuple[float, float]:
    """How far a partition extends to either side: to the outer wall if no object is beyond it, else
    not further than its span."""
    low, high = span
    least, most = inside.across(back)
    boxes = [r.spot for r in solid]
    wall = Rectangle.spanned(back, face - 0.02, face + 0.1, least, most)
    for end in (least, most):
        a, b = min(low, end), max(high, end)
        strip = (end, low) if end == least else (high, end)
        if strip[1] <= strip[0]:
            continue
        beyond = Rectangle.spanned(back, face, inside.side(back), *strip)
        blocked = any(
            box.overlap(beyond) is not None
            and (beyond.holds(*box.center) or box.overlap(wall) is not None)
            for box in boxes
        )
        if not blocked:
            low, high = (a, high) if end == least else (low, b)
    return low, high


def _merged(walls: Sequence[Partition]) -> tuple[Partition, ...]:
    """Partitions in one plane that touch, as one."""
    left = sorted(walls, key=lambda w: (w.yaw, w.face, w.low))
    joined: list[Partition] = []
    for wall in left:
        for k, other in enumerate(joined):
            same = wall.yaw == other.yaw and abs(wall.face - other.face) < _TOUCH
            if same and wall.low < other.high + 1.2 and other.low < wall.high + 1.2:
                joined[k] = Partition(
                    wall.yaw,
                    min(wall.face, other.face),
                    min(wall.low, other.low),
                    max(wall.high, other.high),
                )
                break
        else:
            joined.append(wall)
    return tuple(joined)


def with_hung_cabinets(
    shape: RoomShape, fronts: Sequence[tuple[ThorRecord, float]], records: Sequence[ThorRecord]
) -> RoomShape:
    """The room with walls behind the wall cabinets in its middle, which have to hang on something;
    each cabinet is given with the yaw of its front."""
    solid = _solid(records)
    found = []
    for record, yaw in fronts:
        back = (yaw + 180.0) % 360.0
        face = record.spot.side(back)
        if record.low < shape.floor + 1.2 or shape.inside.side(back) - face < 0.5:
            continue
        found.append(Partition(yaw, -face - 0.01, *record.spot.across(yaw)))
    walls = [wall for wall in _merged(found) if wall.high - wall.low > 0.8]
    if not walls:
        return shape
    reached = []
    for wall in walls:
        back = (wall.yaw + 180.0) % 360.0
        span = _reach(shape.inside, back, -wall.face, (wall.low, wall.high), solid)
        reached.append(Partition(wall.yaw, wall.face, *span))
    return RoomShape(shape.inside, (*shape.partitions, *reached), shape.floor)


def _solid(records: Sequence[ThorRecord]) -> list[ThorRecord]:
    """The objects that show where walls cannot be. The boxes of some toilets, nearly square, reach
    into the wall behind them."""
    return [
        r
        for r in records
        if r.type not in {"Floor", *_AT_WINDOWS} | ON_WALLS
        and not (r.type == "Toilet" and min(r.spot.width, r.spot.depth) > 0.9)
    ]
