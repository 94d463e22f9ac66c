"""Where the agent stood when a scene was dumped.

A dump has no agent, but every object tells its distance from the agent, so the position follows
from the distances as a ship's from those of three lighthouses.
"""

from __future__ import annotations

from collections.abc import Sequence

from env_service.worlds.household.geometry import Vec3

_Row = list[float]

WORST_MISS = 0.02
"""Metres by which a distance may miss the position found. In the 120 scenes all agree to 1e-4."""


def position_from_distances(known: Sequence[tuple[Vec3, float]]) -> Vec3 | None:
    """The point that has the given distance from each of the given points, by least squares.

    None if there is no such point within WORST_MISS, or too few points to tell it: the distances
    were not measured, or objects moved since.
    """
    if len(known) < 4:
        return None
    total = Vec3(0.0, 0.0, 0.0)
    for point, _ in known:
        total = total + point
    middle = total * (1.0 / len(known))
    # |p - x|^2 = d^2 is linear in x and |x|^2: 2 p.x - |x|^2 = |p|^2 - d^2
    normal = [[0.0] * 5 for _ in range(4)]
    for point, distance in known:
        local = point - middle
        row = [2 * local.x, 2 * local.y, 2 * local.z, -1.0, local.dot(local) - distance**2]
        for i in range(4):
            for j in range(5):
                normal[i][j] += row[i] * row[j]
    solution = _solve(normal)
    if solution is None:
        return None
    found = Vec3(solution[0], solution[1], solution[2]) + middle
    misses = sorted(abs((point - found).length() - distance) for point, distance in known)
    if misses[len(misses) // 2] > WORST_MISS:
        return None
    return Vec3(*(round(value, 4) + 0.0 for value in found.tuple()))


def _solve(rows: list[_Row]) -> _Row | None:
    """Gauss's elimination with pivots; rows hold the right side last. None if it is singular."""
    size = len(rows)
    for column in range(size):
        best = max(range(column, size), key=lambda k: abs(rows[k][column]))
        if abs(rows[best][column]) < 1e-9:
            return None
        rows[column], rows[best] = rows[best], rows[column]
        for k in range(size):
            if k != column:
                share = rows[k][column] / rows[column][column]
                rows[k] = [a - share * b for a, b in zip(rows[k], rows[column], strict=True)]
    return [rows[k][size] / rows[k][k] for k in range(size)]
