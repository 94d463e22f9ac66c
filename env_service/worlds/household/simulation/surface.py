"""Points on the surfaces of meshes, dense enough to fill every cell that a surface crosses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.mesh import Mesh
from env_service.worlds.household.simulation.kept import kept

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
    """The surface of a mesh, in its own frame."""
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
