"""What a sample sees, from the triangle and the depth found there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from env_service.worlds.household.render.soft.lanes import (
    ONE,
    TINY,
    Floats,
    Longs,
    Three,
    shared,
    take,
)
from env_service.worlds.household.render.soft.planes import Planes
from env_service.worlds.household.render.soft.view import View

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
