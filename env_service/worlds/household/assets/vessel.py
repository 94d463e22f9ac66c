"""Round hollow things: a wall with two sides, the liquid in it, and the dirt on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.lofts import grid_faces
from env_service.worlds.household.assets.model import (
    Color,
    Liquid,
    Material,
    Mesh,
    Part,
    Surface,
    Texture,
    join,
)
from env_service.worlds.household.assets.shapes import Point2, lathe
from env_service.worlds.household.assets.textures import between, noise, picture

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Vessel:
    """A hollow body of revolution.

    Attributes:
        outside, inside: profiles of (radius, height) from the middle of the bottom to the rim.
        center: (x, z) of its axis.
        sides: of the polygon that approximates its circles.
        square: whether its circles are rounded squares of the same width instead.
    """

    outside: tuple[Point2, ...]
    inside: tuple[Point2, ...]
    center: Point2 = (0.0, 0.0)
    sides: int = 24
    square: bool = False

    @staticmethod
    def hollow(
        outside: Sequence[Point2], thickness: float, floor: float, *, sides: int = 24
    ) -> Vessel:
        """A vessel from its outside; the wall has a thickness, the inner bottom a height."""
        line = np.array(outside, np.float64)
        foot = float(np.interp(floor, line[1:, 1], line[1:, 0])) - thickness
        above = [(r - thickness, y) for r, y in outside if y > floor + 0.004]
        inside = ((0.0, floor), (foot * 0.88, floor), (foot, floor + 0.003), *above)
        return Vessel(tuple(outside), inside, sides=sides)

    def at(self, x: float, z: float) -> Vessel:
        """With its axis elsewhere."""
        return replace(self, center=(x, z))

    @property
    def floor(self) -> float:
        """Height of the inner bottom."""
        return self.inside[0][1]

    @property
    def rim(self) -> float:
        """Height of the rim."""
        return self.outside[-1][1]

    @cached_property
    def _ascent(self) -> Array:
        return np.array(self.inside[1:], np.float64)

    def radius(self, height: float) -> float:
        """Inner radius at a height."""
        return float(np.interp(height, self._ascent[:, 1], self._ascent[:, 0]))

    def whole(self) -> Mesh:
        """Outside, rim and inside in one closed mesh."""
        return self.place(lathe([*self.outside, *reversed(self.inside)], sides=self.sides))

    def outer(self, *, wrap: bool = False) -> Mesh:
        """The outside with the rim's edge."""
        line = [*self.outside, self.inside[-1]]
        return self.place(lathe(line, sides=self.sides, wrap=wrap))

    def inner(self, *, wrap: bool = False) -> Mesh:
        """The inside."""
        return self.place(lathe(self.inside[::-1], sides=self.sides, wrap=wrap))

    def place(self, mesh: Mesh) -> Mesh:
        """A mesh around the axis at the origin, brought to this vessel's axis and outline."""
        squared = _squared(mesh) if self.square else mesh
        return squared.moved(self.center[0], 0.0, self.center[1])

    def surface(self, *, inside: bool = False) -> Surface:
        """The flat inner bottom as a place for things; `inside` where the wall encloses it."""
        reach, (x, z) = self.inside[1][0], self.center
        low, high = (x - reach, z - reach), (x + reach, z + reach)
        return Surface(low, high, self.floor, inside=inside, round=True)


def _squared(mesh: Mesh, power: int = 4) -> Mesh:
    """Circles about the origin as rounded squares that touch the same box."""
    p, n = mesh.points.astype(np.float64), mesh.normals.astype(np.float64)
    radius = np.sqrt(p[:, 0] * p[:, 0] + p[:, 2] * p[:, 2])
    safe = np.where(radius > 1e-9, radius, 1.0)
    c, s = p[:, 0] / safe, p[:, 2] / safe
    total = np.where(radius > 1e-9, c**power + s**power, 1.0)
    grow = total ** (-1 / power)
    # d(grow)/d(angle) over grow tilts the normal; its height component grows with the radius
    lean = (c ** (power - 1) * s - s ** (power - 1) * c) / total
    flat = n[:, 0] * c + n[:, 2] * s
    normals = np.stack([flat * (c + lean * s), n[:, 1] * grow, flat * (s - lean * c)], 1)
    points = p * np.stack([grow, np.ones_like(grow), grow], 1)
    return Mesh.of(points, normals, mesh.uv, mesh.faces)


