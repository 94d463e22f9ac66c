"""Draws a translucent hand that holds what the agent holds, from limbs: chains of round joints,
shaded and anti-aliased.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

# --- Draws limbs, which are chains of round joints, as shaded and anti-aliased shapes

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

    A ``grown`` one fades out at its first joint, where it grows out of the limb below. A ``cut``
    one, of two joints, ends straight at both instead of round.
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


_SKIN = (222.0, 164.0, 128.0)
_FINGER = (212.0, 152.0, 117.0)
_NAIL = (245.0, 205.0, 186.0)
_SLEEVE = (96.0, 116.0, 148.0)
_CUFF = (126.0, 146.0, 176.0)

_LEAST, _MOST = 0.15, 0.27
"""Limits of the hand's unit, as shares of the picture's smaller side. The unit is about the width
of the back of the hand."""

_BODY = Limb(
    (
        Joint(0.20, -0.16, 0.25),
        Joint(0.34, 0.22, 0.28),
        Joint(0.52, 0.72, 0.20),
        Joint(0.66, 1.02, 0.21),
    ),
    _SKIN,
)
_THUMB = Limb(
    (Joint(0.30, 0.20, 0.16), Joint(0.04, 0.02, 0.115), Joint(-0.17, -0.20, 0.09)),
    _SKIN,
    grown=True,
)
_THUMBNAIL = Limb((Joint(-0.165, -0.195, 0.045), Joint(-0.195, -0.235, 0.04)), _NAIL)
_FINGERS = tuple(
    Limb(
        (
            Joint(0.16, -0.30 + 0.165 * n, 0.105),
            Joint(-0.20, -0.40 + 0.170 * n, 0.098),
            Joint(-0.52 + 0.03 * abs(n - 1), -0.33 + 0.165 * n, 0.082),
        ),
        _FINGER,
    )
    for n in range(4)
)
_HEIGHT = 0.55
"""At which share of the object's height, from above, the hand takes hold."""

_SHADOW = 0.1
"""How far thumb and palm darken the object around them."""

_ELBOW = (0.56, 0.84)
"""Which way the arm goes from the wrist."""


@dataclass(frozen=True, slots=True)
class _Grip:
    """Where the hand takes hold: the middle of its unit frame, pixels. ``side`` is 1 for a right
    hand and -1 for a left one."""

    x: float
    y: float
    unit: float
    side: int


def draw_hand(
    pixels: NDArray[np.uint8], mask: NDArray[np.bool_], opacity: float
) -> NDArray[np.uint8]:
    """The picture with a hand that holds an object.

    Args:
        pixels: uint8 [H, W, 3]; not modified.
        mask: bool [H, W], the object's pixels. An empty mask draws nothing.
        opacity: of the hand, 0 … 1.
    """
    grip = _find_grip(mask)
    if grip is None or opacity <= 0:
        return pixels
    rows, columns = _window(grip, mask.shape)
    hidden = _softened(mask)[rows, columns]
    drawn = _draw(_grid(grip, rows, columns), hidden, _arm(grip, mask.shape[0]))
    picture = pixels.copy()
    under = picture[rows, columns] * (1 - drawn.cover * np.float32(opacity))[..., None]
    blended = under + drawn.color * np.float32(opacity)
    picture[rows, columns] = np.clip(blended + 0.5, 0, 255).astype(np.uint8)
    return picture


def _find_grip(mask: NDArray[np.bool_]) -> _Grip | None:
    rows = np.flatnonzero(mask.any(axis=1))
    if not len(rows):
        return None
    height, width = mask.shape
    side = min(height, width)
    size = math.sqrt(np.count_nonzero(mask))
    unit = min(max(size, _LEAST * side), _MOST * side)
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    y = min(top + _HEIGHT * (bottom - top), height - 0.3 * unit)
    left, right = _edges(mask, y, 0.2 * unit)
    # The hand is drawn where it is visible; a right one where both would do.
    mirrored = width - right < 0.5 * unit and left > width - right
    x = min(max(left if mirrored else right, 0.45 * unit), width - 0.45 * unit)
    return _Grip(x, y, unit, -1 if mirrored else 1)


def _edges(mask: NDArray[np.bool_], y: float, reach: float) -> tuple[float, float]:
    """Where the object begins and ends from left to right, about a height: a handle counts, and
    what is wider above or below does not."""
    rows = mask[max(int(y - reach), 0) : int(y + reach) + 1]
    rows = rows[rows.any(axis=1)]
    if not len(rows):
        rows = mask[mask.any(axis=1)]
    left = np.argmax(rows, axis=1)
    right = mask.shape[1] - np.argmax(rows[:, ::-1], axis=1)
    return float(np.median(left)), float(np.median(right))


def _window(grip: _Grip, shape: tuple[int, ...]) -> tuple[slice, slice]:
    height, width = shape
    top = max(int(grip.y - 0.8 * grip.unit), 0)
    reach = 1.2 * grip.unit + max(height - grip.y - grip.unit, 0) * _ELBOW[0] / _ELBOW[1]
    ahead, back = 0.8 * grip.unit, reach
    left, right = (ahead, back) if grip.side > 0 else (back, ahead)
    return slice(top, height), slice(
        max(int(grip.x - left), 0), min(int(grip.x + right) + 1, width)
    )


def _grid(grip: _Grip, rows: slice, columns: slice) -> Grid:
    x = np.arange(columns.start, columns.stop, dtype=np.float32) + np.float32(0.5 - grip.x)
    y = np.arange(rows.start, rows.stop, dtype=np.float32) + np.float32(0.5 - grip.y)
    unit = np.float32(grip.unit)
    return Grid(x * np.float32(grip.side) / unit, y / unit, 1 / grip.unit)


def _arm(grip: _Grip, height: int) -> tuple[Limb, Limb]:
    """The sleeve, which leaves the picture below, and its cuff."""
    wrist = _BODY.joints[-1]
    far = max((height - grip.y) / grip.unit - wrist.y, 0) / _ELBOW[1] + 0.6

    def on_arm(along: float, radius: float) -> Joint:
        return Joint(wrist.x + along * _ELBOW[0], wrist.y + along * _ELBOW[1], radius)

    sleeve = Limb((on_arm(-0.02, 0.245), on_arm(far, 0.245 + 0.04 * far)), _SLEEVE, cut=True)
    cuff = Limb((on_arm(-0.05, 0.268), on_arm(0.13, 0.274)), _CUFF, cut=True)
    return sleeve, cuff


def _draw(grid: Grid, hidden: Field, arm: tuple[Limb, Limb]) -> Layer:
    layer = Layer(grid)
    for finger in reversed(_FINGERS):
        layer.paint(finger)
    layer.hide(hidden)
    for limb in (_THUMB, _BODY):
        layer.darken(limb, hidden, _SHADOW)
    for limb in (_BODY, *arm, _THUMB, _THUMBNAIL):
        layer.paint(limb)
    return layer


def _softened(mask: NDArray[np.bool_]) -> Field:
    """The mask with edges that are as soft as those of the picture."""
    padded = np.pad(mask.astype(np.float32), 1, mode="edge")
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    soft: Field = (rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]) / np.float32(9)
    return soft
