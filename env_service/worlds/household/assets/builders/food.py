"""Food: loaves, slices, eggs, apples, tomatoes, potatoes and lettuce, whole and in pieces."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets import painted_textures
from env_service.worlds.household.assets.lofts import Stance, face, filling, grid_faces, loft, shell
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Color,
    Material,
    Mesh,
    Model,
    Part,
    join,
)
from env_service.worlds.household.assets.shapes import Point2, ball, bumpy, lathe, tube
from env_service.worlds.household.geometry import Vec3

# --- Pieces of food: slabs cut off a body, wedges, bodies cut into rows of slabs


def slab(outline: Array, *, bevel: float = 0.06) -> tuple[Mesh, Mesh]:
    """Rim and cut faces of a slab, lying flat, one unit thick.

    Args:
        outline: (x, z) corners, [corners, 2].
        bevel: by which share the faces are smaller than the middle.
    """
    heights, shares = (0.0, 0.25, 0.75, 1.0), (1 - bevel, 1.0, 1.0, 1 - bevel)
    rings = np.stack(
        [
            np.stack([outline[:, 0] * s, np.full(len(outline), y), outline[:, 1] * s], 1)
            for y, s in zip(heights, shares, strict=True)
        ]
    )
    up = np.array([0.0, 1.0, 0.0])
    return loft(rings, caps=False), join([face(rings[-1], up), face(rings[0], -up)])


def wedge(*, steps: int = 12, sides: int = 7) -> tuple[Mesh, Mesh]:
    """Skin and cut faces of a quarter of a ball, lying on its skin, its edge upwards along z."""
    along = np.linspace(-math.pi / 2, math.pi / 2, steps)
    around = np.linspace(-0.25 * math.pi, 0.25 * math.pi, sides)
    radius, z = np.cos(along)[:, None], np.sin(along)[:, None]
    x, y = radius * np.sin(around), -radius * np.cos(around)
    arc = np.stack([x, y, np.broadcast_to(z, x.shape)], -1)
    core = np.stack([np.zeros(steps), np.zeros(steps), np.sin(along)], 1)
    points = arc.reshape(-1, 3)
    u, v = np.meshgrid(np.linspace(0, 1, sides), np.linspace(0, 1, steps))
    uv = np.stack([u.ravel(), v.ravel()], 1)
    skin = Mesh.of(points, points, uv, grid_faces(steps, sides)[:, ::-1])
    faces = []
    for side in (0, -1):
        ring = np.concatenate([arc[:, side], core[::-1]])
        outward = np.array([-1.0 if side == 0 else 1.0, 1.0, 0.0])
        faces.append(face(ring, outward))
    return skin, join(faces)


def piece(size: Vec3, outline: Array, skin: Material, flesh: Material) -> Model:
    """One piece of something cut: a slab across the box's shortest side, the outline's +z up if it
    is upright; a wedge if the box is nearly as thick as wide."""
    stance = Stance.flat(size)
    if stance.thickness > 0.62 * min(stance.width, stance.length):
        stance, meshes = Stance.of(size), wedge()
    else:
        meshes = slab(outline)
    box = Vec3(stance.width, stance.thickness, stance.length)
    rim, cut = (stance.lay(mesh) for mesh in filling(meshes, box))
    return Model((Part("skin", rim, skin), Part("flesh", cut, flesh)))


def row(rings: Array, count: int, *, gap: float = 0.32) -> tuple[Mesh, Mesh]:
    """Skin and cut faces of a body, given by rings along z, that is cut into `count` slabs with
    gaps; `gap` is the share of the length that they take."""
    z = rings[:, :, 2].mean(1)
    low, high = float(z[0]), float(z[-1])
    pitch = (high - low) / count
    skins, faces = [], []
    for k in range(count):
        start, end = low + k * pitch, low + (k + 1) * pitch
        within = [ring for ring, at in zip(rings, z, strict=True) if start < at < end]
        part = np.stack([ring_at(rings, start), *within, ring_at(rings, end)])
        middle = (start + end) / 2
        part[:, :, 2] = middle + (part[:, :, 2] - middle) * (1 - gap)
        skins.append(loft(part, caps=False))
        for end_ring, sign in ((part[0], -1.0), (part[-1], 1.0)):
            if np.ptp(end_ring[:, 0]) > 1e-4:
                faces.append(face(end_ring, np.array([0.0, 0.0, sign])))
    return join(skins), join(faces)


def ring_at(rings: Array, z: float) -> Array:
    """The ring of a body at a place along z, between those that are given."""
    places = rings[:, :, 2].mean(1)
    after = int(np.clip(np.searchsorted(places, z), 1, len(places) - 1))
    part = (z - places[after - 1]) / (places[after] - places[after - 1])
    return np.asarray(rings[after - 1] * (1 - part) + rings[after] * part, np.float64)


def oval(corners: int = 24, *, lobes: int = 0, depth: float = 0.0) -> Array:
    """A circle of radius 1/2 as (x, z) corners, with lobes if asked for."""
    turn = np.linspace(0, 2 * math.pi, corners, endpoint=False)
    radius = 0.5 * (1 + depth * np.cos(lobes * turn))
    return np.stack([radius * np.cos(turn), radius * np.sin(turn)], 1)


Array = NDArray[np.float64]
WHITE = (1.0, 1.0, 1.0)
CRUMBS: tuple[Color, ...] = ((0.95, 0.89, 0.76), (0.86, 0.73, 0.53))
SHELLS: tuple[Color, ...] = ((0.80, 0.56, 0.40), (0.91, 0.88, 0.82), (0.72, 0.46, 0.31))


def _loaf_section(*, tin: bool) -> Array:
    """(x, y) of a loaf cut across, width and height 1: with a cap that swells over a tin's
    walls, or a flat dome."""
    turn = np.linspace(0, 2 * math.pi, 28, endpoint=False)
    c, s = np.cos(turn), np.sin(turn)
    if not tin:
        y = np.where(s > 0, np.abs(s) ** 0.85 * 0.72, -(np.abs(s) ** 0.6) * 0.28)
        x = 0.5 * np.sign(c) * np.abs(c) ** 0.75
        return np.stack([x, y + 0.28], 1)
    x = 0.5 * np.sign(c) * np.abs(c) ** 0.42 * np.where(s < 0.10, 0.86, 1.0)
    y = np.where(s > 0.10, 0.60 + 0.40 * np.abs(s) ** 0.8, 0.56 * (1 - np.abs(s) ** 0.45))
    return np.stack([x, np.clip(y, 0, 1)], 1)


def _loaf(*, tin: bool) -> Array:
    """Rings of a loaf along z, [rings, corners, 3], a unit in each direction."""
    section = _loaf_section(tin=tin)
    if tin:
        z = np.array([-0.5, -0.49, -0.46, -0.40, -0.25, 0.0, 0.25, 0.40, 0.46, 0.49, 0.5])
        grow = np.array([0.0, 0.80, 0.92, 0.97, 1.0, 1.0, 1.0, 0.97, 0.92, 0.80, 0.0])
    else:
        z = np.linspace(-0.5, 0.5, 15)
        grow = np.sqrt(np.maximum(1 - np.abs(z * 2) ** 2.6, 0.0))
    middle = np.array([0.0, 0.42])
    rings = [
        np.concatenate([middle + (section - middle) * g, np.full((len(section), 1), at)], 1)
        for g, at in zip(grow, z, strict=True)
    ]
    return np.stack(rings)


def bread(request: AssetRequest) -> Model:
    """A loaf along the box's longest side: baked in a tin, or a floured loaf with slashes."""
    stance = Stance.of(request.size)
    tin = request.choose((True, False))
    rings = _loaf(tin=tin)
    skin = Material(WHITE, painted_textures.crust(flour=not tin), gloss=0.2)
    inside = Material(WHITE, painted_textures.crumb(request.choose(CRUMBS, 1), toasted=False))
    box = Vec3(stance.width, stance.thickness, stance.length)
    if request.look.sliced:
        rim, cut = (stance.lay(mesh) for mesh in filling(row(rings, 7, gap=0.22), box))
        return Model((Part("crust", rim, skin), Part("crumb", cut, inside)))
    meshes = [loft(rings)] if tin else [loft(rings), _slashes(rings)]
    laid = [stance.lay(mesh) for mesh in filling(meshes, box)]
    parts = [Part("crust", laid[0], skin)]
    if not tin:
        pale = Material((0.90, 0.79, 0.57), two_sided=True)
        parts.append(Part("slashes", laid[1], pale, casts_shadow=False))
    return Model(tuple(parts))


