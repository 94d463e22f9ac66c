"""Skins over rings, flat pictures, smooth paths."""

from __future__ import annotations

import math

import numpy as np
import pytest

from env_service.worlds.household.assets.lofts import (
    cap,
    egg,
    ellipse,
    level_disc,
    level_picture,
    path,
    rounded_rect,
    skin,
)
from env_service.worlds.household.assets.model import Mesh
from env_service.worlds.household.assets.shapes import volume


def outward(mesh: Mesh) -> bool:
    p = mesh.points.astype(np.float64)[mesh.faces]
    face = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    return bool(((face * mesh.normals[mesh.faces].sum(1)).sum(1) > 0).all())


def test_a_closed_skin_encloses_its_volume() -> None:
    rings = [ellipse(0.5, 0.5, y, sides=96) for y in (0.0, 0.4, 1.0)]
    mesh = skin(rings, low=True, high=True)
    assert volume(mesh) == pytest.approx(math.pi * 0.25, rel=0.01)
    assert outward(mesh)


def test_rings_downwards_make_the_inside_of_a_vessel() -> None:
    mesh = skin([ellipse(0.5, 0.5, 1.0), ellipse(0.5, 0.5, 0.0)])
    assert (mesh.normals[:, 0] * mesh.points[:, 0] <= 1e-6).all()


def test_a_ring_that_shrinks_to_a_point_still_has_normals() -> None:
    mesh = skin([ellipse(0.5, 0.5, 0.0), ellipse(0.3, 0.3, 0.4), ellipse(0.0, 0.0, 0.5)])
    assert mesh.normals[-1, 1] == pytest.approx(1.0, abs=0.01)


def test_a_rounded_rectangle_keeps_its_extent() -> None:
    ring = rounded_rect(2.0, 1.0, 0.2, 0.3, at=(1.0, -1.0))
    assert ring.min(0).tolist() == pytest.approx([0.0, 0.3, -1.5])
    assert ring.max(0).tolist() == pytest.approx([2.0, 0.3, -0.5])
    assert len(rounded_rect(1, 1, 5.0)) == len(ring)


def test_an_egg_reaches_to_its_ends() -> None:
    ring = egg(0.4, 1.0, 0.5, at=(0.0, 2.0), square=2.0)
    assert ring[:, 2].max() == pytest.approx(3.0)
    assert ring[:, 2].min() == pytest.approx(1.5)
    assert np.abs(ring[:, 0]).max() == pytest.approx(0.4)


@pytest.mark.parametrize("side", [1, -1])
def test_a_cap_faces_its_side(side: int) -> None:
    mesh = cap(ellipse(0.3, 0.2, 0.1), side)
    assert mesh.normals[:, 1].tolist() == pytest.approx([side] * len(mesh.normals))
    assert outward(mesh)


def test_a_level_picture_reads_from_the_front() -> None:
    mesh = level_picture(2.0, 1.0, 0.0)
    # who looks from +z sees +x on the left and what is farther, -z, higher
    left_near = mesh.uv[(mesh.points[:, 0] > 0) & (mesh.points[:, 2] > 0)][0]
    right_far = mesh.uv[(mesh.points[:, 0] < 0) & (mesh.points[:, 2] < 0)][0]
    assert left_near.tolist() == [0.0, 0.0]
    assert right_far.tolist() == [1.0, 1.0]
    assert outward(mesh)


def test_a_disc_with_a_hole_is_a_ring() -> None:
    mesh = level_disc(0.5, 0.2, hole=0.2)
    radius = np.hypot(mesh.points[:, 0], mesh.points[:, 2])
    assert radius.min() == pytest.approx(0.2, abs=1e-5)
    assert outward(mesh)


def test_a_path_goes_through_its_points() -> None:
    points = [(0.0, 0.0, 0.0), (1.0, 0.5, 0.0), (2.0, 0.0, 1.0)]
    line = path(points, 5)
    assert len(line) == 11
    for k, point in enumerate(points):
        assert line[5 * k] == pytest.approx(point)
