"""What of a mesh does not depend on its place, above all its patches.

Patches are parts of a mesh over which points and normals run on smoothly. Where two neighbouring
pixels show different patches there is an edge to be smoothed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.mesh import Mesh

F8 = np.float64

FLAT = 2e-4
"""Corner normals that differ by less make a flat triangle."""


@dataclass(frozen=True, eq=False)
class MeshFacts:
    """What of a mesh does not depend on its place.

    Attributes:
        patch: int32 [M], number of each triangle's patch, from 0.
        patches: how many there are.
        flat: bool [M], whether the normal is the same all over the triangle.
        uv: float32 [2, 3, M], coordinate, corner, triangle.
    """

    patch: NDArray[np.int32]
    patches: int
    flat: NDArray[np.bool_]
    uv: NDArray[np.float32]


def mesh_facts(mesh: Mesh) -> MeshFacts:
    """Patches, flatness and texture coordinates of a mesh's triangles."""
    faces = mesh.faces.T
    normals = mesh.normals[faces]
    spread = np.abs(normals - normals[:1]).max((0, 2))
    label = _smooth_parts(mesh)
    return MeshFacts(
        label, int(label.max()) + 1, spread < FLAT, mesh.uv[faces].transpose(2, 0, 1).copy()
    )


def _smooth_parts(mesh: Mesh) -> NDArray[np.int32]:
    """Numbers of the patches: triangles that share a corner with the same point and normal."""
    point = np.round(mesh.points.astype(F8) * 1e5).astype(np.int64)
    normal = np.round(mesh.normals.astype(F8) * 50).astype(np.int64)
    key = np.zeros(len(point), np.int64)
    for column in (*point.T, *normal.T):
        key = key * np.int64(1000003) + column
    _, corner = np.unique(key, return_inverse=True)
    faces = corner.reshape(-1)[mesh.faces]
    label = np.arange(int(corner.max()) + 1)
    while True:
        least = label[faces].min(1)
        lower = label.copy()
        for k in range(3):
            np.minimum.at(lower, faces[:, k], least)
        lower = lower[lower]
        if np.array_equal(lower, label):
            break
        label = lower
    _, patch = np.unique(label[faces[:, 0]], return_inverse=True)
    return patch.reshape(-1).astype(np.int32)
