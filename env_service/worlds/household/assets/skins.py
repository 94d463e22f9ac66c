"""Skins stretched over rings, flat pictures, and paths through points: for what no lathe or box
can make.

A ring is float64 [N, 3]: a closed line of points that turns from +x towards +z, as the rings of
`shapes.lathe` do. Rings that follow each other upwards make an outer wall; from a rim downwards,
the inside of a vessel.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.shapes import Point2, Point3

Array = NDArray[np.float64]


def ellipse(
    rx: float, rz: float, y: float = 0.0, *, at: Point2 = (0.0, 0.0), sides: int = 20
) -> Array:
    """A level ellipse about (x, z), at height y."""
    turn = np.linspace(0.0, 2 * math.pi, sides, endpoint=False)
    return np.stack(
        [at[0] + rx * np.cos(turn), np.full(sides, y), at[1] + rz * np.sin(turn)], axis=1
    )


def egg(
    rx: float,
    front: float,
    back: float,
    y: float = 0.0,
    *,
    at: Point2 = (0.0, 0.0),
    sides: int = 24,
    square: float = 1.0,
) -> Array:
    """A level oval that reaches `front` metres to +z and `back` metres to -z of its centre.
    `square` above 1 makes the back end blunter."""
    turn = np.linspace(0.0, 2 * math.pi, sides, endpoint=False)
    cosine, sine = np.cos(turn), np.sin(turn)
    blunt = np.abs(cosine) ** np.where(sine < 0, 1.0 / square, 1.0)
    x = rx * np.sign(cosine) * blunt
    z = np.where(sine > 0, front, back) * sine
    return np.stack([at[0] + x, np.full(sides, y), at[1] + z], axis=1)


def rounded_rect(
    width: float,
    depth: float,
    radius: float,
    y: float = 0.0,
    *,
    at: Point2 = (0.0, 0.0),
    steps: int = 4,
) -> Array:
    """A level rectangle with round corners of `steps` segments each; the radius is cut to half of
    the shorter side. Equal steps give rings that fit each other."""
    r = max(1e-5, min(radius, width * 0.4999, depth * 0.4999))
    quarter = np.linspace(0.0, math.pi / 2, steps + 1)
    turn = np.concatenate([quarter + k * math.pi / 2 for k in range(4)])
    sign_x = np.repeat([1.0, -1.0, -1.0, 1.0], steps + 1)
    sign_z = np.repeat([1.0, 1.0, -1.0, -1.0], steps + 1)
    x = sign_x * (width / 2 - r) + r * np.cos(turn)
    z = sign_z * (depth / 2 - r) + r * np.sin(turn)
    return np.stack([at[0] + x, np.full(len(x), y), at[1] + z], axis=1)


def skin(rings: Sequence[Array], *, low: bool = False, high: bool = False) -> Mesh:
    """A smooth skin over rings of equal length; `low` and `high` close the first and last ring
    with a flat cap. Texture coordinates go once around and once from the first ring to the last.
    """
    open_ring = np.stack(rings)
    along_u = np.roll(open_ring, -1, 1) - np.roll(open_ring, 1, 1)
    normals = np.cross(np.gradient(open_ring, axis=0), along_u)
    flat = (normals * normals).sum(2) < 1e-24
    if flat.any():
        normals = _filled(normals, flat)
    grid = np.concatenate([open_ring, open_ring[:, :1]], 1)
    normals = np.concatenate([normals, normals[:, :1]], 1)
    count, around = grid.shape[:2]
    u = np.tile(np.linspace(0.0, 1.0, around), count)
    v = np.repeat(np.linspace(0.0, 1.0, count), around)
    p = grid.reshape(-1, 3)
    faces = grid_faces(count, around)
    area = np.cross(p[faces[:, 1]] - p[faces[:, 0]], p[faces[:, 2]] - p[faces[:, 0]])
    faces = faces[(area * area).sum(1) > 1e-22]
    side = Mesh.of(p, normals.reshape(-1, 3), np.stack([u, v], 1), faces)
    caps = [cap(rings[0], -1)] * low + [cap(rings[-1], 1)] * high
    return join([side, *caps]) if caps else side


def cap(ring: Array, side: int = 1) -> Mesh:
    """A flat face over a ring that bulges outwards everywhere, facing up (side 1) or down (-1)
    for a level ring. Texture coordinates: its extent in the unit square, to be read from +z."""
    center = ring.mean(0)
    points = np.concatenate([ring, center[None]])
    index = np.arange(len(ring))
    faces = np.stack([np.full(len(ring), len(ring)), np.roll(index, -1), index], 1)
    edge = np.roll(ring, -1, 0) - center
    normal = np.cross(edge, ring - center).sum(0) * side
    extent = np.maximum(np.ptp(ring[:, [0, 2]], axis=0), 1e-9)
    middle = (ring[:, [0, 2]].max(0) + ring[:, [0, 2]].min(0)) / 2
    uv = 0.5 - (points[:, [0, 2]] - middle) / extent
    return Mesh.of(
        points, np.tile(normal, (len(points), 1)), uv, faces if side > 0 else faces[:, ::-1]
    )


def level_picture(width: float, depth: float, y: float, *, at: Point2 = (0.0, 0.0)) -> Mesh:
    """A level rectangle facing up whose picture is read from the front (+z)."""
    x, z = width / 2, depth / 2
    points = np.array([[-x, 0, z], [x, 0, z], [x, 0, -z], [-x, 0, -z]])
    points = points + np.array([at[0], y, at[1]])
    uv = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    up = np.tile([0.0, 1.0, 0.0], (4, 1))
    return Mesh.of(points, up, uv, np.array([[0, 1, 2], [0, 2, 3]]))


def level_disc(
    radius: float, y: float, *, at: Point2 = (0.0, 0.0), sides: int = 24, hole: float = 0.0
) -> Mesh:
    """A level disc facing up, its picture read from the front (+z); `hole` is the radius of a
    hole in its middle."""
    outer = ellipse(radius, radius, y, at=at, sides=sides)
    if hole <= 0:
        return cap(outer)
    ring = skin([outer, ellipse(hole, hole, y, at=at, sides=sides)])
    uv = 0.5 - (ring.points[:, [0, 2]] - np.array(at)) / (2 * radius)
    return Mesh.of(ring.points, np.tile([0.0, 1.0, 0.0], (len(uv), 1)), uv, ring.faces)


def path(points: Sequence[Point3], steps: int = 4) -> list[Point3]:
    """A smooth line through points (Catmull-Rom), `steps` segments between each two."""
    p = np.array([points[0], *points, points[-1]], np.float64)
    t = np.linspace(0.0, 1.0, steps, endpoint=False)[:, None]
    pieces = []
    for k in range(1, len(p) - 2):
        a, b, c, d = p[k - 1], p[k], p[k + 1], p[k + 2]
        pieces.append(
            0.5
            * (
                2 * b
                + (c - a) * t
                + (2 * a - 5 * b + 4 * c - d) * t * t
                + (3 * b - 3 * c + d - a) * t * t * t
            )
        )
    line = np.concatenate([*pieces, p[-1:]])
    return [(float(x), float(y), float(z)) for x, y, z in line]


def grid_faces(rows: int, columns: int) -> NDArray[np.int64]:
    """Two triangles per cell of a grid of corners numbered row by row, facing as `skin` has it."""
    i, j = (a.ravel() for a in np.meshgrid(range(rows - 1), range(columns - 1), indexing="ij"))
    a = i * columns + j
    b, c, d = a + columns, a + columns + 1, a + 1
    return np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def _filled(normals: Array, flat: NDArray[np.bool_]) -> Array:
    """Normals of rings that shrink to a point, taken from the ring beside them."""
    done = normals.copy()
    for row in np.flatnonzero(flat.any(1)):
        beside = row + 1 if row == 0 else row - 1
        done[row] = np.where(flat[row][:, None], normals[beside].sum(0), done[row])
    return done
