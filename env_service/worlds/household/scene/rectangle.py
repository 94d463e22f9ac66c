"""Upright things seen from above: rectangles along the axes, and the four directions."""

from __future__ import annotations

from dataclasses import dataclass

from env_service.worlds.household.geometry import Box, Vec3

YAWS = (0.0, 90.0, 180.0, 270.0)
"""The four directions along the axes: +z, +x, -z, -x."""

DIRECTIONS: dict[float, tuple[int, int]] = {
    0.0: (0, 1),
    90.0: (1, 0),
    180.0: (0, -1),
    270.0: (-1, 0),
}
"""(x, z) of each yaw."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """An axis-aligned rectangle on the floor, metres."""

    west: float
    east: float
    south: float
    north: float

    @staticmethod
    def under(box: Box) -> Rectangle:
        """What an upright, axis-aligned box covers."""
        x, z = box.size.x / 2, box.size.z / 2
        at = box.center
        return Rectangle(at.x - x, at.x + x, at.z - z, at.z + z)

    @property
    def width(self) -> float:
        """Extent along x."""
        return self.east - self.west

    @property
    def depth(self) -> float:
        """Extent along z."""
        return self.north - self.south

    @property
    def center(self) -> tuple[float, float]:
        """(x, z) of the middle."""
        return (self.west + self.east) / 2, (self.south + self.north) / 2

    def side(self, yaw: float) -> float:
        """Where its side in a direction lies, counted along that direction: greater is further."""
        return {0.0: self.north, 90.0: self.east, 180.0: -self.south, 270.0: -self.west}[yaw]

    def across(self, yaw: float) -> tuple[float, float]:
        """Its extent across a direction: x for +z and -z, z for +x and -x."""
        return (self.west, self.east) if yaw in (0.0, 180.0) else (self.south, self.north)

    def grown(self, by: float) -> Rectangle:
        """With every side moved outwards."""
        return Rectangle(self.west - by, self.east + by, self.south - by, self.north + by)

    def overlap(self, other: Rectangle) -> Rectangle | None:
        """What both cover, None if nothing."""
        both = Rectangle(
            max(self.west, other.west),
            min(self.east, other.east),
            max(self.south, other.south),
            min(self.north, other.north),
        )
        return both if both.width > 0 and both.depth > 0 else None

    def holds(self, x: float, z: float, slack: float = 0.0) -> bool:
        """Whether a point lies in it, or within `slack` of it."""
        return (
            self.west - slack <= x <= self.east + slack
            and self.south - slack <= z <= self.north + slack
        )

    def box(self, low: float, high: float) -> Box:
        """The upright box on it between two heights."""
        x, z = self.center
        return Box(Vec3(x, (low + high) / 2, z), Vec3(self.width, high - low, self.depth))

    @staticmethod
    def spanned(yaw: float, near: float, far: float, low: float, high: float) -> Rectangle:
        """The one that runs from `near` to `far` along a direction (as `side` counts) and from
        `low` to `high` across it (as `across` counts)."""
        if yaw == 0.0:
            return Rectangle(low, high, near, far)
        if yaw == 180.0:
            return Rectangle(low, high, -far, -near)
        if yaw == 90.0:
            return Rectangle(near, far, low, high)
        return Rectangle(-far, -near, low, high)


def mirrored(span: tuple[float, float], middle: float, yaw: float) -> tuple[float, float]:
    """A span across a direction, as `across` counts, in the x of an upright box that faces it and
    has its middle there: x of the box runs against the room's axis at yaw 90 and 180."""
    sign = 1.0 if yaw in (0.0, 270.0) else -1.0
    first, second = sign * (span[0] - middle), sign * (span[1] - middle)
    return min(first, second), max(first, second)