def _slashes(rings: Array) -> Mesh:
    """Three slanting cuts across the top that have opened in the oven."""
    heights = rings[:, :, 1].max(1)
    places = rings[:, 0, 2]
    sheets = []
    for middle in (-0.26, 0.0, 0.26):
        s, t = np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-1, 1, 3), indexing="ij")
        wide = 0.028 * np.sqrt(np.maximum(1 - s * s, 0.0)) + 0.001
        x, z = 0.30 * s, middle + 0.07 * s + wide * t
        peak = np.interp(z, places, heights)
        # the dome falls off sideways like the section: height over its flat middle
        angle = np.arccos(np.clip(np.abs(x) / 0.5, 0, 1) ** (1 / 0.75))
        y = 0.28 + (peak - 0.28) * np.sin(angle) ** 0.85 + 0.006
        grid = np.stack([x, y, z], -1)
        sheets.append(shell(grid, grid - np.array([0.0, 0.02, 0.0])))
    return join(sheets)


def bread_sliced(request: AssetRequest) -> Model:
    """One slice of bread across the box's shortest side, its upper crust up if it is upright, else
    towards +z; cooked, it is toast."""
    stance = Stance.flat(request.size)
    section = _loaf_section(tin=request.choose((True, False))) - np.array([0.0, 0.5])
    toasted = request.look.cooked
    picture = painted_textures.crumb(request.choose(CRUMBS, 1), toasted=toasted)
    edge = (0.30, 0.15, 0.06) if toasted else (0.58, 0.34, 0.15)
    box = Vec3(stance.width, stance.thickness, stance.length)
    rim, cut = (stance.lay(mesh) for mesh in filling(slab(section, bevel=0.03), box))
    return Model((Part("crust", rim, Material(edge)), Part("crumb", cut, Material(WHITE, picture))))


