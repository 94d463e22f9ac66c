"""Floor, walls, ceiling, door, windows and light switch of a built-in room."""

from __future__ import annotations

from dataclasses import dataclass, field

from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.rooms.footprints import Footprint
from env_service.worlds.household.scene.rooms.furnishing import Furnishing, Item
from env_service.worlds.household.scene.rooms.walls import THICKNESS, Ledger, Wall, walls_of
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
SKY_DISTANCE = 1.2
WINDOW_DEPTH = 0.12
GRID = 0.25
AGENT_HEIGHT = 0.901
"""AI2-THOR's grid and the height of its agent's origin, metres (spec: ai2thor.md section 5.2)."""


@dataclass(frozen=True)
class Opening:
    """A hole in a wall: from where to where along it, and between which heights, metres."""

    start: float
    end: float
    low: float
    high: float


@dataclass
class Shell:
    """The walls of a room while it is being furnished.

    Attributes:
        furnishing: what the room holds.
        width, depth: of the floor, metres along x and z.
        floor: the Floor object.
        ledgers: what of each wall is taken.
        openings: holes in each wall.
    """

    furnishing: Furnishing
    width: float
    depth: float
    floor: ObjectSpec = field(init=False)
    walls: tuple[Wall, Wall, Wall, Wall] = field(init=False)
    ledgers: dict[str, Ledger] = field(init=False)
    openings: dict[str, list[Opening]] = field(init=False)

    def __post_init__(self) -> None:
        self.walls = walls_of(self.width, self.depth)
        self.ledgers = {wall.name: Ledger([]) for wall in self.walls}
        self.openings = {wall.name: [] for wall in self.walls}
        size = Vec3(self.width, FLOOR_DEPTH, self.depth)
        item = Item("Floor", size, variant=0, details=(("top", FLOOR_DEPTH),))
        self.floor = self.furnishing.put(item, Vec3(0.0, -FLOOR_DEPTH, 0.0), 0.0)

    @property
    def bounds(self) -> Box:
        """The free space between the walls."""
        return Box(Vec3(0.0, HEIGHT / 2, 0.0), Vec3(self.width, HEIGHT, self.depth))

    def door(self, wall: Wall, start: float) -> None:
        """A door, with the light switch beside it, and free floor before it."""
        end = start + DOOR_WIDTH
        self.openings[wall.name].append(Opening(start, end, 0.0, DOOR_HEIGHT))
        self.ledgers[wall.name].take(start - 0.08, end + 0.08)
        leaf = Vec3(DOOR_WIDTH, DOOR_HEIGHT, THICKNESS)
        middle = wall.spot((start + end) / 2, -THICKNESS / 2, DOOR_HEIGHT / 2)
        self.furnishing.build("Door", Box(middle, leaf, Rotation.yaw(wall.yaw)))
        before = wall.spot((start + end) / 2, DOOR_SWING / 2)
        self.furnishing.standing.append(
            Footprint(before.x, before.z, DOOR_WIDTH, DOOR_SWING, wall.yaw)
        )
        beside = end + 0.22 if end + 0.4 < wall.length else start - 0.22
        self.ledgers[wall.name].take(beside - 0.1, beside + 0.1, 0.9, 1.5)
        size = Item("LightSwitch").extent
        self.furnishing.put("LightSwitch", wall.spot(beside, size.z / 2, SWITCH_HEIGHT), wall.yaw)

    def window(self, wall: Wall, opening: Opening) -> ObjectSpec:
        """A window with a view."""
        self.openings[wall.name].append(opening)
        self.ledgers[wall.name].take(
            opening.start - 0.06, opening.end + 0.06, opening.low - 0.06, opening.high + 0.06
        )
        across, up = opening.end - opening.start, opening.high - opening.low
        middle = (opening.start + opening.end) / 2
        sky = Vec3(across + 2.4, up + 2.4, 0.02)
        self.furnishing.build(
            "Sky",
            Box(
                wall.spot(middle, -THICKNESS - SKY_DISTANCE, (opening.low + opening.high) / 2),
                sky,
                Rotation.yaw(wall.yaw),
            ),
            solid=False,
            variant=int(self.furnishing.draw.integers(8)),
        )
        item = Item("Window", Vec3(across, up, WINDOW_DEPTH))
        return self.furnishing.put(item, wall.spot(middle, -0.03, opening.low), wall.yaw)

    def close(self, splash: dict[str, tuple[float, float]] | None = None) -> None:
        """Builds walls, baseboards and ceiling around all openings that were made.

        Args:
            splash: by a wall's name, the heights between which it is tiled.
        """
        for number, wall in enumerate(self.walls):
            length = wall.length + 2 * THICKNESS
            holes = tuple(
                (wall.length / 2 - o.end, o.low, wall.length / 2 - o.start, o.high)
                for o in self.openings[wall.name]
            )
            details: list[tuple[str, tuple[tuple[float, ...], ...]]] = [("openings", holes)]
            if splash and wall.name in splash:
                details.append(("splash", (splash[wall.name],)))
            middle = wall.spot(wall.length / 2, -THICKNESS / 2, HEIGHT / 2)
            body = Box(middle, Vec3(length, HEIGHT, THICKNESS), Rotation.yaw(wall.yaw))
            self.furnishing.build("Wall", body, details=tuple(details), variant=number)
            self._baseboards(wall)
        lid = Vec3(self.width + 2 * THICKNESS, 0.05, self.depth + 2 * THICKNESS)
        self.furnishing.build("Ceiling", Box(Vec3(0.0, HEIGHT + 0.025, 0.0), lid), solid=False)

    def _baseboards(self, wall: Wall) -> None:
        """Strips along the floor, but not across doors."""
        start = 0.0
        doors = sorted((o.start, o.end) for o in self.openings[wall.name] if o.low == 0)
        for left, right in [*doors, (wall.length, wall.length)]:
            if left - start > 0.05:
                middle = wall.spot((start + left) / 2, BASEBOARD.z / 2, BASEBOARD.y / 2)
                size = Vec3(left - start, BASEBOARD.y, BASEBOARD.z)
                body = Box(middle, size, Rotation.yaw(wall.yaw))
                self.furnishing.build("Baseboard", body, solid=False)
            start = right

    def block(self, middle: Vec3, width: float, depth: float) -> None:
        """Keeps an upright rectangle of the floor free of furniture."""
        self.furnishing.standing.append(Footprint(middle.x, middle.z, width, depth))

    def rug(self, width: float, depth: float) -> None:
        """A rug in the room's middle."""
        draw = self.furnishing.draw
        at = Vec3(float(draw.uniform(-0.3, 0.3)), 0.004, float(draw.uniform(-0.3, 0.3)))
        body = Box(at, Vec3(width, 0.008, depth))
        self.furnishing.build("Rug", body, solid=False, variant=int(draw.integers(16)))

    def scene(self, room: Room) -> SceneSpec:
        """The room as a scene. The agent stands where the floor is free and looks at its middle."""
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
            name=self.furnishing.name,
            room=room,
            bounds=self.bounds,
            scene_bounds=Box(middle, outer),
            objects=self.furnishing.finished(),
            structure=tuple(self.furnishing.structure),
            lights=lights,
            agent=self._start(),
            palette=self.furnishing.palette,
            daylight=1.0 if windows else 0.0,
        )

    def _start(self) -> AgentStart:
        """The free point of the agent's grid that is farthest from all furniture."""
        best, place = -1.0, Vec3(0.0, AGENT_HEIGHT, 0.0)
        for i in range(-12, 13):
            for j in range(-12, 13):
                x, z = i * GRID, j * GRID
                edge = min(self.width / 2 - abs(x), self.depth / 2 - abs(z))
                near = min((other.distance(x, z) for other in self.furnishing.standing), default=9)
                if min(edge, near) > best + 1e-9:
                    best, place = min(edge, near), Vec3(x, AGENT_HEIGHT, z)
        return AgentStart(place, float(self.furnishing.draw.integers(4)) * 90.0)

    def against(
        self,
        wall: Wall,
        item: Item | str,
        *,
        at: float | None = None,
        front: float = 0.45,
        gap: float = 0.02,
    ) -> ObjectSpec | None:
        """Stands a piece of furniture with its back to a wall; None if no stretch is free.

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
                middle = float(self.furnishing.draw.uniform(half + 0.02, wall.length - half - 0.02))
            free = self.ledgers[wall.name].free(middle - half, middle + half, 0.0, size.y)
            reach = wall.spot(middle, gap + (size.z + front) / 2)
            wide = Footprint(reach.x, reach.z, size.x, size.z + front, wall.yaw)
            if free and not any(wide.meets(other) for other in self.furnishing.standing):
                base = wall.spot(middle, gap + size.z / 2)
                stood = Item(
                    item.type,
                    size,
                    item.variant,
                    item.details,
                    item.start,
                    (*item.parents, self.floor.object_id),
                )
                placed = self.furnishing.stand(stood, base, wall.yaw)
                if placed is not None:
                    self.ledgers[wall.name].take(middle - half, middle + half, 0.0, size.y)
                return placed
        return None

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
                middle = float(self.furnishing.draw.uniform(half + 0.1, wall.length - half - 0.1))
            span = (middle - half - 0.03, middle + half + 0.03, height, height + item.extent.y)
            if self.ledgers[wall.name].free(*span):
                self.ledgers[wall.name].take(*span)
                base = wall.spot(middle, item.extent.z / 2, height)
                return self.furnishing.put(item, base, wall.yaw)
        return None
