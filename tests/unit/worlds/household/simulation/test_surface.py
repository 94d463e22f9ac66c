"""Points on surfaces, and the cells that they fill."""

from __future__ import annotations

import numpy as np

from env_service.worlds.household.assets.shapes import ball, box
from env_service.worlds.household.geometry import Transform, Vec3
from env_service.worlds.household.simulation.space.occupancy import (
    CELL,
    Grid,
    part_cells,
    surface_of,
)

GRID = Grid((-40, -40, -40), (80, 80, 80))


def test_no_spot_of_a_surface_is_far_from_a_point() -> None:
    found = surface_of(box(1.0, 0.4, 0.03))
    low, high = found.points.min(0), found.points.max(0)
    np.testing.assert_allclose(low, [-0.5, 0.0, -0.015], atol=1e-6)
    np.testing.assert_allclose(high, [0.5, 0.4, 0.015], atol=1e-6)
    spots = np.random.default_rng(0).uniform([-0.5, 0.0, 0.015], [0.5, 0.4, 0.015], (200, 3))
    away = np.sqrt(np.square(found.points[None] - spots[:, None]).sum(2)).min(1)
    assert away.max() <= CELL * 0.75


def test_normals_point_outwards() -> None:
    found = surface_of(ball(0.3, 0.3, 0.3))
    outward = (found.points * found.normals).sum(1)
    assert (outward > 0.2).all()


def test_cells_of_a_shell_have_no_hole() -> None:
    place = Transform.at(Vec3(0.1, -0.2, 0.05), Vec3(10.0, 30.0, 0.0)).array()
    cells = part_cells(box(0.6, 0.6, 0.6), place.tobytes(), GRID)
    filled = np.zeros(80**3, np.bool_)
    filled[cells] = True
    assert not reached_from_corner(filled.reshape(80, 80, 80))[44, 44, 42]


def reached_from_corner(wall: np.ndarray) -> np.ndarray:
    """What a flood from the corner (0, 0, 0) reaches through faces of free cells."""
    reached = np.zeros_like(wall)
    reached[0, 0, 0] = True
    while True:
        spread = reached.copy()
        for axis in range(3):
            for shift in (1, -1):
                moved = np.roll(reached, shift, axis)
                edge = [slice(None)] * 3
                edge[axis] = slice(0, 1) if shift == 1 else slice(-1, None)
                moved[tuple(edge)] = False
                spread |= moved
        spread &= ~wall
        if (spread == reached).all():
            return reached
        reached = spread


def test_what_lies_outside_the_grid_is_left_out() -> None:
    place = Transform.at(Vec3(5.0, 0.0, 0.0)).array()
    assert len(part_cells(box(0.5, 0.5, 0.5), place.tobytes(), GRID)) == 0
