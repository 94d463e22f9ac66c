"""The materials of a scene as tables, and its textures as one atlas with mip maps and filters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.model import Material, Texture
from env_service.worlds.household.render.soft.pixel_ops import (
    HALF,
    ONE,
    Floats,
    Ints,
    Longs,
    Three,
    bits,
    shared,
    take_int,
    take_long,
    to_float,
    to_int,
    to_long,
)
from env_service.worlds.household.render.soft.tone import DECODE, ENCODE, STEPS, linear

F4 = np.float32


class Packed(NamedTuple):
    """A texture made ready: its maps for the atlas, and its mean colour, linear."""

    levels: list[NDArray[np.int64]]
    mean: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Materials:
    """Of each material, in linear light.

    Attributes:
        red, green, blue, opacity, gloss, metal, glow: float32 [M].
        texture: int32 [M], place in the atlas, -1 for none.
        texels: float32 [M], how many texels one repeat of the texture has.
        two_sided: bool [M].
        color: float64 [3, M], without texture.
        textures: those of the atlas, in its order.
        packed: makes a texture ready, or takes it from a cache.
    """

    red: Floats
    green: Floats
    blue: Floats
    opacity: Floats
    gloss: Floats
    metal: Floats
    glow: Floats
    texture: Ints
    texels: Floats
    two_sided: NDArray[np.bool_]
    color: NDArray[np.float64]
    textures: tuple[Texture, ...]
    packed: Callable[[Texture], Packed]

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """float64 [3, M], the average colour, texture included."""
        means = np.array([*(self.packed(t).mean for t in self.textures), (1.0, 1.0, 1.0)])
        found: NDArray[np.float64] = self.color * means[self.texture].T  # -1 finds the last
        return found

    @cached_property
    def atlas(self) -> Atlas:
        """The textures."""
        return atlas([self.packed(texture).levels for texture in self.textures])


class MaterialCache:
    """Keeps packed textures, and the tables as long as the materials stay the same."""

    def __init__(self) -> None:
        self._packed: dict[Texture, Packed] = {}
        self._last: tuple[tuple[Material, ...], Materials] | None = None

    def update(self, used: Iterable[Material]) -> tuple[Materials, dict[Material, int]]:
        """The tables of these materials, and the place of each in them."""
        places: dict[Material, int] = {}
        for material in used:
            places.setdefault(material, len(places))
        order = tuple(places)
        if self._last is None or self._last[0] != order:
            self._last = (order, self._tables(order))
        return self._last[1], places

    def _tables(self, order: tuple[Material, ...]) -> Materials:
        slots: dict[Texture, int] = {}
        for material in order:
            if material.texture is not None:
                slots.setdefault(material.texture, len(slots))
        self._packed = {t: self._packed[t] for t in slots if t in self._packed}
        color = np.array([[linear(c) for c in m.color] for m in order]).reshape(-1, 3).T
        texture = [-1 if m.texture is None else slots[m.texture] for m in order]
        texels = [0 if m.texture is None else m.texture.pixels[..., 0].size for m in order]
        columns = np.array([(m.opacity, m.gloss, m.metal, m.glow) for m in order], F4)
        red, green, blue = color.astype(F4)
        opacity, gloss, metal, glow = columns.reshape(-1, 4).T.copy()
        return Materials(
            red,
            green,
            blue,
            opacity,
            gloss,
            metal,
            glow,
            np.array(texture, np.int32),
            np.array(texels, F4),
            np.array([m.two_sided for m in order], np.bool_),
            color,
            tuple(slots),
            self._ready,
        )

    def _ready(self, texture: Texture) -> Packed:
        known = self._packed.get(texture)
        if known is None:
            known = self._packed[texture] = Packed(pack(texture), _mean(texture))
        return known


def _mean(texture: Texture) -> tuple[float, float, float]:
    light = DECODE.take(texture.pixels).astype(np.float64)
    red, green, blue = (float(light[..., k].mean()) for k in range(3))
    return red, green, blue


# --- Textures in one array, each with its mip maps, and how they are filtered

LANE, TWO_LANES = np.int64(21), np.int64(42)
MASK = np.int64((1 << 21) - 1)
FINE = F4(64)
WHOLE = np.int64(64)
UNIT = F4(1 / (255 * 4096))
ONE_INT = np.int32(1)

LEVELS = 16
"""Places kept for the maps of one texture."""

EXPONENT = np.int32(23)
BIAS = np.int32(127)

# sRGB to linear as a cubic, at most 0.002 off
CUBIC_1, CUBIC_2, CUBIC_3 = F4(0.012522878), F4(0.682171111), F4(0.305306011)


class Atlas(NamedTuple):
    """Some textures and their mip maps.

    Attributes:
        texels: int64, all maps one after the other.
        start, wide, high: int32 [textures * LEVELS], of each map.
    """

    texels: NDArray[np.int64]
    start: Ints
    wide: Ints
    high: Ints


def maps(texture: Texture) -> list[NDArray[np.uint8]]:
    """The texture and its smaller copies down to one texel."""
    found = [texture.pixels]
    light = DECODE.take(texture.pixels).astype(np.float64)
    while light.shape[0] > 1 or light.shape[1] > 1:
        if light.shape[0] > 1:
            light = (light[0::2] + light[1::2]) / 2
        if light.shape[1] > 1:
            light = (light[:, 0::2] + light[:, 1::2]) / 2
        levels = ENCODE.take(np.floor(light * (STEPS - 1) + 0.5).astype(np.int64))
        found.append(levels.astype(np.uint8))
    return found


def pack(texture: Texture) -> list[NDArray[np.int64]]:
    """The maps of a texture with a texel in each number, [h, w]."""
    packed = []
    for level in maps(texture):
        wide = level.astype(np.int64)
        packed.append(wide[..., 0] | wide[..., 1] << LANE | wide[..., 2] << TWO_LANES)
    return packed


def atlas(textures: Sequence[list[NDArray[np.int64]]]) -> Atlas:
    """An atlas of packed textures."""
    sizes = np.zeros((3, max(len(textures), 1) * LEVELS), np.int32)
    place, pieces = 0, [np.zeros(1, np.int64)]
    for k, levels in enumerate(textures):
        for i in range(LEVELS):
            level = levels[min(i, len(levels) - 1)]
            at = k * LEVELS + i
            if i < len(levels):
                sizes[:, at] = place + 1, level.shape[1], level.shape[0]
                pieces.append(level.reshape(-1))
                place += level.size
            else:
                sizes[:, at] = sizes[:, at - 1]
    return Atlas(np.concatenate(pieces), sizes[0], sizes[1], sizes[2])


@shared
def map_level(texels: Floats) -> Longs:
    """The map to use where a pixel covers so many texels (an area, at least 0)."""
    # half the exponent of the float32 is the whole part of the logarithm of its root
    doubled = np.maximum(texels + texels, ONE)
    return to_long(((bits(doubled) >> EXPONENT) - BIAS) >> ONE_INT)


@shared
def sample(table: Atlas, map_: Longs, u: Floats, v: Floats) -> Three:
    """Linear colour at texture coordinates, from one map."""
    start = take_int(table.start, map_)
    wide, high = take_int(table.wide, map_), take_int(table.high, map_)
    x = (u - np.floor(u)) * to_float(wide) - HALF
    y = (v - np.floor(v)) * to_float(high) - HALF
    left, low = np.floor(x), np.floor(y)
    fx, fy = to_long((x - left) * FINE), to_long((y - low) * FINE)
    x0, y0 = to_int(left), to_int(low)
    # sides are powers of two: the mask also turns -1 into the last texel
    x1, y1 = (x0 + ONE_INT) & (wide - ONE_INT), (y0 + ONE_INT) & (high - ONE_INT)
    x0, y0 = x0 & (wide - ONE_INT), y0 & (high - ONE_INT)
    below, above = start + y0 * wide, start + y1 * wide
    t = table.texels
    gx, gy = WHOLE - fx, WHOLE - fy
    lower = take_long(t, to_long(below + x0)) * gx + take_long(t, to_long(below + x1)) * fx
    upper = take_long(t, to_long(above + x0)) * gx + take_long(t, to_long(above + x1)) * fx
    mixed = lower * gy + upper * fy
    red, green = mixed & MASK, (mixed >> LANE) & MASK
    return _decoded(red), _decoded(green), _decoded(mixed >> TWO_LANES)


@shared
def _decoded(lane: Longs) -> Floats:
    """Linear strength of a blended lane."""
    x = to_float(lane) * UNIT
    slope: Floats = x * CUBIC_3 + CUBIC_2
    found: Floats = x * slope + CUBIC_1
    return x * found
