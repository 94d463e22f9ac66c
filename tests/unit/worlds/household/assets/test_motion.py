"""Parts move as their motions say."""

from __future__ import annotations

import numpy as np
import pytest

from env_service.worlds.household.assets import shapes
from env_service.worlds.household.assets.model import Material, Motion, MotionKind, Part, place
from env_service.worlds.household.geometry import Rotation, Vec3

UP = Vec3(0.0, 1.0, 0.0)


def moved(motion: Motion | None, openness: float, point: tuple[float, float, float]) -> list[float]:
    part = Part("part", shapes.box(1, 1, 1), Material(), motion)
    affine = place(part, openness)
    assert affine.shape == (3, 4)
    assert affine.dtype == np.float64
    return [float(row[:3] @ np.array(point) + row[3]) for row in affine]


def test_what_has_no_motion_stays():
    assert moved(None, 0.7, (1.0, 2.0, 3.0)) == [1.0, 2.0, 3.0]


def test_a_drawer_slides_by_its_share():
    slide = Motion(MotionKind.SLIDE, Vec3(0.0, 0.0, 2.0), 0.4)
    assert moved(slide, 0.5, (0.0, 0.0, 0.0)) == pytest.approx([0.0, 0.0, 0.2])
    assert moved(slide, 0.0, (0.0, 0.0, 0.0)) == [0.0, 0.0, 0.0]


def test_a_door_turns_about_its_pivot_in_the_sense_of_geometry():
    hinge = Motion(MotionKind.HINGE, UP, 90.0, Vec3(0.5, 0.0, 0.2))
    expected = Rotation.yaw(90).apply(Vec3(-1.0, 0.3, 0.0)) + Vec3(0.5, 0.0, 0.2)
    assert moved(hinge, 1.0, (-0.5, 0.3, 0.2)) == pytest.approx(list(expected.tuple()))
    assert moved(hinge, 0.5, (0.5, 1.0, 0.2)) == pytest.approx([0.5, 1.0, 0.2])


def test_a_laptop_that_was_drawn_open_closes_backwards():
    lid = Motion(MotionKind.HINGE, Vec3(1.0, 0.0, 0.0), -100.0, at_rest=1.0)
    assert moved(lid, 1.0, (0.0, 1.0, 0.0)) == [0.0, 1.0, 0.0]
    closed = Rotation.from_euler(Vec3(100.0, 0.0, 0.0)).apply(UP)
    assert moved(lid, 0.0, (0.0, 1.0, 0.0)) == pytest.approx(list(closed.tuple()))


def test_a_blind_folds_towards_its_pivot():
    fold = Motion(MotionKind.FOLD, UP, 0.2, Vec3(0.0, 2.0, 0.0))
    assert moved(fold, 1.0, (0.3, 0.0, 0.1)) == pytest.approx([0.3, 1.6, 0.1])
    assert moved(fold, 0.5, (0.3, 0.0, 0.1)) == pytest.approx([0.3, 0.8, 0.1])


def test_a_motion_without_an_axis_is_refused():
    with pytest.raises(ValueError, match="axis"):
        moved(Motion(MotionKind.SLIDE, Vec3(0.0, 0.0, 0.0), 1.0), 1.0, (0.0, 0.0, 0.0))
