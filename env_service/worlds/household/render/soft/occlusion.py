"""Ambient occlusion: corners and places under things receive less light from all around.

It is estimated from what the camera sees, on a coarse grid. Around each point of the grid, places
are sampled on the picture in a spiral that spans RADIUS metres in the room. A surface found there
occludes the point more, the higher it is above the point's tangent plane and the nearer it is. The
spiral is turned in 16 ways, which change from point to point in blocks of 4 x 4; a mean over such a
block, leaving out what lies at another depth, removes the pattern. Pixels interpolate from the
grid, again leaving out what lies at another depth.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from env_service.worlds.household.render.soft.pixel_ops import (
    HALF,
    ONE,
    ZERO,
    Floats,
    Longs,
    Three,
    clamp,
    take,
)
from env_service.worlds.household.render.soft.projection import View
from env_service.worlds.household.render.soft.raster import Samples

F4 = np.float32

RADIUS = 0.32
TAPS = 14
TURNS = 5.0
STRENGTH = F4(2.8)
SLACK = F4(0.012)
"""Height over the tangent plane, in shares of the depth, that does not count: it is rounding."""

GRID = 200
"""About so many points along the shorter side."""

ALIKE = F4(12)
"""Weights fall to nothing where depths differ by one part in this."""

LEAST = F4(0.004)
SPECK = F4(1e-6)

BAND = 32
"""Rows of the grid worked on at once."""


class Occlusion(NamedTuple):
    """Occlusion on a coarse grid.

    Attributes:
        open_: float32 [h * w], 0 hidden from all sides, 1 in the open.
        inverse: float32 [h * w], 1/z.
        wide, high: points of the grid.
        step: pixels from one to the next.
    """

    open_: Floats
    inverse: Floats
    wide: int
    high: int
    step: int


FREE = Occlusion(np.ones(1, F4), np.ones(1, F4), 1, 1, 1)
"""Nothing hides anything."""


def step_for(width: int, height: int) -> int:
    """Pixels between points of the grid."""
    return max(1, round(min(width, height) / GRID))


def occlusion(view: View, step: int, inverse: Floats, normal: Three) -> Occlusion:
    """The occlusion of a grid of points.

    `inverse` and `normal` (in the room's frame) are float32 [h, w], at the pixels (step // 2 +
    step * i) of both axes.
    """
    high, wide = inverse.shape
    field = _Field(
        view, step, *_tangents(view, step, wide, high), ONE / inverse, _turns(high, wide)
    )
    nx, ny, nz = (
        F4(a[0]) * normal[0] + F4(a[1]) * normal[1] + F4(a[2]) * normal[2]
        for a in (view.right, view.up, view.forward)
    )
    open_ = np.empty_like(inverse)
    for top in range(0, high, BAND):
        part = slice(top, top + BAND)
        open_[part] = _open(field, part, (nx[part], ny[part], nz[part]))
    return Occlusion(
        _smoothed(_smoothed(open_, inverse, 0), inverse, 1).reshape(-1),
        inverse.reshape(-1),
        wide,
        high,
        step,
    )


class _Field(NamedTuple):
    """What taps look at: tangents of columns and rows, depths, and the points' turns."""

    view: View
    step: int
    cx: Floats
    cy: Floats
    z: Floats
    turns: tuple[Floats, Floats]


def _open(field: _Field, part: slice, normal: Three) -> Floats:
    """How open some rows of points are; `normal` is along the view's axes."""
    z, view = field.z[part], field.view
    high, wide = field.z.shape
    px, py = field.cx[None, :] * z, field.cy[part, None] * z
    focal = RADIUS * view.height / (2 * view.along * field.step)
    reach = np.minimum(F4(focal) / z, F4(0.3 * min(high, wide)))
    row = np.arange(part.start, part.start + len(z), dtype=F4)[:, None] + HALF
    column = np.arange(wide, dtype=F4)[None] + HALF
    cosine, sine = field.turns[0][part] * reach, field.turns[1][part] * reach
    slack = SLACK * z
    total = np.zeros_like(z)
    for tap in range(TAPS):
        dx, dy = _spiral(tap)
        x = clamp(np.floor(cosine * dx - sine * dy + column), ZERO, F4(wide - 1)).astype(np.int64)
        y = clamp(np.floor(sine * dx + cosine * dy + row), ZERO, F4(high - 1)).astype(np.int64)
        there = take(field.z, y * wide + x)
        vx = take(field.cx, x) * there - px
        vy = take(field.cy, y) * there - py
        vz = there - z
        square = vx * vx + vy * vy + vz * vz
        rise = np.maximum(vx * normal[0] + vy * normal[1] + vz * normal[2] - slack, ZERO)
        close = np.maximum(ONE - square * F4(1 / (RADIUS * RADIUS)), ZERO)
        total += rise / np.sqrt(square + SPECK) * close
    found: Floats = np.maximum(ONE - total * (STRENGTH / F4(TAPS)), ZERO)
    return found


