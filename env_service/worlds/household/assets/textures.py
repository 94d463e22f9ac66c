"""Pictures of materials made by code: wood, stone, tiles, cloth, labels, dirt, and coverings of
floors and walls.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.model import Color, Texture

Array = NDArray[np.float64]


def noise(size: int, cells: int, seed: int, *, octaves: int = 4, stretch: int = 1) -> Array:
    """Smooth noise in [0, 1], float64 [size, size], that repeats at its edges.

    `cells` is the number of swellings across; `stretch` makes them that much longer along x.
    """
    generator = np.random.default_rng(seed)
    total = np.zeros((size, size))
    for octave in range(octaves):
        down, across = min(cells << octave, size), min(max(1, (cells << octave) // stretch), size)
        grid = generator.random((down, across))
        rows, columns = _ramp(size, down), _ramp(size, across)
        upper = _blend(grid[rows[0]], columns)
        lower = _blend(grid[rows[1]], columns)
        total += (upper + (lower - upper) * rows[2][:, None]) / (1 << octave)
    total -= total.min()
    scaled: Array = total / max(float(total.max()), 1e-9)
    return scaled


def _ramp(size: int, cells: int) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    place = np.arange(size) * (cells / size)
    cell = np.floor(place).astype(np.int64)
    part = place - cell
    return cell % cells, (cell + 1) % cells, part * part * (3 - 2 * part)


def _blend(rows: Array, columns: tuple[NDArray[np.int64], NDArray[np.int64], Array]) -> Array:
    left, right = rows[:, columns[0]], rows[:, columns[1]]
    blended: Array = left + (right - left) * columns[2]
    return blended


def picture(values: Array) -> Texture:
    """A texture from float colours in [0, 1], [H, W, 3]; values outside are clipped."""
    return Texture(np.floor(np.clip(values, 0, 1) * 255 + 0.5).astype(np.uint8))


def between(low: Color, high: Color, share: Array) -> Array:
    """Colours [H, W, 3] between two, by a share [H, W]."""
    a, b = np.array(low), np.array(high)
    mixed: Array = a + (b - a) * share[..., None]
    return mixed


@lru_cache(maxsize=256)
def wood(dark: Color, light: Color, *, seed: int = 0, size: int = 256, rings: int = 9) -> Texture:
    """Grain that runs along u; repeats both ways."""
    warp = noise(size, 2, seed, octaves=3, stretch=2)
    fine = noise(size, 32, seed + 1, octaves=3, stretch=16)
    v = np.arange(size)[:, None] / size
    grain = np.sin(2 * math.pi * (v * rings + warp))
    # bands come and go, as where the saw met the rings steeply or not
    strong = 0.08 + 0.20 * noise(size, 3, seed + 2, octaves=2, stretch=2)
    pores = noise(size, 128, seed + 3, octaves=1, stretch=16)
    share = 0.5 + strong * grain + 0.75 * (fine - 0.5) - 0.22 * np.clip(pores - 0.72, 0, 1) / 0.28
    return picture(between(dark, light, np.clip(share, 0, 1)))


@lru_cache(maxsize=256)
def boards(dark: Color, light: Color, *, seed: int = 0, rows: int = 8, size: int = 512) -> Texture:
    """Floor boards along u with dark joints."""
    generator = np.random.default_rng(seed)
    grain = noise(size, 16, seed, octaves=4, stretch=16)
    share = 0.25 + 0.5 * grain
    joint = np.ones((size, size))
    high = size // rows
    for row in range(rows):
        band = slice(row * high, (row + 1) * high)
        share[band] = np.roll(share[band], int(generator.integers(size)), 1)
        cut = int(generator.integers(size))
        half = (np.arange(size) - cut) % size < size // 2
        share[band] += np.where(half, generator.normal(0, 0.12), generator.normal(0, 0.12))
        joint[row * high : row * high + 2] = 0.6
        joint[band, cut : cut + 2] = 0.6
        joint[band, (cut + size // 2) % size] = 0.6
    return picture(between(dark, light, np.clip(share, 0, 1)) * joint[..., None])


@lru_cache(maxsize=256)
def tiles(
    color: Color,
    grout: Color,
    *,
    across: int = 4,
    seed: int = 0,
    size: int = 256,
    mottle: float = 0.05,
) -> Texture:
    """Square tiles with grout, each a little different."""
    generator = np.random.default_rng(seed)
    side = size // across
    shade = generator.normal(0, mottle, (across, across)).repeat(side, 0).repeat(side, 1)
    cloud = (noise(size, 8, seed + 1) - 0.5) * mottle * 2
    values = np.array(color) * (1 + shade + cloud)[..., None]
    line = max(1, size // 128)
    edge = np.arange(size) % side < line * 2
    values[edge] = grout
    values[:, edge] = grout
    return picture(values)


@lru_cache(maxsize=256)
def stone(
    base: Color, fleck: Color, *, seed: int = 0, size: int = 256, flecks: float = 0.35
) -> Texture:
    """Clouded stone with flecks, for counters and ornaments."""
    cloud = noise(size, 4, seed)
    grain = noise(size, 64, seed + 1, octaves=2)
    share = 0.35 * cloud + np.clip((grain - (1 - flecks)) * 4, 0, 1) * 0.65
    return picture(between(base, fleck, np.clip(share, 0, 1)))


@lru_cache(maxsize=256)
def cloth(color: Color, *, seed: int = 0, size: int = 128, weave: float = 0.12) -> Texture:
    """Woven cloth: threads both ways."""
    index = np.arange(size)
    over = 0.5 + 0.5 * np.cos(2 * math.pi * index * 16 / size)
    threads = over[:, None] * (1 - over[None]) + (1 - over[:, None]) * over[None]
    fuzz = noise(size, 32, seed, octaves=2)
    shade = 1 - weave + weave * (1.4 * threads + 0.6 * fuzz)
    return picture(np.array(color) * shade[..., None])


@lru_cache(maxsize=256)
def stripes(
    first: Color, second: Color, *, count: int = 8, upright: bool = False, size: int = 128
) -> Texture:
    """Even stripes, along u unless upright."""
    band = (np.arange(size) * count * 2 // size) % 2
    share = np.repeat(band[:, None], size, 1).astype(np.float64)
    return picture(between(first, second, share.T if upright else share))


@lru_cache(maxsize=256)
def speckle(
    base: Color, spots: Color, *, seed: int = 0, share: float = 0.1, size: int = 128
) -> Texture:
    """A plain colour with small spots."""
    grain = noise(size, 48, seed, octaves=1)
    mask = np.clip((grain - np.quantile(grain, 1 - share)) * 12, 0, 1)
    return picture(between(base, spots, mask))


# --- Pictures of floor and wall coverings: carpet, slabs, linoleum, wallpaper, plaster, brick


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
    """Oblong stone slabs, every second row shifted by half, each with a different tone."""
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
