"""The triangles of a scene graph in the room's frame, kept from frame to frame, and what of a
mesh does not depend on its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.model import Mesh
from env_service.worlds.household.render.scene_graph import Node

F4 = np.float32
F8 = np.float64


@dataclass(frozen=True, eq=False)
class Block:
    """A node's triangles in the room's frame.

    Attributes:
        node: whose they are.
        points: float64 [3, 3, M]: axis, corner, triangle.
        plane: float64 [4, M]: cross(p1 - p0, p2 - p0), and its inner product with p0.
        low, high: float64 [3]: the box around it.
        cofactors: float64 [3, 3], which bring normals into the room.
        mirrored: whether the place is one that mirrors; the triangles are then turned round, so
            that the outside stays outside.
    """

    node: Node
    points: NDArray[np.float64]
    plane: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    cofactors: NDArray[np.float64]
    mirrored: bool

    @property
    def count(self) -> int:
        """How many triangles."""
        return len(self.node.mesh.faces)

    @cached_property
    def normals(self) -> NDArray[np.float32]:
        """float32 [3, 3, M]: as points; unit length."""
        normals = _apply(self.cofactors, self.node.mesh.normals)
        x, y, z = normals
        length = np.sqrt(x * x + y * y + z * z)
        normals /= np.where(length > 0, length, 1.0)
        return normals[:, _corners(self.node.mesh, mirrored=self.mirrored)].astype(F4)

    @cached_property
    def area(self) -> NDArray[np.float64]:
        """float64 [M], square metres."""
        x, y, z = self.plane[:3]
        found: NDArray[np.float64] = np.sqrt(x * x + y * y + z * z) / 2
        return found


@dataclass(frozen=True, eq=False)
class Triangles:
    """All triangles of a scene.

    Attributes:
        blocks: what they come from, in the graph's order.
        counts: int64 [nodes].
        points, plane: as in Block.
        low, high: float64 [3, nodes]: boxes.
    """

    blocks: tuple[Block, ...]
    counts: NDArray[np.int64]
    points: NDArray[np.float64]
    plane: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The blocks' nodes."""
        return tuple(block.node for block in self.blocks)

    @cached_property
    def normals(self) -> NDArray[np.float32]:
        """As in Block."""
        return np.concatenate([np.zeros((3, 3, 0), F4), *(b.normals for b in self.blocks)], 2)

    @cached_property
    def area(self) -> NDArray[np.float64]:
        """As in Block."""
        return np.concatenate([np.zeros(0), *(block.area for block in self.blocks)])

    @cached_property
    def node(self) -> NDArray[np.int32]:
        """int32 [T], place in `nodes`."""
        return np.repeat(np.arange(len(self.blocks), dtype=np.int32), self.counts)

    @cached_property
    def uv(self) -> NDArray[np.float32]:
        """float32 [2, 3, T]: coordinate, corner, triangle."""
        parts = [np.zeros((2, 3, 0), F4)]
        for block, facts in zip(self.blocks, self._facts, strict=True):
            parts.append(facts.uv[:, [0, 2, 1]] if block.mirrored else facts.uv)
        return np.concatenate(parts, 2)

    @cached_property
    def patch(self) -> NDArray[np.int32]:
        """int32 [T], unique in the scene."""
        parts, start = [np.zeros(0, np.int32)], 0
        for facts in self._facts:
            parts.append(facts.patch + np.int32(start))
            start += facts.patches
        return np.concatenate(parts)

    @cached_property
    def flat(self) -> NDArray[np.bool_]:
        """bool [T]."""
        return np.concatenate([np.zeros(0, np.bool_), *(facts.flat for facts in self._facts)])

    @cached_property
    def _facts(self) -> tuple[MeshFacts, ...]:
        return tuple(mesh_facts(block.node.mesh) for block in self.blocks)


