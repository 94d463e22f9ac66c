"""Where pictures of a scene are taken from: chosen from what the agent can reach, always alike."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

HORIZON = 20.0
"""Degrees by which the camera looks down: over furniture to the floor in the middle."""


@dataclass(frozen=True)
class Viewpoint:
    """A pose of the agent: position in metres, ``yaw`` and ``horizon`` in degrees."""

    x: float
    y: float
    z: float
    yaw: float
    horizon: float = HORIZON
    standing: bool = True

    def arguments(self) -> dict[str, Any]:
        """As AI2-THOR's Teleport takes it."""
        return {
            "position": {"x": self.x, "y": self.y, "z": self.z},
            "rotation": {"x": 0.0, "y": self.yaw, "z": 0.0},
            "horizon": self.horizon,
            "standing": self.standing,
        }


def viewpoints(reachable: Sequence[Mapping[str, float]], count: int) -> list[Viewpoint]:
    """Up to ``count`` poses at points that can be reached.

    First the points nearest to the four corners of their rectangle, then the one nearest to its
    middle, then whichever lies furthest from all before. Each looks to the middle; the middle one
    looks to the point that is furthest from it. The order of ``reachable`` does not matter.
    """
    points = sorted({(p["x"], p["z"], p["y"]) for p in reachable})
    if not points or count <= 0:
        return []
    low = [min(p[k] for p in points) for k in (0, 1)]
    high = [max(p[k] for p in points) for k in (0, 1)]
    middle = ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2)
    corners = [(x, z) for x in (low[0], high[0]) for z in (low[1], high[1])]
    chosen: list[tuple[float, float, float]] = []
    for spot in (*corners, middle):
        nearest = min(points, key=lambda p: (_apart(p, spot), p))
        if nearest not in chosen:
            chosen.append(nearest)
    while len(chosen) < min(count, len(points)):
        left = [p for p in points if p not in chosen]
        chosen.append(max(left, key=lambda p: (min(_apart(p, c) for c in chosen), p)))
    central = min(points, key=lambda p: (_apart(p, middle), p))
    furthest = max(points, key=lambda p: (_apart(p, central), p))
    return [
        Viewpoint(x, y, z, _yaw((x, z), furthest if (x, z, y) == central else middle))
        for x, z, y in chosen[:count]
    ]


def _apart(a: Sequence[float], b: Sequence[float]) -> float:
    return round(math.hypot(a[0] - b[0], a[1] - b[1]), 6)


def _yaw(start: Sequence[float], goal: Sequence[float]) -> float:
    """Whole degrees, 0 along +z, clockwise from above."""
    return float(round(math.degrees(math.atan2(goal[0] - start[0], goal[1] - start[1]))) % 360)
