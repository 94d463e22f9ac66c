"""Points, rotations, motions and boxes in AI2-THOR's frame."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from env_service.worlds.household.geometry import (
    Box,
    Rotation,
    Transform,
    Vec3,
    box_around,
    turn_between,
    yaw_towards,
)

angles = st.floats(-720, 720, allow_nan=False)
lengths = st.floats(-10, 10, allow_nan=False)
vectors = st.builds(Vec3, lengths, lengths, lengths)
eulers = st.builds(Vec3, angles, angles, angles)
rotations = st.builds(Rotation.from_euler, eulers)
motions = st.builds(Transform.at, vectors, eulers)


def close(a: Vec3, b: Vec3, slack: float = 1e-6) -> bool:
    return (a - b).length() < slack


def test_yaw_is_clockwise_from_above() -> None:
    assert Rotation.yaw(90).apply(Vec3(0, 0, 1)) == Vec3(1, 0, 0)
    assert Rotation.yaw(90).apply(Vec3(1, 0, 0)) == Vec3(0, 0, -1)


def test_a_positive_pitch_looks_down() -> None:
    ahead = Rotation.from_euler(Vec3(30, 0, 0)).apply(Vec3(0, 0, 1))
    assert ahead.y == pytest.approx(-0.5)


def test_angles_are_applied_about_z_then_x_then_y() -> None:
    x, y, z = (Vec3(20, 0, 0), Vec3(0, 30, 0), Vec3(0, 0, 40))
    steps = Rotation.from_euler(y) @ Rotation.from_euler(x) @ Rotation.from_euler(z)
    whole = Rotation.from_euler(Vec3(20, 30, 40))
    assert np.allclose(steps.rows, whole.rows, atol=1e-9)


@given(eulers)
def test_euler_angles_come_back_as_the_same_rotation(euler: Vec3) -> None:
    turned = Rotation.from_euler(euler)
    again = turned.to_euler()
    assert np.allclose(Rotation.from_euler(again).rows, turned.rows, atol=1e-5)
    assert all(0 <= angle < 360 for angle in again.tuple())


@given(motions, motions, vectors)
def test_motions_compose_and_invert(a: Transform, b: Transform, p: Vec3) -> None:
    assert close((a @ b).apply(p), a.apply(b.apply(p)))
    assert close(a.inverse().apply(a.apply(p)), p)
    array = a.array()
    assert np.allclose(array[:, :3] @ np.array(p.tuple()) + array[:, 3], a.apply(p).tuple())


@given(motions)
def test_a_moved_box_has_its_corners_moved(motion: Transform) -> None:
    box = Box(Vec3(1, 2, 3), Vec3(0.5, 1.0, 2.0))
    moved = box.moved(motion)
    for before, after in zip(box.corners(), moved.corners(), strict=True):
        assert close(motion.apply(before), after)
    assert moved.contains(motion.apply(Vec3(1.2, 2.4, 3.9)), 1e-6)
    assert not moved.contains(motion.apply(Vec3(1.3, 2.4, 3.9)))


def test_bounds_are_the_smallest_box_around() -> None:
    turned = Box(Vec3(0, 0, 0), Vec3(2, 1, 2), Rotation.yaw(45)).bounds()
    assert turned.size.x == pytest.approx(2 * 2**0.5)
    assert turned.size.y == pytest.approx(1)
    assert box_around((Vec3(0, 0, 0), Vec3(1, 2, 3))) == Box(Vec3(0.5, 1, 1.5), Vec3(1, 2, 3))


@given(st.builds(Box, vectors, st.builds(Vec3, *[st.floats(0, 10)] * 3), rotations))
def test_bounds_top_and_bottom_are_those_of_the_corners_to_the_last_bit(box: Box) -> None:
    assert box.bounds() == box_around(box.corners())
    assert box.top == max(corner.y for corner in box.corners())
    assert box.bottom == min(corner.y for corner in box.corners())


def test_directions_between_points() -> None:
    assert yaw_towards(Vec3(0, 0, 0), Vec3(-1, 5, 0)) == pytest.approx(270)
    assert turn_between(350, 10) == pytest.approx(20)
    assert turn_between(10, 350) == pytest.approx(-20)
    assert turn_between(0, 180) == pytest.approx(180)


def test_a_rotation_that_is_nearly_one_is_straightened() -> None:
    exact = Rotation.from_euler(Vec3(12.0, 230.0, 71.0))
    assert exact.straightened() is exact
    (a, b, c), (d, e, f), last = exact.rows
    bent = Rotation(((a, b, c + 1e-5), (d, e - 1e-5, f), last))
    straight = bent.straightened()
    for i, row in enumerate(straight.rows):
        for k, other in enumerate(straight.rows):
            product = sum(x * y for x, y in zip(row, other, strict=True))
            assert abs(product - (i == k)) < 1e-12
        assert all(abs(x - y) < 1e-4 for x, y in zip(row, exact.rows[i], strict=True))
