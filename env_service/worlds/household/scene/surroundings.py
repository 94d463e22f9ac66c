"""The facts that decide a thing's front: the room, its free floor as a coarse map, the things
around.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.scene.footprints import DIRECTIONS, YAWS, Rectangle
from env_service.worlds.household.scene.room_shape import RoomShape
from env_service.worlds.household.scene.thor_records import ThorRecord


@dataclass(frozen=True)
class Hinge:
    """How a cabinet opens: the yaw of its front and the side of its hinge, as seen from the
    front: "left", "right", "top", "bottom", or "double" for two doors."""

    yaw: float
    side: str


@dataclass(frozen=True)
class Surroundings:
    """The facts that decide a front: the room, its free floor, and the objects by type."""

    shape: RoomShape
    floor: FloorMap
    by_type: Mapping[str, Sequence[ThorRecord]]
    slants: dict[str, float | None] = field(default_factory=dict, compare=False)
    hinges: dict[str, Hinge] = field(default_factory=dict, compare=False)
    holders: dict[str, ThorRecord | None] = field(default_factory=dict, compare=False)
    """What `slanted_yaw`, `cabinet_front` and `holder_of` found so far, by object id."""

    def of(self, *types: str) -> list[ThorRecord]:
        """The objects of some types, in the order of the types."""
        return [record for name in types for record in self.by_type.get(name, ())]


def open_front(record: ThorRecord, around: Surroundings, options: Sequence[float] = YAWS) -> float:
    """The side with the most free floor before it and the least behind it."""
    spot = record.spot
    return max(options, key=lambda yaw: openness(spot, yaw, around))


def openness(spot: Rectangle, yaw: float, around: Surroundings) -> float:
    """How much a side looks like a front: free floor before it less free floor behind it."""
    behind = (yaw + 180.0) % 360.0
    return around.floor.ahead(spot, yaw, 1.2) - around.floor.ahead(spot, behind, 1.2)


def nearest_yaw(degrees: float) -> float:
    """The nearest of the four directions."""
    return round(degrees / 90.0) % 4 * 90.0


def gap(a: ThorRecord, b: ThorRecord) -> float:
    """The level distance between the middles of two objects."""
    offset = a.bounds.center - b.bounds.center
    return math.hypot(offset.x, offset.z)


def wall_gap(inside: Rectangle, spot: Rectangle, yaw: float) -> float:
    """How far the wall is behind a rectangle that faces a direction, metres."""
    back = (yaw + 180.0) % 360.0
    return inside.side(back) - spot.side(back)


def along(yaw: float, x: float, z: float) -> float:
    """The part of (x, z) along a direction."""
    a, b = DIRECTIONS[yaw]
    return a * x + b * z


# --- Free floor: a coarse map of where an agent could walk, to infer what faces what

CELL = 0.1
"""Metres between the map's points."""


class FloorMap:
    """Free floor within a room's walls.

    Args:
        inside: the room.
        blocked: the areas of the furniture on the floor.
        start: a point of the free floor, (x, z); floor that cannot be reached from it is not
            free. None, or a point that is blocked, takes the largest free stretch instead.
    """

    def __init__(
        self, inside: Rectangle, blocked: Iterable[Rectangle], start: tuple[float, float] | None
    ) -> None:
        self._origin = (inside.west, inside.south)
        columns, rows = (max(2, math.ceil(e / CELL)) for e in (inside.width, inside.depth))
        self._open = np.ones((columns, rows), np.bool_)
        for item in blocked:
            west, east = self._index(item.west, 0), self._index(item.east, 0)
            south, north = self._index(item.south, 1), self._index(item.north, 1)
            self._open[max(west, 0) : max(east + 1, 0), max(south, 0) : max(north + 1, 0)] = False
        self.free = self._connected(start)
        self._sums = np.zeros((columns + 1, rows + 1), np.int64)
        self._sums[1:, 1:] = self.free.cumsum(0).cumsum(1)

    def _index(self, value: float, axis: int) -> int:
        return math.floor((value - self._origin[axis]) / CELL)

    def _connected(self, start: tuple[float, float] | None) -> NDArray[np.bool_]:
        if start is not None:
            i, j = self._index(start[0], 0), self._index(start[1], 1)
            inside = 0 <= i < self._open.shape[0] and 0 <= j < self._open.shape[1]
            if inside and self._open[i, j]:
                return self._flood(i, j)
        left, best = self._open.copy(), np.zeros_like(self._open)
        while left.any():
            i, j = (int(k) for k in np.argwhere(left)[0])
            found = self._flood(i, j)
            left &= ~found
            best = found if found.sum() > best.sum() else best
        return best

    def _flood(self, i: int, j: int) -> NDArray[np.bool_]:
        open_cells = self._open.tolist()
        columns, rows = self._open.shape
        seen = [[False] * rows for _ in range(columns)]
        seen[i][j] = True
        line = deque([(i, j)])
        while line:
            a, b = line.popleft()
            for u, v in ((a + 1, b), (a - 1, b), (a, b + 1), (a, b - 1)):
                if 0 <= u < columns and 0 <= v < rows and open_cells[u][v] and not seen[u][v]:
                    seen[u][v] = True
                    line.append((u, v))
        return np.array(seen, np.bool_)

    def share(self, area: Rectangle) -> float:
        """How much of a rectangle is free floor, 0 to 1; floor outside the room is not free."""
        columns, rows = self._open.shape
        west, east = self._index(area.west, 0), self._index(area.east, 0) + 1
        south, north = self._index(area.south, 1), self._index(area.north, 1) + 1
        total = max(east - west, 1) * max(north - south, 1)
        w, e = min(max(west, 0), columns), min(max(east, 0), columns)
        s, n = min(max(south, 0), rows), min(max(north, 0), rows)
        if e <= w or n <= s:
            return 0.0
        table = self._sums
        return float(table[e, n] - table[w, n] - table[e, s] + table[w, s]) / total

    def ahead(self, spot: Rectangle, yaw: float, reach: float = 1.0) -> float:
        """How much of the floor is free right before a rectangle's side, 0 to 1."""
        near = spot.side(yaw)
        return self.share(Rectangle.spanned(yaw, near + 0.05, near + reach, *spot.across(yaw)))

    def points(self) -> list[tuple[float, float]]:
        """The middles of all free cells, (x, z), from west to east, from south to north."""
        x, z = self._origin
        return [
            (x + (i + 0.5) * CELL, z + (j + 0.5) * CELL) for i, j in np.argwhere(self.free).tolist()
        ]

    def run(self, point: tuple[float, float], yaw: float) -> float:
        """How far the floor stays free from a point along a direction given by its yaw, metres."""
        x, z = math.sin(math.radians(yaw)), math.cos(math.radians(yaw))
        columns, rows = self._open.shape
        steps = 0
        while True:
            i = self._index(point[0] + x * steps * CELL, 0)
            j = self._index(point[1] + z * steps * CELL, 1)
            if not (0 <= i < columns and 0 <= j < rows) or not self.free[i, j]:
                return max(0, steps - 1) * CELL
            steps += 1