EGG: tuple[Point2, ...] = tuple(
    (
        round(math.sin(math.pi * k / 14) * (1 + 0.16 * math.cos(math.pi * k / 14)) / 1.013, 5),
        round((1 - math.cos(math.pi * k / 14)) / 2, 5),
    )
    for k in range(15)
)
"""Profile of an egg, blunt end down, as shares of its radius and height."""


def egg(request: AssetRequest) -> Model:
    """An egg; its axis lies along the box's longest side. Broken, it is two halves of shell with
    the yolk in one; sliced, the shell alone, as the rest is an EggCracked."""
    size, color = request.size, request.choose(SHELLS)
    shell_material = Material(color, gloss=0.25)
    if request.look.broken or request.look.sliced:
        model = _opened(size, request.variant, shell_material)
        return model if request.look.broken else replace(model, parts=model.parts[:1])
    body = lathe(EGG, sides=20, crease=180.0).turned(x=90.0)
    stance = Stance.of(size)
    box = Vec3(stance.width, stance.thickness, stance.length)
    return Model((Part("shell", stance.lay(filling([body], box)[0]), shell_material),))


def _opened(size: Vec3, seed: int, material: Material) -> Model:
    """Two jagged half shells side by side, white and yolk in the one."""
    generator = np.random.default_rng([seed, 31])
    long_x = size.x >= size.z
    span = max(size.x, size.z)
    radius = min(min(size.x, size.z) / 2, span / 3.6)
    teeth = 16
    turn = np.arange(teeth) * (2 * math.pi / teeth)
    along = np.linspace(0, 1, 6)[:, None]
    halves = []
    for side in (-1.0, 1.0):
        edge = 1.55 + generator.uniform(-0.22, 0.22, teeth)
        lean = edge * along
        r = np.sin(lean)
        grid = np.stack([r * np.cos(turn), 1 - np.cos(lean), r * np.sin(turn)], -1)
        grid = grid * np.array([radius, min(radius * 1.1, size.y * 0.8), radius])
        mesh = shell(grid, grid * 0.93 + np.array([0.0, radius * 0.07, 0.0]), wrap=True)
        place = side * (span / 2 - radius)
        halves.append(mesh.moved(place if long_x else 0.0, 0.0, 0.0 if long_x else place))
    place = span / 2 - radius
    x, z = (place, 0.0) if long_x else (0.0, place)
    tall = min(radius * 1.1, size.y * 0.8)
    white = lathe([(radius * 0.86, tall * 0.56), (0.0, tall * 0.56)], sides=16).moved(x, 0, z)
    yolk = lathe(
        [(radius * 0.55, tall * 0.565), (radius * 0.48, tall * 0.74), (radius * 0.28, tall * 0.86),
         (0.0, tall * 0.90)], sides=16, crease=180.0,
    ).moved(x, 0, z)  # fmt: skip
    return Model(
        (
            Part("shell", join(halves), material),
            Part("white", white, Material((0.93, 0.91, 0.82), opacity=0.75, gloss=0.9)),
            Part("yolk", yolk, Material((0.95, 0.60, 0.08), gloss=0.8)),
        )
    )


