"""Dirt on vessels: thick drips on walls, puddles on bottoms, as thin skins over the surface."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.lofts import grid_faces
from env_service.worlds.household.assets.material import Color, Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import Part
from env_service.worlds.household.assets.vessel import Vessel, circle_share

Array = NDArray[np.float64]

LIFT = 0.0008
"""Metres between a stain and what it lies on."""

SAUCE: Color = (0.30, 0.15, 0.06)
PALE: Color = (0.80, 0.75, 0.66)


def stain_on(color: Color, *, gloss: float = 0.45) -> Material:
    """Dirt in the tone that stands out: brown sauce on what is pale, dried milk on what is
    dark."""
    light = 0.3 * color[0] + 0.6 * color[1] + 0.1 * color[2]
    return Material(SAUCE if light > 0.4 else PALE, gloss=gloss, two_sided=True)


def dirt(name: str, meshes: list[Mesh], material: Material) -> Part:
    """Stains as a part."""
    return Part(name, join(meshes), material, casts_shadow=False)


def drips(
    vessel: Vessel,
    seed: int,
    *,
    inside: bool = False,
    count: int = 9,
    reach: float = 0.75,
    width: float = 0.006,
) -> Mesh:
    """Streaks that ran down from the rim, each thick at its end.

    Args:
        vessel: what they ran down on; inside: on its inner wall.
        seed: of the draws.
        count: of streaks; reach: share of the height that the longest runs.
        width: metres, of a streak's end.
    """
    generator = np.random.default_rng([seed, 7, int(inside)])
    line = np.array(vessel.inside[1:] if inside else vessel.outside[1:], np.float64)
    line = line[: int(np.argmax(line[:, 1])) + 1]
    top, floor = float(line[-1, 1]) - 0.0005, float(line[0, 1])
    middle = (np.arange(count) + generator.uniform(-0.35, 0.35, count)) * (2 * math.pi / count)
    length = (top - floor) * reach * generator.uniform(0.35, 1.0, count)
    thick = width * generator.uniform(0.7, 1.4, count)
    down = np.array([0.0, 0.12, 0.4, 0.82, 0.95, 1.0])
    shape = np.array([2.4, 1.3, 0.65, 1.0, 0.8, 0.1])
    height = top - down * length[:, None]
    radius = np.interp(height, line[:, 1], line[:, 0])
    slope = np.gradient(radius, axis=1) / np.gradient(height, axis=1)
    half = thick[:, None] * shape / np.maximum(radius, 0.01)
    angle = middle[:, None, None] + half[..., None] * np.array([-1.0, 0.0, 1.0])
    side = -1.0 if inside else 1.0
    flat = radius[..., None] * circle_share(vessel.sides, angle) + side * LIFT
    tall = np.broadcast_to(height[..., None], angle.shape)
    c, s = np.cos(angle), np.sin(angle)
    points = np.stack([flat * c, tall, flat * s], -1)
    tilt = np.broadcast_to(-slope[..., None], angle.shape)
    normals = side * np.stack([c, tilt, s], -1)
    return vessel.place(_skins(points, normals))


def puddles(
    vessel: Vessel,
    seed: int,
    *,
    count: int = 6,
    size: float = 0.3,
    reach: float = 0.75,
) -> Mesh:
    """Blots on what one sees from above: the bottom and the lower wall.

    Args:
        vessel: what they lie in.
        seed: of the draws.
        count: of blots; size: of the greatest, as a share of the inner radius.
        reach: how far out their middles lie, as a share of the inner radius.
    """
    generator = np.random.default_rng([seed, 13])
    line = np.array(vessel.inside, np.float64)
    line = line[: int(np.argmax(line[:, 0])) + 1]
    limit = float(line[-1, 0]) * 0.97
    away = limit * reach * np.sqrt((np.arange(count) + generator.uniform(0.1, 0.9, count)) / count)
    turn = np.arange(count) * 2.4 + generator.uniform(0, 0.8, count)
    spread = limit * size * generator.uniform(0.35, 1.0, count)
    around = np.linspace(0, 2 * math.pi, 14)
    waves = [
        generator.uniform(0.05, 0.16, (count, 1))
        * np.cos(k * around[None] + generator.uniform(0, 6.3, (count, 1)))
        for k in (2, 3, 5)
    ]
    wave = np.sum(waves, 0)
    ring = spread[:, None] * (1 + wave)
    scale = np.array([0.0, 0.5, 1.0])[None, :, None]
    x = (away * np.cos(turn))[:, None, None] + scale * (ring * np.cos(around))[:, None, :]
    z = (away * np.sin(turn))[:, None, None] + scale * (ring * np.sin(around))[:, None, :]
    radius = np.sqrt(x * x + z * z)
    cut = np.minimum(radius, limit) / np.maximum(radius, 1e-9)
    x, z, radius = x * cut, z * cut, np.minimum(radius, limit)
    # on a polygon the wall is reached a little earlier than on its circle
    share = circle_share(vessel.sides, np.arctan2(z, x))
    height = np.interp(radius / share, line[:, 0], line[:, 1]) + LIFT * (1.6 - 0.6 * scale)
    ahead = np.interp(radius + 0.002, line[:, 0], line[:, 1])
    slope = (ahead - np.interp(radius, line[:, 0], line[:, 1])) / 0.002
    out = -slope / np.maximum(radius, 1e-6)
    normals = np.stack([out * x, np.ones_like(x), out * z], -1)
    return vessel.place(_skins(np.stack([x, height, z], -1), normals))


def _skins(points: Array, normals: Array) -> Mesh:
    """Grids of corners, [pieces, rows, columns, 3], as one mesh that looks along its normals."""
    pieces, rows, columns = points.shape[:3]
    starts = np.arange(pieces)[:, None, None] * rows * columns
    faces = (grid_faces(rows, columns)[None] + starts).reshape(-1, 3)
    flat, up = points.reshape(-1, 3), normals.reshape(-1, 3)
    a, b, c = (flat[faces[:, k]] for k in range(3))
    turned = (np.cross(b - a, c - a) * up[faces[:, 0]]).sum(1) < 0
    faces = np.where(turned[:, None], faces[:, ::-1], faces)
    return Mesh.of(flat, up, np.zeros((len(flat), 2)), faces)
