"""Cutting an area into rectangles."""

from __future__ import annotations

import pytest

from env_service.worlds.household.assets.slabs import Rectangle, rectangles

SQUARE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
CORNER = ((0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 2.5), (0.0, 2.5))
HORSESHOE = (
    (0.0, 0.0),
    (3.0, 0.0),
    (3.0, 2.0),
    (2.4, 2.0),
    (2.4, 0.6),
    (0.6, 0.6),
    (0.6, 2.0),
    (0.0, 2.0),
)


def area(found: tuple[Rectangle, ...]) -> float:
    return sum((x1 - x0) * (z1 - z0) for x0, z0, x1, z1 in found)


def overlap(a: Rectangle, b: Rectangle) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


@pytest.mark.parametrize(
    ("outline", "holes", "expected"),
    [
        (SQUARE, (), 1.0),
        (CORNER, (), 4.5),
        (CORNER[::-1], (), 4.5),
        (HORSESHOE, (), 1.8 + 2 * 1.4 * 0.6),
        (SQUARE, ((0.25, 0.25, 0.75, 0.5),), 0.875),
        (CORNER, ((0.2, 0.2, 0.8, 0.8), (1.5, 0.2, 2.5, 0.8)), 4.5 - 0.36 - 0.6),
        (SQUARE, ((0.8, -0.5, 1.5, 0.4),), 1.0 - 0.2 * 0.4),
    ],
)
def test_rectangles_fill_the_area_without_its_holes(
    outline: tuple[tuple[float, float], ...], holes: tuple[Rectangle, ...], expected: float
) -> None:
    found = rectangles(outline, holes, least=0.0)
    assert area(found) == pytest.approx(expected)
    for k, first in enumerate(found):
        assert not any(overlap(first, other) for other in found[k + 1 :])
        assert not any(overlap(first, hole) for hole in holes)


def test_the_largest_comes_first() -> None:
    assert rectangles(CORNER)[0] == (0.0, 0.0, 3.0, 1.0)
    sizes = [round(area((found,)), 9) for found in rectangles(HORSESHOE, ((0.1, 0.1, 0.5, 0.5),))]
    assert sizes == sorted(sizes, reverse=True)


def test_slivers_are_left_out() -> None:
    found = rectangles(SQUARE, ((0.02, 0.0, 1.0, 0.5),), least=0.03)
    assert found == ((0.0, 0.5, 1.0, 1.0),)


def test_a_slanted_side_is_filled_in_steps_that_stay_inside() -> None:
    slanted = ((0.0, 0.0), (2.0, 0.0), (2.0, 0.5), (1.5, 1.0), (0.0, 1.0))
    found = rectangles(slanted, least=0.0)
    assert 1.875 - 0.05 < area(found) <= 1.875
    for x0, z0, x1, z1 in found:
        assert x1 + z1 <= 2.5 + 1e-6
        assert x0 >= 0 and z0 >= 0


def test_nothing_is_left_of_what_is_all_hole() -> None:
    assert rectangles(SQUARE, ((-1.0, -1.0, 2.0, 2.0),)) == ()


def test_a_hole_takes_nothing_beside_it():
    hole = (-0.47180503606, 0.1, 0.2, 0.5)
    left = rectangles([(-1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (-1.0, 1.0)], [hole])
    area = sum((x1 - x0) * (z1 - z0) for x0, z0, x1, z1 in left)
    assert area == pytest.approx(2.0 - 0.67180503606 * 0.4, abs=1e-5)