def egg_cracked(request: AssetRequest) -> Model:
    """An egg out of its shell: raw, a clear puddle around a round yolk; cooked, a white with a
    crisp edge around a firm yolk."""
    size, cooked = request.size, request.look.cooked
    generator = np.random.default_rng([request.variant, 37])
    turn = np.linspace(0, 2 * math.pi, 28, endpoint=False)
    waves = [
        generator.uniform(0.02, 0.07) * np.cos(k * turn + generator.uniform(0, 6.3))
        for k in (2, 3, 5)
    ]
    wave = np.sum(waves, 0)
    outline = np.stack([np.cos(turn), np.sin(turn)], 1) * (0.5 * (1 + wave))[:, None]
    rise = min(size.y, 0.4 * min(size.x, size.z))
    flat = min(rise * 0.28, 0.007)
    levels = ((0.97, 0.0), (1.0, 0.45), (0.95, 0.9), (0.80, 1.0))
    rings = np.stack([np.insert(outline * share, 1, flat * high, axis=1) for share, high in levels])
    rim, cover = loft(rings, caps=False), face(rings[-1], np.array([0.0, 1.0, 0.0]))
    base = face(rings[0], np.array([0.0, -1.0, 0.0]))
    rim_cover = filling([_fried(rim, cover, base)], Vec3(size.x, flat, size.z))[0]
    reach = min(size.x, size.z)
    yolk = lathe(
        [(0.22, 0.0), (0.225, 0.25), (0.19, 0.62), (0.11, 0.92), (0.0, 1.0)],
        sides=20, crease=180.0,
    ).scaled(reach, rise - flat * 0.7, reach)  # fmt: skip
    yolk = yolk.moved(reach * 0.04, flat * 0.7, -reach * 0.05)
    if cooked:
        white = Material(WHITE, painted_textures.fried_white(), gloss=0.25)
        middle = Material((0.96, 0.74, 0.20), gloss=0.15)
    else:
        white = Material((0.92, 0.93, 0.88), opacity=0.45, gloss=0.95)
        middle = Material((0.94, 0.50, 0.05), gloss=0.9)
    return Model((Part("white", rim_cover, white, casts_shadow=cooked), Part("yolk", yolk, middle)))


def _fried(rim: Mesh, cover: Mesh, base: Mesh) -> Mesh:
    """Rim, top and underside with one mapping, seen from above."""
    whole = join([rim, cover, base])
    return Mesh.of(whole.points, whole.normals, whole.points[:, [0, 2]] + 0.5, whole.faces)


