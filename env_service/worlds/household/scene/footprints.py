"""Shapes seen from above: rectangles along the axes, the four directions, and the outline of
several shapes taken together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Box, Vec3

YAWS = (0.0, 90.0, 180.0, 270.0)
"""The four directions along the axes: +z, +x, -z, -x."""

DIRECTIONS: dict[float, tuple[int, int]] = {
    0.0: (0, 1),
    90.0: (1, 0),
    180.0: (0, -1),
    270.0: (-1, 0),
}
"""(x, z) of each yaw."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """An axis-aligned rectangle on the floor, metres."""

    west: float
    east: float
    south: float
    north: float

    @staticmethod
    def under(box: Box) -> Rectangle:
        """The area that an upright, axis-aligned box covers."""
        x, z = box.size.x / 2, box.size.z / 2
        at = box.center
        return Rectangle(at.x - x, at.x + x, at.z - z, at.z + z)

    @property
    def width(self) -> float:
        """Extent along x."""
        return self.east - self.west

    @property
    def depth(self) -> float:
        """Extent along z."""
        return self.north - self.south

    @property
    def center(self) -> tuple[float, float]:
        """(x, z) of the middle."""
        return (self.west + self.east) / 2, (self.south + self.north) / 2

    def side(self, yaw: float) -> float:
        """The coordinate of its side in a direction, counted along that direction: greater is
        further."""
        return {0.0: self.north, 90.0: self.east, 180.0: -self.south, 270.0: -self.west}[yaw]

    def across(self, yaw: float) -> tuple[float, float]:
        """Its extent across a direction: x for +z and -z, z for +x and -x."""
        return (self.west, self.east) if yaw in (0.0, 180.0) else (self.south, self.north)

    def grown(self, by: float) -> Rectangle:
        """With every side moved outwards."""
        return Rectangle(self.west - by, self.east + by, self.south - by, self.north + by)

    def overlap(self, other: Rectangle) -> Rectangle | None:
        """The area that both cover, None if they do not overlap."""
        both = Rectangle(
            max(self.west, other.west),
            min(self.east, other.east),
            max(self.south, other.south),
            min(self.north, other.north),
        )
        return both if both.width > 0 and both.depth > 0 else None

    def holds(self, x: float, z: float, slack: float = 0.0) -> bool:
        """Whether a point is inside it, or within `slack` of it."""
        return (
            self.west - slack <= x <= self.east + slack
            and self.south - slack <= z <= self.north + slack
        )

    def box(self, low: float, high: float) -> Box:
        """The upright box on it between two heights."""
        x, z = self.center
        return Box(Vec3(x, (low + high) / 2, z), Vec3(self.width, high - low, self.depth))

    @staticmethod
    def spanned(yaw: float, near: float, far: float, low: float, high: float) -> Rectangle:
        """The one that runs from `near` to `far` along a direction (as `side` counts) and from
        `low` to `high` across it (as `across` counts)."""
        if yaw == 0.0:
            return Rectangle(low, high, near, far)
        if yaw == 180.0:
            return Rectangle(low, high, -far, -near)
        if yaw == 90.0:
            return Rectangle(near, far, low, high)
        return Rectangle(-far, -near, low, high)


def mirrored(span: tuple[float, float], middle: float, yaw: float) -> tuple[float, float]:
    """A span across a direction, as `across` counts, in the x of an upright box that faces it and
    has its middle there: x of the box runs against the room's axis at yaw 90 and 180."""
    sign = 1.0 if yaw in (0.0, 270.0) else -1.0
    first, second = sign * (span[0] - middle), sign * (span[1] - middle)
    return min(first, second), max(first, second)


# --- The outline of several shapes on the floor taken together

Point2 = tuple[float, float]
"""(x, z)."""

SLANT_CELL = 0.04
"""Metres: how finely slanted pieces are cut before their edges are straightened again."""


