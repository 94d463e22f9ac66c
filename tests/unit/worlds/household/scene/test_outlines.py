"""Outlines of counters."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.footprints import Rectangle, keyhole, outline_of


def area(ring: Sequence[tuple[float, float]]) -> float:
    pairs = zip(ring, [*ring[1:], ring[0]], strict=True)
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in pairs) / 2


def test_two_runs_make_an_l():
    ring = outline_of([Rectangle(0, 3, 0, 0.6), Rectangle(0, 0.6, 0, 2)])
    assert set(ring) == {(0, 0), (3, 0), (3, 0.6), (0.6, 0.6), (0.6, 2), (0, 2)}
    assert area(ring) == pytest.approx(3 * 0.6 + 0.6 * 1.4)


def test_three_runs_make_a_u():
    runs = [Rectangle(0, 3, 0, 0.6), Rectangle(0, 0.6, 0, 2), Rectangle(2.4, 3, 0, 1.5)]
    assert len(outline_of(runs)) == 8


def test_only_the_largest_part_counts():
    ring = outline_of([Rectangle(0, 2, 0, 1), Rectangle(5, 5.5, 0, 1)])
    assert area(ring) == pytest.approx(2.0)


def test_nothing_has_no_outline():
    assert outline_of([]) == ()


def test_a_slanted_piece_gets_straight_edges():
    box = Box(Vec3(1.0, 0.0, 1.0), Vec3(1.6, 0.7, 0.7), Rotation.yaw(45))
    ring = outline_of([Rectangle(0.0, 0.9, -1.0, 0.9)], [box])
    assert len(ring) < 14
    assert area(ring) > 0.9 * 1.9 + 0.4


def test_a_keyhole_takes_the_hole_out():
    square = ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))
    hole = ((1.0, 0.6), (1.4, 1.0), (1.0, 1.4), (0.6, 1.0))
    ring = keyhole(square, hole, (0.0, 1.0))
    assert area(ring) == pytest.approx(4.0 - 0.32, abs=0.002)
    assert set(square) <= set(ring)


def test_a_hole_that_is_not_inside_changes_nothing():
    square = ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))
    assert keyhole(square, ((1.9, 1.0), (2.4, 1.0), (2.0, 1.4)), (0.0, 1.0)) == square
