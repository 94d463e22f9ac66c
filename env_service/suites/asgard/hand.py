"""Draws a translucent hand that holds what the agent holds.

The hand is ours, made of lines and circles: it comes from below, its fingers go behind the object
and its thumb lies before it. AsgardBench pastes a picture of a hand at a place listed per asset
(spec section 5.6); here the object's place in the picture decides, at any size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from env_service.suites.asgard.limbs import Field, Grid, Joint, Layer, Limb

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
        pixels: uint8 [H, W, 3]; stays as it is.
        mask: bool [H, W], the object's pixels. Without any nothing is drawn.
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
    # The hand goes where it can be seen; a right one where both would do.
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
