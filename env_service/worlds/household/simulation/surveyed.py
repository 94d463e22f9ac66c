"""Where an agent went in the simulator that a scene was captured from, against our floor plan."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.spec import Survey
from env_service.worlds.household.simulation.solids import Cells, Grid
from env_service.worlds.household.simulation.surface import CELL

NOWHERE: Cells = np.zeros(0, np.int64)

SAME = 0.005
"""Metres by which an agent may stand beside a grid point: AI2-THOR's numbers are single precision,
and its agent does not stop to the micrometre."""


def trodden(survey: Survey, grid: Grid, radius: float) -> Cells:
    """The columns within `radius` of a surveyed point, or of the way between two neighbours."""
    taken = np.zeros((grid.shape[0], grid.shape[2]), np.bool_)
    size = survey.grid_size
    known = _spots(survey, survey.positions)
    for (i, k), point in known.items():
        for right, ahead in ((0, 0), (1, 0), (0, 1)):
            if (i + right, k + ahead) in known:
                _tread(taken, grid, (point.x, point.z, right * size, ahead * size), radius)
    return np.flatnonzero(taken)


def on_grid(survey: Survey, position: Vec3, grid_size: float) -> bool:
    """Whether an agent that asks for a grid of some size stands on the survey's grid."""
    if abs(grid_size - survey.grid_size) > 1e-9:
        return False
    first = survey.positions[0]
    offsets = ((position.x - first.x) / grid_size, (position.z - first.z) / grid_size)
    return all(abs(each - round(each)) * grid_size < SAME for each in offsets)


def updated(survey: Survey, before: Sequence[Vec3], now: Sequence[Vec3]) -> tuple[Vec3, ...]:
    """The survey's points, less those that our floor plan had at the start and has no more, and
    with those that it had not and has now."""
    old, new = _spots(survey, before), _spots(survey, now)
    if old.keys() == new.keys():
        return survey.positions
    known = _spots(survey, survey.positions)
    kept = [point for spot, point in known.items() if spot in new or spot not in old]
    gained = [point for spot, point in new.items() if spot not in old and spot not in known]
    return (*kept, *gained)


def _spots(survey: Survey, points: Sequence[Vec3]) -> dict[tuple[int, int], Vec3]:
    """Points by their steps of the grid, along x and z, from the survey's first."""
    first, size = survey.positions[0], survey.grid_size
    return {(round((p.x - first.x) / size), round((p.z - first.z) / size)): p for p in points}


def _tread(
    taken: NDArray[np.bool_], grid: Grid, way: tuple[float, float, float, float], radius: float
) -> None:
    """Marks the columns whose middles lie within a radius of a way (x, z, and how far it goes)."""
    x, z, dx, dz = way
    spans = []
    for start, step, axis in ((x, dx, 0), (z, dz, 2)):
        first = int(np.floor((start - radius) / CELL)) - grid.low[axis]
        last = int(np.ceil((start + step + radius) / CELL)) - grid.low[axis]
        spans.append(np.arange(max(first, 0), max(min(last + 1, grid.shape[axis]), 0)))
    i, k = spans
    across = ((i + grid.low[0] + 0.5) * CELL - x)[:, None]
    along = ((k + grid.low[2] + 0.5) * CELL - z)[None, :]
    length = dx * dx + dz * dz
    share = np.clip((across * dx + along * dz) / length, 0.0, 1.0) if length else 0.0
    near = np.hypot(across - share * dx, along - share * dz) < radius
    taken[np.ix_(i, k)] |= near
