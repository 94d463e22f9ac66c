"""Shakers, paper towels, foil and sponges."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from env_service.worlds.household.assets.lofts import Stance, filling, shell
from env_service.worlds.household.assets.material import Color, Material, Texture
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import AssetRequest, Builder, Model, Part
from env_service.worlds.household.assets.shapes import Point2, ball, box, lathe, rounded_box
from env_service.worlds.household.assets.textures import between, noise, picture, speckle
from env_service.worlds.household.geometry import Vec3

WHITE = (1.0, 1.0, 1.0)
STEEL = Material((0.78, 0.79, 0.80), gloss=0.7, metal=0.85)
GLASS = Material((0.85, 0.90, 0.92), opacity=0.12, gloss=0.95)
SALT = Material((0.97, 0.97, 0.96), gloss=0.05)
PALE_WOOD = Material((0.80, 0.64, 0.43), gloss=0.3)
DARK_WOOD = Material((0.20, 0.12, 0.08), gloss=0.35)
CARDBOARD = Material((0.66, 0.52, 0.36))
FOIL = Material((0.82, 0.83, 0.85), gloss=0.9, metal=0.75, two_sided=True)


def _shaker(request: AssetRequest, filling_material: Material, wood: Material) -> Model:
    """A glass shaker with a steel cap; a turned mill where the box is tall and narrow."""
    size = request.size
    r, h = min(size.x, size.z) / 2, size.y
    if h > 2.2 * 2 * r:
        return _mill(r, h, wood)
    outside: list[Point2] = [
        (0.0, 0.0), (0.92 * r, 0.0), (r, 0.03 * h), (0.97 * r, 0.30 * h), (0.80 * r, 0.68 * h),
        (0.0, 0.68 * h),
    ]  # fmt: skip
    grains: list[Point2] = [
        (0.0, 0.02 * h), (0.84 * r, 0.02 * h), (0.92 * r, 0.05 * h), (0.90 * r, 0.30 * h),
        (0.83 * r, 0.50 * h), (0.0, 0.52 * h),
    ]  # fmt: skip
    cap: list[Point2] = [
        (0.0, 0.66 * h), (0.84 * r, 0.66 * h), (0.86 * r, 0.70 * h), (0.84 * r, 0.86 * h),
        (0.66 * r, 0.96 * h), (0.36 * r, 0.995 * h), (0.0, h),
    ]  # fmt: skip
    hole = ball(0.07 * r, 0.004, 0.07 * r, sides=6, rings=4, at=(0.34 * r, 0.992 * h - 0.002, 0))
    holes = [hole.turned(y=72.0 * k) for k in range(5)]
    return Model(
        (
            Part("body", lathe(outside, sides=10, crease=10.0), GLASS, casts_shadow=False),
            Part("grains", lathe(grains, sides=16, wrap=True).mapped(3.0, 2.0), filling_material),
            Part("cap", lathe(cap, sides=20), STEEL),
            Part("holes", join(holes), Material((0.05, 0.05, 0.05)), casts_shadow=False),
        )
    )


def _mill(r: float, h: float, wood: Material) -> Model:
    profile: list[Point2] = [
        (0.0, 0.0), (0.96, 0.0), (1.0, 0.02), (1.0, 0.09), (0.82, 0.13), (0.66, 0.24),
        (0.58, 0.40), (0.66, 0.54), (0.84, 0.64), (0.86, 0.68), (0.0, 0.68),
    ]  # fmt: skip
    head: list[Point2] = [
        (0.0, 0.70), (0.84, 0.70), (0.90, 0.74), (0.86, 0.84), (0.62, 0.92), (0.30, 0.945),
        (0.0, 0.95),
    ]  # fmt: skip
    turned = [lathe(line, sides=20).scaled(r, h, r) for line in (profile, head)]
    ring = lathe([(0.0, 0.675), (0.80, 0.675), (0.80, 0.705), (0.0, 0.705)], sides=20)
    knob = ball(0.22 * r, 0.035 * h, 0.22 * r, sides=10, rings=6, at=(0, 0.965 * h, 0))
    return Model(
        (
            Part("body", join(turned), wood),
            Part("metal", join([ring.scaled(r, h, r), knob]), STEEL),
        )
    )


def salt_shaker(request: AssetRequest) -> Model:
    """White salt in glass; as a mill, of pale wood."""
    return _shaker(request, SALT, PALE_WOOD)


def pepper_shaker(request: AssetRequest) -> Model:
    """Dark pepper in glass; as a mill, of dark wood."""
    pepper = speckle((0.07, 0.06, 0.05), (0.30, 0.26, 0.22), seed=3, share=0.12, size=64)
    return _shaker(request, Material(WHITE, pepper), DARK_WOOD)


@lru_cache(maxsize=4)
def _quilt(print_color: Color) -> Texture:
    """Embossed paper with a small print."""
    u, v = np.meshgrid(np.arange(128) / 128, np.arange(128) / 128)
    dots = np.cos(2 * math.pi * u * 12) * np.cos(2 * math.pi * v * 12)
    values = between((0.90, 0.90, 0.89), (0.97, 0.97, 0.96), 0.5 + 0.5 * dots)
    petal = np.cos(2 * math.pi * u * 4) + np.cos(2 * math.pi * v * 4)
    mark = np.clip((petal - 1.62) * 6, 0, 0.8)[..., None]
    return picture(values + (np.array(print_color) - values) * mark)


def paper_towel_roll(request: AssetRequest) -> Model:
    """A roll of kitchen paper on its tube, along the box's longest side; used up, only the bare
    cardboard tube is left."""
    size = request.size
    stance = Stance.of(size)
    r = min(stance.width, stance.thickness) / 2
    length = stance.length
    core = 0.32 * r
    tube_line = [(core - 0.0015, 0.0), (core, 0.0), (core, length), (core - 0.0015, length),
                 (core - 0.0015, 0.0)]  # fmt: skip
    inside = core - 0.0015
    parts: list[tuple[str, Mesh, Material]] = [("tube", lathe(tube_line, sides=20), CARDBOARD)]
    if request.look.used_up:
        wide = 0.55 * r / core
        parts = [("tube", parts[0][1].scaled(wide, 1.0, wide), CARDBOARD)]
    else:
        color = request.choose(((0.45, 0.62, 0.80), (0.55, 0.70, 0.50), (0.85, 0.60, 0.55)))
        edge = 0.003
        line = [(inside + 0.0016, edge), (r * 0.97, edge), (r * 0.985, edge * 1.6),
                (r * 0.985, length - edge * 1.6), (r * 0.97, length - edge),
                (inside + 0.0016, length - edge)]  # fmt: skip
        paper = Material(WHITE, _quilt(color))
        parts.append(("paper", lathe(line, sides=24, wrap=True).mapped(2.0, 3.0), paper))
        parts.append(("sheet", _loose_sheet(r, length, stance), paper))
    if stance.axes[2] == 1:
        return Model(tuple(Part(name, mesh, material) for name, mesh, material in parts))
    named = [
        (name, mesh.turned(x=90.0).moved(0, stance.thickness / 2, -length / 2), material)
        for name, mesh, material in parts
    ]
    return Model(tuple(Part(name, stance.lay(mesh), material) for name, mesh, material in named))


def _loose_sheet(r: float, length: float, stance: Stance) -> Mesh:
    """The end of the paper, standing off a little."""
    t = np.linspace(0, 1, 5)[:, None]
    y = np.array([0.006, length - 0.006])[None]
    away = min(max(stance.width / 2 - r, 0.0), 0.02)
    angle = -0.5 * math.pi + 0.5 * t
    x = (r * 0.99 + away * t) * np.cos(angle) * np.ones_like(y)
    z = (r * 0.99) * np.sin(angle) * np.ones_like(y)
    grid = np.stack([x, y * np.ones_like(t), z], -1)
    inner = grid * np.array([0.985, 1.0, 0.985])
    return shell(grid, inner)


@lru_cache(maxsize=4)
def _carton(base: Color, stripe: Color) -> Texture:
    """A printed carton: a broad stripe with lettering."""
    values = np.ones((32, 128, 3)) * np.array(base)
    values[9:23] = stripe
    generator = np.random.default_rng(17)
    for start in range(16, 108, 9):
        values[12:20, start : start + 3 + int(generator.integers(0, 4))] = (0.95, 0.95, 0.96)
    return picture(values)


def aluminum_foil(request: AssetRequest) -> Model:
    """A roll of foil in its long open carton; the foil comes out over the front edge."""
    size = request.size
    stance = Stance.of(size)
    w, t, length = stance.width, stance.thickness, stance.length
    base, stripe = request.choose((((0.16, 0.32, 0.60), (0.72, 0.12, 0.12)),
                                   ((0.82, 0.83, 0.85), (0.16, 0.35, 0.60))))  # fmt: skip
    wall, high = 0.0018, t * 0.72
    front = box(length, high, wall, at=(0, 0, w / 2 - wall))
    sides = [
        front,
        box(length, high, wall, at=(0, 0, -w / 2 + wall)),
        box(length, wall, w - wall, at=(0, 0, 0)),
        box(wall, high, w - wall, at=(length / 2 - wall, 0, 0)),
        box(wall, high, w - wall, at=(-length / 2 + wall, 0, 0)),
    ]
    r = min(w / 2 - 2 * wall, (t - wall) / 2)
    line = [(0.0, 0.0), (r * 0.35, 0.0), (r, 0.0), (r, 1.0), (r * 0.35, 1.0), (0.0, 1.0)]
    roll = lathe(line, sides=18).scaled(1, length - 6 * wall, 1).turned(z=-90.0)
    roll = roll.moved(-(length - 6 * wall) / 2, wall + r, 0.0)
    steps = np.linspace(0, 1, 9)[:, None]
    y = np.interp(
        steps, [0, 0.4, 0.55, 1], [wall + 2 * r - 0.0005, high + 0.003, high, high * 0.35]
    )
    z = np.interp(steps, [0, 0.4, 0.55, 1], [0.0, w / 2 - 2 * wall, w / 2 - 0.0006, w / 2 - 0.0002])
    x = np.linspace(-length * 0.42, length * 0.42, 9)[None]
    crinkle = 0.0008 * np.sin(x * 190 + steps * 9)
    grid = np.stack([x * np.ones_like(steps), y + np.abs(crinkle), z * np.ones_like(x)], -1)
    flap = shell(grid, grid - np.array([0.0, 0.0006, 0.0004]))
    named = [
        ("carton", join(sides), Material(WHITE, _carton(base, stripe), gloss=0.2)),
        ("roll", join([roll, flap]), FOIL),
    ]
    meshes = filling([mesh.turned(y=90.0) for _, mesh, _ in named], Vec3(w, t, length))
    return Model(
        tuple(
            Part(name, stance.lay(mesh), material)
            for (name, _, material), mesh in zip(named, meshes, strict=True)
        )
    )


@lru_cache(maxsize=4)
def _foam(color: Color, seed: int) -> Texture:
    """A soft surface with pores."""
    dark = (color[0] * 0.72, color[1] * 0.70, color[2] * 0.6)
    pores = np.clip((noise(64, 16, seed, octaves=2) - 0.55) * 4, 0, 1)
    return picture(between(color, dark, pores))


def dish_sponge(request: AssetRequest) -> Model:
    """A sponge: soft foam below, a green scouring pad on top."""
    stance = Stance.of(request.size)
    w, t, length = stance.width, stance.thickness, stance.length
    soft: Color = request.choose(((0.93, 0.80, 0.22), (0.93, 0.80, 0.22), (0.36, 0.62, 0.80)))
    pad: Color = request.choose(((0.06, 0.36, 0.12), (0.10, 0.42, 0.16)), 1)
    foam = rounded_box(w, t * 0.74, length, min(0.004, t * 0.2), tile=0.05)
    top = rounded_box(w, t * 0.30, length, min(0.002, t * 0.1), at=(0, t * 0.70, 0), tile=0.05)
    return Model(
        (
            Part("foam", stance.lay(foam), Material(WHITE, _foam(soft, 5), gloss=0.0)),
            Part("pad", stance.lay(top), Material(WHITE, _foam(pad, 6), gloss=0.0)),
        )
    )


BUILDERS: dict[str, Builder] = {
    "SaltShaker": salt_shaker,
    "PepperShaker": pepper_shaker,
    "PaperTowelRoll": paper_towel_roll,
    "AluminumFoil": aluminum_foil,
    "DishSponge": dish_sponge,
}
