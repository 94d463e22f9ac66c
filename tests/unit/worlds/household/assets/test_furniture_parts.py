"""The pieces of furniture, and bodies with room for drawers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from env_service.worlds.household.assets import drawer_cases
from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets.model import AssetRequest
from env_service.worlds.household.assets.shapes import rounded_box, volume
from env_service.worlds.household.geometry import Vec3


def test_boards_enclose_their_volume() -> None:
    mesh = fp.boards([(0, 1, 0, 2, 0, 3), (5, 6, 0, 1, 0, 1)])
    assert volume(mesh) == pytest.approx(7.0)
    assert len(mesh.faces) == 24


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_blocks_are_rounded_boxes(steps: int) -> None:
    mesh = fp.blocks([(-0.5, 0.5, 0, 0.4, -0.3, 0.3)], 0.05, steps=steps)
    one = rounded_box(1.0, 0.4, 0.6, 0.05, steps=steps)
    assert volume(mesh) == pytest.approx(volume(one), rel=1e-4)
    assert np.allclose(mesh.bounds, one.bounds, atol=1e-5)


def test_grain_runs_along_the_longest_side() -> None:
    for span in ((0, 2, 0, 0.1, 0, 0.1), (0, 0.1, 0, 2, 0, 0.1), (0, 0.1, 0, 0.1, 0, 2)):
        uv = fp.boards([span], tile=1.0).uv
        assert np.ptp(uv[:, 0]) == pytest.approx(2.0, abs=0.01)
        assert np.ptp(uv[:, 1]) == pytest.approx(0.1, abs=0.01)


def test_rods_are_closed_frustums() -> None:
    mesh = fp.rods([((0, 0, 0), (0.3, 1, 0.2), 0.02, 0.01)] * 2, sides=32)
    length = math.sqrt(0.09 + 1 + 0.04)
    exact = math.pi * length / 3 * (0.0004 + 0.0002 + 0.0001)
    assert volume(mesh) == pytest.approx(2 * exact, rel=0.02)


@pytest.mark.parametrize("power", [2.0, 5.0])
def test_tubs_fill_their_rectangle(power: float) -> None:
    mesh = fp.tub([(0, 0), (1, 0), (1, 0.3), (0, 0.3)], 0.8, 0.5, power=power, sides=64)
    low, high = mesh.bounds
    assert np.allclose(high - low, [0.8, 0.3, 0.5], atol=1e-4)
    ellipse = math.pi / 4 * 0.8 * 0.5 * 0.3
    if power == 2:
        assert volume(mesh) == pytest.approx(ellipse, rel=0.01)
    else:
        assert ellipse * 1.1 < volume(mesh) < 0.8 * 0.5 * 0.3


def test_cracks_and_smears_stay_on_the_glass() -> None:
    for seed in range(8):
        for mesh in (fp.cracks(0.9, 0.5, seed), fp.smears(0.9, 0.5, seed)):
            low, high = mesh.bounds
            assert low[0] >= -0.455
            assert low[1] >= -0.005
            assert high[0] <= 0.455
            assert high[1] <= 0.505
            assert (mesh.normals[:, 2] > 0.99).all()


def test_drape_hangs_from_its_field() -> None:
    line = np.linspace(-1, 1, 5)
    mesh = fp.drape(line, line, np.full((5, 5), 0.5), 0.1, hem=0.02)
    low, high = mesh.bounds
    assert low[1] == pytest.approx(0.1)
    assert high[1] == pytest.approx(0.5)
    assert high[0] == pytest.approx(1.02)


def test_openings_are_cut_to_the_body() -> None:
    request = AssetRequest(
        "Dresser",
        0,
        Vec3(1.0, 0.8, 0.4),
        details=(("drawers", ((0.6, 0.5, -0.6, 0.9), (0.0, 0.1, 0.01, 0.12))),),
    )
    (hole,) = drawer_cases.openings(request, 0.8)
    assert -0.5 < hole.x0 < hole.x1 < 0.5
    assert hole.y1 < 0.8


def test_a_hollow_block_lacks_its_openings() -> None:
    holes = (drawer_cases.Opening(-0.4, 0.1, -0.05, 0.4), drawer_cases.Opening(0.05, 0.1, 0.4, 0.4))
    mesh = drawer_cases.hollow_block((-0.5, 0.5, 0.0, 0.5, -0.2, 0.2), holes)
    hollow = 2 * 0.35 * 0.3 * (0.4 - drawer_cases.BOARD)
    assert volume(mesh) == pytest.approx(0.2 - hollow, rel=1e-4)


def test_neighbouring_drawers_share_a_body() -> None:
    low, high = drawer_cases.Opening(0.2, 0.0, 0.5, 0.3), drawer_cases.Opening(0.2, 0.35, 0.5, 0.6)
    pencil = drawer_cases.Opening(-0.3, 0.5, 0.15, 0.6)
    groups = drawer_cases.clusters((pencil, low, high))
    assert [len(group) for group in groups] == [1, 2]