def outline_of(areas: Sequence[Rectangle], slanted: Sequence[Box] = ()) -> tuple[Point2, ...]:
    """The outer outline of the largest connected part of a union, counter-clockwise with x to the
    right and z up.

    `slanted` are upright boxes, turned about the vertical, of which the ground plan counts. Without
    them the outline is exact. No shapes give no points.
    """
    if not areas and not slanted:
        return ()
    xs = _cuts(
        [v for a in areas for v in (a.west, a.east)], [c.x for b in slanted for c in b.corners()]
    )
    zs = _cuts(
        [v for a in areas for v in (a.south, a.north)], [c.z for b in slanted for c in b.corners()]
    )
    mid_x, mid_z = (xs[:-1] + xs[1:]) / 2, (zs[:-1] + zs[1:]) / 2
    filled = np.zeros((len(mid_x), len(mid_z)), np.bool_)
    for area in areas:
        in_x = (mid_x > area.west) & (mid_x < area.east)
        in_z = (mid_z > area.south) & (mid_z < area.north)
        filled |= in_x[:, None] & in_z[None]
    for box in slanted:
        filled |= _covers(box, mid_x, mid_z)
    ring = _trace(_largest(filled))
    points = [(float(xs[i]), float(zs[j])) for i, j in ring]
    return tuple(_straightened(points, SLANT_CELL * 1.05) if slanted else points)


def _cuts(exact: list[float], loose: list[float]) -> NDArray[np.float64]:
    values = [round(value, 4) for value in exact]
    if loose:
        low, high = min(loose), max(loose)
        steps = max(1, math.ceil((high - low) / SLANT_CELL))
        values += [low + (high - low) * k / steps for k in range(steps + 1)]
    found = np.unique(np.array(values))
    keep = np.concatenate([[True], np.diff(found) > 1e-4])
    cuts: NDArray[np.float64] = found[keep]
    return cuts


def _covers(box: Box, xs: NDArray[np.float64], zs: NDArray[np.float64]) -> NDArray[np.bool_]:
    across, ahead = box.rotation.apply(Vec3(1, 0, 0)), box.rotation.apply(Vec3(0, 0, 1))
    dx, dz = xs[:, None] - box.center.x, zs[None] - box.center.z
    u, v = dx * across.x + dz * across.z, dx * ahead.x + dz * ahead.z
    covered: NDArray[np.bool_] = (abs(u) < box.size.x / 2) & (abs(v) < box.size.z / 2)
    return covered


def _largest(filled: NDArray[np.bool_]) -> NDArray[np.bool_]:
    left = {(int(i), int(j)) for i, j in np.argwhere(filled)}
    best: set[tuple[int, int]] = set()
    while left:
        line = [min(left)]
        part = set(line)
        while line:
            i, j = line.pop()
            for cell in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
                if cell in left and cell not in part:
                    part.add(cell)
                    line.append(cell)
        left -= part
        best = part if len(part) > len(best) else best
    grid = np.zeros_like(filled)
    for i, j in best:
        grid[i, j] = True
    return grid


