"""What of a triangle changes evenly over the picture, as planes.

For a triangle (p0, p1, p2) in a view's axes there are three vectors e0, e1, e2 with
ei . pj = 1 if i = j else 0. A point P = z * (x / z, y / z, 1) on it has the barycentric coordinates
ei . P; so any attribute A that is linear over the triangle satisfies

    A / z = (sum of Ai * ei) . (x / z, y / z, 1),

a plane over the picture's tangents. One such plane per attribute, three numbers, is all that a
pixel has to look up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.render.soft.triangles import Triangles
from env_service.worlds.household.render.soft.view import View

F4 = np.float32
Floats = NDArray[np.float32]


class Planes(NamedTuple):
    """Planes of the triangles in sight; the last axis counts them.

    Attributes:
        normal: float32 [9, V], three numbers each for the x, y and z of the normal in the room's
            frame, not of unit length.
        level: float32 [3, V], the normal at the first corner; all of it where a triangle is flat.
        uv: float32 [6, V], three numbers each for u / z and v / z.
    """

    normal: Floats
    level: Floats
    uv: Floats


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
    values: NDArray[np.float64] | Floats, duals: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Sum of corner values times their dual vectors, float64 [3, V]."""
    found: NDArray[np.float64] = values[0] * duals[0] + values[1] * duals[1] + values[2] * duals[2]
    return found
