"""Holm's adjustment."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from env_service.results.statistics import holm

probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def test_a_worked_example() -> None:
    """By hand; R's p.adjust(method = "holm") gives the same."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(probabilities, st.sampled_from([0.01, 0.05, 0.2]))
def test_it_rejects_what_holms_steps_reject(p_values: list[float], alpha: float) -> None:
    rejected = set()
    for step, at in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        if (len(p_values) - step) * p_values[at] > alpha:
            break
        rejected.add(at)

    assert set(np.flatnonzero(holm(p_values) <= alpha)) == rejected


@given(probabilities, st.randoms(use_true_random=False))
def test_order_does_not_matter(p_values: list[float], random: Random) -> None:
    order = random.sample(range(len(p_values)), len(p_values))

    assert holm([p_values[i] for i in order]).tolist() == holm(p_values)[order].tolist()


@given(probabilities)
def test_no_p_value_falls_and_none_passes_one(p_values: list[float]) -> None:
    adjusted = holm(p_values)

    assert (adjusted >= np.array(p_values)).all()
    assert (adjusted <= 1).all()


@pytest.mark.parametrize("p_values", [[], [0.1, 1.2], [float("nan")]])
def test_what_is_no_probability_is_refused(p_values: list[float]) -> None:
    with pytest.raises(ValueError, match="p-values"):
        holm(p_values)
