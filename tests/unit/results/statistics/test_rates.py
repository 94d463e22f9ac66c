"""The Wilson interval against published and independent numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from env_service.results.statistics import wilson_interval, wilson_intervals
from tests.support.late import Late

stats = Late("scipy.stats")


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        # R. G. Newcombe, "Two-sided confidence intervals for the single proportion",
        # Statistics in Medicine 17 (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_published_examples(successes: int, n: int, low: float, high: float) -> None:
    assert wilson_interval(successes, n) == pytest.approx((low, high), abs=5e-5)


@given(st.data(), st.integers(1, 5000), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_agrees_with_scipy(data: st.DataObject, n: int, confidence: float) -> None:
    successes = data.draw(st.integers(0, n))
    peer = stats.binomtest(successes, n).proportion_ci(confidence, method="wilson")

    low, high = wilson_interval(successes, n, confidence)

    assert (low, high) == pytest.approx((peer.low, peer.high), abs=1e-9)
    assert 0 <= low <= successes / n <= high <= 1


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (-1, 5), (6, 5)])
def test_what_is_no_rate_is_refused(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="no rate"):
        wilson_interval(successes, n)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_a_confidence_in_per_cent_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        wilson_interval(1, 2, confidence)


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(1, 300)), min_size=1, max_size=20))
def test_many_at_once_are_as_one_by_one(pairs: list[tuple[int, int]]) -> None:
    counts = [(min(successes, n), n) for successes, n in pairs]

    low, high = wilson_intervals(*np.array(counts).T)

    assert list(zip(low, high, strict=True)) == [wilson_interval(*pair) for pair in counts]


def test_of_many_the_one_that_is_no_rate_is_named() -> None:
    with pytest.raises(ValueError, match="entry 1: 6 successes of 5"):
        wilson_intervals([1, 6, 9], [5, 5, 5])


def test_many_need_as_many_episodes_as_successes() -> None:
    with pytest.raises(ValueError, match="3 counts of successes, but 2 of episodes"):
        wilson_intervals([1, 2, 3], [5, 5])
