"""Loaves, slices of bread, eggs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets import food_pictures
from env_service.worlds.household.assets.lofts import Stance, face, filling, loft, shell
from env_service.worlds.household.assets.material import Color, Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import AssetRequest, Builder, Model, Part
from env_service.worlds.household.assets.shapes import Point2, lathe
from env_service.worlds.household.assets.slices import row, slab
from env_service.worlds.household.geometry import Vec3

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
    skin = Material(WHITE, food_pictures.crust(flour=not tin), gloss=0.2)
    inside = Material(WHITE, food_pictures.crumb(request.choose(CRUMBS, 1), toasted=False))
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
    """One slice of bread across the box's shortest side, its upper crust up if it stands, else
    towards +z; cooked, it is toast."""
    stance = Stance.flat(request.size)
    section = _loaf_section(tin=request.choose((True, False))) - np.array([0.0, 0.5])
    toasted = request.look.cooked
    picture = food_pictures.crumb(request.choose(CRUMBS, 1), toasted=toasted)
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
    the yolk in one."""
    size, color = request.size, request.choose(SHELLS)
    shell_material = Material(color, gloss=0.25)
    if request.look.broken or request.look.sliced:
        return _opened(size, request.variant, shell_material)
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
        white = Material(WHITE, food_pictures.fried_white(), gloss=0.25)
        middle = Material((0.96, 0.74, 0.20), gloss=0.15)
    else:
        white = Material((0.92, 0.93, 0.88), opacity=0.45, gloss=0.95)
        middle = Material((0.94, 0.50, 0.05), gloss=0.9)
    return Model((Part("white", rim_cover, white, casts_shadow=cooked), Part("yolk", yolk, middle)))


def _fried(rim: Mesh, cover: Mesh, base: Mesh) -> Mesh:
    """Rim, top and underside with one mapping, seen from above."""
    whole = join([rim, cover, base])
    return Mesh.of(whole.points, whole.normals, whole.points[:, [0, 2]] + 0.5, whole.faces)


BUILDERS: dict[str, Builder] = {
    "Bread": bread,
    "BreadSliced": bread_sliced,
    "Egg": egg,
    "EggCracked": egg_cracked,
}