def _trace(filled: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Corners of the outer boundary, in grid lines, counter-clockwise; holes are left out."""
    grid = np.pad(filled, 1)
    edges: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for i, j in np.argwhere(grid):
        a, b = int(i) - 1, int(j) - 1
        for beside, start, end in (
            ((i, j - 1), (a, b), (a + 1, b)),
            ((i + 1, j), (a + 1, b), (a + 1, b + 1)),
            ((i, j + 1), (a + 1, b + 1), (a, b + 1)),
            ((i - 1, j), (a, b + 1), (a, b)),
        ):
            if not grid[beside]:
                edges.setdefault(start, []).append(end)
    first = min(edges)
    ring, heading = [first], (1, 0)
    here = edges[first][0]
    heading = (here[0] - first[0], here[1] - first[1])
    while here != first:
        # where two parts touch at a corner, the sharpest right turn stays on this part's outside
        ends = edges[here]
        nxt = min(ends, key=lambda p: _turn(heading, (p[0] - here[0], p[1] - here[1])))
        step = (nxt[0] - here[0], nxt[1] - here[1])
        if step != heading:
            ring.append(here)
        here, heading = nxt, step
    return ring


def _turn(before: Point2, after: Point2) -> float:
    """The angle by which a walk turns to the left."""
    return math.atan2(
        before[0] * after[1] - before[1] * after[0], before[0] * after[0] + before[1] * after[1]
    )


def _straightened(ring: list[Point2], slack: float) -> list[Point2]:
    """The ring with the fewest corners from which no dropped one is further than `slack`
    (Douglas and Peucker's rule, from two far corners)."""
    far = max(range(len(ring)), key=lambda k: math.dist(ring[k], ring[0]))
    there = _thinned([*ring[: far + 1]], slack)
    back = _thinned([*ring[far:], ring[0]], slack)
    return [*there[:-1], *back[:-1]]


def _thinned(line: list[Point2], slack: float) -> list[Point2]:
    if len(line) < 3:
        return line
    (ax, az), (bx, bz) = line[0], line[-1]
    length = math.hypot(bx - ax, bz - az)
    offsets = [
        abs((bx - ax) * (z - az) - (bz - az) * (x - ax)) / length
        if length > 1e-9
        else math.hypot(x - ax, z - az)
        for x, z in line[1:-1]
    ]
    worst = max(range(len(offsets)), key=offsets.__getitem__)
    if offsets[worst] <= slack:
        return [line[0], line[-1]]
    return [*_thinned(line[: worst + 2], slack)[:-1], *_thinned(line[worst + 1 :], slack)]


def keyhole(
    ring: Sequence[Point2], hole: Sequence[Point2], towards: Point2, slit: float = 0.0006
) -> tuple[Point2, ...]:
    """A ring with a hole of any shape, as one ring: a slit as good as closed leads to the hole.

    The slit runs from the hole's corner that lies furthest in the direction `towards` to the ring.
    A hole outside the ring does not change it.
    """
    if not all(inside(point, ring) for point in hole):
        return tuple(ring)
    dx, dz = towards
    start = max(range(len(hole)), key=lambda k: hole[k][0] * dx + hole[k][1] * dz)
    px, pz = hole[start]
    best: tuple[float, int] | None = None
    for k, (ax, az) in enumerate(ring):
        bx, bz = ring[(k + 1) % len(ring)]
        along = dx * (bz - az) - dz * (bx - ax)
        if abs(along) < 1e-12:
            continue
        far = ((ax - px) * (bz - az) - (az - pz) * (bx - ax)) / along
        share = ((ax - px) * dz - (az - pz) * dx) / along
        if far > 1e-6 and 0.0 <= share <= 1.0 and (best is None or far < best[0]):
            best = (far, k)
    if best is None:
        return tuple(ring)
    far, k = best
    side = (-dz * slit, dx * slit)
    goal = (px + dx * far, pz + dz * far)
    inner = [hole[(start + j) % len(hole)] for j in range(len(hole))]
    if (_area(inner) > 0) == (_area(ring) > 0):
        inner = [inner[0], *reversed(inner[1:])]
    ends = [(goal[0] - side[0], goal[1] - side[1]), (goal[0] + side[0], goal[1] + side[1])]
    (ax, az), (bx, bz) = ring[k], ring[(k + 1) % len(ring)]
    if (bx - ax) * side[0] + (bz - az) * side[1] < 0:
        ends.reverse()
    near = [(inner[0][0] + e[0] - goal[0], inner[0][1] + e[1] - goal[1]) for e in ends]
    return (*ring[: k + 1], ends[0], near[0], *inner[1:], near[1], ends[1], *ring[k + 1 :])


def inside(point: Point2, ring: Sequence[Point2]) -> bool:
    """Whether a point is inside a simple polygon."""
    x, z = point
    within = False
    for (ax, az), (bx, bz) in zip(ring, [*ring[1:], ring[0]], strict=True):
        if (az > z) != (bz > z) and x < (bx - ax) * (z - az) / (bz - az) + ax:
            within = not within
    return within


def _area(ring: Sequence[Point2]) -> float:
    pairs = zip(ring, [*ring[1:], ring[0]], strict=True)
    return math.fsum(a[0] * b[1] - b[0] * a[1] for a, b in pairs) / 2
