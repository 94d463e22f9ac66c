"""The shapes that assets are built of."""

from __future__ import annotations

import math

import numpy as np
import pytest

from env_service.worlds.household.assets import shapes
from env_service.worlds.household.assets.model import Mesh, join
from env_service.worlds.household.assets.shapes import volume

CIRCLE = [(math.cos(a) / 2, 0.0, math.sin(a) / 2) for a in np.linspace(0, 2 * math.pi, 24)[:-1]]
L_SHAPE = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)]
SOLIDS = {
    "box": (shapes.box(1, 2, 3), 6.0, 1e-6),
    "rounded box": (shapes.rounded_box(1, 2, 3, 0.05), 6.0, 0.01),
    "lathe": (shapes.lathe([(0, 0), (0.5, 0), (0.5, 1), (0, 1)], sides=64), math.pi / 4, 0.01),
    "ball": (shapes.ball(1, 1, 1, sides=48, rings=32), 4 / 3 * math.pi, 0.02),
    "bar": (shapes.tube([(0, 0, 0), (0, 1, 0)], 0.1, sides=32), math.pi * 0.01, 0.05),
    "ring": (shapes.tube(CIRCLE, 0.05, sides=24, closed=True), math.pi**2 * 0.0025, 0.05),
    "prism": (shapes.prism(L_SHAPE, 0.5), 1.5, 1e-6),
    "prism drawn the other way": (shapes.prism(L_SHAPE[::-1], 0.5), 1.5, 1e-6),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_a_solid_encloses_its_volume(name: str) -> None:
    mesh, expected, slack = SOLIDS[name]
    assert volume(mesh) == pytest.approx(expected, rel=slack)


@pytest.mark.parametrize("name", SOLIDS)
def test_faces_and_normals_agree(name: str) -> None:
    mesh = SOLIDS[name][0]
    p, f = mesh.points.astype(np.float64), mesh.faces
    face = np.cross(p[f[:, 1]] - p[f[:, 0]], p[f[:, 2]] - p[f[:, 0]])
    assert ((face * mesh.normals[f].sum(1)).sum(1) > 0).all()
    assert np.allclose((mesh.normals**2).sum(1), 1, atol=1e-3)


def test_a_picture_on_a_panel_reads_from_left_to_right() -> None:
    """Seen from +z in a left-handed frame, the left is at +x."""
    mesh = shapes.panel(2, 1)
    left = mesh.uv[mesh.points[:, 0] > 0]
    assert (left[:, 0] == 0).all()


def test_a_box_stands_on_its_place() -> None:
    low, high = shapes.box(1, 2, 3, at=(5, 6, 7)).bounds
    assert low.tolist() == [4.5, 6, 5.5]
    assert high.tolist() == [5.5, 8, 8.5]


def test_triangles_cover_a_polygon_with_a_bay() -> None:
    triangles = shapes.triangulate(L_SHAPE)
    area = 0.0
    for a, b, c in triangles:
        (ax, ay), (bx, by), (cx, cy) = L_SHAPE[a], L_SHAPE[b], L_SHAPE[c]
        area += ((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) / 2
    assert area == pytest.approx(3.0)


def test_moving_and_turning_keep_the_shape() -> None:
    mesh = shapes.box(1, 2, 3)
    moved = mesh.turned(y=90).moved(x=1).scaled(2, 1, 1)
    assert volume(moved) == pytest.approx(12)
    assert volume(mesh.flipped()) == pytest.approx(-6)
    assert volume(join([mesh, mesh.moved(x=9)])) == pytest.approx(12)


def test_equal_content_has_an_equal_key() -> None:
    assert shapes.box(1, 2, 3).key == shapes.box(1, 2, 3).key
    assert shapes.box(1, 2, 3).key != shapes.box(1, 2, 3.1).key


def test_wrong_arrays_are_refused() -> None:
    with pytest.raises(ValueError, match="disagree"):
        Mesh.of(np.zeros((3, 3)), np.zeros((2, 3)), np.zeros((3, 2)), np.zeros((1, 3), int))
    with pytest.raises(ValueError, match="no mesh"):
        join([])


def test_bumps_come_from_their_generator() -> None:
    ball = shapes.ball(1, 1, 1)
    first, again, other = (
        shapes.bumpy(ball, 0.1, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert first.key == again.key != other.key