class TriangleCache:
    """Turns graph states into triangles, redoing only what is new."""

    def __init__(self) -> None:
        self._blocks: dict[Node, Block] = {}

    def update(self, nodes: Mapping[str, Node]) -> Triangles:
        """The triangles of these nodes; blocks of removed nodes are forgotten."""
        old = self._blocks
        self._blocks = {
            node: old.get(node) or placed_block(node)
            for node in nodes.values()
            if len(node.mesh.faces)
        }
        blocks = tuple(self._blocks.values())
        none = np.zeros((3, 0))
        return Triangles(
            blocks,
            np.array([block.count for block in blocks], np.int64),
            np.concatenate([np.zeros((3, 3, 0)), *(block.points for block in blocks)], 2),
            np.concatenate([np.zeros((4, 0)), *(block.plane for block in blocks)], 1),
            np.concatenate([none, *(block.low[:, None] for block in blocks)], 1),
            np.concatenate([none, *(block.high[:, None] for block in blocks)], 1),
        )


def placed_block(node: Node) -> Block:
    """The node's triangles in the room: points by its place, normals by the cofactors of its
    matrix."""
    m = node.place
    rows = m[:, :3]
    cofactors = np.array([_cross(rows[k - 2], rows[k - 1]) for k in range(3)])
    mirrored = float((m[0, :3] * cofactors[0]).sum()) < 0
    points = _apply(m[:, :3], node.mesh.points) + m[:, 3:]
    p = points[:, _corners(node.mesh, mirrored=mirrored)]
    face = np.stack(_cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]))
    offset = face[0] * p[0, 0] + face[1] * p[1, 0] + face[2] * p[2, 0]
    return Block(
        node,
        p,
        np.concatenate([face, offset[None]]),
        points.min(1),
        points.max(1),
        -cofactors if mirrored else cofactors,
        mirrored,
    )


def _corners(mesh: Mesh, *, mirrored: bool) -> NDArray[np.int32]:
    """int32 [3, M]: the corners of each triangle; the other way round if mirrored."""
    return mesh.faces.T[[0, 2, 1]] if mirrored else mesh.faces.T


def _apply(rows: NDArray[np.float64], vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """rows applied to every vector, float64 [3, N], without BLAS."""
    x, y, z = vectors.astype(F8).T
    return np.stack([row[0] * x + row[1] * y + row[2] * z for row in rows])


def _cross(
    a: NDArray[np.float64], b: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def in_blocks(triangles: Triangles, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The triangles of chosen nodes, ascending."""
    return np.flatnonzero(np.repeat(chosen, triangles.counts))


def fronts(plane: NDArray[np.float64], eye: tuple[float, float, float]) -> NDArray[np.bool_]:
    """Whether an eye is on the outer side of triangles, given their planes [4, N]."""
    seen: NDArray[np.bool_] = plane[0] * eye[0] + plane[1] * eye[1] + plane[2] * eye[2] > plane[3]
    return seen


# --- A mesh's data that do not depend on its place, above all its patches

FLAT = 2e-4
"""Corner normals that differ by less make a flat triangle."""


@dataclass(frozen=True, eq=False)
class MeshFacts:
    """A mesh's data that do not depend on its place.

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


_FACTS: WeakKeyDictionary[Mesh, MeshFacts] = WeakKeyDictionary()


def mesh_facts(mesh: Mesh) -> MeshFacts:
    """Patches, flatness and texture coordinates of a mesh's triangles, kept as long as the mesh:
    renderers of one process share them."""
    if mesh in _FACTS:
        return _FACTS[mesh]
    faces = mesh.faces.T
    normals = mesh.normals[faces]
    spread = np.abs(normals - normals[:1]).max((0, 2))
    label = _smooth_parts(mesh)
    _FACTS[mesh] = MeshFacts(
        label, int(label.max()) + 1, spread < FLAT, mesh.uv[faces].transpose(2, 0, 1).copy()
    )
    return _FACTS[mesh]


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
