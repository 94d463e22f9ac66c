"""Remains of broken things: shards, jagged stumps, pieces of a vessel's wall."""

import math

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.lofts import Array, cap, shell, skin, turned_about
from env_service.worlds.household.assets.model import Mesh, join
from env_service.worlds.household.assets.vessel import Vessel
from env_service.worlds.household.geometry import Vec3


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
    """Sharp pieces scattered on a floor of width x depth metres, none higher than `height`.

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


# --- Broken vessels: a stump with a jagged rim, and pieces of the wall around it

ShardsArray = NDArray[np.float64]


def vessel_stump(vessel: Vessel, seed: int, *, low: float = 0.25, high: float = 0.75) -> Mesh:
    """The lower part of a vessel; its edge rises and falls between two shares of the height."""
    generator = np.random.default_rng([seed, 3])
    teeth = vessel.sides
    tall = vessel.rim - vessel.floor
    sway = np.cos(np.arange(teeth) * (2 * math.pi / teeth) + generator.uniform(0, 6.3))
    jag = np.clip(0.5 + 0.32 * sway + generator.uniform(-0.3, 0.3, teeth), 0, 1)
    edge = vessel.floor + tall * (low + (high - low) * jag)
    angle = np.arange(teeth) * (2 * math.pi / teeth)
    share = np.linspace(0, 1, 5)[:, None]
    rows = []
    for line in (vessel.outside, vessel.inside):
        wall = np.array(line[1:], np.float64)
        start = float(wall[0, 1])
        height = start + (edge - start) * share
        flat = np.interp(height, wall[:, 1], wall[:, 0])
        bottom = np.concatenate([np.zeros((1, teeth)), flat])
        tops = np.concatenate([np.full((1, teeth), start), height])
        rows.append(np.stack([bottom * np.cos(angle), tops, bottom * np.sin(angle)], -1))
    return vessel.place(shell(rows[0], rows[1], wrap=True))


def wall_pieces(vessel: Vessel, seed: int, *, count: int, size: float) -> list[Mesh]:
    """Curved pieces of the wall that lie on the ground around the origin, about `size` metres
    long each."""
    generator = np.random.default_rng([seed, 5])
    outside, inside = (np.array(line[1:], np.float64) for line in (vessel.outside, vessel.inside))
    pieces = []
    for _ in range(count):
        scale = size * generator.uniform(0.65, 1.0)
        high = vessel.rim - generator.uniform(0.0, 0.35) * (vessel.rim - vessel.floor)
        low = max(high - scale, vessel.floor)
        wide = min(scale / float(np.interp((low + high) / 2, *outside.T[::-1])), 1.6)
        u, v = np.meshgrid(np.linspace(-0.5, 0.5, 4), np.linspace(0, 1, 4))
        u = u * (0.45 + 0.55 * np.roll(v, int(generator.integers(0, 2)), 0))
        u = u + generator.uniform(-0.09, 0.09, u.shape)
        v = np.clip(v + generator.uniform(-0.11, 0.11, v.shape), 0, 1)
        height = low + (high - low) * v
        skins = []
        for line in (outside, inside):
            flat = np.interp(height, line[:, 1], line[:, 0])
            skins.append(np.stack([flat * np.cos(u * wide), height, flat * np.sin(u * wide)], -1))
        turn = 90.0 if generator.random() < 0.6 else -90.0
        piece = centred(shell(skins[0], skins[1])).turned(z=turn + generator.uniform(-12, 12))
        pieces.append(centred(piece.turned(y=float(generator.uniform(0, 360)))))
    return pieces


def scattered(pieces: list[Mesh], size: Vec3, seed: int, *, inner: float = 0.55) -> Mesh:
    """Pieces laid in a ring within a box; `inner` is where the ring begins, as a share of the
    way from the middle to the edge."""
    generator = np.random.default_rng([seed, 9])
    start = generator.uniform(0, 360)
    placed = []
    for number, whole in enumerate(pieces):
        low, high = whole.bounds
        extent = (high - low).astype(np.float64)
        allowed = np.array([size.x, size.y, size.z]) * np.array([0.6, 1.0, 0.6])
        factor = min(1.0, float((allowed / np.maximum(extent, 1e-6)).min()))
        piece = whole.scaled(factor, factor, factor)
        extent = extent * factor
        angle = math.radians(start + 360 * number / len(pieces) + generator.uniform(-15, 15))
        away = generator.uniform(inner, 1.0) * 1.3
        room_x, room_z = (size.x - float(extent[0])) / 2, (size.z - float(extent[2])) / 2
        x = min(max(away * math.cos(angle), -1.0), 1.0) * room_x
        z = min(max(away * math.sin(angle), -1.0), 1.0) * room_z
        placed.append(piece.moved(x, 0.0, z))
    return join(placed)


def wedges(vessel: Vessel, seed: int, *, count: int = 6, gap: float = 0.1) -> list[Mesh]:
    """A flat vessel (a plate) burst from a point near its middle into wedges with jagged sides,
    moved apart by `gap` of its radius; all stay within its circle."""
    generator = np.random.default_rng([seed, 17])
    radius = vessel.outside[-1][0]
    origin = generator.uniform(-0.22, 0.22, 2) * radius
    cuts = (np.arange(count) + generator.uniform(-0.28, 0.28, count)) * (2 * math.pi / count)
    rows = 7
    share = np.linspace(0, 1, rows)[:, None]
    jags = generator.uniform(-0.10, 0.10, (count, rows)) * (share[:, 0] * (1.3 - share[:, 0]) * 3)
    outside, inside = (np.array(line, np.float64) for line in (vessel.outside, vessel.inside))
    pieces = []
    for k in range(count):
        after = (k + 1) % count
        first, last = cuts[k], cuts[after] + (2 * math.pi if after == 0 else 0.0)
        across = np.linspace(0, 1, 6)[None]
        angle = first + (last - first) * across
        angle = angle + jags[k][:, None] * (1 - across) + jags[after][:, None] * across
        x = origin[0] * (1 - share) + radius * np.cos(angle) * share
        z = origin[1] * (1 - share) + radius * np.sin(angle) * share
        reach = np.sqrt(x * x + z * z)
        skins = [
            np.stack([x, np.interp(reach, line[:, 0], line[:, 1]), z], -1)
            for line in (outside, inside)
        ]
        middle = (first + last) / 2
        shift = np.array([math.cos(middle), 0.0, math.sin(middle)]) * gap * radius
        turn = float(generator.uniform(-5, 5))
        moved = [(turned_about(skin, turn) * (1 - gap - 0.03)) + shift for skin in skins]
        pieces.append(vessel.place(shell(moved[0], moved[1])))
    return pieces


def centred(mesh: Mesh) -> Mesh:
    """A mesh whose bounds stand on the origin."""
    low, high = (bound.astype(np.float64) for bound in mesh.bounds)
    x, z = -(low + high)[[0, 2]] / 2
    return mesh.moved(float(x), -float(low[1]), float(z))
