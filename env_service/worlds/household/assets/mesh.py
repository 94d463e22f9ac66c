"""Triangle meshes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Rotation, Vec3

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles with a normal and a texture coordinate at each corner.

    Seen as plain numbers, cross(b - a, c - a) of a triangle (a, b, c) points to the outside;
    what is seen from behind is not drawn, unless the material is two-sided.

    Attributes:
        points: float32 [N, 3], metres, rounded to a micrometre so that machines agree.
        normals: float32 [N, 3], unit length, to the outside.
        uv: float32 [N, 2], one unit per repeat of a texture, v upwards.
        faces: int32 [M, 3], corners of each triangle.
    """

    points: Floats
    normals: Floats
    uv: Floats
    faces: Ints

    @staticmethod
    def of(
        points: NDArray[np.float64] | Floats,
        normals: NDArray[np.float64] | Floats,
        uv: NDArray[np.float64] | Floats,
        faces: NDArray[np.int64] | Ints,
    ) -> Mesh:
        """A mesh from arrays of any float and integer kind: normals are made unit length, all is
        rounded. Arrays of other shapes raise ValueError."""
        p, n = np.asarray(points, np.float64), np.asarray(normals, np.float64)
        if p.shape != n.shape or p.ndim != 2 or p.shape[1] != 3 or len(uv) != len(p):
            raise ValueError(f"corners disagree: {p.shape} {n.shape} {np.shape(uv)}")
        length = np.sqrt((n * n).sum(1, keepdims=True))
        unit = n / np.where(length > 0, length, 1.0)
        mesh = Mesh(
            _rounded(p, 1e6),
            _rounded(unit, 1e5),
            _rounded(np.asarray(uv, np.float64), 1e5),
            np.asarray(faces, np.int32).reshape(-1, 3),
        )
        for array in (mesh.points, mesh.normals, mesh.uv, mesh.faces):
            array.setflags(write=False)
        return mesh

    @cached_property
    def key(self) -> str:
        """A digest of the whole content, for caches."""
        digest = hashlib.blake2b(digest_size=12)
        for array in (self.points, self.normals, self.uv, self.faces):
            digest.update(array.tobytes())
        return digest.hexdigest()

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Least and greatest coordinates, float32 [3] each."""
        return self.points.min(0), self.points.max(0)

    def moved(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Mesh:
        """Shifted."""
        return Mesh.of(self.points + np.array([x, y, z]), self.normals, self.uv, self.faces)

    def turned(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Mesh:
        """Turned about the origin by Unity's Euler angles, degrees: about z, then x, then y."""
        rows = np.array(Rotation.from_euler(Vec3(x, y, z)).rows)
        return Mesh.of(_times(self.points, rows), _times(self.normals, rows), self.uv, self.faces)

    def scaled(self, x: float, y: float, z: float) -> Mesh:
        """Stretched about the origin; factors are positive."""
        factors = np.array([x, y, z])
        return Mesh.of(self.points * factors, self.normals / factors, self.uv, self.faces)

    def mapped(self, scale_u: float = 1.0, scale_v: float = 1.0) -> Mesh:
        """With texture coordinates multiplied: larger factors repeat a texture more often."""
        return Mesh.of(
            self.points, self.normals, self.uv * np.array([scale_u, scale_v]), self.faces
        )

    def flipped(self) -> Mesh:
        """Inside out."""
        return Mesh.of(self.points, -self.normals, self.uv, self.faces[:, ::-1])


def _rounded(values: NDArray[np.float64], steps: float) -> Floats:
    """To multiples of 1 / steps. The last bits of sines and powers differ from machine to machine,
    so the threshold lies off the middle, where no round number is; and zero has no sign."""
    return (np.floor(values * steps + 0.50037) / steps).astype(np.float32)


def _times(vectors: Floats, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """rows applied to every vector, without BLAS: its result depends on the processor."""
    x, y, z = (vectors[:, i].astype(np.float64) for i in range(3))
    return np.stack([row[0] * x + row[1] * y + row[2] * z for row in rows], 1)


def join(meshes: Sequence[Mesh]) -> Mesh:
    """Several meshes as one; none raises ValueError."""
    if not meshes:
        raise ValueError("no mesh to join")
    starts = np.cumsum([0, *(len(mesh.points) for mesh in meshes[:-1])])
    return Mesh.of(
        np.concatenate([mesh.points for mesh in meshes]),
        np.concatenate([mesh.normals for mesh in meshes]),
        np.concatenate([mesh.uv for mesh in meshes]),
        np.concatenate([mesh.faces + s for mesh, s in zip(meshes, starts, strict=True)]),
    )
