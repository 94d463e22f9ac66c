"""What fills which part of a room right now, in cells: every surface of every solid part.

The cells of a part are kept by its mesh and its place, so that a change costs what changed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.mesh import Mesh
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.simulation.kept import kept
from env_service.worlds.household.simulation.surface import CELL, placed_points, surface_of

Cells = NDArray[np.integer[Any]]
"""Numbers of cells, each once. Of parts they are int32, as many of them are kept; no room has 2**31
cells."""

Shape = tuple[tuple[Mesh, bytes], ...]
"""The parts of a thing: a mesh, and the bytes of its place, float64 [3, 4]."""

MARGIN = 0.5
"""Metres around a room's free space that its cells cover: walls, windows, what hangs outside."""


CELLS = 96 << 20
"""Bytes of cells that are kept. A kitchen takes 4 MiB as it stands, and each thing that moves adds
a little; to find them anew takes half of the time of opening a room. This holds some 25 rooms, so
about all of a benchmark's that one process sees."""

ENTRY = 512
"""Bytes that a result takes beyond its numbers, about: its key, the array's head."""


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

    def numbers(self, points: Sequence[NDArray[np.float64]]) -> Cells:
        """The cells that hold some points, given as their x, y and z; points outside are left
        out."""
        index = [
            np.floor(values / CELL).astype(np.int32) - low
            for values, low in zip(points, self.low, strict=True)
        ]
        inside = np.ones(len(index[0]), np.bool_)
        for numbers, count in zip(index, self.shape, strict=True):
            if len(numbers) and (numbers.min() < 0 or numbers.max() >= count):
                inside &= (numbers >= 0) & (numbers < count)
        if not inside.all():
            index = [numbers[inside] for numbers in index]
        if not len(index[0]):
            return np.zeros(0, np.int32)
        first = [int(numbers.min()) for numbers in index]
        spans = [int(n.max()) - low + 1 for n, low in zip(index, first, strict=True)]
        i, j, k = (numbers - low for numbers, low in zip(index, first, strict=True))
        filled = np.zeros(spans[0] * spans[1] * spans[2], np.bool_)  # quicker than sorting
        filled[(i * spans[1] + j) * spans[2] + k] = True
        places = np.nonzero(filled.reshape(spans))
        where = tuple(values + low for values, low in zip(places, first, strict=True))
        return np.ravel_multi_index(where, self.shape).astype(np.int32)

    def misses(self, low: Vec3, high: Vec3) -> bool:
        """Whether an axis-aligned box, with room for rounding, lies outside all cells."""
        return any(
            high_at < (first - 1) * CELL or low_at > (first + count + 1) * CELL
            for low_at, high_at, first, count in zip(
                low.tuple(), high.tuple(), self.low, self.shape, strict=True
            )
        )

    def heights(self, cells: Cells) -> NDArray[np.float64]:
        """Height of the middle of each cell, metres."""
        levels = cells // self.shape[2] % self.shape[1] + self.low[1]
        return (levels.astype(np.float64) + 0.5) * CELL

    def columns(self, cells: Cells) -> Cells:
        """The column of each cell: cell (i, j, k) stands in column i * shape[2] + k."""
        across = self.shape[1] * self.shape[2]
        return cells // across * self.shape[2] + cells % self.shape[2]


def _size(cells: Cells) -> int:
    return cells.nbytes + ENTRY


@kept(_size, most=CELLS)
def part_cells(mesh: Mesh, place: bytes, grid: Grid) -> Cells:
    """The cells that a part's surface crosses."""
    if grid.misses(*part_extent(mesh, place)):
        return np.zeros(0, np.int32)
    where = np.frombuffer(place).reshape(3, 4)
    return grid.numbers(placed_points(surface_of(mesh).points, where))


def part_extent(mesh: Mesh, place: bytes) -> tuple[Vec3, Vec3]:
    """The lowest and the highest corner of an axis-aligned box around a part where it is."""
    where, (low, high) = np.frombuffer(place).reshape(3, 4), mesh.bounds
    middle, half = (low + high) / 2.0, (high - low) / 2.0
    center, reach = [], []
    for row in where.tolist():
        along = [factor * float(value) for factor, value in zip(row[:3], middle, strict=True)]
        aside = [abs(factor) * float(value) for factor, value in zip(row[:3], half, strict=True)]
        center.append(math.fsum((*along, row[3])))
        reach.append(math.fsum(aside))
    return Vec3(*center) - Vec3(*reach), Vec3(*center) + Vec3(*reach)
