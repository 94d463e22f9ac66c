"""Towels, what they hang on, and cloths."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from env_service.worlds.household.assets import palette, shapes, textures
from env_service.worlds.household.assets.bearing import sideways, yawed
from env_service.worlds.household.assets.canvas import Canvas
from env_service.worlds.household.assets.material import Color, Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Part,
    Surface,
)
from env_service.worlds.household.assets.skins import Array, path, skin

TOWELS: tuple[tuple[Color, Color], ...] = (
    ((0.22, 0.42, 0.58), (0.86, 0.88, 0.88)),
    ((0.88, 0.86, 0.80), (0.62, 0.45, 0.33)),
    ((0.62, 0.24, 0.26), (0.90, 0.80, 0.74)),
    ((0.40, 0.55, 0.42), (0.88, 0.88, 0.80)),
)
"""Ground and border."""

CLOTHS: tuple[tuple[str, Color, Color], ...] = (
    ("checks", (0.86, 0.86, 0.84), (0.72, 0.22, 0.20)),
    ("checks", (0.84, 0.86, 0.88), (0.25, 0.42, 0.65)),
    ("border", (0.90, 0.88, 0.82), (0.30, 0.52, 0.42)),
    ("plain", (0.86, 0.70, 0.30), (0.86, 0.70, 0.30)),
    ("plain", (0.55, 0.72, 0.78), (0.55, 0.72, 0.78)),
)
"""Pattern, ground and stripe."""


def towel(request: AssetRequest) -> Model:
    """A towel folded over a bar that runs along the longer of its level sides; in a flat box, a
    folded stack."""
    return _hung_or_folded(request, 0.06)


def hand_towel(request: AssetRequest) -> Model:
    """Like a towel, with the border nearer to its hem."""
    return _hung_or_folded(request, 0.1)


def _hung_or_folded(request: AssetRequest, border: float) -> Model:
    w, h, d = request.size.tuple()
    ground, stripe = request.choose(TOWELS)
    material = _terry(ground, stripe, border)
    if h < 0.6 * min(w, d):
        layers = max(2, min(4, round(h / 0.03)))
        thick = h / layers
        stack = [
            shapes.rounded_box(
                w * (1 - 0.03 * (k % 2)), thick * 0.97, d * (1 - 0.02 * k), thick * 0.45,
                at=(0, k * thick, 0),
            )
            for k in range(layers)
        ]  # fmt: skip
        return Model((Part("towel", join(stack), material),))
    if w < d:
        flat = _draped(d, h, w)
        model = Model((Part("towel", flat, material),))
        return yawed(model)
    return Model((Part("towel", _draped(w, h, d), material),))


def _draped(w: float, h: float, d: float) -> Mesh:
    """Thick cloth over a bar along x: its cross section, a narrow arch, drawn along x with slight
    waves. The back hangs a little shorter than the front."""
    thick = min(0.36 * d, 0.016)
    ripple = min(0.12 * d, 0.006)
    mid = d / 2 - thick / 2 - ripple
    top = h - thick / 2
    bend = min(mid, 0.3 * h)
    turn = np.linspace(0.0, math.pi, 9)
    front = [(mid, y) for y in np.linspace(0.0, top - bend, 6)[:-1]]
    arch = [(mid * math.cos(t), top - bend + bend * math.sin(t)) for t in turn]
    back = [(-mid, y) for y in np.linspace(top - bend, 0.07 * h, 6)[1:]]
    line = np.array([*front, *arch, *back])
    step = np.gradient(line, axis=0)
    step /= np.sqrt((step * step).sum(1, keepdims=True))
    normal = np.stack([step[:, 1], -step[:, 0]], 1)
    outer, inner = line + normal * thick / 2, line - normal * thick / 2
    loop = np.concatenate([outer, inner[::-1]])
    x = np.linspace(-w / 2, w / 2, 11)
    fade = 1 - np.clip(loop[:, 1] / h, 0, 1) ** 3
    rings = []
    for place in x:
        wave = ripple * math.sin(place * 2 * math.pi * 2.3 / w + 0.6)
        z = loop[:, 0] + wave * fade * np.sign(loop[:, 0] + 1e-9)
        rings.append(np.stack([np.full(len(z), place), loop[:, 1], z], 1))
    sleeve = skin(rings)
    sleeve = sleeve if shapes.volume(sleeve) >= 0 else skin(rings[::-1])
    ends = [_edge(rings[0], -1.0), _edge(rings[-1], 1.0)]
    whole = join([sleeve, *ends])
    uv = np.stack([whole.points[:, 0] / w + 0.5, whole.points[:, 1] / h * 0.98], 1)
    return Mesh.of(whole.points, whole.normals, uv, whole.faces)


def _edge(ring: Array, side: float) -> Mesh:
    """The cut edge of a draped cloth: a strip between its outer and its inner line."""
    half = len(ring) // 2
    points = np.concatenate([ring[:half], ring[half:][::-1]])
    k = np.arange(half - 1)
    faces = np.concatenate(
        [np.stack([k, k + 1, k + half], 1), np.stack([k + 1, k + half + 1, k + half], 1)]
    )
    normal = np.tile([side, 0.0, 0.0], (len(points), 1))
    p = points[faces]
    wrong = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])[:, 0] * side < 0
    faces[wrong] = faces[wrong][:, ::-1]
    return Mesh.of(points, normal, np.zeros((len(points), 2)), faces)


@cache
def _terry(ground: Color, stripe: Color, border: float) -> Material:
    """Terry cloth with two woven bands near the hems."""
    fuzz = textures.noise(128, 48, 5, octaves=2)
    board = Canvas(ground, 128)
    board.rect((0, border, 1, border + 0.05), stripe).rect(
        (0, border + 0.07, 1, border + 0.085), stripe
    )
    board.pixels *= (0.84 + 0.2 * fuzz)[..., None]
    return Material((1.0, 1.0, 1.0), board.texture(), gloss=0.0)


def hand_towel_holder(request: AssetRequest) -> Model:
    """A ring under a plate on the wall (-z, or -x for a box thin along x). The foot of the ring is
    a surface over which a towel hangs."""
    w, h, d = request.size.tuple()
    if w < d:
        return _sideways(hand_towel_holder, request)
    tube = min(0.006, d * 0.15)
    radius = min(w, h) / 2 - tube
    lift = h - 2 * (radius + tube)
    z = d / 2 - tube - 0.004
    turns = np.linspace(0.0, 2 * math.pi, 28, endpoint=False)
    center = radius + tube
    ring = [(radius * math.cos(t), center + radius * math.sin(t), z) for t in turns]
    plate_y = min(h - 0.03, 2 * radius + tube + lift * 0.3)
    plate = shapes.lathe([(0.028, 0.0), (0.024, 0.008), (0.0, 0.011)], sides=18)
    metal = [
        shapes.tube(ring, tube, closed=True),
        plate.turned(x=90).moved(0, plate_y, -d / 2),
        shapes.tube([(0, plate_y, -d / 2), (0, plate_y, z)], 0.009),
        shapes.ball(0.013, 0.013, 0.011, sides=12, rings=8, at=(0, plate_y, z - 0.004)),
    ]
    name = request.choose(("chrome", "brass", "black iron"), 2)
    half = min(radius * 0.8, 0.07)
    low = 2 * tube
    surface = Surface((-half, z - tube), (half, z + tube), low)
    return Model((Part("holder", join(metal), palette.metal(name)),), (surface,))


def towel_holder(request: AssetRequest) -> Model:
    """A bar between two posts on the wall (-z, or -x for a box thin along z). The bar, at the
    front of the box, is a surface of its width over which a towel hangs."""
    w, h, d = request.size.tuple()
    if w < d:
        return _sideways(towel_holder, request)
    radius = min(0.009, 0.24 * h)
    end = w / 2 - 0.018
    z = d / 2 - radius - 0.002
    y = h / 2
    metal = [shapes.tube([(-w / 2 + 0.004, y, z), (w / 2 - 0.004, y, z)], radius, sides=12)]
    for side in (-1, 1):
        metal.append(
            shapes.tube(path([(side * end, y, -d / 2), (side * end, y, z)], 2), radius * 0.9)
        )
        metal.append(
            shapes.rounded_box(
                0.034,
                min(h, 0.042),
                0.012,
                0.004,
                at=(side * end, y - min(h, 0.042) / 2, 0.006 - d / 2),
                steps=1,
            )
        )
        metal.append(
            shapes.rounded_box(
                0.03,
                min(h * 0.9, 0.03),
                0.022,
                0.008,
                at=(side * end, y - min(h * 0.9, 0.03) / 2, d / 2 - 0.011),
                steps=1,
            )
        )
    name = request.choose(("chrome", "brass", "steel", "black iron"), 2)
    surface = Surface((-end + 0.02, z - radius), (end - 0.02, z + radius), y + radius)
    return Model((Part("holder", join(metal), palette.metal(name)),), (surface,))


def _sideways(builder: Builder, request: AssetRequest) -> Model:
    """A model for a box that is thin along x: its front turned to +x, its surface with it."""
    built = builder(sideways(request))
    model = yawed(built)
    surfaces = tuple(
        Surface((s.low[1], -s.high[0]), (s.high[1], -s.low[0]), s.height) for s in built.surfaces
    )
    return Model(model.parts, surfaces)


def cloth(request: AssetRequest) -> Model:
    """A cleaning cloth: folded in four, or crumpled where its box is high for its extent. Dirty,
    it is stained with grease."""
    w, h, d = request.size.tuple()
    kind, ground, stripe = request.choose(CLOTHS)
    material = _cleaning_cloth(kind, ground, stripe, request.variant % 4, dirty=request.look.dirty)
    mesh = _crumpled(w, h, d, request.variant) if h > 0.2 * min(w, d) else _folded(w, h, d)
    return Model((Part("cloth", mesh, material),))


def _crumpled(w: float, h: float, d: float, seed: int) -> Mesh:
    """A cloth that was dropped: a round heap of folds, flat at its ragged edge."""
    fold = textures.noise(32, 4, seed % 7 + 11, octaves=2)[4:26, 4:26]
    u = np.linspace(-1, 1, 22)
    away = np.sqrt(u[:, None] ** 2 + u[None] ** 2)
    dome = np.clip(1.12 - away, 0, 1) ** 0.7
    ridge = 1 - 2 * np.abs(fold - 0.5)
    height = dome * (0.25 + 0.75 * ridge)
    height = height / height.max() * (h - 0.003) + 0.003 * (height > 0)
    sheet = shapes.sheet(height, w, d)
    p = sheet.points.astype(np.float64)
    turn = np.arctan2(p[:, 2] / d, p[:, 0] / w)
    ragged = 0.86 + 0.09 * np.sin(turn * 3 + seed % 5) + 0.05 * np.sin(turn * 7 + 1)
    square = np.maximum(np.abs(p[:, 0]) / (w / 2), np.abs(p[:, 2]) / (d / 2))
    away_flat = np.sqrt((p[:, 0] / (w / 2)) ** 2 + (p[:, 2] / (d / 2)) ** 2)
    pull = ragged * np.where(away_flat > 0, square / np.maximum(away_flat, 1e-6), 1.0)
    points = p * np.stack([pull, np.ones_like(pull), pull], 1)
    return shapes.smoothed(Mesh.of(points, sheet.normals, sheet.uv, sheet.faces))


def _folded(w: float, h: float, d: float) -> Mesh:
    """A cloth folded in four: two soft layers, a little askew."""
    half = h / 2
    lower = shapes.rounded_box(w * 0.98, half * 1.02, d * 0.98, half * 0.5, steps=1)
    upper = shapes.rounded_box(w * 0.94, half, d * 0.95, half * 0.5, steps=1)
    upper = upper.moved(w * 0.02, half, -d * 0.015)
    whole = join([lower, upper])
    uv = np.stack([0.5 - whole.points[:, 0] / w, 0.5 - whole.points[:, 2] / d], 1)
    return Mesh.of(whole.points, whole.normals, uv, whole.faces)


@cache
def _cleaning_cloth(kind: str, ground: Color, stripe: Color, seed: int, *, dirty: bool) -> Material:
    board = Canvas(ground, 128)
    if kind == "checks":
        for k in range(6):
            start = k / 6 + 0.02
            board.rect((start, 0, start + 0.055, 1), stripe)
            board.rect((0, start, 1, start + 0.055), stripe)
    elif kind == "border":
        for low in (0.05, 0.12, 0.84, 0.91):
            board.rect((0, low, 1, low + 0.035), stripe).rect((low, 0, low + 0.035, 1), stripe)
    board.pixels *= (0.86 + 0.18 * textures.noise(128, 40, 3, octaves=2))[..., None]
    if dirty:
        patches = textures.noise(128, 4, 40 + seed, octaves=3)
        board.mask((patches - 0.48) * 7.0, (0.27, 0.18, 0.09))
        spots = textures.noise(128, 12, 50 + seed, octaves=2)
        board.mask((spots - 0.68) * 9.0, (0.10, 0.08, 0.05))
    return Material((1.0, 1.0, 1.0), board.texture(), gloss=0.0, two_sided=True)


BUILDERS: dict[str, Builder] = {
    "Towel": towel,
    "HandTowel": hand_towel,
    "HandTowelHolder": hand_towel_holder,
    "TowelHolder": towel_holder,
    "Cloth": cloth,
}
