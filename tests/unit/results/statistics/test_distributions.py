"""Our distributions against scipy's."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from env_service.results.statistics.distributions import (
    binomial_cdf,
    incomplete_beta,
    t_quantile,
)
from tests.support.late import Late

special = Late("scipy.special")
stats = Late("scipy.stats")


@example(0.49999747, 2020)
@example(0.5 + 1e-12, 1e6)
@given(st.floats(0.001, 0.999), st.floats(0.7, 1e6))
def test_the_t_quantile_is_scipys(probability: float, degrees: float) -> None:
    ours = t_quantile(probability, degrees)

    assert ours == pytest.approx(stats.t.ppf(probability, degrees), rel=1e-8, abs=1e-14)


def test_with_infinite_degrees_t_is_normal() -> None:
    assert t_quantile(0.975, math.inf) == pytest.approx(1.959963984540054)


@given(st.floats(0, 1), st.floats(0.1, 5000), st.floats(0.1, 5000))
def test_the_incomplete_beta_function_is_scipys(x: float, a: float, b: float) -> None:
    assert incomplete_beta(x, a, b) == pytest.approx(special.betainc(a, b, x), abs=1e-9)


@given(st.data(), st.integers(1, 3000), st.floats(0.01, 0.99))
def test_the_binomial_is_scipys(data: st.DataObject, n: int, probability: float) -> None:
    successes = data.draw(st.integers(-1, n + 1))

    peer = stats.binom.cdf(successes, n, probability)

    assert binomial_cdf(successes, n, probability) == pytest.approx(peer, abs=1e-9)
