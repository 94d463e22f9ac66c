"""Pictures of food: skins that wrap around a body, and cut faces.

A cut face is mapped so that its outline is the circle around the middle with radius one half; see
`lofts.face`.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.material import Color, Texture
from env_service.worlds.household.assets.textures import between, noise, picture

Array = NDArray[np.float64]


def _polar(size: int) -> tuple[Array, Array]:
    """Distance from the middle (1 at the outline) and angle of each pixel of a cut face."""
    place = (np.arange(size) + 0.5) / size * 2 - 1
    x, y = np.meshgrid(place, place)
    return np.sqrt(x * x + y * y), np.arctan2(y, x)


def _band(value: Array, start: float, width: float) -> Array:
    """0 before `start`, 1 after `start + width`, straight between."""
    ramp: Array = np.clip((value - start) / width, 0, 1)
    return ramp


def _mix(values: Array, color: Color, share: Array) -> Array:
    return np.asarray(values + (np.array(color) - values) * share[..., None], np.float64)


@lru_cache(maxsize=16)
def apple_skin(base: Color, streak: Color, end: Color) -> Texture:
    """Streaks along the meridians; a third colour around the stem."""
    size = 128
    v = (np.arange(size)[:, None] + 0.5) / size
    fine = noise(size, 24, 3, octaves=2).mean(0)[None] * np.ones((size, 1))
    long = noise(size, 16, 4, octaves=3).T
    share = np.clip((0.6 * fine + 0.6 * long - 0.42) * 1.6, 0, 1)
    values = between(base, streak, share)
    ends = np.clip(1 - np.minimum(v, 1 - v) * 5.2 + (fine - 0.5) * 0.6, 0, 1) * np.ones((1, size))
    return picture(_mix(values, end, ends * 0.85))


@lru_cache(maxsize=8)
def apple_flesh(skin: Color) -> Texture:
    """Pale flesh, the outline of the core, pips."""
    radius, angle = _polar(128)
    values = between((0.95, 0.91, 0.74), (0.90, 0.84, 0.62), noise(128, 6, 2, octaves=2))
    star = 0.34 + 0.07 * np.cos(5 * angle)
    values = _mix(values, (0.78, 0.74, 0.46), 0.8 * np.clip(1 - np.abs(radius - star) * 28, 0, 1))
    pip_angle = (angle + math.pi / 5) % (2 * math.pi / 5) - math.pi / 5
    pip = ((radius - 0.21) / 0.085) ** 2 + (pip_angle * 0.21 / 0.036) ** 2
    values = _mix(values, (0.22, 0.11, 0.05), np.clip((1.15 - pip) * 6, 0, 1))
    return picture(_mix(values, skin, _band(radius, 0.95, 0.02)))


@lru_cache(maxsize=8)
def tomato_flesh(skin: Color) -> Texture:
    """Wall and spokes of firm flesh, chambers with jelly and seeds."""
    radius, angle = _polar(128)
    spoke = np.abs(np.cos(2.5 * angle + 0.4))
    chamber = _band(spoke, 0.28, 0.12) * _band(radius, 0.24, 0.06) * (1 - _band(radius, 0.76, 0.05))
    values = between((0.88, 0.33, 0.22), (0.93, 0.46, 0.32), noise(128, 8, 5, octaves=2))
    values = _mix(values, (0.70, 0.11, 0.06), chamber)
    seeds = np.clip((noise(128, 20, 8, octaves=1) - 0.70) * 14, 0, 1) * chamber
    values = _mix(values, (0.93, 0.80, 0.45), seeds)
    values = _mix(values, (0.95, 0.66, 0.50), 1 - _band(radius, 0.13, 0.05))
    return picture(_mix(values, skin, _band(radius, 0.95, 0.02)))


@lru_cache(maxsize=8)
def potato_skin(*, cooked: bool) -> Texture:
    """Brown peel with eyes; cooked, it is roasted: golden with charred spots."""
    cloud, eyes = noise(128, 6, 21), noise(128, 14, 22, octaves=1)
    if cooked:
        values = between((0.56, 0.27, 0.07), (0.80, 0.47, 0.13), cloud)
        values = _mix(values, (0.14, 0.06, 0.03), np.clip((eyes - 0.60) * 6, 0, 0.95))
        return picture(values)
    values = between((0.60, 0.45, 0.26), (0.74, 0.60, 0.39), cloud)
    return picture(_mix(values, (0.36, 0.25, 0.14), np.clip((eyes - 0.80) * 9, 0, 0.9)))


@lru_cache(maxsize=8)
def potato_flesh(*, cooked: bool) -> Texture:
    """Pale yellow; cooked, fried: golden brown with dark blisters."""
    radius, _ = _polar(128)
    cloud, spots = noise(128, 5, 31, octaves=3), noise(128, 12, 32, octaves=2)
    if cooked:
        values = between((0.86, 0.60, 0.20), (0.66, 0.36, 0.10), cloud)
        values = _mix(values, (0.36, 0.16, 0.05), np.clip((spots - 0.58) * 5, 0, 0.9))
        return picture(_mix(values, (0.30, 0.13, 0.05), _band(radius, 0.80, 0.18)))
    values = between((0.95, 0.90, 0.66), (0.91, 0.84, 0.56), cloud)
    return picture(_mix(values, (0.55, 0.40, 0.22), _band(radius, 0.93, 0.03)))


@lru_cache(maxsize=8)
def crust(*, flour: bool) -> Texture:
    """The outside of a loaf, u around it from one side over the top: the top is brown, the sides
    are golden; with flour on it or shining."""
    cloud, fine = noise(128, 5, 41), noise(128, 28, 42, octaves=2)
    top = 0.5 + 0.5 * np.sin(2 * math.pi * (np.arange(128)[None] + 0.5) / 128)
    pale = np.clip(1.1 - 1.3 * top, 0, 1) * (1.0 if not flour else 0.5)
    values = between((0.46, 0.22, 0.08), (0.68, 0.39, 0.15), 0.7 * cloud + 0.3 * fine)
    values = _mix(values, (0.84, 0.60, 0.30), pale * (0.75 + 0.25 * fine))
    if flour:
        dust = np.clip((noise(128, 7, 43) - 0.52) * 4, 0, 0.75)
        values = _mix(values, (0.93, 0.87, 0.76), dust)
    return picture(values)


@lru_cache(maxsize=8)
def crumb(base: Color, *, toasted: bool) -> Texture:
    """A slice of bread: pores, a crust around; toasted, it is brown, darkest near the crust."""
    radius, _ = _polar(128)
    pores = np.clip((noise(128, 22, 51, octaves=2) - 0.58) * 4, 0, 1)
    shade = (base[0] * 0.82, base[1] * 0.76, base[2] * 0.64)
    values = between(base, shade, 0.7 * pores + 0.2 * noise(128, 6, 52))
    if toasted:
        heat = np.clip(0.55 + 0.5 * (noise(128, 5, 53) - 0.4) + 0.35 * radius, 0, 1)
        values = _mix(values, (0.60, 0.33, 0.11), heat)
        values = _mix(
            values, (0.30, 0.14, 0.05), np.clip(pores * 0.4 + (radius - 0.72) * 1.6, 0, 0.9)
        )
    edge = (0.22, 0.11, 0.05) if toasted else (0.52, 0.29, 0.12)
    return picture(_mix(values, edge, _band(radius, 0.90, 0.035)))


@lru_cache(maxsize=8)
def leaf(green: Color, vein: Color) -> Texture:
    """A lettuce leaf, v from the stalk to the tip: a pale rib, veins that branch off."""
    size = 64
    u = (np.arange(size)[None] + 0.5) / size
    v = (np.arange(size)[:, None] + 0.5) / size
    side = np.abs(u - 0.5)
    rib = np.clip(1 - side / (0.085 - 0.065 * v), 0, 1)
    branch = np.clip(1 - np.abs(((v - side * 1.3) * 6) % 1 - 0.5) * 9, 0, 1) * (side < 0.42)
    values = between(green, (green[0] * 0.62, green[1] * 0.72, green[2] * 0.6), noise(size, 5, 61))
    values = _mix(values, vein, np.maximum(np.sqrt(rib), 0.45 * branch))
    pale = np.clip(0.75 - v * 1.6, 0, 1) * np.ones((1, size))
    return picture(_mix(values, vein, pale * 0.8))


@lru_cache(maxsize=4)
def lettuce_cut() -> Texture:
    """Leaves cut across: wavy rings, pale to the middle."""
    radius, angle = _polar(128)
    wave = radius + 0.05 * np.cos(3 * angle + 7 * radius) + 0.03 * np.cos(7 * angle - 9 * radius)
    ring = 0.5 + 0.5 * np.cos(wave * 40)
    values = between((0.86, 0.90, 0.62), (0.42, 0.62, 0.20), np.clip(radius * 1.1 - 0.2, 0, 1))
    values = _mix(values, (0.97, 0.98, 0.86), ring * 0.75)
    return picture(_mix(values, (0.28, 0.48, 0.14), _band(radius, 0.92, 0.05)))


@lru_cache(maxsize=2)
def fried_white() -> Texture:
    """The white of a fried egg, browned and crisp at its edge."""
    radius, _ = _polar(128)
    uneven = radius + 0.14 * (noise(128, 9, 71, octaves=2) - 0.5)
    values = between((0.95, 0.94, 0.90), (0.88, 0.87, 0.80), noise(128, 8, 72))
    values = _mix(values, (0.80, 0.58, 0.26), _band(uneven, 0.78, 0.10))
    return picture(_mix(values, (0.42, 0.22, 0.07), _band(uneven, 0.92, 0.05)))
