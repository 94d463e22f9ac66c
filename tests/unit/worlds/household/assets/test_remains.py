"""Shards and stumps."""

from __future__ import annotations

import numpy as np
import pytest

from env_service.worlds.household.assets.fragments import shards, stump
from env_service.worlds.household.assets.lofts import ellipse


@pytest.mark.parametrize("seed", range(4))
def test_shards_lie_on_their_floor(seed: int) -> None:
    mesh = shards(0.4, 0.2, count=12, largest=0.1, thickness=0.01, seed=seed, height=0.05)
    low, high = mesh.bounds
    assert low[1] == pytest.approx(0.0, abs=1e-5)
    assert high[1] <= 0.05 + 1e-5
    assert np.abs(mesh.points[:, 0]).max() <= 0.2 + 0.005
    assert np.abs(mesh.points[:, 2]).max() <= 0.1 + 0.005


def test_a_seed_makes_the_same_shards() -> None:
    def key(seed: int) -> str:
        return shards(0.4, 0.2, count=5, largest=0.1, thickness=0.01, seed=seed).key

    assert key(1) == key(1)
    assert key(1) != key(2)


def test_a_stump_is_the_lower_part_with_a_jagged_edge() -> None:
    rings = [ellipse(0.1, 0.1, y, sides=18) for y in (0.0, 0.1, 0.2, 0.3)]
    mesh = stump(rings, 0.4, 3)
    low, high = mesh.bounds
    assert low[1] == pytest.approx(0.0)
    assert 0.12 < high[1] < 0.2
    tops = mesh.points[mesh.points[:, 1] > 0.09][:, 1]
    assert np.ptp(tops) > 0.02
