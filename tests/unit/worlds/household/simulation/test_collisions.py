"""Oriented boxes that run into each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from env_service.worlds.household.geometry import Box, Rotation, Transform, Vec3
from env_service.worlds.household.simulation.space.collisions import overlap

CUBE = Box(Vec3(0.0, 0.0, 0.0), Vec3(1.0, 1.0, 1.0))
ANGLES = st.floats(0.0, 360.0)
COORDINATES = st.floats(-1.5, 1.5)


@pytest.mark.parametrize(
    ("center", "yaw", "together"),
    [
        ((0.9, 0.0, 0.0), 0.0, True),
        ((1.0, 0.0, 0.0), 0.0, False),  # they touch
        ((1.1, 0.0, 0.0), 45.0, True),  # the corner reaches in
        ((1.25, 0.0, 0.0), 45.0, False),
        ((1.15, 0.0, 1.15), 45.0, False),  # face to face, diagonally
        ((0.0, 0.99, 0.0), 30.0, True),
        ((0.0, 1.01, 0.0), 30.0, False),
    ],
)
def test_boxes_meet_exactly(center: tuple[float, float, float], yaw: float, together: bool) -> None:
    assert overlap(CUBE, Box(Vec3(*center), CUBE.size, Rotation.yaw(yaw))) is together


def test_edges_that_cross_in_the_air_do_not_meet() -> None:
    first = Box(Vec3(0.0, 0.0, 0.0), Vec3(2.0, 0.1, 0.1), Rotation.from_euler(Vec3(0, 0, 45)))
    second = Box(Vec3(0.0, 0.0, 0.15), Vec3(0.1, 0.1, 2.0), Rotation.from_euler(Vec3(45, 0, 0)))
    apart = second.moved(Transform(position=Vec3(0.0, 2.0, 0.0)))
    assert overlap(first, second)
    assert not overlap(first, apart)


POINTS = st.builds(Vec3, COORDINATES, COORDINATES, COORDINATES)
TURNS = st.builds(Vec3, ANGLES, ANGLES, ANGLES)


@given(POINTS, TURNS)
def test_the_order_of_the_boxes_does_not_matter(center: Vec3, euler: Vec3) -> None:
    other = Box(center, Vec3(0.6, 1.2, 0.3), Rotation.from_euler(euler))
    assert overlap(CUBE, other) == overlap(other, CUBE)


@given(ANGLES, ANGLES, ANGLES)
def test_a_box_that_holds_the_others_middle_overlaps(a: float, b: float, c: float) -> None:
    turned = Box(Vec3(0.3, -0.2, 0.4), Vec3(0.1, 0.1, 0.1), Rotation.from_euler(Vec3(a, b, c)))
    assert overlap(CUBE, turned)


@given(ANGLES, ANGLES, ANGLES, st.floats(0.0, 1.0))
def test_boxes_further_apart_than_their_corners_reach_never_overlap(
    a: float, b: float, c: float, more: float
) -> None:
    far = Vec3(0.0, 1.7320509 + more, 0.0)
    assert not overlap(CUBE, Box(far, CUBE.size, Rotation.from_euler(Vec3(a, b, c))))


def test_a_measured_box_that_is_slightly_bent_still_runs_into_another() -> None:
    laptop = Box(Vec3(-0.2252, 0.5562, -1.1293), Vec3(0.3974, 0.2798, 0.2911), Rotation.yaw(256.8))
    straight = Rotation.yaw(76.8)
    (a, b, c), second, last = straight.rows
    bent = Rotation(((a, b - 1.7e-6, c), second, last))
    pencil = Box(Vec3(-0.4081, 0.4211, -1.2775), Vec3(0.0095, 0.0095, 0.1749), bent)
    assert overlap(laptop, pencil)
    assert overlap(pencil, laptop)
