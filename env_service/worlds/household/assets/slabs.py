"""Flat plates of any outline with rectangular holes, rings around rectangles, and areas cut into
rectangles.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.lofts import Array, rounded_rect
from env_service.worlds.household.assets.model import Mesh, join
from env_service.worlds.household.assets.shapes import Point2

PlatesArray = NDArray[np.float64]
Rectangle = tuple[float, float, float, float]
"""(x0, z0, x1, z1), metres, low corner first."""

_CLOSE = 1e-7


class _Edge(NamedTuple):
    """A side of the outline, from its left to its right end."""

    x0: float
    z0: float
    x1: float
    z1: float

    def at(self, x: float) -> float:
        share = (x - self.x0) / (self.x1 - self.x0)
        return self.z0 + (self.z1 - self.z0) * share


def rectangle(x0: float, z0: float, x1: float, z1: float) -> tuple[Point2, ...]:
    """The outline of a rectangle."""
    return ((x0, z0), (x1, z0), (x1, z1), (x0, z1))


def plate(
    outline: Sequence[Point2],
    low: float,
    high: float,
    *,
    holes: Sequence[Rectangle] = (),
    tile: float = 1.0,
) -> Mesh:
    """A closed slab between two heights over a simple polygon of (x, z) points, convex or not.

    Holes lie inside the polygon and do not overlap. Texture coordinates are metres divided by
    `tile`: the ground plan on top and below, the run of the edge at the sides.
    """
    rings = [_oriented(outline, 1), *(_oriented(rectangle(*hole), -1) for hole in holes)]
    top, faces = _cover(rings)
    count = len(top)
    up = np.tile([0.0, 1.0, 0.0], (count, 1))
    flat = top / tile
    upper = Mesh.of(np.insert(top, 1, high, axis=1), up, flat, faces)
    lower = Mesh.of(np.insert(top, 1, low, axis=1), -up, flat, faces[:, ::-1])
    return join([upper, lower, *(_sides(ring, low, high, tile) for ring in rings)])


def lid(
    outline: Sequence[Point2], height: float, *, holes: Sequence[Rectangle] = (), tile: float = 1.0
) -> Mesh:
    """Only the upper face of such a plate."""
    rings = [_oriented(outline, 1), *(_oriented(rectangle(*hole), -1) for hole in holes)]
    top, faces = _cover(rings)
    up = np.tile([0.0, 1.0, 0.0], (len(top), 1))
    return Mesh.of(np.insert(top, 1, height, axis=1), up, top / tile, faces)


def _oriented(ring: Sequence[Point2], sense: int) -> list[Point2]:
    pairs = zip(ring, [*ring[1:], ring[0]], strict=True)
    area = math.fsum(a[0] * b[1] - b[0] * a[1] for a, b in pairs)
    return list(ring) if area * sense > 0 else list(ring)[::-1]


def _cover(rings: Sequence[Sequence[Point2]]) -> tuple[PlatesArray, NDArray[np.int64]]:
    """Points [N, 2] and upward triangles over the area inside the rings.

    The area is cut into upright strips at every corner, the strips into trapezoids. A corner of a
    neighbouring trapezoid on a trapezoid's side becomes a corner of both, so that no gaps show
    there.
    """
    edges = [
        _Edge(*min(a, b), *max(a, b))
        for ring in rings
        for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)
        if abs(a[0] - b[0]) > _CLOSE
    ]
    cuts = _distinct([point[0] for ring in rings for point in ring])
    shapes: list[tuple[float, float, float, float, float, float]] = []
    stops: dict[float, list[float]] = {cut: [] for cut in cuts}
    for left, right in pairwise(cuts):
        middle = (left + right) / 2
        across = sorted(
            (e for e in edges if e.x0 < middle < e.x1), key=lambda edge: edge.at(middle)
        )
        for lower, upper in zip(across[::2], across[1::2], strict=True):
            at_left, at_right = (lower.at(left), upper.at(left)), (lower.at(right), upper.at(right))
            shapes.append((left, *at_left, right, *at_right))
            stops[left] += at_left
            stops[right] += at_right
    points: list[Point2] = []
    faces: list[list[int]] = []
    for left, a, b, right, c, d in shapes:
        start = len(points)
        away = [(left, z) for z in _between(stops[left], a, b)]
        back = [(right, z) for z in _between(stops[right], c, d)]
        points += [*away, *back]
        faces += _zip_up(away, back, start)
    return np.array(points, np.float64), np.array(faces)


def _zip_up(left: Sequence[Point2], right: Sequence[Point2], start: int) -> list[list[int]]:
    """Upward triangles between two upright rows of points, by rising z."""
    faces = []
    i, k, other = 0, 0, start + len(left)
    while i < len(left) - 1 or k < len(right) - 1:
        go_left = k == len(right) - 1 or (
            i < len(left) - 1 and left[i + 1][1] - left[0][1] <= right[k + 1][1] - right[0][1]
        )
        if go_left:
            faces.append([start + i, start + i + 1, other + k])
            i += 1
        else:
            faces.append([start + i, other + k + 1, other + k])
            k += 1
    return faces


def _between(stops: Sequence[float], low: float, high: float) -> list[float]:
    inner = [z for z in _distinct(stops) if low + _CLOSE < z < high - _CLOSE]
    return [low, *inner, high] if high - low > _CLOSE else [low]


def _distinct(values: Sequence[float]) -> list[float]:
    """Sorted, without those that all but coincide."""
    ordered = sorted(values)
    return [v for k, v in enumerate(ordered) if k == 0 or v - ordered[k - 1] > _CLOSE]


def _sides(ring: Sequence[Point2], low: float, high: float, tile: float) -> Mesh:
    start = np.array(ring, np.float64)
    along = np.roll(start, -1, 0) - start
    end, length = start + along, np.sqrt((along * along).sum(1))
    offset = np.concatenate([[0.0], np.cumsum(length)[:-1]])
    count = len(start)
    lows, highs = np.full(count, low), np.full(count, high)
    corners = [(start, lows), (end, lows), (end, highs), (start, highs)]
    points = np.stack([np.stack([p[:, 0], y, p[:, 1]], 1) for p, y in corners], 1)
    normal = np.repeat(np.stack([along[:, 1], np.zeros(count), -along[:, 0]], 1), 4, 0)
    u = np.stack([offset, offset + length, offset + length, offset], 1)
    v = np.tile([low, low, high, high], (count, 1))
    quads = np.array([[0, 2, 1], [0, 3, 2]])
    faces = (np.arange(count)[:, None, None] * 4 + quads).reshape(-1, 3)
    uv = np.stack([u, v], 2).reshape(-1, 2) / tile
    return Mesh.of(points.reshape(-1, 3), normal, uv, faces)


# --- Rings around rectangles in plan, to stretch skins over: sinks, toasters, plates of hobs


def rounded_ring(area: Rectangle, radius: float, y: float, *, steps: int = 4) -> Array:
    """The rectangle (x0, z0, x1, z1) with round corners, level at a height: float64
    [4 * (steps + 1), 3], in the order of `lofts.rounded_rect`.

    The radius is cut to half of the shorter side; `math.inf` gives the ellipse in the rectangle.
    Rings of equal steps fit each other, whatever their radii.
    """
    x0, z0, x1, z1 = area
    middle = ((x0 + x1) / 2, (z0 + z1) / 2)
    if not math.isinf(radius):
        return rounded_rect(x1 - x0, z1 - z0, radius, y, at=middle, steps=steps)
    quarter = np.linspace(0.0, math.pi / 2, steps + 1)
    turn = np.concatenate([quarter + k * math.pi / 2 for k in range(4)])
    x = middle[0] + (x1 - x0) / 2 * np.cos(turn)
    z = middle[1] + (z1 - z0) / 2 * np.sin(turn)
    return np.stack([x, np.full(len(x), y), z], axis=1)


def grown(area: Rectangle, by: float) -> Rectangle:
    """A rectangle with every side moved outwards, or inwards by a negative amount; metres."""
    return (area[0] - by, area[1] - by, area[2] + by, area[3] + by)


# --- Cutting an area into rectangles, for the usable surface of counters

SLANT_STEP = 0.05
"""Metres between the cuts along a slanted side."""


def rectangles(
    outline: Sequence[Point2], holes: Sequence[Rectangle] = (), *, least: float = 0.03
) -> tuple[Rectangle, ...]:
    """Rectangles that do not overlap and fill a simple polygon without its holes.

    The largest comes first, then the largest of what is left, and so on; so a counter in L shape
    gives its long run and the rest. Upright and level sides are filled exactly, slanted ones in
    steps of `SLANT_STEP`. Rectangles with a side under `least` metres are left out.
    """
    xs = _cuts(outline, holes, 0)
    zs = _cuts(outline, holes, 1)
    free = _inside(outline, xs, zs)
    for hole in holes:
        # rounded like the cuts, else a hole would take the adjacent cell too
        x0, z0, x1, z1 = (round(value, 6) for value in hole)
        in_x = (xs[:-1] < x1 - 1e-9) & (xs[1:] > x0 + 1e-9)
        in_z = (zs[:-1] < z1 - 1e-9) & (zs[1:] > z0 + 1e-9)
        free &= ~(in_x[:, None] & in_z[None])
    found: list[Rectangle] = []
    while True:
        best = _largest(free, xs, zs)
        if best is None:
            return tuple(found)
        i, j, k, m = best
        free[i:j, k:m] = False
        area = (float(xs[i]), float(zs[k]), float(xs[j]), float(zs[m]))
        if min(area[2] - area[0], area[3] - area[1]) >= least:
            found.append(area)


def _cuts(outline: Sequence[Point2], holes: Sequence[Rectangle], axis: int) -> NDArray[np.float64]:
    values = [point[axis] for point in outline]
    values += [hole[k] for hole in holes for k in (axis, axis + 2)]
    for start, end in zip(outline, [*outline[1:], outline[0]], strict=True):
        if min(abs(start[0] - end[0]), abs(start[1] - end[1])) > 1e-6:
            low, high = sorted((start[axis], end[axis]))
            values += list(np.arange(low, high, SLANT_STEP))
    return np.unique(np.round(np.array(values, np.float64), 6))


def _inside(
    outline: Sequence[Point2], xs: NDArray[np.float64], zs: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Which cells of the grid are in the polygon: those whose corners, drawn in a little, do."""
    cells = np.ones((len(xs) - 1, len(zs) - 1), bool)
    for share_x in (0.001, 0.999):
        for share_z in (0.001, 0.999):
            x = xs[:-1] + (xs[1:] - xs[:-1]) * share_x
            z = zs[:-1] + (zs[1:] - zs[:-1]) * share_z
            cells &= _holds(outline, x[:, None], z[None])
    return cells


