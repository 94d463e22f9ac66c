"""Apples, tomatoes, potatoes and lettuce, whole and in pieces."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets import food_pictures
from env_service.worlds.household.assets.lofts import Stance, filling, grid_faces, loft, shell
from env_service.worlds.household.assets.material import Color, Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import AssetRequest, Builder, Model, Part
from env_service.worlds.household.assets.shapes import Point2, ball, bumpy, lathe, tube
from env_service.worlds.household.assets.slices import oval, piece, row
from env_service.worlds.household.geometry import Vec3

Array = NDArray[np.float64]
WHITE = (1.0, 1.0, 1.0)

APPLES: tuple[tuple[Color, Color, Color], ...] = (
    ((0.72, 0.09, 0.08), (0.58, 0.05, 0.06), (0.80, 0.45, 0.20)),
    ((0.50, 0.66, 0.18), (0.58, 0.72, 0.26), (0.42, 0.52, 0.16)),
    ((0.80, 0.26, 0.13), (0.88, 0.66, 0.25), (0.84, 0.72, 0.30)),
)
"""Skin, its streaks, its ends."""

TOMATOES: tuple[Color, ...] = ((0.78, 0.10, 0.06), (0.84, 0.21, 0.08))
STEM = Material((0.30, 0.19, 0.10))
CALYX = Material((0.22, 0.42, 0.13), two_sided=True)
APPLE: tuple[Point2, ...] = (
    (0.0, 0.10), (0.10, 0.06), (0.22, 0.015), (0.33, 0.0), (0.48, 0.035), (0.72, 0.19),
    (0.91, 0.42), (1.0, 0.62), (0.97, 0.79), (0.83, 0.93), (0.62, 0.995), (0.42, 0.99),
    (0.24, 0.94), (0.10, 0.87), (0.0, 0.84),
)  # fmt: skip
TOMATO: tuple[Point2, ...] = (
    (0.0, 0.02), (0.18, 0.0), (0.42, 0.03), (0.70, 0.14), (0.91, 0.33), (1.0, 0.54), (0.96, 0.74),
    (0.80, 0.90), (0.56, 0.98), (0.34, 0.99), (0.18, 0.95), (0.0, 0.91),
)  # fmt: skip
"""Profiles from the underside, as shares of the radius and of the body's height."""


def _ellipsoid(size: Vec3, count: int = 11, sides: int = 20) -> Array:
    """Rings of an ellipsoid along z, standing on y 0, [rings, corners, 3]."""
    along = np.linspace(-math.pi / 2, math.pi / 2, count)
    turn = np.linspace(0, 2 * math.pi, sides, endpoint=False)
    radius = np.maximum(np.cos(along), 0.0)[:, None]
    x, y = radius * np.cos(turn), radius * np.sin(turn) + 1
    z = np.broadcast_to(np.sin(along)[:, None], x.shape)
    rings: Array = np.stack([x, y, z], -1) * np.array(size.tuple()) / 2
    return rings


def _cut_up(size: Vec3, rings: Array, skin: Material, flesh: Material, count: int) -> Model:
    """A body along its box's longest side, cut into slabs."""
    stance = Stance.of(size)
    box = Vec3(stance.width, stance.thickness, stance.length)
    rim, cut = (stance.lay(mesh) for mesh in filling(row(rings, count), box))
    return Model((Part("skin", rim, skin), Part("flesh", cut, flesh)))


def apple(request: AssetRequest) -> Model:
    """An apple with its stem and a leaf."""
    size, (base, streak, end) = request.size, request.choose(APPLES)
    skin = Material(WHITE, food_pictures.apple_skin(base, streak, end), gloss=0.55)
    if request.look.sliced:
        flesh = Material(WHITE, food_pictures.apple_flesh(base), gloss=0.2)
        return _cut_up(size, _ellipsoid(Vec3(1, 1, 1)), skin, flesh, 3)
    body = lathe(APPLE, sides=22, crease=180.0, wrap=True).scaled(0.5, 0.9, 0.5)
    stem = tube(
        [(0, 0.72, 0), (0.01, 0.86, 0.01), (0.05, 1.0, 0.03)], [0.022, 0.016, 0.022], sides=6
    )
    blade = _blade(0.30, 0.12).turned(x=-18.0, y=35.0).moved(0.03, 0.88, 0.02)
    whole = [("body", body, skin), ("stem", stem, STEM), ("leaf", blade, CALYX)]
    meshes = filling([mesh for _, mesh, _ in whole], size)
    return Model(
        tuple(Part(name, mesh, m) for (name, _, m), mesh in zip(whole, meshes, strict=True))
    )


