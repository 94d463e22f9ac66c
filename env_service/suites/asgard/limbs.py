"""Draws limbs, which are chains of round joints, as shaded and anti-aliased shapes.

Only sums, products, quotients and square roots are used, so that every machine gives the same
bytes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.float32]
"""A value per pixel, [H, W]."""

Color = tuple[float, float, float]
"""Red, green and blue, each 0 … 255."""

_LIGHT = (-0.42, -0.58, 0.70)
"""Where the light comes from: x to the right, y down, z towards the eye; length 1."""

_AMBIENT, _DIFFUSE = 0.62, 0.46
_RIM = 0.30
"""How much darker the very edge is."""

_DARK = 0.4
"""How dark a shadow is at its darkest."""

_MELT = 0.35
"""How softly the pieces of one limb run into each other, as a share of the smallest radius."""


@dataclass(frozen=True, slots=True)
class Joint:
    """A disc. ``x`` to the right and ``y`` down."""

    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class Limb:
    """A chain of at least two joints, in one colour.

    A ``grown`` one fades out at its first joint, where it grows out of what lies below it. A
    ``cut`` one, of two joints, ends straight at both instead of round.
    """

    joints: tuple[Joint, ...]
    color: Color
    grown: bool = False
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """The places of pixels: the coordinates of columns, [W], and of rows, [H], evenly spaced by
    ``pixel``; ``x`` may fall instead of rise."""

    x: Field
    y: Field
    pixel: float

    def around(self, limb: Limb, margin: float = 0.0) -> tuple[slice, slice]:
        """The rows and columns that the limb may touch, and so much around it."""
        more = margin + 2 * self.pixel
        low_x = min(joint.x - joint.radius for joint in limb.joints) - more
        low_y = min(joint.y - joint.radius for joint in limb.joints) - more
        high_x = max(joint.x + joint.radius for joint in limb.joints) + more
        high_y = max(joint.y + joint.radius for joint in limb.joints) + more
        return _within(self.y, low_y, high_y), _within(self.x, low_x, high_x)

    def part(self, rows: slice, columns: slice) -> Grid:
        """Some of the rows and columns."""
        return Grid(self.x[columns], self.y[rows], self.pixel)

    def distance(self, limb: Limb) -> Field:
        """How far each pixel lies outside the limb; negative inside."""
        far, *others = (self._to_piece(a, b) for a, b in pairwise(limb.joints))
        melt = _MELT * min(joint.radius for joint in limb.joints)
        for other in others:
            near = np.clip(0.5 + 0.5 * (other - far) / melt, 0, 1)
            far = other + (far - other) * near - melt * near * (1 - near)
        return self._cut(far, limb) if limb.cut else far

    def along(self, a: Joint, b: Joint) -> Field:
        """How far along the line from one joint to another each pixel lies: 0 … 1 between them."""
        dx, dy = b.x - a.x, b.y - a.y
        square = max(dx * dx + dy * dy, 1e-12)
        across, down = (self.x - a.x) * dx, (self.y - a.y) * dy
        return _field((across[None, :] + down[:, None]) / square)

    def _cut(self, far: Field, limb: Limb) -> Field:
        a, b = limb.joints
        length = math.sqrt((b.x - a.x) ** 2 + (b.y - a.y) ** 2)
        share = self.along(a, b)
        return _field(np.maximum(far, np.maximum(-share, share - 1) * length))

    def _to_piece(self, a: Joint, b: Joint) -> Field:
        share = np.clip(self.along(a, b), 0, 1)
        off_x = self.x[None, :] - a.x - share * (b.x - a.x)
        off_y = self.y[:, None] - a.y - share * (b.y - a.y)
        away = np.sqrt(off_x * off_x + off_y * off_y)
        return _field(away - a.radius - share * (b.radius - a.radius))


class Layer:
    """What is painted so far: ``color``, float32 [H, W, 3] of 0 … 255 times ``cover``, and
    ``cover``, how much of each pixel is painted, 0 … 1."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        shape = (len(grid.y), len(grid.x))
        self.color: NDArray[np.float32] = np.zeros((*shape, 3), np.float32)
        self.cover: Field = np.zeros(shape, np.float32)

    def paint(self, limb: Limb) -> None:
        """Paints a limb on top, as a round, lit body."""
        rows, columns = self._grid.around(limb)
        grid = self._grid.part(rows, columns)
        if min(len(grid.x), len(grid.y)) < 2:
            return
        far = grid.distance(limb)
        cover = np.clip(0.5 - far / grid.pixel, 0, 1)
        if limb.grown:
            cover *= _grown(limb, grid)
        lit = _shade(far, limb, grid)[..., None] * np.array(limb.color, np.float32)
        color = np.clip(lit, 0, 255)
        rest = 1 - cover
        self.color[rows, columns] *= rest[..., None]
        self.color[rows, columns] += color * cover[..., None]
        self.cover[rows, columns] *= rest
        self.cover[rows, columns] += cover

    def hide(self, before: Field) -> None:
        """Takes away what lies behind something: as much of each pixel as that covers."""
        self.color *= (1 - before)[..., None]
        self.cover *= 1 - before

    def darken(self, limb: Limb, where: Field, reach: float) -> None:
        """Casts the shadow of a limb around it, on what ``where`` covers."""
        rows, columns = self._grid.around(limb, reach)
        far = self._grid.part(rows, columns).distance(limb)
        depth = np.clip(1 - far / reach, 0, 1)
        dark = _DARK * depth * depth * where[rows, columns]
        self.color[rows, columns] *= (1 - dark)[..., None]
        self.cover[rows, columns] += dark * (1 - self.cover[rows, columns])


def _shade(far: Field, limb: Limb, grid: Grid) -> Field:
    edge = np.clip(1 + far / max(joint.radius for joint in limb.joints), 0, 1)
    step_x = np.float32(grid.x[1] - grid.x[0])
    slope_y, slope_x = np.gradient(far, np.float32(grid.pixel), step_x)
    lit = (_LIGHT[0] * slope_x + _LIGHT[1] * slope_y) * edge
    lit += _LIGHT[2] * np.sqrt(1 - edge * edge)
    steep = edge * edge
    steep *= steep
    return _field(_AMBIENT + _DIFFUSE * np.maximum(lit, 0) - _RIM * steep * steep)


def _grown(limb: Limb, grid: Grid) -> Field:
    root, following, *_ = limb.joints
    share = np.clip(0.35 + grid.along(root, following), 0, 1)
    return _field(share * share * (3 - 2 * share))


def _field(values: NDArray[np.floating[Any]]) -> Field:
    return values.astype(np.float32, copy=False)


def _within(values: Field, low: float, high: float) -> slice:
    inside = np.flatnonzero((values >= low) & (values <= high))
    return slice(int(inside[0]), int(inside[-1]) + 1) if len(inside) else slice(0, 0)
