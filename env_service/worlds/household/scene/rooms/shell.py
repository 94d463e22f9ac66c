"""Floor, walls, ceiling, door and light switch of a built-in room, the furniture along its walls,
and where an agent can walk.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.model import Detail
from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.rooms.layout import (
    CrampedError,
    Footprint,
    Item,
    RoomLayout,
)
from env_service.worlds.household.scene.spec import (
    AgentStart,
    CeilingLight,
    ObjectSpec,
    Room,
    SceneSpec,
)

HEIGHT = 2.5
"""Metres from floor to ceiling."""
FLOOR_DEPTH = 0.10
DOOR_WIDTH, DOOR_HEIGHT = 0.86, 2.04
DOOR_SWING = 0.90
"""Metres before a door that stay free."""
BASEBOARD = Vec3(0.0, 0.09, 0.015)
SWITCH_HEIGHT = 1.18


@dataclass(frozen=True)
class WallOpening:
    """A hole in a wall: from where to where along it, and between which heights, metres."""

    start: float
    end: float
    low: float
    high: float


Band = tuple[float, float, float, float]
"""A rectangle on a wall: from where to where along it, and between which heights, metres."""


@dataclass
class Shell:
    """The walls of a room while it is being furnished.

    Attributes:
        layout: what the room holds.
        width, depth: of the floor, metres along x and z.
        floor: the Floor object.
        ledgers: what of each wall is taken.
        openings: holes in each wall.
        faces: walls that stand in the room, in front of the four around it.
        coverings: of walls that differ from the palette's, by name.
    """

    layout: RoomLayout
    width: float
    depth: float
    floor: ObjectSpec = field(init=False)
    walls: tuple[Wall, Wall, Wall, Wall] = field(init=False)
    ledgers: dict[str, WallOccupancy] = field(init=False)
    openings: dict[str, list[WallOpening]] = field(init=False)
    faces: list[Wall] = field(default_factory=list)
    coverings: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.walls = walls_of(self.width, self.depth)
        self.ledgers = {wall.name: WallOccupancy([]) for wall in self.walls}
        self.openings = {wall.name: [] for wall in self.walls}
        size = Vec3(self.width, FLOOR_DEPTH, self.depth)
        item = Item("Floor", size, variant=0, details=(("top", FLOOR_DEPTH),))
        self.floor = self.layout.put(item, Vec3(0.0, -FLOOR_DEPTH, 0.0), 0.0)

    @property
    def bounds(self) -> Box:
        """The free space between the walls."""
        return Box(Vec3(0.0, HEIGHT / 2, 0.0), Vec3(self.width, HEIGHT, self.depth))

    def door(self, wall: Wall, start: float) -> None:
        """A door, with the light switch next to it, and free floor before it."""
        end = start + DOOR_WIDTH
        self.openings[wall.name].append(WallOpening(start, end, 0.0, DOOR_HEIGHT))
        self.ledgers[wall.name].take(start - 0.08, end + 0.08)
        leaf = Vec3(DOOR_WIDTH, DOOR_HEIGHT, THICKNESS)
        middle = wall.spot((start + end) / 2, -THICKNESS / 2, DOOR_HEIGHT / 2)
        palette, draw = self.layout.palette, self.layout.draw
        wooden = palette.walls.startswith("white") or draw.random() < 0.4
        self.layout.build(
            "Door",
            Box(middle, leaf, Rotation.yaw(wall.yaw)),
            details=(("wood", palette.wood if wooden else "white"),),
            variant=int(draw.integers(1, 31)),
        )
        before = wall.spot((start + end) / 2, DOOR_SWING / 2)
        self.layout.reserved.append(Footprint(before.x, before.z, DOOR_WIDTH, DOOR_SWING, wall.yaw))
        beside = end + 0.22 if end + 0.4 < wall.length else start - 0.22
        self.ledgers[wall.name].take(beside - 0.1, beside + 0.1, 0.9, 1.5)
        size = Item("LightSwitch").extent
        self.reserve(wall, (beside - 0.2, beside + 0.2), 0.0, 0.4)
        self.layout.put("LightSwitch", wall.spot(beside, size.z / 2, SWITCH_HEIGHT), wall.yaw)

    @property
    def all_walls(self) -> tuple[Wall, ...]:
        """The four walls and those that stand in the room."""
        return (*self.walls, *self.faces)

    def turned(self) -> tuple[Wall, Wall, Wall, Wall]:
        """The four walls clockwise, from a drawn one on."""
        first = int(self.layout.draw.integers(4))
        a, b, c, d = (self.walls[(first + k) % 4] for k in range(4))
        return a, b, c, d

    def nook(self, number: int, width: float, depth: float) -> None:
        """Cuts a corner off the room: a block up to the ceiling at the right end of a wall, `width`
        along it and `depth` out of it. Its two faces are additional walls."""
        wall, after = self.walls[number], self.walls[(number + 1) % 4]
        middle = wall.spot(wall.length - width / 2, depth / 2)
        body = Box(
            middle + Vec3(0.0, HEIGHT / 2, 0.0), Vec3(width, HEIGHT, depth), Rotation.yaw(wall.yaw)
        )
        details = self._covered(wall.name)
        self.layout.build("Wall", body, details=details)
        self.layout.standing.append(Footprint(middle.x, middle.z, width, depth, wall.yaw))
        self.ledgers[wall.name].take(wall.length - width, wall.length)
        self.ledgers[after.name].take(0.0, depth)
        for name, left, like, length in (
            (f"{wall.name} nook", wall.spot(wall.length - width, depth), wall, width),
            (f"{after.name} nook", after.spot(0.0, width), after, depth),
        ):
            face = Wall(name, left, like.along, like.inward, length, like.yaw)
            self.faces.append(face)
            self.ledgers[name], self.openings[name] = WallOccupancy([]), []

    def _covered(self, name: str) -> tuple[tuple[str, Detail], ...]:
        """The detail of a wall's own covering, if it has one."""
        covering = self.coverings.get(name)
        return (("covering", covering),) if covering else ()

    def close(self, tiles: Mapping[str, Sequence[Band]] | None = None) -> None:
        """Builds walls, baseboards and ceiling around all openings that were made.

        Args:
            tiles: by a wall's name, the rectangles of it that are tiled.
        """
        for number, wall in enumerate(self.walls):
            length = wall.length + 2 * THICKNESS
            holes = tuple(
                (wall.length / 2 - o.end, o.low, wall.length / 2 - o.start, o.high)
                for o in self.openings[wall.name]
            )
            bands = tuple(
                (low, high, wall.length / 2 - end, wall.length / 2 - start)
                for start, end, low, high in (tiles or {}).get(wall.name, ())
            )
            details: list[tuple[str, Detail]] = [("openings", holes), *self._covered(wall.name)]
            if bands:
                details.append(("splash", bands))
            middle = wall.spot(wall.length / 2, -THICKNESS / 2, HEIGHT / 2)
            body = Box(middle, Vec3(length, HEIGHT, THICKNESS), Rotation.yaw(wall.yaw))
            self.layout.build("Wall", body, details=tuple(details), variant=number)
        for wall in self.all_walls:
            self._baseboards(wall)
        lid = Vec3(self.width + 2 * THICKNESS, 0.05, self.depth + 2 * THICKNESS)
        self.layout.build("Ceiling", Box(Vec3(0.0, HEIGHT + 0.025, 0.0), lid), solid=False)

    def _baseboards(self, wall: Wall) -> None:
        """Strips along the floor, but not across doors."""
        start = 0.0
        doors = sorted((o.start, o.end) for o in self.openings[wall.name] if o.low == 0)
        for left, right in [*doors, (wall.length, wall.length)]:
            if left - start > 0.05:
                middle = wall.spot((start + left) / 2, BASEBOARD.z / 2, BASEBOARD.y / 2)
                size = Vec3(left - start, BASEBOARD.y, BASEBOARD.z)
                body = Box(middle, size, Rotation.yaw(wall.yaw))
                self.layout.build("Baseboard", body, solid=False)
            start = right

    def inside(self, spot: Vec3, margin: float) -> bool:
        """Whether a place on the floor is so far from the four walls."""
        x, z = self.width / 2 - margin, self.depth / 2 - margin
        return abs(spot.x) <= x and abs(spot.z) <= z

    def rug(self, middle: Vec3, width: float, depth: float, yaw: float = 0.0) -> None:
        """A rug on the floor."""
        body = Box(Vec3(middle.x, 0.004, middle.z), Vec3(width, 0.008, depth), Rotation.yaw(yaw))
        variant = int(self.layout.draw.integers(16))
        self.layout.build("Rug", body, solid=False, variant=variant)

    def scene(self, room: Room) -> SceneSpec:
        """The room as a scene. The agent starts on free floor and looks at the middle of the
        room."""
        outer = Vec3(self.width + 2 * THICKNESS, HEIGHT + FLOOR_DEPTH, self.depth + 2 * THICKNESS)
        middle = Vec3(0.0, (HEIGHT - FLOOR_DEPTH) / 2, 0.0)
        lamps = 1 if max(self.width, self.depth) < 4.4 else 2
        along_x = self.width >= self.depth
        reach = max(self.width, self.depth) / 4 if lamps == 2 else 0.0
        spots = (-reach, reach)[:lamps]
        lights = tuple(
            CeilingLight(Vec3(s, HEIGHT - 0.12, 0.0) if along_x else Vec3(0.0, HEIGHT - 0.12, s))
            for s in spots
        )
        windows = any(o.low > 0 for holes in self.openings.values() for o in holes)
        return SceneSpec(
            name=self.layout.name,
            room=room,
            bounds=self.bounds,
            scene_bounds=Box(middle, outer),
            objects=self.layout.finished(),
            structure=tuple(self.layout.structure),
            lights=lights,
            agent=self.start(),
            palette=self.layout.palette,
            daylight=1.0 if windows else 0.0,
        )

    def start(self) -> AgentStart:
        """Where the agent starts. Asked for before a room's small things are laid, it saves work
        on a draft that is of no use.

        Raises:
            CrampedError: it could not reach enough from anywhere.
        """
        return walkable_start(self.layout, self.width, self.depth)

    def against(
        self,
        wall: Wall,
        item: Item | str,
        *,
        at: float | None = None,
        front: float = 0.45,
        gap: float = 0.02,
    ) -> ObjectSpec | None:
        """Places a piece of furniture with its back to a wall; None if no stretch is free.

        Args:
            wall: which wall.
            item: what.
            at: its middle, metres along the wall; drawn if None.
            front: metres before it that other furniture must not take at this moment.
            gap: metres between its back and the wall.
        """
        item = Item(item) if isinstance(item, str) else item
        size = item.extent
        half = size.x / 2
        if wall.length < size.x + 0.04:
            return None
        for _ in range(40 if at is None else 1):
            middle = at
            if middle is None:
                middle = float(self.layout.draw.uniform(half + 0.02, wall.length - half - 0.02))
            free = self.ledgers[wall.name].free(middle - half, middle + half, 0.0, size.y)
            reach = wall.spot(middle, gap + (size.z + front) / 2)
            wide = Footprint(reach.x, reach.z, size.x, size.z + front, wall.yaw)
            if free and not any(wide.meets(other) for other in self.layout.standing):
                stood = replace(item, size=size, parents=(*item.parents, self.floor.object_id))
                base = wall.spot(middle, gap + size.z / 2)
                placed = self.layout.stand(stood, base, wall.yaw)
                if placed is not None:
                    self.ledgers[wall.name].take(middle - half, middle + half, 0.0, size.y)
                    return placed
        return None

    def reserve(self, wall: Wall, span: tuple[float, float], out: float, depth: float) -> None:
        """Keeps furniture off a strip of floor along a wall: from where to where along it, from
        `out` on `depth` metres into the room."""
        middle = wall.spot((span[0] + span[1]) / 2, out + depth / 2)
        wide = span[1] - span[0]
        self.layout.reserved.append(Footprint(middle.x, middle.z, wide, depth, wall.yaw))

    def reserve_before(self, spec: ObjectSpec, depth: float) -> None:
        """Keeps furniture off the floor before a placed piece, for drawers and doors."""
        size = spec.body.size
        middle = spec.position + spec.body.rotation.apply(Vec3(0.0, 0.0, (size.z + depth) / 2))
        yaw = spec.rotation.y
        self.layout.reserved.append(Footprint(middle.x, middle.z, size.x, depth, yaw))
        self.layout.fronts.append((middle.x, middle.z))

    def bare(self, wall: Wall, band: Band, out: float) -> bool:
        """Whether a rectangle of a wall is free, and no object of the adjacent wall is before it,
        up to `out` metres into the room."""
        start, end, low, high = band
        if not self.ledgers[wall.name].free(start, end, low, high):
            return False
        middle = wall.spot((start + end) / 2, out / 2)
        strip = Footprint(middle.x, middle.z, end - start, out, wall.yaw)
        return not any(
            spec.bounds.top > low
            and spec.bounds.bottom < high
            and strip.meets(
                Footprint(
                    spec.body.center.x,
                    spec.body.center.z,
                    spec.body.size.x,
                    spec.body.size.z,
                    spec.rotation.y,
                )
            )
            for spec in self.layout.objects.values()
        )

    def hang(
        self, wall: Wall, item: Item | str, height: float, *, at: float | None = None
    ) -> ObjectSpec | None:
        """Hangs a thing on a wall, its underside so high; None if no stretch is free."""
        item = Item(item) if isinstance(item, str) else item
        half = item.extent.x / 2
        for _ in range(40 if at is None else 1):
            middle = at
            if middle is None:
                if wall.length < 2 * half + 0.2:
                    return None
                middle = float(self.layout.draw.uniform(half + 0.1, wall.length - half - 0.1))
            span = (middle - half - 0.03, middle + half + 0.03, height, height + item.extent.y)
            if self.bare(wall, span, item.extent.z):
                self.ledgers[wall.name].take(*span)
                base = wall.spot(middle, item.extent.z / 2, height)
                return self.layout.put(item, base, wall.yaw)
        return None