def _holds(
    outline: Sequence[Point2], x: NDArray[np.float64], z: NDArray[np.float64]
) -> NDArray[np.bool_]:
    within = np.zeros(np.broadcast_shapes(x.shape, z.shape), bool)
    for start, end in zip(outline, [*outline[1:], outline[0]], strict=True):
        if start[1] == end[1]:
            continue
        crosses = (start[1] > z) != (end[1] > z)
        at = start[0] + (z - start[1]) / (end[1] - start[1]) * (end[0] - start[0])
        within ^= crosses & (x < at)
    return within


def _largest(
    free: NDArray[np.bool_], xs: NDArray[np.float64], zs: NDArray[np.float64]
) -> tuple[int, int, int, int] | None:
    """Cell ranges (x from, x to, z from, z to) of the largest free rectangle; the first of equal
    ones."""
    best, found = 0.0, None
    for i in range(len(free)):
        open_row = np.ones(free.shape[1], bool)
        for j in range(i, len(free)):
            open_row &= free[j]
            if not open_row.any():
                break
            width = float(xs[j + 1] - xs[i])
            for start, end in _runs(open_row):
                area = width * float(zs[end] - zs[start])
                if area > best + 1e-12:
                    best, found = area, (i, j + 1, start, end)
    return found


def _runs(row: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Ranges of neighbouring true entries."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


# --- Meshes cut in two by a level


def cut(mesh: Mesh, height: float) -> tuple[Mesh, Mesh]:
    """What of a mesh is below a height, and what is above; together they look as the whole."""
    corners = np.concatenate([mesh.points, mesh.normals, mesh.uv], axis=1).astype(np.float64)
    halves = []
    for sign in (-1.0, 1.0):
        pieces = [_clipped(corners[face], sign, height) for face in mesh.faces]
        pieces = [piece for piece in pieces if len(piece) > 2]
        starts = np.cumsum([0, *(len(piece) for piece in pieces)])
        faces = [
            (start, start + k, start + k + 1)
            for start, piece in zip(starts[:-1], pieces, strict=True)
            for k in range(1, len(piece) - 1)
        ]
        rows = np.concatenate(pieces) if pieces else np.zeros((0, 8))
        halves.append(Mesh.of(rows[:, :3], rows[:, 3:6], rows[:, 6:], np.array(faces, np.int64)))
    return halves[0], halves[1]


def _clipped(face: NDArray[np.float64], sign: float, height: float) -> NDArray[np.float64]:
    """The corners of what is left of a triangle on one side of a height: none, three or four."""
    found = []
    for one, two in zip(face, np.roll(face, -1, axis=0), strict=True):
        here, there = sign * (one[1] - height), sign * (two[1] - height)
        if here >= 0:
            found.append(one)
        if here * there < 0:
            found.append(one + (two - one) * (here / (here - there)))
    return np.array(found).reshape(-1, 8)
