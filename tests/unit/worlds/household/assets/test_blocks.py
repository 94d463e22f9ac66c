"""Blocks, and the rings around rectangles."""

from __future__ import annotations

import math

import numpy as np
import pytest

from env_service.worlds.household.assets.lofts import cap, skin
from env_service.worlds.household.assets.model import Mesh
from env_service.worlds.household.assets.shapes import blocks, box, hollow, projected, volume
from env_service.worlds.household.assets.slabs import grown, rounded_ring


def outward(mesh: Mesh) -> bool:
    corners = mesh.points.astype(np.float64)[mesh.faces]
    face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return bool(((face * mesh.normals[mesh.faces].sum(1)).sum(1) > 0).all())


def test_blocks_enclose_their_volume() -> None:
    mesh = blocks([(0, 0, 0, 1, 2, 3), (5, 0, 0, 6, 1, 1)])
    assert volume(mesh) == pytest.approx(7.0)
    assert len(mesh.faces) == 24
    assert outward(mesh)


@pytest.mark.parametrize("bevel", [0.001, 0.05, 3.0])
def test_a_bevel_keeps_the_extent(bevel: float) -> None:
    mesh = blocks([(-1, 0, -1, 1, 0.5, 1)], bevel=bevel)
    assert mesh.bounds[0].tolist() == pytest.approx([-1, 0, -1])
    assert mesh.bounds[1].tolist() == pytest.approx([1, 0.5, 1])
    assert 0.3 < volume(mesh) < 2.0
    assert len(mesh.faces) == 44
    assert outward(mesh)


def test_a_picture_on_a_block_reads_as_on_a_box() -> None:
    ours, theirs = blocks([(-1, 0, -1, 1, 2, 1)]), box(2, 2, 2)
    for axis in (0, 2):
        for side in (-1, 1):
            pairs = []
            for mesh in (ours, theirs):
                faces = np.abs(mesh.normals[:, axis] - side) < 1e-6
                rows = np.concatenate([mesh.points[faces], mesh.uv[faces]], 1)
                pairs.append(sorted(map(tuple, np.round(rows, 4).tolist())))
            assert pairs[0] == pairs[1]


def test_standing_grain_turns_the_picture() -> None:
    level, upright = (
        blocks([(0, 0, 0, 1, 2, 1)], tile=1.0, upright=turn) for turn in (False, True)
    )
    assert np.allclose(level.uv, upright.uv[:, ::-1])


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="blocks need"):
        blocks([])
    with pytest.raises(ValueError, match="blocks need"):
        blocks([(0, 0, 0, 1, 0, 1)])


def test_a_hollow_is_seen_from_inside() -> None:
    inside = hollow((0, 0, 0, 1, 1, 1))
    assert len(inside.faces) == 10
    assert (inside.normals[inside.faces].mean(1)[:, 1] >= 0).all()
    assert len(hollow((0, 0, 0, 1, 1, 1), open_sides="+z+y").faces) == 8


def test_projected_coordinates_are_metres() -> None:
    mesh = projected(box(2, 1, 3), 0.5)
    extent = mesh.uv.max(0) - mesh.uv.min(0)
    assert extent.max() == pytest.approx(6.0)


@pytest.mark.parametrize(("radius", "area"), [(0.0, 2.0), (0.2, 1.97), (math.inf, math.pi / 2)])
def test_a_ring_encloses_its_rectangle(radius: float, area: float) -> None:
    rings = [rounded_ring((-1, -0.5, 1, 0.5), radius, y, steps=12) for y in (0.0, 1.0)]
    mesh = [skin(rings), cap(rings[1]), cap(rings[0], -1)]
    assert sum(volume(part) for part in mesh) == pytest.approx(area, rel=0.01)


def test_rings_of_any_radius_fit_each_other() -> None:
    outer = rounded_ring(grown((0, 0, 1, 1), 0.5), 0.01, 0.0)
    inner = rounded_ring((0, 0, 1, 1), math.inf, 0.0)
    frame = skin([outer, inner])
    assert (frame.normals[:, 1] > 0.99).all()
