"""Textures in one array, each with its mip maps, and how they are filtered.

A mip map is the picture at half the size, again and again; a surface that is far away or seen at a
grazing angle takes its colour from the one whose texels are about as large as a pixel, so that
patterns neither glitter nor crawl. Within a map four texels are blended.

A texel is one 64-bit number with red, green and blue in lanes of 21 bits. Weights are 64ths: four
weighted texels add up to less than 2**20 in each lane, so three channels are blended at once.
Blending happens in sRGB, whose error against linear light is invisible here; halving, whose error
would be visible, happens in linear light.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.material import Texture
from env_service.worlds.household.render.soft.lanes import (
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
from env_service.worlds.household.render.soft.tone import DECODE, ENCODE, STEPS

F4 = np.float32
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