# --- Apples, tomatoes, potatoes and lettuce, whole and in pieces

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
    skin = Material(WHITE, painted_textures.apple_skin(base, streak, end), gloss=0.55)
    if request.look.sliced:
        flesh = Material(WHITE, painted_textures.apple_flesh(base), gloss=0.2)
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
    skin = Material(WHITE, painted_textures.apple_skin(base, streak, end), gloss=0.5)
    flesh = Material(WHITE, painted_textures.apple_flesh(base), gloss=0.2)
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
        flesh = Material(WHITE, painted_textures.tomato_flesh(color), gloss=0.45)
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
    flesh = Material(WHITE, painted_textures.tomato_flesh(color), gloss=0.5)
    return piece(request.size, oval(30, lobes=6, depth=0.02), Material(color, gloss=0.7), flesh)


def _potato_skin(request: AssetRequest) -> Material:
    cooked = request.look.cooked
    tone = request.choose(((1.0, 1.0, 1.0), (0.90, 0.70, 0.66), (1.0, 0.96, 0.80)))
    skin = painted_textures.potato_skin(cooked=cooked)
    return Material(tone, skin, gloss=0.35 if cooked else 0.08)


def potato(request: AssetRequest) -> Model:
    """A potato; cooked, it is roasted brown."""
    size = request.size
    skin = _potato_skin(request)
    if request.look.sliced:
        flesh = Material(
            WHITE, painted_textures.potato_flesh(cooked=request.look.cooked), gloss=0.1
        )
        return _cut_up(size, _ellipsoid(Vec3(1, 1, 1)), skin, flesh, 5)
    stance = Stance.of(size)
    body = ball(0.34, 0.30, 0.5, sides=18, rings=11)
    generator = np.random.default_rng([request.variant, 23])
    lumpy = bumpy(body, 0.045, generator, waves=3.2)
    box = Vec3(stance.width, stance.thickness, stance.length)
    return Model((Part("body", stance.lay(filling([lumpy], box)[0]), skin),))


def potato_sliced(request: AssetRequest) -> Model:
    """One slice of a potato; cooked, it is fried golden brown."""
    flesh = painted_textures.potato_flesh(cooked=request.look.cooked)
    gloss = 0.35 if request.look.cooked else 0.1
    outline = oval(22, lobes=3, depth=0.03)
    return piece(request.size, outline, _potato_skin(request), Material(WHITE, flesh, gloss=gloss))


GREENS: tuple[Color, ...] = ((0.40, 0.60, 0.17), (0.31, 0.53, 0.15), (0.50, 0.66, 0.24))
VEIN: Color = (0.85, 0.90, 0.66)


def lettuce(request: AssetRequest) -> Model:
    """A head of lettuce: leaves that wrap around each other, open at the tips."""
    size, green = request.size, request.choose(GREENS)
    stance = Stance.of(size)
    outer = Material(WHITE, painted_textures.leaf(green, VEIN), gloss=0.25, two_sided=True)
    pale = (green[0] * 1.25, green[1] * 1.15, green[2] * 1.5)
    heart = Material(WHITE, painted_textures.leaf(pale, VEIN), gloss=0.2, two_sided=True)
    if request.look.sliced:
        cut = Material(WHITE, painted_textures.lettuce_cut(), gloss=0.2)
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
    flesh = Material(WHITE, painted_textures.lettuce_cut(), gloss=0.2)
    return piece(request.size, oval(30, lobes=8, depth=0.04), Material(green, gloss=0.2), flesh)


BUILDERS: dict[str, Builder] = {
    "Bread": bread,
    "BreadSliced": bread_sliced,
    "Egg": egg,
    "EggCracked": egg_cracked,
    "Apple": apple,
    "AppleSliced": apple_sliced,
    "Tomato": tomato,
    "TomatoSliced": tomato_sliced,
    "Potato": potato,
    "PotatoSliced": potato_sliced,
    "Lettuce": lettuce,
    "LettuceSliced": lettuce_sliced,
}