@lru_cache(maxsize=8)
def _ripples(low: Color, high: Color) -> Texture:
    """Bright lines on water."""
    field = noise(64, 4, 11, octaves=2)
    line = np.clip(1 - np.abs(field - 0.5) * 9, 0, 1)
    return picture(between(low, high, line * line))


@lru_cache(maxsize=8)
def _poured(center: Color, rim: Color) -> Texture:
    """A dark drink with a pale ring of bubbles at the wall."""
    x, y = np.meshgrid(np.linspace(-1, 1, 64), np.linspace(-1, 1, 64))
    edge = np.clip((np.sqrt(x * x + y * y) - 0.86) * 9, 0, 1)
    fleck = np.clip((noise(64, 12, 5, octaves=1) - 0.72) * 5, 0, 0.6)
    return picture(between(center, rim, np.maximum(edge, fleck * 0.5)))


WATER, COFFEE, WINE = (0.36, 0.62, 0.80), (0.15, 0.075, 0.035), (0.42, 0.02, 0.08)
"""Colours of the liquids, sRGB."""

DEEP = {
    Liquid.WATER: Material((0.45, 0.72, 0.92), opacity=0.55, gloss=0.8),
    Liquid.COFFEE: Material((0.30, 0.14, 0.05), gloss=0.5, glow=0.2),
    Liquid.WINE: Material((0.62, 0.03, 0.09), gloss=0.5, glow=0.3),
}
"""Bodies of liquid behind glass. Their glow makes up for the light that glass takes away."""

LIQUID_COLORS = {Liquid.WATER: WATER, Liquid.COFFEE: COFFEE, Liquid.WINE: WINE}


@lru_cache(maxsize=8)
def liquid_material(liquid: Liquid, *, deep: bool = False) -> Material:
    """A liquid's surface; `deep` is a body of it seen through glass."""
    if deep:
        return DEEP[liquid]
    if liquid is Liquid.WATER:
        return Material((1.0, 1.0, 1.0), _ripples(WATER, (0.86, 0.95, 1.0)), 0.88, gloss=0.9)
    if liquid is Liquid.COFFEE:
        return Material((1.0, 1.0, 1.0), _poured(COFFEE, (0.55, 0.36, 0.20)), gloss=0.7)
    return Material((1.0, 1.0, 1.0), _poured(WINE, (0.62, 0.10, 0.18)), gloss=0.9)


def poured(
    vessel: Vessel, liquid: Liquid, *, share: float = 0.8, clear: bool = False
) -> list[Part]:
    """The liquid in a vessel, up to a share of its inner height; `clear` for vessels of glass,
    where the whole body of the liquid is seen."""
    level = vessel.floor + share * (vessel.rim - vessel.floor)
    if not clear:
        wall = (vessel.outside[-1][0] - vessel.inside[-1][0]) / 3
        disc = lathe([(vessel.radius(level) + wall, level), (0.0, level)], sides=vessel.sides)
        return [Part("liquid", vessel.place(disc), liquid_material(liquid), casts_shadow=False)]
    gap = 0.0006
    wet = [(max(r - gap, 0.0), y + gap) for r, y in vessel.inside if y < level - 0.002]
    top = (vessel.radius(level) - gap, level)
    body = vessel.place(lathe([*wet, top], sides=vessel.sides))
    cover = vessel.place(lathe([top, (0.0, level)], sides=vessel.sides))
    return [
        Part("liquid body", body, liquid_material(liquid, deep=True), casts_shadow=False),
        Part("liquid", cover, liquid_material(liquid), casts_shadow=False),
    ]


def circle_share(sides: int, angle: Array) -> Array:
    """How much nearer to the axis than its corners a regular polygon is at an angle (radians)."""
    step = 2 * math.pi / sides
    inner = np.cos(step / 2) / np.cos(angle % step - step / 2)
    return np.asarray(inner, np.float64)


# --- Dirt on vessels: thick drips on walls, puddles on bottoms, as thin skins over the surface

LIFT = 0.0008
"""Metres between a stain and what it lies on."""

SAUCE: Color = (0.30, 0.15, 0.06)
PALE: Color = (0.80, 0.75, 0.66)


def stain_on(color: Color, *, gloss: float = 0.45) -> Material:
    """Dirt in a contrasting tone: brown sauce on pale vessels, dried milk on dark ones."""
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
        vessel: the vessel that contains them.
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
