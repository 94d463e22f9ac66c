"""Other materials and other light."""

from __future__ import annotations

import numpy as np
import pytest

from env_service.worlds.household.state import HouseholdState
from tests.support.small_home import home
from tests.support.turns import play

STATE = HouseholdState.at_start(home())


@pytest.mark.parametrize("seed", [-1, 0, 7, 2**40, 10**40])
def test_any_whole_number_is_a_seed(seed: int) -> None:
    materials = play(STATE, "RandomizeMaterials", randomSeed=seed).state.variation.materials
    lighting = play(STATE, "RandomizeLighting", randomSeed=seed).state.variation.lighting
    assert materials is not None
    assert lighting == materials
    np.random.default_rng([materials])


def test_each_call_draws_anew() -> None:
    once = play(STATE, "RandomizeMaterials").state
    twice = play(once, "RandomizeMaterials").state
    assert once.variation.materials != twice.variation.materials
    assert play(twice, "ResetMaterials").state.variation.materials is None
