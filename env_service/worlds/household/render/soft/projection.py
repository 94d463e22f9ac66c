"""A camera as the rasteriser needs it, and triangles of the room as outlines on its picture."""

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
    """A pinhole camera: its position, its rotation, its field of view.

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


# --- From triangles in the room to outlines on the picture

Doubles = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Outlines:
    """Triangles on the picture, in samples (x to the right, y down, sample centres at halves).

    Attributes:
        source: int32 [N], the triangle each comes from.
        top, middle, bottom: float64 [N], y of the corners in rising order.
        left, right: float64 [N], least and greatest x.
        long: float64 [2, N], base and slope of the long edge.
        short: float64 [2, 2, N], of the edge above the middle and of that below it.
        depth: float64 [3, N], 1/z as depth[0] + depth[1] * x + depth[2] * y.
    """

    source: NDArray[np.int32]
    top: Doubles
    middle: Doubles
    bottom: Doubles
    left: Doubles
    right: Doubles
    long: Doubles
    short: Doubles
    depth: Doubles

    def part(self, chosen: NDArray[np.int64]) -> Outlines:
        """Some of them, in the order given."""
        columns = (self.top, self.middle, self.bottom, self.left, self.right)
        planes = (self.long, self.short, self.depth)
        return Outlines(
            self.source[chosen], *(c[chosen] for c in columns), *(p[..., chosen] for p in planes)
        )


def outlines(view: View, p: Doubles, source: NDArray[np.int32]) -> Outlines:
    """The outlines of what can be seen of triangles, whichever way they face.

    Args:
        view: from where.
        p: float64 [3, 3, N], axis, corner, triangle, in the view's axes.
        source: [N] names of the triangles.
    """
    z = p[2]
    wide, high = view.across * z, view.along * z
    inside = ~(
        _all(p[0] > wide)
        | _all(p[0] < -wide)
        | _all(p[1] > high)
        | _all(p[1] < -high)
        | _all(z > view.far)
    )
    before = z > view.near
    all_before = _all(before)
    whole = np.flatnonzero(inside & all_before)
    cut = np.flatnonzero(inside & _any(before) & ~all_before)
    pieces, names = [p.take(whole, 2)], [source[whole]]
    if len(cut):
        clipped, owner = _clip(p.take(cut, 2), view.near)
        pieces.append(clipped)
        names.append(source[cut][owner])
    return _outline(view, np.concatenate(pieces, 2), np.concatenate(names))


def _all(corners: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of [3, N], whether all three; faster than NumPy's reduction over a short axis."""
    found: NDArray[np.bool_] = corners[0] & corners[1] & corners[2]
    return found


def _any(corners: NDArray[np.bool_]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = corners[0] | corners[1] | corners[2]
    return found


def _least(corners: Doubles) -> Doubles:
    found: Doubles = np.minimum(np.minimum(corners[0], corners[1]), corners[2])
    return found


def _most(corners: Doubles) -> Doubles:
    found: Doubles = np.maximum(np.maximum(corners[0], corners[1]), corners[2])
    return found


def _clip(p: Doubles, near: float) -> tuple[Doubles, NDArray[np.int64]]:
    """Triangles cut at the near plane, [3, 3, K], and which each comes from."""
    found: list[list[Doubles]] = []
    owner: list[int] = []
    for k in range(p.shape[2]):
        ring: list[Doubles] = []
        for i in range(3):
            a, b = p[:, i, k], p[:, (i + 1) % 3, k]
            if a[2] > near:
                ring.append(a)
            if (a[2] > near) != (b[2] > near):
                # from the nearer end, so that both triangles of an edge cut it at the same point
                start, end = (a, b) if a[2] < b[2] else (b, a)
                ring.append(start + (near - start[2]) / (end[2] - start[2]) * (end - start))
        for i in range(1, len(ring) - 1):
            found.append([ring[0], ring[i], ring[i + 1]])
            owner.append(k)
    return np.array(found).transpose(2, 1, 0), np.array(owner, np.int64)


def _outline(view: View, p: Doubles, source: NDArray[np.int32]) -> Outlines:
    inverse = 1.0 / p[2]
    x = (p[0] * inverse / view.across * 0.5 + 0.5) * view.width
    y = (0.5 - p[1] * inverse / view.along * 0.5) * view.height
    across = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])
    left, right = _least(x), _most(x)
    inside = (right > 0) & (left < view.width) & (_most(y) > 0) & (_least(y) < view.height)
    kept = np.flatnonzero((across != 0) & inside)
    x, y, inverse = x.take(kept, 1), y.take(kept, 1), inverse.take(kept, 1)
    across = across.take(kept)
    d1, d2 = inverse[1] - inverse[0], inverse[2] - inverse[0]
    gx = (d1 * (y[2] - y[0]) - d2 * (y[1] - y[0])) / across
    gy = (d2 * (x[1] - x[0]) - d1 * (x[2] - x[0])) / across
    depth = np.stack([inverse[0] - gx * x[0] - gy * y[0], gx, gy])
    x, y = _by_height(x, y)
    lines = [_line(x[i], y[i], x[j], y[j]) for i, j in ((0, 2), (0, 1), (1, 2))]
    return Outlines(
        source[kept],
        y[0],
        y[1],
        y[2],
        left[kept],
        right[kept],
        lines[0],
        np.stack(lines[1:], 1),
        depth,
    )


_ORDERS = np.array(
    [[0, 1, 2], [1, 0, 2], [0, 2, 1], [0, 1, 2], [0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
).T
"""Rising orders of three numbers a, b, c by the sum of (a > b), 2 (b > c) and 4 (a > c)."""


def _by_height(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """Corners [3, N] from the highest on the picture to the lowest."""
    case = (y[0] > y[1]) + 2 * (y[1] > y[2]) + 4 * (y[0] > y[2])
    order = _ORDERS.take(case, axis=1) * y.shape[1] + np.arange(y.shape[1])
    return x.take(order), y.take(order)


def _line(xa: Doubles, ya: Doubles, xb: Doubles, yb: Doubles) -> Doubles:
    """Base and slope of x over y; level lines, which no row meets, get a slope of zero."""
    height = yb - ya
    slope = (xb - xa) / np.where(height > 0, height, 1.0)
    return np.stack([xa - slope * ya, slope])
