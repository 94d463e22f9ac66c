"""Distances, and turns between orientations that AI2-THOR gives as Euler angles."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

Point = Mapping[str, Any]
"""{x, y, z}: metres, or degrees."""

Quaternion = tuple[float, float, float, float]
"""w, x, y, z."""


def distance(a: Point, b: Point) -> float:
    """Between two points."""
    return math.dist(*((float(p["x"]), float(p["y"]), float(p["z"])) for p in (a, b)))


def turn(a: Point, b: Point) -> float:
    """Degrees, 0 to 180, of the one turn that brings one orientation to the other.

    Euler angles of one orientation are not unique, so they are not compared one by one.
    """
    same = abs(sum(p * q for p, q in zip(_quaternion(a), _quaternion(b), strict=True)))
    return math.degrees(2.0 * math.acos(min(1.0, same)))


def turn_about_axis(a: float, b: float) -> float:
    """Degrees, 0 to 180, between two angles."""
    return abs((a - b + 180.0) % 360.0 - 180.0)


def _quaternion(euler: Point) -> Quaternion:
    """Unity turns about z first, then x, then y."""
    half = {axis: math.radians(float(euler[axis])) / 2.0 for axis in "xyz"}
    x = (math.cos(half["x"]), math.sin(half["x"]), 0.0, 0.0)
    y = (math.cos(half["y"]), 0.0, math.sin(half["y"]), 0.0)
    z = (math.cos(half["z"]), 0.0, 0.0, math.sin(half["z"]))
    return _times(y, _times(x, z))


def _times(p: Quaternion, q: Quaternion) -> Quaternion:
    (a, b, c, d), (e, f, g, h) = p, q
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )
