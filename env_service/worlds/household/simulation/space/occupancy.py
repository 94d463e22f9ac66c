"""The occupied cells of a room at a moment, from points on the surfaces of every solid part."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.catalogue import model
from env_service.worlds.household.assets.model import Mesh, Model, Palette, place
from env_service.worlds.household.geometry import Transform, Vec3
from env_service.worlds.household.scene.spec import SceneSpec, StructureSpec, request_for
from env_service.worlds.household.scene_graph_builder import composed
from env_service.worlds.household.simulation.space.caches import kept
from env_service.worlds.household.state import ObjectState

Cells = NDArray[np.integer[Any]]
"""Numbers of cells, each once. Of parts they are int32, as many of them are kept; no room has 2**31
cells."""

Shape = tuple[tuple[Mesh, bytes], ...]
"""The parts of a thing: a mesh, and the bytes of its place, float64 [3, 4]."""

MARGIN = 0.5
"""Metres around a room's free space that its cells cover: walls, windows, what hangs outside."""


CELLS = 96 << 20
"""Bytes of cells that are kept. A kitchen takes 4 MiB at its start, and each moving thing adds a
little. Computing them again takes half of the time of opening a room. This bound holds about 25
rooms, nearly all rooms of a benchmark that one process sees."""

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
        """The column of each cell: cell (i, j, k) is in column i * shape[2] + k."""
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


# --- Points on the surfaces of meshes, dense enough to fill every cell that a surface crosses

CELL = 0.025
"""Metres: side of the cells in which floor and room are held, and the largest distance between
neighbouring points of a surface."""

SURFACES = 32 << 20
"""Bytes of surfaces that are kept. Those of a whole kitchen, fixed parts and all, take 60 to 120
MiB, but of a fixed part only the cells are asked for again, which are kept elsewhere; those of
all things that move take a few MiB."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SurfacePoints:
    """Points of a surface with its outward normals, float64 [N, 3] each, read-only."""

    points: Floats
    normals: Floats

    def size(self) -> int:
        """Bytes of both."""
        return self.points.nbytes + self.normals.nbytes

    def placed(self, place: Floats) -> SurfacePoints:
        """Moved by an affine map, float64 [3, 4]. Normals are turned with it and made unit
        length."""
        normals = np.stack(_turned(self.normals, place), 1)
        length = np.sqrt((normals * normals).sum(1, keepdims=True))
        points = np.stack(placed_points(self.points, place), 1)
        return SurfacePoints(points, normals / np.maximum(length, 1e-12))

    def every(self, stride: int, first: int) -> SurfacePoints:
        """Some of them: each `stride`-th, from a first one on."""
        return SurfacePoints(self.points[first::stride], self.normals[first::stride])


def placed_points(points: Floats, place: Floats) -> list[Floats]:
    """x, y and z of points, [N, 3], moved by an affine map, [3, 4]."""
    return [turned + row[3] for turned, row in zip(_turned(points, place), place, strict=True)]


def _turned(vectors: Floats, place: Floats) -> list[Floats]:
    """x, y and z of turned vectors; without BLAS, whose last bits depend on the processor."""
    x, y, z = (np.ascontiguousarray(vectors[:, k]) for k in range(3))
    return [row[0] * x + row[1] * y + row[2] * z for row in place]


@kept(SurfacePoints.size, most=SURFACES)
def surface_of(mesh: Mesh) -> SurfacePoints:
    """The surface of a mesh, in its local frame."""
    corners = mesh.points.astype(np.float64)[mesh.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.sqrt((normals * normals).sum(1))
    solid = area > 1e-12
    corners, normals, area = corners[solid], normals[solid], area[solid]
    normals /= area[:, None]
    corners, base = _longest_edge_first(corners)
    extents = np.stack([base, area / np.maximum(base, 1e-12)], 1)
    steps = _rounded_up(np.ceil(extents / CELL).astype(np.int64))
    points, owners = [np.zeros((0, 3))], [np.zeros(0, np.int64)]
    for along, across in sorted({(int(a), int(b)) for a, b in steps}):
        chosen = np.flatnonzero((steps[:, 0] == along) & (steps[:, 1] == across))
        spread = _spread(corners[chosen], along, across)
        points.append(spread.reshape(-1, 3))
        owners.append(np.repeat(chosen, spread.shape[1]))
    found = SurfacePoints(np.concatenate(points), normals[np.concatenate(owners)])
    for array in (found.points, found.normals):
        array.setflags(write=False)
    return found


def _longest_edge_first(corners: Floats) -> tuple[Floats, Floats]:
    """Corners of each triangle turned so that the longest edge is the first, and its length."""
    edges = np.roll(corners, -1, 1) - corners
    length = np.sqrt((edges * edges).sum(2))
    longest = length.argmax(1)
    order = (longest[:, None] + np.arange(3)) % 3
    return corners[np.arange(len(corners))[:, None], order], length.max(1)


def _rounded_up(steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Step counts rounded up to few different ones, so that many triangles go together."""
    ladder = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024])
    return ladder[np.minimum(np.searchsorted(ladder, steps), len(ladder) - 1)]


def _spread(corners: Floats, along: int, across: int) -> Floats:
    """[T, N, 3]: points over triangles, `along` steps on the first edge, `across` to the corner
    opposite; the middle alone where a triangle is smaller than a cell."""
    if along == 1 and across == 1:
        middles: Floats = corners.sum(1) / 3
        return middles[:, None]
    u, v = (a.ravel() for a in np.meshgrid(np.arange(along + 1), np.arange(across + 1)))
    up = (v / across)[None, :, None]
    side = (u / along)[None, :, None] * (1 - up)
    first, second, third = (corners[:, k, None] for k in range(3))
    spread: Floats = first + side * (second - first) + up * (third - first)
    return spread


# --- The parts of an object's model at its pose in the room


def object_shape(item: ObjectState, palette: Palette) -> Shape:
    """An object in its present state, doors included."""
    built = model(request_for(item.spec, palette, item.look))
    return _shape(built, (item.pose @ item.spec.asset_frame).array(), item.openness)


def structure_shape(spec: StructureSpec, palette: Palette) -> Shape:
    """A fixed part of the room."""
    down = spec.body.rotation.apply(Vec3(0.0, spec.body.size.y / 2, 0.0))
    frame = Transform(spec.body.rotation, spec.body.center - down)
    return _shape(model(request_for(spec, palette)), frame.array(), 0.0)


def _shape(built: Model, frame: NDArray[np.float64], openness: float) -> Shape:
    return tuple(
        (part.mesh, composed(frame, place(part, openness)).tobytes()) for part in built.parts
    )