# --- The shell of a rectangular room, and how things stand along its walls

THICKNESS = 0.10
"""Metres of a wall."""


@dataclass(frozen=True)
class Wall:
    """One wall.

    Attributes:
        name: "north" (at +z), "east" (+x), "south" or "west".
        left: its left end on the floor, seen from inside.
        along: unit vector to the right.
        inward: unit vector into the room.
        length: metres.
        yaw: of furniture with its back to the wall, degrees.
    """

    name: str
    left: Vec3
    along: Vec3
    inward: Vec3
    length: float
    yaw: float

    def spot(self, right: float, out: float, height: float = 0.0) -> Vec3:
        """The point so far to the right, so far into the room, so high."""
        return self.left + self.along * right + self.inward * out + Vec3(0.0, height, 0.0)


def walls_of(width: float, depth: float) -> tuple[Wall, Wall, Wall, Wall]:
    """North, east, south, west of a room `width` along x and `depth` along z: clockwise from
    above, so that a wall's right end is the left end of the next one."""
    x, z = width / 2, depth / 2
    return (
        Wall("north", Vec3(-x, 0, z), Vec3(1, 0, 0), Vec3(0, 0, -1), width, 180.0),
        Wall("east", Vec3(x, 0, z), Vec3(0, 0, -1), Vec3(-1, 0, 0), depth, 270.0),
        Wall("south", Vec3(x, 0, -z), Vec3(-1, 0, 0), Vec3(0, 0, 1), width, 0.0),
        Wall("west", Vec3(-x, 0, -z), Vec3(0, 0, 1), Vec3(1, 0, 0), depth, 90.0),
    )


