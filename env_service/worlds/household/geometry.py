"""Points, rotations and rigid motions, in AI2-THOR's frame.

The frame is Unity's: x right, y up, z forward, left-handed, metres. Angles are degrees. Yaw turns
clockwise when seen from above: at yaw 0 one looks along +z, at yaw 90 along +x. A positive pitch
looks down. Euler angles are applied in Unity's order: about z first, then x, then y.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = tuple[
    tuple[float, float, float],
    tuple[float, float, float],
    tuple[float, float, float],
]


@dataclass(frozen=True, slots=True)
class Vec3:
    """A point or a direction; metres, or degrees where it holds Euler angles."""

    x: float
    y: float
    z: float

    def __add__(self, other: Vec3) -> Vec3:
        return Vec3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vec3) -> Vec3:
        return Vec3(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, factor: float) -> Vec3:
        return Vec3(self.x * factor, self.y * factor, self.z * factor)

    def __neg__(self) -> Vec3:
        return Vec3(-self.x, -self.y, -self.z)

    def dot(self, other: Vec3) -> float:
        """The inner product."""
        return self.x * other.x + self.y * other.y + self.z * other.z

    def length(self) -> float:
        """The Euclidean length."""
        return math.sqrt(self.dot(self))

    def tuple(self) -> tuple[float, float, float]:
        """The three numbers."""
        return (self.x, self.y, self.z)

    def to_json(self) -> dict[str, float]:
        """AI2-THOR's way to write it: keys x, y and z."""
        return {"x": self.x, "y": self.y, "z": self.z}

    @staticmethod
    def from_json(value: Mapping[str, float]) -> Vec3:
        """Reads a mapping with keys x, y and z; a missing one raises KeyError."""
        return Vec3(float(value["x"]), float(value["y"]), float(value["z"]))


ZERO = Vec3(0.0, 0.0, 0.0)
UP = Vec3(0.0, 1.0, 0.0)


def _dot(a: Vec3, b: Vec3) -> float:
    return a.x * b.x + a.y * b.y + a.z * b.z


def _cross(a: Vec3, b: Vec3) -> Vec3:
    return Vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


@dataclass(frozen=True, slots=True)
class Rotation:
    """A rotation as a 3 x 3 matrix; its columns are the turned axes."""

    rows: Rows

    @staticmethod
    def from_euler(degrees: Vec3) -> Rotation:
        """The rotation by Unity's Euler angles: about z, then x, then y."""
        (cx, sx), (cy, sy), (cz, sz) = (_cos_sin(angle) for angle in degrees.tuple())
        return Rotation(
            (
                (cy * cz + sy * sx * sz, -cy * sz + sy * sx * cz, sy * cx),
                (cx * sz, cx * cz, -sx),
                (-sy * cz + cy * sx * sz, sy * sz + cy * sx * cz, cy * cx),
            )
        )

    @staticmethod
    def yaw(degrees: float) -> Rotation:
        """The rotation about the vertical, clockwise seen from above."""
        return Rotation.from_euler(Vec3(0.0, degrees, 0.0))

    def apply(self, v: Vec3) -> Vec3:
        """The turned vector."""
        (a, b, c), (d, e, f), (g, h, i) = self.rows
        x, y, z = v.x, v.y, v.z
        return Vec3(a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z)

    def __matmul__(self, other: Rotation) -> Rotation:
        a, b, c = zip(*other.rows, strict=True)
        rows = tuple(
            (
                x * a[0] + y * a[1] + z * a[2],
                x * b[0] + y * b[1] + z * b[2],
                x * c[0] + y * c[1] + z * c[2],
            )
            for x, y, z in self.rows
        )
        return Rotation((rows[0], rows[1], rows[2]))

    def straightened(self) -> Rotation:
        """The rotation nearby whose rows are at right angles and of unit length, to which they
        come close already: measured boxes miss it by 1e-5, and products of such add up. Itself
        where it misses it by less than 1e-9."""
        a, b, _ = (Vec3(*row) for row in self.rows)
        misses = [_dot(a, a) - 1.0, _dot(b, b) - 1.0, _dot(a, b)]
        last = _cross(a, b).tuple()
        misses += [x - y for x, y in zip(last, self.rows[2], strict=True)]
        if max(abs(miss) for miss in misses) < 1e-9:
            return self
        a = a * (1.0 / a.length())
        b = b - a * _dot(a, b)
        b = b * (1.0 / b.length())
        return Rotation((a.tuple(), b.tuple(), _cross(a, b).tuple()))

    def inverse(self) -> Rotation:
        """The rotation back."""
        a = self.rows
        return Rotation(
            ((a[0][0], a[1][0], a[2][0]), (a[0][1], a[1][1], a[2][1]), (a[0][2], a[1][2], a[2][2]))
        )

    def to_euler(self) -> Vec3:
        """Unity's Euler angles in degrees, each in [0, 360)."""
        r = self.rows
        sine = max(-1.0, min(1.0, -r[1][2]))
        x = math.asin(sine)
        if abs(sine) < 1.0 - 1e-9:
            y, z = math.atan2(r[0][2], r[2][2]), math.atan2(r[1][0], r[1][1])
        else:  # looking straight up or down: yaw and roll are one turn, called yaw
            y, z = math.atan2(-r[2][0], r[0][0]), 0.0
        return Vec3(*(_in_degrees(angle) for angle in (x, y, z)))


