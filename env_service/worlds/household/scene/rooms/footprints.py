"""Rectangles on the floor or on a table, and whether two of them meet."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Footprint:
    """A rectangle seen from above.

    Attributes:
        x, z: its middle, metres.
        width, depth: its extents along its own axes.
        yaw: its turn, degrees, clockwise from above.
    """

    x: float
    z: float
    width: float
    depth: float
    yaw: float = 0.0

    def axes(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Unit vectors (x, z) along its width and its depth."""
        angle = math.radians(self.yaw)
        c, s = round(math.cos(angle), 12), round(math.sin(angle), 12)
        return (c, -s), (s, c)

    def extent(self) -> tuple[float, float]:
        """Width along x and depth along z of the upright rectangle around it."""
        (ux, uz), (vx, vz) = self.axes()
        return (
            abs(ux) * self.width + abs(vx) * self.depth,
            abs(uz) * self.width + abs(vz) * self.depth,
        )

    def meets(self, other: Footprint) -> bool:
        """Whether the two share any area (separating axes)."""
        dx, dz = other.x - self.x, other.z - self.z
        for ax, az in (*self.axes(), *other.axes()):
            if abs(dx * ax + dz * az) >= self._reach(ax, az) + other._reach(ax, az) - 1e-9:
                return False
        return True

    def distance(self, x: float, z: float) -> float:
        """Metres from a point to the rectangle; 0 inside."""
        (ux, uz), (vx, vz) = self.axes()
        dx, dz = x - self.x, z - self.z
        a = max(abs(dx * ux + dz * uz) - self.width / 2, 0.0)
        b = max(abs(dx * vx + dz * vz) - self.depth / 2, 0.0)
        return math.hypot(a, b)

    def _reach(self, ax: float, az: float) -> float:
        """Half of its shadow on an axis."""
        (ux, uz), (vx, vz) = self.axes()
        return (abs(ux * ax + uz * az) * self.width + abs(vx * ax + vz * az) * self.depth) / 2
