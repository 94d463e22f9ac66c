"""What is left of things that broke: shards and jagged stumps."""

from __future__ import annotations

import math

import numpy as np

from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.skins import Array, cap, skin


def shards(
    width: float,
    depth: float,
    *,
    count: int,
    largest: float,
    thickness: float,
    seed: int,
    height: float = 1.0,
) -> Mesh:
    """Sharp pieces that lie about on a floor of width x depth metres, none higher than `height`.

    `largest` is about the radius of the greatest piece; all are cut to fit the floor.
    """
    generator = np.random.default_rng(seed)
    pieces = []
    for _ in range(count):
        radius = min(largest, width / 2.2, depth / 2.2) * float(generator.uniform(0.45, 1.0))
        corners = int(generator.integers(3, 6))
        turn = np.sort(generator.uniform(0, 2 * math.pi / corners, corners))
        turn = turn + np.arange(corners) * 2 * math.pi / corners
        reach = radius * generator.uniform(0.6, 1.0, corners)
        flat = np.stack([np.cos(turn) * reach, np.sin(turn) * reach], 1)
        tilt = generator.uniform(-28.0, 28.0, 2)
        place = generator.uniform(-1.0, 1.0, 2) * (
            (width - 2 * radius) / 2,
            (depth - 2 * radius) / 2,
        )
        piece = _slab(flat, thickness).turned(float(tilt[0]), 0.0, float(tilt[1]))
        low, high = piece.bounds
        if high[1] - low[1] > height:
            piece = piece.scaled(1.0, height / float(high[1] - low[1]), 1.0)
        low = piece.bounds[0]
        pieces.append(piece.moved(float(place[0]), -float(low[1]), float(place[1])))
    return join(pieces)


def stump(rings: list[Array], share: float, seed: int, *, thickness: float = 0.004) -> Mesh:
    """The lower part of a round vessel, up to about `share` of its rings' height, with a jagged
    edge; its inside is drawn too. Rings go upwards."""
    generator = np.random.default_rng(seed)
    top = rings[-1][:, 1].max() * share
    kept = [ring for ring in rings if ring[:, 1].max() < top * 0.75]
    kept = kept or [rings[0]]
    last = next((ring for ring in rings if ring[:, 1].max() >= top * 0.75), rings[-1])
    edge = last.copy()
    edge[:, 1] = top * generator.uniform(0.8, 1.6, len(edge))
    edge[:, 1] = np.minimum(edge[:, 1], rings[-1][:, 1].max())
    outer = [*kept, edge]
    inner = [_shrunk(ring, thickness) for ring in reversed(outer)]
    floor = inner[-1].copy()
    floor[:, 1] += thickness
    inner[-1] = floor
    return join([skin(outer, low=True), skin([edge, inner[0]]), skin(inner), cap(floor)])


def _shrunk(ring: Array, thickness: float) -> Array:
    center = ring.mean(0)
    away = ring - center
    away[:, 1] = 0.0
    length = np.sqrt((away * away).sum(1, keepdims=True))
    inside: Array = ring - away / np.maximum(length, 1e-9) * np.minimum(thickness, length * 0.5)
    return inside


def _slab(flat: Array, thickness: float) -> Mesh:
    """A flat-sided slab over a polygon that bulges outwards everywhere."""
    low = np.insert(flat, 1, 0.0, axis=1)
    high = np.insert(flat, 1, thickness, axis=1)
    after_low, after_high = np.roll(low, -1, 0), np.roll(high, -1, 0)
    points = np.stack([low, high, after_high, after_low], 1).reshape(-1, 3)
    along = after_low - low
    normal = np.repeat(np.stack([along[:, 2], along[:, 1], -along[:, 0]], 1), 4, 0)
    start = np.arange(len(flat)) * 4
    faces = np.concatenate(
        [
            np.stack([start, start + 1, start + 2], 1),
            np.stack([start, start + 2, start + 3], 1),
        ]
    )
    sides = Mesh.of(points, normal, np.zeros((len(points), 2)), faces)
    return join([sides, cap(high, 1), cap(low, -1)])
