"""What a sample sees, from the triangle and the depth found there: point, normal and texture
coordinates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.render.soft.pixel_ops import (
    ONE,
    TINY,
    Floats,
    Longs,
    Three,
    shared,
    take,
)
from env_service.worlds.household.render.soft.projection import View
from env_service.worlds.household.render.soft.triangles import Triangles

F4 = np.float32


class Pinhole(NamedTuple):
    """A view in float32: position and axes, each x, y and z."""

    eye_x: np.float32
    eye_y: np.float32
    eye_z: np.float32
    right_x: np.float32
    right_y: np.float32
    right_z: np.float32
    up_x: np.float32
    up_y: np.float32
    up_z: np.float32
    forward_x: np.float32
    forward_y: np.float32
    forward_z: np.float32

    @staticmethod
    def of(view: View) -> Pinhole:
        """The view's numbers."""
        return Pinhole(*(F4(v) for v in (*view.eye, *view.right, *view.up, *view.forward)))


@shared
def place(eye: Pinhole, cx: Floats, cy: Floats, inverse: Floats) -> tuple[Three, Three]:
    """Points in the room at tangents (cx, cy) and inverse depth, and unit directions to them."""
    dx = eye.right_x * cx + eye.up_x * cy + eye.forward_x
    dy = eye.right_y * cx + eye.up_y * cy + eye.forward_y
    dz = eye.right_z * cx + eye.up_z * cy + eye.forward_z
    z = ONE / inverse
    point = (dx * z + eye.eye_x, dy * z + eye.eye_y, dz * z + eye.eye_z)
    length: Floats = np.sqrt(cx * cx + cy * cy + ONE)
    return point, (dx / length, dy / length, dz / length)


@shared
def on_plane(a: Floats, b: Floats, c: Floats, cx: Floats, cy: Floats) -> Floats:
    """The value of a plane (a, b, c) at tangents (cx, cy)."""
    return a * cx + b * cy + c


@shared
def dot(a: Three, b: Three) -> Floats:
    """Inner products."""
    found: Floats = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return found


@shared
def unit(x: Floats, y: Floats, z: Floats) -> Three:
    """Vectors of unit length."""
    short = ONE / np.sqrt(x * x + y * y + z * z + TINY)
    return x * short, y * short, z * short


def bent_normal(table: Planes, triangle: Longs, cx: Floats, cy: Floats) -> Three:
    """Unit normals of triangles whose corners' normals differ."""
    x, y, z = (plane_at(table.normal[k : k + 3], triangle, cx, cy) for k in (0, 3, 6))
    return unit(x, y, z)


def plane_at(plane: Floats, triangle: Longs, cx: Floats, cy: Floats) -> Floats:
    """The value of triangles' planes, float32 [3, V], at tangents (cx, cy)."""
    a, b, c = plane
    return on_plane(take(a, triangle), take(b, triangle), take(c, triangle), cx, cy)


def level_normal(table: Planes, triangle: Longs) -> Three:
    """Unit normals of flat triangles."""
    x, y, z = table.level
    return take(x, triangle), take(y, triangle), take(z, triangle)


# --- What of a triangle changes evenly over the picture, as planes

PlanesFloats = NDArray[np.float32]


class Planes(NamedTuple):
    """Planes of the triangles in sight; the last axis counts them.

    Attributes:
        normal: float32 [9, V], three numbers each for the x, y and z of the normal in the room's
            frame, not of unit length.
        level: float32 [3, V], the normal at the first corner; all of it where a triangle is flat.
        uv: float32 [6, V], three numbers each for u / z and v / z.
    """

    normal: PlanesFloats
    level: PlanesFloats
    uv: PlanesFloats


def planes(view: View, triangles: Triangles, chosen: NDArray[np.int64]) -> Planes:
    """The planes of chosen triangles. Normals of those seen from behind are turned to the eye."""
    p = view.local(triangles.points[:, :, chosen])
    size = facing(p)
    inverse = 1.0 / np.where(size != 0, size, 1.0)
    duals = [_cross(p[:, i - 2], p[:, i - 1]) * inverse for i in range(3)]
    towards = np.where(size > 0, -1.0, 1.0)
    corners = triangles.normals[:, :, chosen] * towards
    normal = [_plane(axis, duals) for axis in corners]
    uv = [_plane(axis, duals) for axis in triangles.uv[:, :, chosen]]
    return Planes(
        np.concatenate(normal).astype(F4),
        corners[:, 0].astype(F4),
        np.concatenate(uv).astype(F4),
    )


def facing(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """det(p0, p1, p2) of triangles [axis, corner, N] in a view's axes; negative where seen from
    the front."""
    cross = _cross(p[:, 1], p[:, 2])
    found: NDArray[np.float64] = p[0, 0] * cross[0] + p[1, 0] * cross[1] + p[2, 0] * cross[2]
    return found


def _cross(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def _plane(
    values: NDArray[np.float64] | PlanesFloats, duals: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Sum of corner values times their dual vectors, float64 [3, V]."""
    found: NDArray[np.float64] = values[0] * duals[0] + values[1] * duals[1] + values[2] * duals[2]
    return found
