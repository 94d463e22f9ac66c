"""What fills which part of a room right now, in cells: every surface of every solid part.

The cells of a part are kept by its mesh and its place, so that a change costs what changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.mesh import Mesh
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.simulation.surface import CELL, surface_of

Cells = NDArray[np.int64]
"""Numbers of cells, each once."""

Shape = tuple[tuple[Mesh, bytes], ...]
"""The parts of a thing: a mesh, and the bytes of its place, float64 [3, 4]."""

MARGIN = 0.5
"""Metres around a room's free space that its cells cover: walls, windows, what hangs outside."""


@dataclass(frozen=True)
class Grid:
    """Cells of side CELL: their lowest corner in cells from the origin, and how many there are.

    A cell (i, j, k), along x, y and z, has the number (i * shape[1] + j) * shape[2] + k.
    """

    low: tuple[int, int, int]
    shape: tuple[int, int, int]

    @staticmethod
    def over(scene: SceneSpec) -> Grid:
        """The cells of a scene's room."""
        half = scene.bounds.size * 0.5 + Vec3(MARGIN, MARGIN, MARGIN)
        low, high = scene.bounds.center - half, scene.bounds.center + half
        first = [int(np.floor(value / CELL)) for value in low.tuple()]
        last = [int(np.ceil(value / CELL)) for value in high.tuple()]
        x, y, z = (b - a for a, b in zip(first, last, strict=True))
        return Grid((first[0], first[1], first[2]), (x, y, z))

    def numbers(self, points: NDArray[np.float64]) -> Cells:
        """The cells that hold some points, [N, 3]; points outside are left out."""
        index = np.floor(points / CELL).astype(np.int64) - np.array(self.low)
        index = index[((index >= 0) & (index < np.array(self.shape))).all(1)]
        if not len(index):
            return np.zeros(0, np.int64)
        first = index.min(0)
        filled = np.zeros(index.max(0) - first + 1, np.bool_)  # quicker than sorting
        i, j, k = (index - first).T
        filled[i, j, k] = True
        i, j, k = np.nonzero(filled)
        where = (i + first[0], j + first[1], k + first[2])
        numbers: Cells = np.ravel_multi_index(where, self.shape)
        return numbers

    def heights(self, cells: Cells) -> NDArray[np.float64]:
        """Height of the middle of each cell, metres."""
        levels = cells // self.shape[2] % self.shape[1] + self.low[1]
        return (levels.astype(np.float64) + 0.5) * CELL

    def columns(self, cells: Cells) -> Cells:
        """The column of each cell: cell (i, j, k) stands in column i * shape[2] + k."""
        across = self.shape[1] * self.shape[2]
        return cells // across * self.shape[2] + cells % self.shape[2]


@lru_cache(maxsize=16384)
def part_cells(mesh: Mesh, place: bytes, grid: Grid) -> Cells:
    """The cells that a part's surface crosses."""
    where = np.frombuffer(place).reshape(3, 4)
    return grid.numbers(surface_of(mesh).placed(where).points)
