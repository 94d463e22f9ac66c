"""A camera as the rasteriser needs it, and what of a scene it can see at all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Rotation, Vec3
from env_service.worlds.household.render.interface import Camera
from env_service.worlds.household.render.soft.triangles import Triangles


@dataclass(frozen=True)
class View:
    """A pinhole: where it stands, how it is turned, how wide it looks.

    A point before it has coordinates (x, y, z) along its right, up and forward axes, and the
    tangents x / z and y / z; a picture spans tangents of -across to across and -along to along.

    Attributes:
        eye: metres.
        right, up, forward: unit axes in the room's frame.
        across, along: tangents of half the horizontal and half the vertical field of view.
        width, height: samples.
        near, far: metres.
    """

    eye: tuple[float, float, float]
    right: tuple[float, float, float]
    up: tuple[float, float, float]
    forward: tuple[float, float, float]
    across: float
    along: float
    width: int
    height: int
    near: float
    far: float

    @staticmethod
    def of(camera: Camera) -> View:
        """The view of a camera."""
        turned = Rotation.from_euler(Vec3(camera.pitch, camera.yaw, camera.roll))
        axes = (Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1))
        right, up, forward = (turned.apply(axis).tuple() for axis in axes)
        along = round(math.tan(math.radians(camera.field_of_view / 2)), 9)
        return View(
            camera.position.tuple(),
            right,
            up,
            forward,
            along * camera.width / camera.height,
            along,
            camera.width,
            camera.height,
            camera.near,
            camera.far,
        )

    def local(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Points [3, ...] of the room along the view's axes, the same shape."""
        x, y, z = (points[i] - self.eye[i] for i in range(3))
        axes = (self.right, self.up, self.forward)
        return np.stack([a[0] * x + a[1] * y + a[2] * z for a in axes])

    @cached_property
    def _planes(self) -> tuple[tuple[float, float, float, float], ...]:
        """Inward normals and offsets of the six sides of what is seen."""
        r, u, f = self.right, self.up, self.forward

        def side(a: tuple[float, float, float], width: float) -> tuple[float, float, float, float]:
            n = (a[0] + width * f[0], a[1] + width * f[1], a[2] + width * f[2])
            return (*n, -(n[0] * self.eye[0] + n[1] * self.eye[1] + n[2] * self.eye[2]))

        depth = f[0] * self.eye[0] + f[1] * self.eye[1] + f[2] * self.eye[2]
        minus = tuple((-a[0], -a[1], -a[2]) for a in (r, u))
        return (
            side(r, self.across),
            side(minus[0], self.across),
            side(u, self.along),
            side(minus[1], self.along),
            (*f, -depth - self.near),
            (-f[0], -f[1], -f[2], depth + self.far),
        )

    def sees(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether boxes [3, N] may reach into the view; never wrong about one that does."""
        seen = np.ones(low.shape[1], np.bool_)
        for a, b, c, d in self._planes:
            # of each box, the corner furthest inside
            x = np.where(a > 0, high[0], low[0])
            y = np.where(b > 0, high[1], low[1])
            z = np.where(c > 0, high[2], low[2])
            seen &= a * x + b * y + c * z + d >= 0
        return seen


def in_sight(view: View, triangles: Triangles) -> NDArray[np.bool_]:
    """Of each node, whether its box may reach into the view."""
    return view.sees(triangles.low, triangles.high)


class Scales(NamedTuple):
    """How a place on the picture becomes tangents, in float32."""

    width: int
    per_column: np.float32
    across: np.float32
    per_row: np.float32
    along: np.float32


def scales(view: View) -> Scales:
    """The scales of a view."""
    return Scales(
        view.width,
        np.float32(2 * view.across / view.width),
        np.float32(view.across),
        np.float32(2 * view.along / view.height),
        np.float32(view.along),
    )


def tangents(
    view: View, x: NDArray[np.float32], y: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Tangents of places on the picture, which are in pixels from its upper left corner."""
    table = scales(view)
    return x * table.per_column - table.across, table.along - y * table.per_row
