"""Flat plates with holes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from env_service.worlds.household.assets.model import Mesh
from env_service.worlds.household.assets.shapes import volume
from env_service.worlds.household.assets.slabs import Rectangle, lid, plate, rectangle

CORNER = ((0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0))
SLANTED = ((0.0, 0.0), (2.0, 0.0), (2.0, 0.5), (1.5, 1.0), (0.0, 1.0))
ARROW = ((0.0, 0.0), (2.0, 1.0), (0.0, 2.0), (0.7, 1.0))


def loose_ends(mesh: Mesh) -> np.ndarray:
    """Middles [N, 3] of the triangle sides that have no partner."""
    spots, same = np.unique(np.round(mesh.points, 5), axis=0, return_inverse=True)
    faces = same.reshape(-1)[mesh.faces]
    sides = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), 1)
    pairs, count = np.unique(sides, axis=0, return_counts=True)
    middles: np.ndarray = spots[pairs[count == 1]].mean(1)
    return middles


def on_a_side(x: float, z: float, ring: Sequence[tuple[float, float]]) -> bool:
    """Whether a point lies on the boundary of a polygon."""
    for (x0, z0), (x1, z1) in zip(ring, [*ring[1:], ring[0]], strict=True):
        across = (x1 - x0) * (z - z0) - (z1 - z0) * (x - x0)
        share = ((x - x0) * (x1 - x0) + (z - z0) * (z1 - z0)) / ((x1 - x0) ** 2 + (z1 - z0) ** 2)
        if abs(across) < 1e-4 and -1e-6 <= share <= 1 + 1e-6:
            return True
    return False


@pytest.mark.parametrize(
    ("outline", "holes", "area"),
    [
        (rectangle(-1, -0.5, 1, 0.5), (), 2.0),
        (CORNER, (), 4.0),
        (CORNER[::-1], (), 4.0),
        (SLANTED, (), 1.875),
        (ARROW, (), 1.3),
        (rectangle(0, 0, 2, 1), ((0.5, 0.25, 1.0, 0.75),), 1.75),
        (CORNER, ((0.2, 0.2, 0.5, 0.5), (1.5, 0.2, 2.0, 0.8), (0.3, 1.2, 0.6, 1.9)), 3.4),
        (SLANTED, ((0.2, 0.2, 0.6, 0.9), (1.2, 0.1, 1.6, 0.4)), 1.475),
    ],
)
def test_a_plate_encloses_its_area(
    outline: tuple[tuple[float, float], ...], holes: tuple[Rectangle, ...], area: float
) -> None:
    mesh = plate(outline, 0.5, 0.6, holes=holes)
    assert volume(mesh) == pytest.approx(area * 0.1, rel=1e-4)
    assert (mesh.bounds[0][1], mesh.bounds[1][1]) == pytest.approx((0.5, 0.6))


def test_only_the_boundary_of_a_plate_has_loose_ends() -> None:
    """No corner of one triangle lies on the side of another, where a gap could show."""
    holes = ((0.2, 0.2, 0.5, 0.5), (1.5, 0.2, 2.0, 0.8), (0.3, 1.2, 0.6, 1.9))
    for outline, cut in ((CORNER, holes), (SLANTED, ((0.2, 0.2, 0.6, 0.9),)), (ARROW, ())):
        rings = [outline, *(rectangle(*hole) for hole in cut)]
        for x, _, z in loose_ends(lid(outline, 0.0, holes=cut)).tolist():
            assert any(on_a_side(x, z, ring) for ring in rings), (x, z)


def test_a_lid_looks_up() -> None:
    top = lid(CORNER, 0.3)
    assert (top.normals[:, 1] == 1).all()
    corners = top.points.astype(np.float64)[top.faces]
    face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (face[:, 1] > 0).all()


def test_a_picture_repeats_by_metres() -> None:
    fine, coarse = (plate(CORNER, 0, 0.1, tile=tile) for tile in (0.5, 1.0))
    assert np.allclose(fine.uv, coarse.uv * 2, atol=1e-4)