def _blade(length: float, width: float) -> Mesh:
    """A small leaf along z, arched."""
    t, s = np.linspace(0, 1, 6)[:, None], np.array([-1.0, 0.0, 1.0])
    x = width / 2 * np.sin(math.pi * t**0.8) * s
    y = np.sin(math.pi * t) * (length * 0.25 + np.abs(s) * 0.02)
    top = np.stack([x, np.broadcast_to(y, x.shape), np.broadcast_to(length * t, x.shape)], -1)
    return shell(top, top - np.array([0.0, 0.004, 0.0]))


def apple_sliced(request: AssetRequest) -> Model:
    """One slice of an apple: skin around, pale flesh, pips."""
    base, streak, end = request.choose(APPLES)
    skin = Material(WHITE, food_pictures.apple_skin(base, streak, end), gloss=0.5)
    flesh = Material(WHITE, food_pictures.apple_flesh(base), gloss=0.2)
    turn = np.linspace(0, 2 * math.pi, 26, endpoint=False)
    radius = 0.5 * (1 - 0.20 * np.exp(-(((turn - math.pi / 2) / 0.35) ** 2)))
    radius = radius * (1 - 0.12 * np.exp(-(((turn - 3 * math.pi / 2) / 0.35) ** 2)))
    outline = np.stack([radius * np.cos(turn), radius * np.sin(turn)], 1)
    return piece(request.size, outline, skin, flesh)


def tomato(request: AssetRequest) -> Model:
    """A tomato with its green star."""
    size, color = request.size, request.choose(TOMATOES)
    skin = Material(color, gloss=0.7)
    if request.look.sliced:
        flesh = Material(WHITE, food_pictures.tomato_flesh(color), gloss=0.45)
        return _cut_up(size, _ellipsoid(Vec3(1, 1, 1)), skin, flesh, 3)
    body = _lobed(lathe(TOMATO, sides=30, crease=180.0).scaled(0.5, 0.93, 0.5))
    point = _blade(0.30, 0.10).turned(x=14.0).moved(0, 0.87, 0)
    points = [point.turned(y=72.0 * k) for k in range(5)]
    stem = tube([(0, 0.84, 0), (0.01, 0.94, 0.01), (0.03, 1.0, 0.02)], 0.022, sides=6)
    meshes = filling([body, join([*points, stem])], size)
    return Model((Part("body", meshes[0], skin), Part("calyx", meshes[1], CALYX)))


def _lobed(mesh: Mesh) -> Mesh:
    """Shallow furrows down from the top."""
    p = mesh.points.astype(np.float64)
    angle = np.arctan2(p[:, 2], p[:, 0])
    dent = 1 - 0.035 * (0.5 + 0.5 * np.cos(6 * angle)) * np.clip(p[:, 1] / 0.9, 0, 1)
    return Mesh.of(
        p * np.stack([dent, np.ones_like(dent), dent], 1), mesh.normals, mesh.uv, mesh.faces
    )


def tomato_sliced(request: AssetRequest) -> Model:
    """One slice of a tomato: chambers with seeds."""
    color = request.choose(TOMATOES)
    flesh = Material(WHITE, food_pictures.tomato_flesh(color), gloss=0.5)
    return piece(request.size, oval(30, lobes=6, depth=0.02), Material(color, gloss=0.7), flesh)


def _potato_skin(request: AssetRequest) -> Material:
    cooked = request.look.cooked
    tone = request.choose(((1.0, 1.0, 1.0), (0.90, 0.70, 0.66), (1.0, 0.96, 0.80)))
    skin = food_pictures.potato_skin(cooked=cooked)
    return Material(tone, skin, gloss=0.35 if cooked else 0.08)


def potato(request: AssetRequest) -> Model:
    """A potato; cooked, it is roasted brown."""
    size = request.size
    skin = _potato_skin(request)
    if request.look.sliced:
        flesh = Material(WHITE, food_pictures.potato_flesh(cooked=request.look.cooked), gloss=0.1)
        return _cut_up(size, _ellipsoid(Vec3(1, 1, 1)), skin, flesh, 5)
    stance = Stance.of(size)
    body = ball(0.34, 0.30, 0.5, sides=18, rings=11)
    generator = np.random.default_rng([request.variant, 23])
    lumpy = bumpy(body, 0.045, generator, waves=3.2)
    box = Vec3(stance.width, stance.thickness, stance.length)
    return Model((Part("body", stance.lay(filling([lumpy], box)[0]), skin),))