@dataclass
class WallOccupancy:
    """Which stretches of a wall are taken, by what height they take."""

    taken: list[tuple[float, float, float, float]]

    def free(self, start: float, end: float, low: float = 0.0, high: float = 9.0) -> bool:
        """Whether nothing is between two positions and two heights."""
        return all(
            end <= a or start >= b or high <= bottom or low >= top
            for a, b, bottom, top in self.taken
        )

    def take(self, start: float, end: float, low: float = 0.0, high: float = 9.0) -> None:
        """Notes a stretch as taken."""
        self.taken.append((start, end, low, high))


# --- Where an agent can walk among the furniture of a draft, and where it starts

GRID = 0.25
AGENT_HEIGHT = 0.901
RADIUS = 0.2
"""AI2-THOR's grid, the height of its agent's origin and its agent's radius, metres
(docs/household.md, The agent's body)."""
CLEARANCE = 0.02
"""Metres that furniture may be wider than its footprint: handles, lips."""
REACH, SMALL_REACH = 0.7, 0.95
"""Metres from which furniture can be reached, large and small: all of it has to be within
AI2-THOR's visibility distance of 1.5 m."""
FRONT_REACH = 0.5
"""Metres from the middle of the floor before drawers and doors."""
SMALL = 0.5
"""Metres: what is less wide and less deep is small."""
LEAST_SHARE = 0.8
"""Of the free floor that hangs together."""

