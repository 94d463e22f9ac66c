"""Points and boxes in the form of AI2-THOR's metadata: metres, y up."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple


class Point(NamedTuple):
    """A place in the scene, metres."""

    x: float
    y: float
    z: float

    @classmethod
    def read(cls, value: Mapping[str, float]) -> Point:
        """From {"x": …, "y": …, "z": …}."""
        return cls(value["x"], value["y"], value["z"])


def distance(a: Point, b: Point) -> float:
    """The straight way between two points, metres."""
    return math.dist(a, b)


class Extent:
    """The room that one object takes: its oriented box, else its box along the axes."""

    def __init__(self, item: Mapping[str, Any]) -> None:
        self._item = item

    @cached_property
    def corners(self) -> tuple[Point, ...]:
        """The box's eight corners; none if the metadata has no box."""
        oriented = self._item.get("objectOrientedBoundingBox")
        box = oriented or self._item.get("axisAlignedBoundingBox") or {}
        return tuple(Point(*corner) for corner in box.get("cornerPoints") or ())

    @property
    def center(self) -> Point:
        """The middle of the box; the object's position if it has none."""
        if not self.corners:
            return Point.read(self._item["position"])
        n = len(self.corners)
        return Point(*(sum(axis) / n for axis in zip(*self.corners, strict=True)))

    @property
    def height(self) -> float:
        """From the lowest to the highest corner."""
        levels = [corner.y for corner in self.corners]
        return max(levels) - min(levels) if levels else 0.0

    @property
    def outline(self) -> list[tuple[float, float]]:
        """The box's convex outline on the floor, (x, z), counter-clockwise."""
        return _hull([(corner.x, corner.z) for corner in self.corners])

    def covers(self, point: Point) -> bool:
        """Whether the point is above, within or below the box: inside its outline on the floor."""
        outline = self.outline
        if len(outline) < 3:
            return False
        edges = zip(outline, [*outline[1:], outline[0]], strict=True)
        return all(_turn(a, b, (point.x, point.z)) >= 0 for a, b in edges)


def volume(item: Mapping[str, Any]) -> float:
    """Of the box along the axes, cubic metres; 0 if the metadata has none."""
    size = (item.get("axisAlignedBoundingBox") or {}).get("size")
    return float(size["x"] * size["y"] * size["z"]) if size else 0.0


_Flat = tuple[float, float]


def _turn(a: _Flat, b: _Flat, c: _Flat) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _hull(points: list[_Flat]) -> list[_Flat]:
    """The convex outline, counter-clockwise in x and z."""
    ordered = sorted(set(points))
    return _chain(ordered)[:-1] + _chain(ordered[::-1])[:-1]


def _chain(ordered: list[_Flat]) -> list[_Flat]:
    chain: list[_Flat] = []
    for point in ordered:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain
