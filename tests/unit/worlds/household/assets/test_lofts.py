"""Solids from rings and grids of corners, and how long things lie in boxes."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray

from env_service.worlds.household.assets.lofts import Stance, face, filling, loft, shell
from env_service.worlds.household.assets.model import Mesh
from env_service.worlds.household.assets.shapes import box, volume
from env_service.worlds.household.assets.steam import steam
from env_service.worlds.household.geometry import Vec3

TURN = np.linspace(0, 2 * math.pi, 64, endpoint=False)


def pipe(radii: list[float], lengths: list[float]) -> NDArray[np.float64]:
    """Rings along z."""
    return np.stack(
        [
            np.stack([r * np.cos(TURN), r * np.sin(TURN), np.full(64, z)], 1)
            for r, z in zip(radii, lengths, strict=True)
        ]
    )


def agree(mesh: Mesh) -> bool:
    p = mesh.points.astype(np.float64)[mesh.faces]
    across = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    return bool(((across * mesh.normals[mesh.faces].sum(1)).sum(1) >= -1e-9).all())


@pytest.mark.parametrize("way", [1, -1])
def test_a_loft_is_closed_and_faces_outwards_whichever_way_its_rings_run(way: int) -> None:
    cylinder = loft(pipe([1, 1, 1], [0, 1, 2])[::way]).moved(5, 5, 5)
    assert volume(cylinder) == pytest.approx(2 * math.pi, rel=0.01)
    assert agree(cylinder)


def test_a_loft_may_end_in_points() -> None:
    cone = loft(pipe([0, 0.5, 1], [0, 1, 2]))
    assert volume(cone) == pytest.approx(2 * math.pi / 3, rel=0.01)
    assert agree(cone)


def test_a_picture_on_a_cut_face_follows_the_outline() -> None:
    ring = pipe([1], [0])[0] * np.array([2.0, 0.5, 1.0])
    cut = face(ring, np.array([0.0, 0.0, 1.0]))
    reach = np.hypot(*(cut.uv[1:] - 0.5).T)
    assert np.allclose(reach, 0.5, atol=1e-4)
    assert (cut.normals[:, 2] > 0.99).all()


def test_a_shell_encloses_the_volume_between_its_sides() -> None:
    x, z = np.meshgrid(np.linspace(0, 2, 4), np.linspace(0, 3, 5))
    top = np.stack([x, np.ones_like(x), z], -1)
    slab = shell(top, top - np.array([0.0, 0.1, 0.0]))
    assert volume(slab) == pytest.approx(0.6, rel=1e-5)
    assert agree(slab)


def test_a_wrapped_shell_is_a_pipe() -> None:
    outer, inner = pipe([1, 1], [0, 1]), pipe([0.5, 0.5], [0, 1])
    wall = shell(outer, inner, wrap=True)
    assert volume(wall) == pytest.approx(0.75 * math.pi, rel=0.01)
    assert agree(wall)


@pytest.mark.parametrize("size", list(itertools.permutations((0.1, 0.2, 0.5))))
def test_a_long_thing_lies_along_the_longest_side(size: tuple[float, float, float]) -> None:
    """A corner cut off shows that it is turned, never mirrored."""
    stance = Stance.of(Vec3(*size))
    assert (stance.thickness, stance.width, stance.length) == (0.1, 0.2, 0.5)
    drawn = box(stance.width, stance.thickness, stance.length)
    laid = stance.lay(drawn)
    low, high = laid.bounds
    assert np.allclose(high - low, size, atol=1e-6)
    assert abs(low[1]) < 1e-6
    assert volume(laid) == pytest.approx(volume(drawn), rel=1e-4)
    assert agree(laid)


@pytest.mark.parametrize("size", list(itertools.permutations((0.03, 0.2, 0.17))))
def test_a_flat_thing_stands_with_its_upper_edge_up(size: tuple[float, float, float]) -> None:
    stance = Stance.flat(Vec3(*size))
    mark = stance.lay(box(0.01, 0.01, 0.01, at=(0, 0, stance.length / 2 - 0.01)))
    up = 2 if size[1] == 0.03 else 1
    middle = (mark.bounds[0] + mark.bounds[1]) / 2 - np.array([0, size[1] / 2, 0])
    assert stance.thickness == 0.03
    assert middle[up] > 0.06


def test_filling_stretches_to_the_box() -> None:
    first, second = filling([box(1, 1, 1), box(1, 1, 1, at=(2, 1, 0))], Vec3(0.3, 0.2, 0.1))
    low = np.minimum(first.bounds[0], second.bounds[0])
    high = np.maximum(first.bounds[1], second.bounds[1])
    assert np.allclose(low, [-0.15, 0, -0.05], atol=1e-6)
    assert np.allclose(high, [0.15, 0.2, 0.05], atol=1e-6)


def test_steam_rises_from_the_top() -> None:
    part = steam(Vec3(0.1, 0.2, 0.1), 3)
    low, high = part.mesh.bounds
    assert low[1] >= 0.2
    assert 0.25 < high[1] < 0.35
    assert part.material.opacity < 0.5
    assert not part.casts_shadow
    assert part.mesh.key == steam(Vec3(0.1, 0.2, 0.1), 3).mesh.key