IDENTITY = Rotation(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))


@dataclass(frozen=True, slots=True)
class Transform:
    """A rigid motion: turn, then shift."""

    rotation: Rotation = IDENTITY
    position: Vec3 = ZERO

    @staticmethod
    def at(position: Vec3, euler: Vec3 = ZERO) -> Transform:
        """The motion that puts the origin at a position, turned by Unity's Euler angles."""
        return Transform(Rotation.from_euler(euler), position)

    def apply(self, point: Vec3) -> Vec3:
        """The moved point."""
        return self.rotation.apply(point) + self.position

    def __matmul__(self, inner: Transform) -> Transform:
        return Transform(self.rotation @ inner.rotation, self.apply(inner.position))

    def inverse(self) -> Transform:
        """The motion back."""
        back = self.rotation.inverse()
        return Transform(back, -back.apply(self.position))

    def array(self) -> NDArray[np.float64]:
        """Float64 [3, 4]: the matrix, the shift in its last column."""
        shift = self.position.tuple()
        return np.array([[*row, shift[i]] for i, row in enumerate(self.rotation.rows)])


@dataclass(frozen=True, slots=True)
class Box:
    """An oriented box: centre, full extents along the box's axes, and the rotation of these
    axes."""

    center: Vec3
    size: Vec3
    rotation: Rotation = IDENTITY

    def corners(self) -> tuple[Vec3, ...]:
        """The eight corners: bottom four counter-clockwise from (-x, -z) seen from above, then
        the top four."""
        half = self.size * 0.5
        signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        return tuple(
            self.center + self.rotation.apply(Vec3(sx * half.x, sy * half.y, sz * half.z))
            for sy in (-1, 1)
            for sx, sz in signs
        )

    def bounds(self) -> Box:
        """The smallest axis-aligned box around it."""
        reach = Vec3(*map(self._reach, self.rotation.rows))
        low, high = self.center - reach, self.center + reach
        return Box((low + high) * 0.5, high - low)

    def moved(self, motion: Transform) -> Box:
        """The box after a rigid motion."""
        return Box(motion.apply(self.center), self.size, motion.rotation @ self.rotation)

    def contains(self, point: Vec3, slack: float = 0.0) -> bool:
        """Whether a point lies inside, or within `slack` metres of a face."""
        local = self.rotation.inverse().apply(point - self.center)
        pairs = zip(local.tuple(), self.size.tuple(), strict=True)
        return all(abs(value) <= extent / 2 + slack for value, extent in pairs)

    @property
    def top(self) -> float:
        """Height of the highest point, metres above the origin."""
        return self.center.y + self._reach(self.rotation.rows[1])

    @property
    def bottom(self) -> float:
        """Height of the lowest point."""
        return self.center.y - self._reach(self.rotation.rows[1])

    def _reach(self, row: tuple[float, float, float]) -> float:
        """How far the corners reach from the centre along one of the world's axes, metres."""
        x, y, z = self.size.x * 0.5, self.size.y * 0.5, self.size.z * 0.5
        return abs(row[0] * x) + abs(row[1] * y) + abs(row[2] * z)


def box_around(points: tuple[Vec3, ...]) -> Box:
    """The smallest axis-aligned box around some points; no point raises ValueError."""
    low = Vec3(min(p.x for p in points), min(p.y for p in points), min(p.z for p in points))
    high = Vec3(max(p.x for p in points), max(p.y for p in points), max(p.z for p in points))
    return Box((low + high) * 0.5, high - low)


def yaw_towards(start: Vec3, end: Vec3) -> float:
    """The yaw in [0, 360) under which one looks from start to end."""
    return _in_degrees(math.atan2(end.x - start.x, end.z - start.z))


def turn_between(first: float, second: float) -> float:
    """The smallest turn from one yaw to another, in (-180, 180]."""
    turn = _positive(second - first)
    return turn - 360.0 if turn > 180.0 else turn


def _in_degrees(radians: float) -> float:
    """In [0, 360), rounded, so that two machines' libraries agree."""
    return _positive(round(math.degrees(radians), 9))


def _positive(degrees: float) -> float:
    turned = degrees % 360.0
    return 0.0 if turned == 360.0 else turned


def _cos_sin(degrees: float) -> tuple[float, float]:
    """Exact at quarter turns; elsewhere rounded, so that two machines' libraries agree."""
    quarter, rest = divmod(degrees, 90.0)
    if rest == 0.0:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[int(quarter) % 4]
    angle = math.radians(degrees)
    return round(math.cos(angle), 12), round(math.sin(angle), 12)
