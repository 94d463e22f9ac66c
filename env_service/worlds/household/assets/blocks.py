"""Many axis-aligned blocks as one mesh: boards, frames, racks, open boxes.

A span is (x0, y0, z0, x1, y1, z1), metres, low corner first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.mesh import Mesh

Array = NDArray[np.float64]
Span = tuple[float, float, float, float, float, float]


def blocks(
    spans: Sequence[Span],
    *,
    bevel: float = 0.0,
    tile: float | None = None,
    upright: bool = False,
) -> Mesh:
    """Closed blocks, one per span.

    With a bevel, metres, their edges are cut and shaded round; it is kept below half of a block's
    least extent. Texture coordinates run once over each face, or are metres divided by `tile`;
    `upright` makes u run along y, for wood whose grain stands.

    Raises:
        ValueError: no span, or one whose high corner is not above its low one.
    """
    corners = np.array(spans, np.float64).reshape(-1, 2, 3)
    extent = corners[:, 1] - corners[:, 0]
    if not len(corners) or float(extent.min()) <= 0:
        raise ValueError(f"blocks need low corners below high ones: {list(spans)}")
    center, half = corners.mean(1), extent / 2
    cut = np.minimum(bevel, extent.min(1) * 0.45)[:, None]
    sign, axis, quads, joints = _TOPOLOGY
    ahead = np.arange(3) == axis[:, None]
    reach = half[:, None] - np.where(ahead[None], 0.0, cut[:, :, None])
    points = center[:, None] + sign[None] * reach
    normals = np.broadcast_to(np.where(ahead, sign, 0.0), points.shape)
    uv = _coordinates((points - center[:, None]) / (2 * half[:, None]) + 0.5, points, tile)
    uv = uv[:, :, ::-1] if upright else uv
    faces = np.concatenate([quads, joints]) if bevel > 0 else quads
    starts = np.arange(len(corners))[:, None, None] * len(sign)
    return Mesh.of(
        points.reshape(-1, 3), normals.reshape(-1, 3), uv.reshape(-1, 2), faces[None] + starts
    )


def hollow(span: Span, *, open_sides: str = "+y") -> Mesh:
    """The inner faces of a box, seen from inside, without those named: "+y", "+z-x"."""
    solid = blocks([span]).flipped()
    normal = solid.normals[solid.faces[:, 0]]
    keep = np.ones(len(solid.faces), bool)
    for k in range(0, len(open_sides), 2):
        side = -1.0 if open_sides[k] == "+" else 1.0
        keep &= normal[:, "xyz".index(open_sides[k + 1])] != side
    return Mesh.of(solid.points, solid.normals, solid.uv, solid.faces[keep])


def projected(mesh: Mesh, tile: float, *, upright: bool = False) -> Mesh:
    """The mesh with metres as texture coordinates, divided by `tile`, laid on from the side to
    which each corner's normal points most."""
    axis = np.abs(mesh.normals).argmax(1)
    p = mesh.points.astype(np.float64)
    across = np.where(axis == 0, p[:, 2], np.where(axis == 2, -p[:, 0], p[:, 0]))
    along = np.where(axis == 1, p[:, 2], p[:, 1])
    uv = np.stack([along, across] if upright else [across, along], 1) / tile
    return Mesh.of(mesh.points, mesh.normals, uv, mesh.faces)


def _coordinates(unit: Array, points: Array, tile: float | None) -> Array:
    """Texture coordinates from corners [K, 24, 3], in the unit box and in metres; who looks at a
    face sees u run to the right."""
    sign, axis, _, _ = _TOPOLOGY
    corner = np.arange(len(sign))
    across, along = np.array([2, 0, 0])[axis], np.array([1, 2, 1])[axis]
    mirrored = (axis == 2) == (sign[corner, axis] > 0)
    if tile:
        u, v = points[:, corner, across] / tile, points[:, corner, along] / tile
        return np.stack([np.where(mirrored, -u, u), v], 2)
    u, v = unit[:, corner, across], unit[:, corner, along]
    return np.stack([np.where(mirrored, 1 - u, u), v], 2)


def _topology() -> tuple[Array, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Signs and face axis of the 24 corners (8 per axis), triangles of the six faces, and
    triangles of the twelve edges and eight corners between them."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
    sign = np.concatenate([signs] * 3)
    axis = np.repeat(np.arange(3), 8)

    def corner(on: int, at: Array) -> int:
        return on * 8 + int(((at > 0) * np.array([4, 2, 1])).sum())

    quads, joints = [], []
    for on in range(3):
        u, v = [k for k in range(3) if k != on]
        for side in (-1, 1):
            ring = []
            for pu, pv in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                spot = np.zeros(3)
                spot[on], spot[u], spot[v] = side, pu, pv
                ring.append(corner(on, spot))
            quads += [ring[:3], [ring[0], ring[2], ring[3]]]
        for su in (-1, 1):
            for sv in (-1, 1):
                low, high = np.zeros(3), np.zeros(3)
                low[[u, v]] = high[[u, v]] = su, sv
                low[on], high[on] = -1, 1
                a, b = corner(u, low), corner(u, high)
                c, d = corner(v, high), corner(v, low)
                joints += [[a, b, c], [a, c, d]]
    joints += [[corner(on, spot) for on in range(3)] for spot in signs]
    return sign, axis, _outward(sign, quads, axis), _outward(sign, joints, axis)


def _outward(sign: Array, faces: list[list[int]], axis: NDArray[np.int64]) -> NDArray[np.int64]:
    """Triangles turned so that they face away from the middle."""
    ahead = np.arange(3) == axis[:, None]
    points = sign * np.where(ahead, 1.0, 0.8)
    array = np.array(faces)
    p = points[array]
    inward = (np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]) * p.sum(1)).sum(1) < 0
    array[inward] = array[inward][:, ::-1]
    return array


_TOPOLOGY = _topology()