Spot = tuple[int, int]
Bools = NDArray[np.bool_]


def walkable_start(layout: RoomLayout, width: float, depth: float) -> AgentStart:
    """The point of the agent's grid that is farthest from all furniture, looking to where most
    things are.

    Raises:
        CrampedError: from there too little of the floor or not all furniture can be reached.
    """
    i, k = np.meshgrid(
        _steps(width),
        _steps(depth),
        indexing="ij",
    )
    x, z = i.astype(np.float64) * (GRID / 2), k.astype(np.float64) * (GRID / 2)
    space = np.minimum(width / 2 - np.abs(x), depth / 2 - np.abs(z))
    away = [each.distances(x, z) for each in layout.standing]
    for distances in away:
        space = np.minimum(space, distances)
    clear = space >= RADIUS + CLEARANCE
    spots = (i % 2 == 0) & (k % 2 == 0)
    first = int(np.argmax(np.where(spots, np.round(space, 6), -1.0)))
    start = divmod(first, space.shape[1])
    reached = _spread(start, clear)
    if reached.sum() < max(LEAST_SHARE * (clear & spots).sum(), 12):
        raise CrampedError(f"the floor of {layout.name} is in pieces")
    for each, distances in zip(layout.standing, away, strict=True):
        if distances[reached].min() > _reach(each):
            raise CrampedError(f"furniture of {layout.name} is out of reach")
    for at_x, at_z in layout.fronts:
        if np.sqrt((x - at_x) ** 2 + (z - at_z) ** 2)[reached].min() > FRONT_REACH:
            raise CrampedError(f"a front in {layout.name} is out of reach")
    place = Vec3(float(x[start]), AGENT_HEIGHT, float(z[start]))
    return AgentStart(place, _best_view(layout, place))


