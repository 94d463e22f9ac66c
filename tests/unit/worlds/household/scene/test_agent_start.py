"""The agent's position follows from its distances."""

from __future__ import annotations

import numpy as np
import pytest

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.thor_metadata import position_from_distances


def known(agent: Vec3, count: int = 20) -> list[tuple[Vec3, float]]:
    generator = np.random.default_rng(4)
    points = [Vec3(*(float(v) for v in row)) for row in generator.uniform(-3, 3, (count, 3))]
    return [(point, (point - agent).length()) for point in points]


def test_distances_give_the_position_back():
    agent = Vec3(-1.25, 0.901, 2.5)
    found = position_from_distances(known(agent))
    assert found is not None
    assert found.tuple() == pytest.approx(agent.tuple(), abs=1e-4)


def test_one_thing_that_moved_since_does_no_harm_to_speak_of():
    agent = Vec3(0.5, 0.901, 0.25)
    pairs = known(agent, 60)
    pairs[7] = (pairs[7][0] + Vec3(0.01, 0.0, 0.0), pairs[7][1])
    found = position_from_distances(pairs)
    assert found is not None
    assert found.tuple() == pytest.approx(agent.tuple(), abs=0.01)


def test_distances_that_were_never_measured_give_none():
    pairs = [(point, 0.0) for point, _ in known(Vec3(0.0, 0.0, 0.0))]
    assert position_from_distances(pairs) is None


def test_points_in_a_row_do_not_tell_it():
    pairs = [(Vec3(float(k), 0.0, 0.0), 1.0 + k) for k in range(6)]
    assert position_from_distances(pairs) is None
    assert position_from_distances(pairs[:3]) is None
