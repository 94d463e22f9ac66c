"""Rings around rectangles in plan, to stretch skins over: sinks, toasters, plates of hobs."""

from __future__ import annotations

import math

import numpy as np

from env_service.worlds.household.assets.plates import Rectangle
from env_service.worlds.household.assets.skins import Array, rounded_rect


def rounded_ring(area: Rectangle, radius: float, y: float, *, steps: int = 4) -> Array:
    """The rectangle (x0, z0, x1, z1) with round corners, level at a height: float64
    [4 * (steps + 1), 3], in the order of `skins.rounded_rect`.

    The radius is cut to half of the shorter side; `math.inf` gives the ellipse in the rectangle.
    Rings of equal steps fit each other, whatever their radii.
    """
    x0, z0, x1, z1 = area
    middle = ((x0 + x1) / 2, (z0 + z1) / 2)
    if not math.isinf(radius):
        return rounded_rect(x1 - x0, z1 - z0, radius, y, at=middle, steps=steps)
    quarter = np.linspace(0.0, math.pi / 2, steps + 1)
    turn = np.concatenate([quarter + k * math.pi / 2 for k in range(4)])
    x = middle[0] + (x1 - x0) / 2 * np.cos(turn)
    z = middle[1] + (z1 - z0) / 2 * np.sin(turn)
    return np.stack([x, np.full(len(x), y), z], axis=1)


def grown(area: Rectangle, by: float) -> Rectangle:
    """A rectangle with every side moved outwards, or inwards by a negative amount; metres."""
    return (area[0] - by, area[1] - by, area[2] + by, area[3] + by)
