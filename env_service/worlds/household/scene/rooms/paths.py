"""Where an agent can walk among the furniture of a draft, and where it starts."""

from __future__ import annotations

import math
from collections import deque

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.rooms.footprints import Footprint
from env_service.worlds.household.scene.rooms.furnishing import CrampedError, Furnishing
from env_service.worlds.household.scene.spec import AgentStart

GRID = 0.25
AGENT_HEIGHT = 0.901
RADIUS = 0.2
"""AI2-THOR's grid, the height of its agent's origin and its agent's radius, metres (spec:
ai2thor.md section 5.2)."""
CLEARANCE = 0.02
"""Metres that furniture may be wider than its footprint: handles, lips."""
REACH, SMALL_REACH = 0.7, 0.95
"""Metres from which furniture can be reached, large and small: all of it has to be within
AI2-THOR's visibility distance of 1.5 m."""
FRONT_REACH = 0.5
"""Metres from the middle of the floor before drawers and doors."""
SMALL = 0.5
"""Metres: what is less wide and less deep is small."""
LEAST_SHARE = 0.8
"""Of the free floor that hangs together."""

Spot = tuple[int, int]
Bools = NDArray[np.bool_]


def walkable_start(furnishing: Furnishing, width: float, depth: float) -> AgentStart:
    """The point of the agent's grid that is farthest from all furniture, looking to where most
    things are.

    Raises:
        CrampedError: from there too little of the floor or not all furniture can be reached.
    """
    i, k = np.meshgrid(
        _steps(width),
        _steps(depth),
        indexing="ij",
    )
    x, z = i.astype(np.float64) * (GRID / 2), k.astype(np.float64) * (GRID / 2)
    space = np.minimum(width / 2 - np.abs(x), depth / 2 - np.abs(z))
    away = [each.distances(x, z) for each in furnishing.standing]
    for distances in away:
        space = np.minimum(space, distances)
    clear = space >= RADIUS + CLEARANCE
    spots = (i % 2 == 0) & (k % 2 == 0)
    first = int(np.argmax(np.where(spots, np.round(space, 6), -1.0)))
    start = divmod(first, space.shape[1])
    reached = _spread(start, clear)
    if reached.sum() < max(LEAST_SHARE * (clear & spots).sum(), 12):
        raise CrampedError(f"the floor of {furnishing.name} is in pieces")
    for each, distances in zip(furnishing.standing, away, strict=True):
        if distances[reached].min() > _reach(each):
            raise CrampedError(f"furniture of {furnishing.name} is out of reach")
    for at_x, at_z in furnishing.fronts:
        if np.sqrt((x - at_x) ** 2 + (z - at_z) ** 2)[reached].min() > FRONT_REACH:
            raise CrampedError(f"a front in {furnishing.name} is out of reach")
    place = Vec3(float(x[start]), AGENT_HEIGHT, float(z[start]))
    return AgentStart(place, _best_view(furnishing, place))


def _reach(place: Footprint) -> float:
    return SMALL_REACH if max(place.width, place.depth) < SMALL else REACH


def _steps(extent: float) -> NDArray[np.int64]:
    """Half steps of the grid across the floor, from an even number to an even number."""
    most = 2 * int(extent / 2 / GRID)
    return np.arange(-most, most + 1)


def _spread(start: Spot, clear: Bools) -> Bools:
    """The points of the grid, every second one of both axes, to which steps lead that are clear
    at their middle and at their end."""
    reached = np.zeros_like(clear)
    reached[start] = True
    queue = deque([start])
    while queue:
        i, k = queue.popleft()
        for di, dk in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            end = (i + 2 * di, k + 2 * dk)
            inside = 0 <= end[0] < clear.shape[0] and 0 <= end[1] < clear.shape[1]
            if inside and clear[i + di, k + dk] and clear[end] and not reached[end]:
                reached[end] = True
                queue.append(end)
    return reached


def _best_view(furnishing: Furnishing, place: Vec3) -> float:
    """The quarter turn that has most objects before it."""
    counts = {0.0: 0, 90.0: 0, 180.0: 0, 270.0: 0}
    for spec in furnishing.objects.values():
        away = spec.body.center - place
        angle = math.degrees(math.atan2(away.x, away.z)) % 360.0
        counts[round(angle / 90.0) % 4 * 90.0] += 1
    return max(counts, key=lambda yaw: (counts[yaw], -yaw))
