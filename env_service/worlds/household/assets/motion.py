"""Where a part is when its object is open so far."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.model import Motion, MotionKind, Part
from env_service.worlds.household.geometry import Vec3

Affine = NDArray[np.float64]


def place(part: Part, openness: float) -> Affine:
    """The motion of a part in the asset's frame, float64 [3, 4]: apply it to the mesh's points.

    `openness` is 0 to 1; a part without motion, or one as open as it was drawn, stays.
    """
    motion = part.motion
    if motion is None or openness == motion.at_rest:
        return np.eye(3, 4)
    share = openness - motion.at_rest
    if motion.kind is MotionKind.SLIDE:
        return _shifted(_unit(motion.axis) * (motion.amount * share))
    if motion.kind is MotionKind.HINGE:
        return _about(motion, _turn(_unit(motion.axis), motion.amount * share))
    # a fold counts from the state it was drawn in: `amount` is its length one openness further
    factor = 1.0 + (motion.amount - 1.0) * share
    return _about(motion, _stretch(_unit(motion.axis), factor))


def _unit(axis: Vec3) -> Vec3:
    length = axis.length()
    if length == 0.0:
        raise ValueError("a motion's axis has a length")
    return axis * (1.0 / length)


def _shifted(shift: Vec3) -> Affine:
    affine = np.eye(3, 4)
    affine[:, 3] = shift.tuple()
    return affine


def _about(motion: Motion, rows: list[list[float]]) -> Affine:
    """A linear map with the pivot left where it is."""
    affine = np.zeros((3, 4))
    affine[:, :3] = rows
    x, y, z = motion.pivot.tuple()
    for k, row in enumerate(rows):
        affine[k, 3] = motion.pivot.tuple()[k] - (row[0] * x + row[1] * y + row[2] * z)
    return affine


def _turn(axis: Vec3, degrees: float) -> list[list[float]]:
    """The rotation about an axis (Rodrigues' formula), in geometry's sense."""
    angle = math.radians(degrees)
    cosine, sine = round(math.cos(angle), 12), round(math.sin(angle), 12)
    x, y, z = axis.tuple()
    rest = 1.0 - cosine
    return [
        [cosine + x * x * rest, x * y * rest - z * sine, x * z * rest + y * sine],
        [y * x * rest + z * sine, cosine + y * y * rest, y * z * rest - x * sine],
        [z * x * rest - y * sine, z * y * rest + x * sine, cosine + z * z * rest],
    ]


def _stretch(axis: Vec3, factor: float) -> list[list[float]]:
    """Lengths along the axis multiplied."""
    a, more = axis.tuple(), factor - 1.0
    return [[(1.0 if i == j else 0.0) + more * a[i] * a[j] for j in range(3)] for i in range(3)]
