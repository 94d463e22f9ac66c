"""Round hollow things: a wall with an outside and an inside, and what is poured into it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.material import Color, Material, Texture
from env_service.worlds.household.assets.mesh import Mesh
from env_service.worlds.household.assets.model import Liquid, Part, Surface
from env_service.worlds.household.assets.shapes import Point2, lathe
from env_service.worlds.household.assets.textures import between, noise, picture

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Vessel:
    """A hollow body of revolution.

    Attributes:
        outside, inside: profiles of (radius, height) from the middle of the bottom to the rim.
        center: (x, z) of its axis.
        sides: of the polygon that stands for its circles.
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