def potato_sliced(request: AssetRequest) -> Model:
    """One slice of a potato; cooked, it is fried golden brown."""
    flesh = food_pictures.potato_flesh(cooked=request.look.cooked)
    gloss = 0.35 if request.look.cooked else 0.1
    outline = oval(22, lobes=3, depth=0.03)
    return piece(request.size, outline, _potato_skin(request), Material(WHITE, flesh, gloss=gloss))


GREENS: tuple[Color, ...] = ((0.40, 0.60, 0.17), (0.31, 0.53, 0.15), (0.50, 0.66, 0.24))
VEIN: Color = (0.85, 0.90, 0.66)


def lettuce(request: AssetRequest) -> Model:
    """A head of lettuce: leaves that wrap around each other, open at the tips."""
    size, green = request.size, request.choose(GREENS)
    stance = Stance.of(size)
    outer = Material(WHITE, food_pictures.leaf(green, VEIN), gloss=0.25, two_sided=True)
    pale = (green[0] * 1.25, green[1] * 1.15, green[2] * 1.5)
    heart = Material(WHITE, food_pictures.leaf(pale, VEIN), gloss=0.2, two_sided=True)
    if request.look.sliced:
        cut = Material(WHITE, food_pictures.lettuce_cut(), gloss=0.2)
        return _cut_up(size, _ellipsoid(Vec3(1, 1, 1)), Material(green, gloss=0.2), cut, 4)
    generator = np.random.default_rng([request.variant, 29])
    inner = join([_leaf(k * 90.0 + 20, 0.80, 0.97, generator) for k in range(4)])
    rest = join([_leaf(k * 60.0, 1.0 - 0.04 * (k % 2), 0.80, generator) for k in range(6)])
    core = loft(_ellipsoid(Vec3(0.74, 0.74, 0.80), 7, 12)).moved(0, -0.37, -0.03)
    stump = tube([(0, 0, -0.50), (0, 0, -0.40)], [0.09, 0.12], sides=10)
    named = [
        ("leaves", rest, outer),
        ("heart", join([inner, core]), heart),
        ("stump", stump, Material((0.88, 0.88, 0.72), gloss=0.1)),
    ]
    box = Vec3(stance.width, stance.thickness, stance.length)
    meshes = filling([mesh for _, mesh, _ in named], box)
    return Model(
        tuple(
            Part(name, stance.lay(mesh), material)
            for (name, _, material), mesh in zip(named, meshes, strict=True)
        )
    )


def _leaf(turn: float, scale: float, reach: float, generator: np.random.Generator) -> Mesh:
    """A cupped leaf on an oval head along z; it frills and bends outwards at the tip."""
    t = np.linspace(0, 1, 7)[:, None]
    s = np.linspace(-1, 1, 7)[None]
    along = -math.pi / 2 + math.pi * (0.06 + 0.86 * t * reach)
    half = (0.25 + 0.60 * np.sin(math.pi * np.clip(t, 0, 0.92)) ** 0.7) * 1.15
    angle = half * s + math.radians(turn)
    frill = 0.035 * t * t * np.sin(s * 9 + generator.uniform(0, 6.3) + 5 * t)
    flare = 0.06 * t**4 + 0.05 * t * s * s
    radius = 0.46 * scale * np.cos(along) ** 0.75 + frill + flare
    z = 0.5 * np.sin(along) + 0.02 * np.cos(s * 6 + generator.uniform(0, 6.3)) * t
    grid = np.stack([radius * np.cos(angle), radius * np.sin(angle), z * np.ones_like(s)], -1)
    rows, columns = grid.shape[:2]
    along_t, across = np.gradient(grid, axis=0), np.gradient(grid, axis=1)
    v, u = np.meshgrid(np.linspace(0, 1, rows), np.linspace(0, 1, columns), indexing="ij")
    normal = -np.cross(along_t, across).reshape(-1, 3)
    uv = np.stack([u.ravel(), v.ravel()], 1)
    return Mesh.of(grid.reshape(-1, 3), normal, uv, grid_faces(rows, columns)[:, ::-1])


def lettuce_sliced(request: AssetRequest) -> Model:
    """One piece of a lettuce: cut leaves, ring upon ring."""
    green = request.choose(GREENS)
    flesh = Material(WHITE, food_pictures.lettuce_cut(), gloss=0.2)
    return piece(request.size, oval(30, lobes=8, depth=0.04), Material(green, gloss=0.2), flesh)


BUILDERS: dict[str, Builder] = {
    "Apple": apple,
    "AppleSliced": apple_sliced,
    "Tomato": tomato,
    "TomatoSliced": tomato_sliced,
    "Potato": potato,
    "PotatoSliced": potato_sliced,
    "Lettuce": lettuce,
    "LettuceSliced": lettuce_sliced,
}
