"""Cutting an area into rectangles, for the usable surface of counters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.shapes import Point2

Rectangle = tuple[float, float, float, float]
"""(x0, z0, x1, z1), metres, low corner first."""

SLANT_STEP = 0.05
"""Metres between the cuts along a slanted side."""


def rectangles(
    outline: Sequence[Point2], holes: Sequence[Rectangle] = (), *, least: float = 0.03
) -> tuple[Rectangle, ...]:
    """Rectangles that do not overlap and fill a simple polygon without its holes.

    The largest comes first, then the largest of what is left, and so on; so a counter in L shape
    gives its long run and the rest. Upright and level sides are filled exactly, slanted ones in
    steps of `SLANT_STEP`. Rectangles with a side under `least` metres are left out.
    """
    xs = _cuts(outline, holes, 0)
    zs = _cuts(outline, holes, 1)
    free = _inside(outline, xs, zs)
    for hole in holes:
        # rounded like the cuts, else a hole would take the cell beside it too
        x0, z0, x1, z1 = (round(value, 6) for value in hole)
        in_x = (xs[:-1] < x1 - 1e-9) & (xs[1:] > x0 + 1e-9)
        in_z = (zs[:-1] < z1 - 1e-9) & (zs[1:] > z0 + 1e-9)
        free &= ~(in_x[:, None] & in_z[None])
    found: list[Rectangle] = []
    while True:
        best = _largest(free, xs, zs)
        if best is None:
            return tuple(found)
        i, j, k, m = best
        free[i:j, k:m] = False
        area = (float(xs[i]), float(zs[k]), float(xs[j]), float(zs[m]))
        if min(area[2] - area[0], area[3] - area[1]) >= least:
            found.append(area)


def _cuts(outline: Sequence[Point2], holes: Sequence[Rectangle], axis: int) -> NDArray[np.float64]:
    values = [point[axis] for point in outline]
    values += [hole[k] for hole in holes for k in (axis, axis + 2)]
    for start, end in zip(outline, [*outline[1:], outline[0]], strict=True):
        if min(abs(start[0] - end[0]), abs(start[1] - end[1])) > 1e-6:
            low, high = sorted((start[axis], end[axis]))
            values += list(np.arange(low, high, SLANT_STEP))
    return np.unique(np.round(np.array(values, np.float64), 6))


def _inside(
    outline: Sequence[Point2], xs: NDArray[np.float64], zs: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Which cells of the grid lie in the polygon: those whose corners, drawn in a little, do."""
    cells = np.ones((len(xs) - 1, len(zs) - 1), bool)
    for share_x in (0.001, 0.999):
        for share_z in (0.001, 0.999):
            x = xs[:-1] + (xs[1:] - xs[:-1]) * share_x
            z = zs[:-1] + (zs[1:] - zs[:-1]) * share_z
            cells &= _holds(outline, x[:, None], z[None])
    return cells


def _holds(
    outline: Sequence[Point2], x: NDArray[np.float64], z: NDArray[np.float64]
) -> NDArray[np.bool_]:
    within = np.zeros(np.broadcast_shapes(x.shape, z.shape), bool)
    for start, end in zip(outline, [*outline[1:], outline[0]], strict=True):
        if start[1] == end[1]:
            continue
        crosses = (start[1] > z) != (end[1] > z)
        at = start[0] + (z - start[1]) / (end[1] - start[1]) * (end[0] - start[0])
        within ^= crosses & (x < at)
    return within


def _largest(
    free: NDArray[np.bool_], xs: NDArray[np.float64], zs: NDArray[np.float64]
) -> tuple[int, int, int, int] | None:
    """Cell ranges (x from, x to, z from, z to) of the largest free rectangle; the first of equal
    ones."""
    best, found = 0.0, None
    for i in range(len(free)):
        open_row = np.ones(free.shape[1], bool)
        for j in range(i, len(free)):
            open_row &= free[j]
            if not open_row.any():
                break
            width = float(xs[j + 1] - xs[i])
            for start, end in _runs(open_row):
                area = width * float(zs[end] - zs[start])
                if area > best + 1e-12:
                    best, found = area, (i, j + 1, start, end)
    return found


def _runs(row: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Ranges of neighbouring true entries."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