def _tangents(view: View, step: int, wide: int, high: int) -> tuple[Floats, Floats]:
    x = np.arange(wide, dtype=F4) * F4(step) + F4(step // 2 + 0.5)
    y = np.arange(high, dtype=F4) * F4(step) + F4(step // 2 + 0.5)
    cx = x * F4(2 * view.across / view.width) - F4(view.across)
    return cx, F4(view.along) - y * F4(2 * view.along / view.height)


def _spiral(tap: int) -> tuple[np.float32, np.float32]:
    """Where a tap lies, in shares of the radius; denser near the middle."""
    share = (tap + 0.5) / TAPS
    angle, far = share * TURNS * 2 * math.pi, share**1.5
    return F4(round(math.cos(angle) * far, 6)), F4(round(math.sin(angle) * far, 6))


def _turns(high: int, wide: int) -> tuple[Floats, Floats]:
    """Cosine and sine of each point's turn, float32 [h, w]."""
    order = (0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5)
    angles = [2 * math.pi * k / 16 / TURNS for k in order]
    tables = [[round(f(a), 6) for a in angles] for f in (math.cos, math.sin)]
    repeats = (-(-high // 4), -(-wide // 4))
    cosine, sine = (
        np.tile(np.array(t, F4).reshape(4, 4), repeats)[:high, :wide].copy() for t in tables
    )
    return cosine, sine


def _smoothed(values: Floats, inverse: Floats, axis: int) -> Floats:
    """Mean over four neighbours along an axis, of those at about the same depth."""
    total, weight = np.zeros_like(values), np.zeros_like(values)
    pad = [(0, 0), (0, 0)]
    pad[axis] = (1, 2)
    around, depths = np.pad(values, pad, mode="edge"), np.pad(inverse, pad, mode="edge")
    size = values.shape[axis]
    scale = ALIKE / inverse
    for shift in range(4):
        part = (
            (slice(shift, shift + size), slice(None))
            if axis == 0
            else (slice(None), slice(shift, shift + size))
        )
        share = np.maximum(ONE - np.abs(depths[part] - inverse) * scale, LEAST)
        total += around[part] * share
        weight += share
    return total / weight


@dataclass(frozen=True, eq=False)
class Shade:
    """Occlusion for the pixels of a picture, and for samples between them.

    Attributes:
        grid: what it is interpolated from.
        pixels: float32 [H * W], at the pixels' middles, for what is solid there.
    """

    grid: Occlusion
    pixels: Floats

    def at(self, samples: Samples, slots: Longs, inverse: Floats, *, solid: bool) -> Floats:
        """The occlusion at samples with 1/z as given, `solid` if that is of what is solid there."""
        if samples.pixels is None and solid:
            return take(self.pixels, slots)
        x, y = samples.spots(slots)
        return interpolated(self.grid, x, y, inverse)


def spread(grid: Occlusion, inverse: Floats) -> Shade:
    """The occlusion of all pixels, whose 1/z is float32 [H, W].

    The same as `interpolated`, for all pixels at once: pixels at the same place between points of
    the grid have the same weights, so that whole slices are added up.
    """
    step, half = grid.step, grid.step // 2
    if step == 1:
        return Shade(grid, grid.open_)
    shape = (grid.high, grid.wide)
    open_ = np.pad(grid.open_.reshape(shape), 1, mode="edge")
    depth = np.pad(grid.inverse.reshape(shape), 1, mode="edge")
    found = np.empty_like(inverse)
    for a in range(step):
        for b in range(step):
            part = inverse[a::step, b::step]
            high, wide = part.shape
            total, weight = np.zeros_like(part), np.zeros_like(part)
            scale = ALIKE / part
            for row, share_y in _neighbours(a, half, step):
                for column, share_x in _neighbours(b, half, step):
                    block = (slice(row, row + high), slice(column, column + wide))
                    alike = np.maximum(ONE - np.abs(depth[block] - part) * scale, LEAST)
                    share = F4(share_y * share_x + float(LEAST)) * alike
                    total += open_[block] * share
                    weight += share
            found[a::step, b::step] = total / weight
    return Shade(grid, found.reshape(-1))


def _neighbours(phase: int, half: int, step: int) -> tuple[tuple[int, float], tuple[int, float]]:
    """Of the two points of the padded grid around the pixels of a phase: which one belongs to the
    first of them, and its weight."""
    behind = (phase - half) / step
    if behind < 0:
        return (0, -behind), (1, 1 + behind)
    return (1, 1 - behind), (2, behind)


def interpolated(table: Occlusion, x: Floats, y: Floats, inverse: Floats) -> Floats:
    """The occlusion at places (x, y) of the picture, in pixels, with 1/z as given."""
    shift = F4(table.step // 2 + 0.5)
    gx = np.maximum((x - shift) * F4(1 / table.step), ZERO)
    gy = np.maximum((y - shift) * F4(1 / table.step), ZERO)
    left = np.minimum(np.floor(gx), F4(max(table.wide - 2, 0)))
    low = np.minimum(np.floor(gy), F4(max(table.high - 2, 0)))
    fx, fy = np.minimum(gx - left, ONE), np.minimum(gy - low, ONE)
    base = (low * F4(table.wide) + left).astype(np.int64)
    right = np.int64(min(1, table.wide - 1))
    down = np.int64(table.wide if table.high > 1 else 0)
    scale = ALIKE / inverse
    total, weight = fx * ZERO, fx * ZERO
    for at, share in (
        (base, (ONE - fx) * (ONE - fy)),
        (base + right, fx * (ONE - fy)),
        (base + down, (ONE - fx) * fy),
        (base + right + down, fx * fy),
    ):
        alike = np.maximum(ONE - np.abs(take(table.inverse, at) - inverse) * scale, LEAST)
        alike = alike * (share + LEAST)
        total = total + take(table.open_, at) * alike
        weight = weight + alike
    found: Floats = total / weight
    return found
