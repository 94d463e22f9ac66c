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
def bent_normal(table: Planes, triangle: Longs, cx: Floats, cy: Floats) -> Three:
    """Unit normals of triangles whose corners' normals differ."""
    n = table.normal
    x = take(n[0], triangle) * cx + take(n[1], triangle) * cy
    x = x + take(n[2], triangle)
    y = take(n[3], triangle) * cx + take(n[4], triangle) * cy
    y = y + take(n[5], triangle)
    z = take(n[6], triangle) * cx + take(n[7], triangle) * cy
    z = z + take(n[8], triangle)
    short = ONE / np.sqrt(x * x + y * y + z * z + TINY)
    return x * short, y * short, z * short


@shared
def level_normal(table: Planes, triangle: Longs) -> Three:
    """Unit normals of flat triangles."""
    n = table.level
    return (
        take(n[0], triangle),
        take(n[1], triangle),
        take(n[2], triangle),
    )
