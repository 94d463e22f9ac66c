"""The triangles of a scene graph in the room's frame, kept from frame to frame.

Each node becomes a block of triangles, in arrays whose last axis counts triangles. Blocks are
cached by node: a node never changes, so only new nodes cost work. All blocks are then laid one
after the other, in the graph's order.

Triangles belong to patches: parts of a mesh over which points and normals run on smoothly. Where
two neighbouring pixels show different patches there is an edge to be smoothed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.mesh import Mesh
from env_service.worlds.household.render.graph import Node

F4 = np.float32
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


@dataclass(frozen=True, eq=False)
class Block:
    """A node's triangles in the room's frame.

    Attributes:
        points: float64 [3, 3, M]: axis, corner, triangle.
        normals: float32 [3, 3, M]: the same order; unit length.
        plane: float64 [4, M]: cross(p1 - p0, p2 - p0), and its inner product with p0.
        area: float64 [M], square metres.
        facts: of the mesh.
        low, high: float64 [3]: the box around it.
    """

    points: NDArray[np.float64]
    normals: NDArray[np.float32]
    plane: NDArray[np.float64]
    area: NDArray[np.float64]
    facts: MeshFacts
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @property
    def count(self) -> int:
        """How many triangles."""
        return len(self.facts.patch)


@dataclass(frozen=True, eq=False)
class Triangles:
    """All triangles of a scene.

    Attributes:
        nodes, blocks: what they come from, in the graph's order.
        counts: int64 [nodes].
        points, normals, plane, area: as in Block.
        uv: float32 [2, 3, T].
        node: int32 [T], place in `nodes`.
        patch: int32 [T], unique in the scene.
        flat: bool [T].
    """

    nodes: tuple[Node, ...]
    blocks: tuple[Block, ...]
    counts: NDArray[np.int64]
    points: NDArray[np.float64]
    normals: NDArray[np.float32]
    plane: NDArray[np.float64]
    area: NDArray[np.float64]
    uv: NDArray[np.float32]
    node: NDArray[np.int32]
    patch: NDArray[np.int32]
    flat: NDArray[np.bool_]


class TriangleCache:
    """Turns graph states into triangles, redoing only what is new."""

    def __init__(self) -> None:
        self._blocks: dict[Node, Block] = {}
        self._facts: WeakKeyDictionary[Mesh, MeshFacts] = WeakKeyDictionary()

    def update(self, nodes: Mapping[str, Node]) -> Triangles:
        """The triangles of these nodes; blocks of nodes that are gone are forgotten."""
        self._blocks = {node: self._block(node) for node in nodes.values() if len(node.mesh.faces)}
        return _assemble(tuple(self._blocks), tuple(self._blocks.values()))

    def _block(self, node: Node) -> Block:
        known = self._blocks.get(node)
        if known is not None:
            return known
        facts = self._facts.get(node.mesh)
        if facts is None:
            facts = self._facts[node.mesh] = mesh_facts(node.mesh)
        return place(node, facts)


def _assemble(nodes: tuple[Node, ...], blocks: tuple[Block, ...]) -> Triangles:
    counts = np.array([block.count for block in blocks], np.int64)
    if not blocks:
        empty = np.zeros((3, 3, 0))
        uv = np.zeros((2, 3, 0), F4)
        none = np.zeros(0, np.int32)
        return Triangles(
            (),
            (),
            counts,
            empty,
            empty.astype(F4),
            np.zeros((4, 0)),
            np.zeros(0),
            uv,
            none,
            none,
            none > 0,
        )
    starts = np.cumsum([0, *(block.facts.patches for block in blocks[:-1])])
    patch = [b.facts.patch + np.int32(s) for b, s in zip(blocks, starts, strict=True)]
    return Triangles(
        nodes,
        blocks,
        counts,
        np.concatenate([block.points for block in blocks], 2),
        np.concatenate([block.normals for block in blocks], 2),
        np.concatenate([block.plane for block in blocks], 1),
        np.concatenate([block.area for block in blocks]),
        np.concatenate([block.facts.uv for block in blocks], 2),
        np.repeat(np.arange(len(blocks), dtype=np.int32), counts),
        np.concatenate(patch),
        np.concatenate([block.facts.flat for block in blocks]),
    )


def place(node: Node, facts: MeshFacts) -> Block:
    """The node's triangles in the room: points by its place, normals by the cofactors of its
    matrix; a mirroring place turns the triangles round, so that the outside stays outside."""
    m = node.place
    rows = m[:, :3]
    cofactors = np.array([_cross(rows[k - 2], rows[k - 1]) for k in range(3)])
    mirrored = float((m[0, :3] * cofactors[0]).sum()) < 0
    points = _apply(m[:, :3], node.mesh.points) + m[:, 3:]
    normals = _apply(-cofactors if mirrored else cofactors, node.mesh.normals)
    length = np.sqrt(normals[0] * normals[0] + normals[1] * normals[1] + normals[2] * normals[2])
    normals /= np.where(length > 0, length, 1.0)
    corners = node.mesh.faces.T[[0, 2, 1]] if mirrored else node.mesh.faces.T
    p = points[:, corners]
    face = np.stack(_cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]))
    offset = face[0] * p[0, 0] + face[1] * p[1, 0] + face[2] * p[2, 0]
    if mirrored:
        facts = MeshFacts(facts.patch, facts.patches, facts.flat, facts.uv[:, [0, 2, 1]])
    return Block(
        p,
        normals[:, corners].astype(F4),
        np.concatenate([face, offset[None]]),
        np.sqrt(face[0] * face[0] + face[1] * face[1] + face[2] * face[2]) / 2,
        facts,
        points.min(1),
        points.max(1),
    )


def _apply(rows: NDArray[np.float64], vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """rows applied to every vector, float64 [3, N], without BLAS."""
    x, y, z = vectors.astype(F8).T
    return np.stack([row[0] * x + row[1] * y + row[2] * z for row in rows])


def _cross(
    a: NDArray[np.float64], b: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


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


def in_blocks(triangles: Triangles, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The triangles of chosen nodes, ascending."""
    return np.flatnonzero(np.repeat(chosen, triangles.counts))


def fronts(plane: NDArray[np.float64], eye: tuple[float, float, float]) -> NDArray[np.bool_]:
    """Whether an eye stands on the outer side of triangles, given their planes [4, N]."""
    seen: NDArray[np.bool_] = plane[0] * eye[0] + plane[1] * eye[1] + plane[2] * eye[2] > plane[3]
    return seen
