"""Where an agent can walk among the furniture of a draft, and where it starts."""

from __future__ import annotations

import math
from collections import deque

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.rooms.footprints import Footprint
from env_service.worlds.household.scene.rooms.furnishing import CrampedError, Furnishing
from env_service.worlds.household.scene.spec import AgentStart

GRID = 0.25
AGENT_HEIGHT = 0.901
RADIUS = 0.2
"""AI2-THOR's grid, the height of its agent's origin and its agent's radius, metres (spec:
ai2thor.md section 5.2)."""
REACH, SMALL_REACH = 0.7, 0.95
"""Metres from which furniture can be reached, large and small: all of it has to be within
AI2-THOR's visibility distance of 1.5 m."""
SMALL = 0.5
"""Metres: what is less wide and less deep is small."""
LEAST_SHARE = 0.8
"""Of the free floor that hangs together."""

Spot = tuple[int, int]


def walkable_start(furnishing: Furnishing, width: float, depth: float) -> AgentStart:
    """The point of the agent's grid that is farthest from all furniture, looking to where most
    things are.

    Raises:
        CrampedError: from there too little of the floor or not all furniture can be reached.
    """
    i_most, k_most = int(width / 2 / GRID), int(depth / 2 / GRID)
    space: dict[Spot, float] = {}
    for i in range(-i_most, i_most + 1):
        for k in range(-k_most, k_most + 1):
            x, z = i * GRID, k * GRID
            edge = min(width / 2 - abs(x), depth / 2 - abs(z))
            space[i, k] = min([edge, *(each.distance(x, z) for each in furnishing.standing)])
    start = max(sorted(space), key=lambda spot: round(space[spot], 6))
    free = {spot for spot, room in space.items() if room >= RADIUS + 0.01}
    reached = _spread(start, free)
    if len(reached) < max(LEAST_SHARE * len(free), 12):
        raise CrampedError(f"the floor of {furnishing.name} is in pieces")
    for each in furnishing.standing:
        if min(each.distance(i * GRID, k * GRID) for i, k in reached) > _reach(each):
            raise CrampedError(f"furniture of {furnishing.name} is out of reach")
    place = Vec3(start[0] * GRID, AGENT_HEIGHT, start[1] * GRID)
    return AgentStart(place, _best_view(furnishing, place))


def _reach(place: Footprint) -> float:
    return SMALL_REACH if max(place.width, place.depth) < SMALL else REACH


def _spread(start: Spot, free: set[Spot]) -> set[Spot]:
    """The free spots that steps along the grid lead to."""
    found, queue = {start}, deque([start])
    while queue:
        i, k = queue.popleft()
        for spot in ((i + 1, k), (i - 1, k), (i, k + 1), (i, k - 1)):
            if spot in free and spot not in found:
                found.add(spot)
                queue.append(spot)
    return found


def _best_view(furnishing: Furnishing, place: Vec3) -> float:
    """The quarter turn that has most objects before it."""
    counts = {0.0: 0, 90.0: 0, 180.0: 0, 270.0: 0}
    for spec in furnishing.objects.values():
        away = spec.body.center - place
        angle = math.degrees(math.atan2(away.x, away.z)) % 360.0
        counts[round(angle / 90.0) % 4 * 90.0] += 1
    return max(counts, key=lambda yaw: (counts[yaw], -yaw))