def _reach(place: Footprint) -> float:
    return SMALL_REACH if max(place.width, place.depth) < SMALL else REACH


def _steps(extent: float) -> NDArray[np.int64]:
    """Half steps of the grid across the floor, from an even number to an even number."""
    most = 2 * int(extent / 2 / GRID)
    return np.arange(-most, most + 1)


def _spread(start: Spot, clear: Bools) -> Bools:
    """The points of the grid, every second one of both axes, to which steps lead that are clear
    at their middle and at their end."""
    reached = np.zeros_like(clear)
    reached[start] = True
    queue = deque([start])
    while queue:
        i, k = queue.popleft()
        for di, dk in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            end = (i + 2 * di, k + 2 * dk)
            inside = 0 <= end[0] < clear.shape[0] and 0 <= end[1] < clear.shape[1]
            if inside and clear[i + di, k + dk] and clear[end] and not reached[end]:
                reached[end] = True
                queue.append(end)
    return reached


def _best_view(layout: RoomLayout, place: Vec3) -> float:
    """The quarter turn that has most objects before it."""
    counts = {0.0: 0, 90.0: 0, 180.0: 0, 270.0: 0}
    for spec in layout.objects.values():
        away = spec.body.center - place
        angle = math.degrees(math.atan2(away.x, away.z)) % 360.0
        counts[round(angle / 90.0) % 4 * 90.0] += 1
    return max(counts, key=lambda yaw: (counts[yaw], -yaw))
