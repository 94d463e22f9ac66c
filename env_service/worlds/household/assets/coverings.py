"""Pictures of what covers floors and walls: carpet, slabs, linoleum, wallpaper, plaster, brick.

Deterministic and cached, like those of `textures`.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from env_service.worlds.household.assets.material import Color, Texture
from env_service.worlds.household.assets.textures import between, noise, picture


@lru_cache(maxsize=64)
def carpet(color: Color, *, seed: int = 0, size: int = 256) -> Texture:
    """Short pile: fine grain with soft shading from feet."""
    grain = noise(size, 96, seed, octaves=1)
    trodden = noise(size, 4, seed + 1, octaves=2)
    shade = 0.86 + 0.2 * (grain - 0.5) + 0.14 * trodden
    return picture(np.array(color) * shade[..., None])


@lru_cache(maxsize=64)
def checker(first: Color, second: Color, *, across: int = 4, size: int = 256) -> Texture:
    """Two kinds of tiles in turn, with thin joints; `across` is even."""
    side = size // across
    index = np.arange(size) // side
    share = ((index[:, None] + index[None]) % 2).astype(np.float64)
    cloud = noise(size, 8, 5) - 0.5
    values = between(first, second, share) * (1 + 0.08 * cloud)[..., None]
    joint = np.arange(size) % side < max(1, size // 160)
    values[joint] *= 0.75
    values[:, joint] *= 0.75
    return picture(values)


@lru_cache(maxsize=64)
def slabs(color: Color, grout: Color, *, seed: int = 0, size: int = 256) -> Texture:
    """Oblong stone slabs, every second row shifted by half, each with its own tone."""
    generator = np.random.default_rng(seed)
    rows, columns = 4, 2
    high, wide = size // rows, size // columns
    tone = generator.normal(0, 0.07, (rows, columns))
    row = np.arange(size) // high
    shift = (row % 2) * (wide // 2)
    place = (np.arange(size)[None] + shift[:, None]) % size
    cloud = noise(size, 6, seed + 1) - 0.5
    shade = 1 + tone[row[:, None], place // wide] + 0.3 * cloud
    values = np.array(color) * shade[..., None]
    line = max(2, size // 100)
    values[(np.arange(size) % high < line)[:, None] | (place % wide < line)] = grout
    return picture(values)


@lru_cache(maxsize=64)
def bricks(color: Color, mortar: Color, *, seed: int = 0, size: int = 256) -> Texture:
    """A brick wall, eight courses to a repeat."""
    generator = np.random.default_rng(seed)
    rows, columns = 8, 4
    high, wide = size // rows, size // columns
    tone = generator.normal(0, 0.1, (rows, columns))
    row = np.arange(size) // high
    place = (np.arange(size)[None] + ((row % 2) * (wide // 2))[:, None]) % size
    rough = noise(size, 24, seed + 1, octaves=3) - 0.5
    values = np.array(color) * (1 + tone[row[:, None], place // wide] + 0.35 * rough)[..., None]
    line = max(2, size // 64)
    values[(np.arange(size) % high < line)[:, None] | (place % wide < line)] = mortar
    return picture(values)


@lru_cache(maxsize=64)
def subway(color: Color, grout: Color, *, seed: int = 0, size: int = 256) -> Texture:
    """Glazed wall tiles twice as wide as high, laid like bricks."""
    generator = np.random.default_rng(seed)
    rows, columns = 4, 2
    high, wide = size // rows, size // columns
    tone = generator.normal(0, 0.025, (rows, columns))
    row = np.arange(size) // high
    place = (np.arange(size)[None] + ((row % 2) * (wide // 2))[:, None]) % size
    values = np.array(color) * (1 + tone[row[:, None], place // wide])[..., None]
    line = max(2, size // 85)
    values[(np.arange(size) % high < line)[:, None] | (place % wide < line)] = grout
    return picture(values)


@lru_cache(maxsize=64)
def plaster(color: Color, *, seed: int = 0, size: int = 128, rough: float = 0.05) -> Texture:
    """Painted plaster: a faint, uneven surface."""
    shade = 1 + rough * (noise(size, 24, seed, octaves=3) - 0.5)
    return picture(np.array(color) * shade[..., None])


@lru_cache(maxsize=64)
def linoleum(color: Color, vein: Color, *, seed: int = 0, size: int = 256) -> Texture:
    """Marbled sheet."""
    veins = np.abs(np.sin(2 * math.pi * 2.5 * noise(size, 5, seed, octaves=5)))
    faint = 0.55 * noise(size, 40, seed + 1, octaves=2)
    cloud = 0.45 * np.clip(noise(size, 10, seed + 2) - 0.3, 0, 1)
    share = np.clip(1 - veins * 3, 0, 1) * faint + cloud
    return picture(between(color, vein, share))


@lru_cache(maxsize=64)
def wallpaper_stripes(first: Color, second: Color, *, size: int = 128) -> Texture:
    """Upright stripes of two widths."""
    place = np.arange(size) * 8 // size
    share = np.isin(place, (0, 1, 4)).astype(np.float64)
    return picture(np.repeat(between(first, second, share[None]), size, 0))


@lru_cache(maxsize=64)
def damask(first: Color, second: Color, *, size: int = 128) -> Texture:
    """A repeating pattern of leaves around lozenges."""
    angle = 2 * math.pi * np.arange(size) / size
    x, y = angle[None], angle[:, None]
    field = np.cos(x) * np.cos(y) + 0.45 * np.cos(3 * x) * np.cos(2 * y) + 0.25 * np.sin(4 * y)
    return picture(between(first, second, np.clip(field * 4, 0, 1)))


@lru_cache(maxsize=64)
def panelling(dark: Color, light: Color, *, seed: int = 0, size: int = 256) -> Texture:
    """Upright tongue-and-groove boards."""
    generator = np.random.default_rng(seed)
    grain = noise(size, 24, seed, octaves=3, stretch=12).T
    board = np.arange(size) * 8 // size
    tone = generator.normal(0, 0.12, 8)[board]
    values = between(dark, light, np.clip(0.3 + 0.5 * grain + tone[None], 0, 1))
    values[:, np.arange(size) % (size // 8) < 3] *= 0.6
    return picture(values)
