"""Rectangles on the floor or on a table, and whether two of them meet."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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

    @cached_property
    def axes(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Unit vectors (x, z) along its width and its depth."""
        angle = math.radians(self.yaw)
        c, s = round(math.cos(angle), 12), round(math.sin(angle), 12)
        return (c, -s), (s, c)

    @cached_property
    def radius(self) -> float:
        """Metres from the middle to the corners."""
        return math.hypot(self.width, self.depth) / 2

    def extent(self) -> tuple[float, float]:
        """Width along x and depth along z of the upright rectangle around it."""
        (ux, uz), (vx, vz) = self.axes
        return (
            abs(ux) * self.width + abs(vx) * self.depth,
            abs(uz) * self.width + abs(vz) * self.depth,
        )

    def meets(self, other: Footprint) -> bool:
        """Whether the two share any area (separating axes)."""
        dx, dz = other.x - self.x, other.z - self.z
        far = self.radius + other.radius
        if dx * dx + dz * dz >= far * far:
            return False
        for ax, az in (*self.axes, *other.axes):
            if abs(dx * ax + dz * az) >= self._reach(ax, az) + other._reach(ax, az) - 1e-9:
                return False
        return True

    def distances(self, x: Floats, z: Floats) -> Floats:
        """Metres from points to the rectangle, in the points' shape; 0 inside."""
        (ux, uz), (vx, vz) = self.axes
        dx, dz = x - self.x, z - self.z
        a = np.maximum(np.abs(dx * ux + dz * uz) - self.width / 2, 0.0)
        b = np.maximum(np.abs(dx * vx + dz * vz) - self.depth / 2, 0.0)
        away: Floats = np.sqrt(a * a + b * b)
        return away

    def _reach(self, ax: float, az: float) -> float:
        """Half of its shadow on an axis."""
        (ux, uz), (vx, vz) = self.axes
        return (abs(ux * ax + uz * az) * self.width + abs(vx * ax + vz * az) * self.depth) / 2
