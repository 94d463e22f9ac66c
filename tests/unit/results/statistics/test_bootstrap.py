"""The studentised bootstrap by clusters."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from env_service.results.statistics import (
    Drawing,
    bootstrap_difference,
    bootstrap_mean,
    cluster_rate,
)
from env_service.results.statistics.intervals import draw_totals
from tests.support.late import Late

stats = Late("scipy.stats")

QUICK = Drawing(replicates=200)
samples = st.lists(
    st.tuples(st.integers(-20, 20).map(float), st.integers(0, 7)), min_size=1, max_size=40
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_the_draws_spread_as_scipys() -> None:
    values = rng(1).lognormal(size=80)
    peer = stats.bootstrap((values,), np.mean, n_resamples=20_000, rng=rng(2), method="basic")

    sums = draw_totals(np.column_stack((np.ones(80), values)), rng(3), 20_000)

    assert (sums[:, 0] == 80).all()
    assert (sums[:, 1] / 80).std() == pytest.approx(peer.standard_error, rel=0.03)


@pytest.mark.parametrize("kinds", [5, 800])
def test_whole_clusters_are_drawn(kinds: int) -> None:
    """Clusters of few kinds are drawn in another way than those of many."""
    clusters = 800
    values = np.arange(clusters) % kinds
    rows = np.column_stack((np.ones(clusters), values)).astype(float)

    sums = draw_totals(rows, rng(), 4000)

    assert (sums[:, 0] == clusters).all()
    mean, deviation = values.mean(), values.std()
    assert (sums[:, 1] / clusters).mean() == pytest.approx(mean, rel=0.01)
    assert (sums[:, 1] / clusters).std() == pytest.approx(deviation / clusters**0.5, rel=0.04)


def test_it_is_what_a_plain_loop_gives() -> None:
    """Efron and Tibshirani's recipe, written out; the limits differ by chance alone."""
    generator = rng(5)
    clusters = np.repeat(np.arange(12), [3, 5, 2, 8, 4, 4, 6, 1, 7, 5, 3, 2])
    values = generator.exponential(size=clusters.size) + generator.normal(size=12)[clusters]

    def mean_and_error(drawn: list[int]) -> tuple[float, float]:
        groups = [values[clusters == cluster] for cluster in drawn]
        n = sum(map(len, groups))
        mean = sum(group.sum() for group in groups) / n
        squares = sum((group.sum() - len(group) * mean) ** 2 for group in groups)
        return mean, (12 / 11 * squares) ** 0.5 / n

    mean = values.mean()
    studentised = []
    for _ in range(6000):
        drawn_mean, error = mean_and_error(generator.integers(0, 12, 12).tolist())
        studentised.append((drawn_mean - mean) / error)
    lower, upper = np.quantile(studentised, [0.025, 0.975])

    found = bootstrap_mean(values, clusters, rng(6))

    assert found.method == "studentised"
    assert found.low is not None
    assert found.high is not None
    ratio = (found.high - mean) / (mean - found.low)
    assert ratio == pytest.approx(-lower / upper, rel=0.1)
    assert found.high - found.low == pytest.approx(
        (upper - lower) * mean_and_error(list(range(12)))[1], rel=0.1
    )


def test_many_independent_values_give_students_interval() -> None:
    values = rng(7).normal(10, 2, size=800)

    found = bootstrap_mean(values, np.arange(800), rng(8))

    t = stats.t.interval(0.95, 799, values.mean(), stats.sem(values))
    assert (found.low, found.high) == pytest.approx(t, abs=0.02)


def test_a_long_tail_lengthens_the_side_it_is_on() -> None:
    found = bootstrap_mean(rng(9).lognormal(sigma=1.2, size=60), np.arange(60), rng(10))

    assert found.low is not None
    assert found.high is not None
    assert found.high - found.mean > 1.3 * (found.mean - found.low)


@settings(max_examples=50, deadline=None)
@given(samples)
def test_it_encloses_the_mean_and_is_never_nan(rows: list[tuple[float, int]]) -> None:
    values, clusters = zip(*rows, strict=True)

    found = bootstrap_mean(values, clusters, rng(), QUICK)

    assert found.mean == pytest.approx(np.mean(values))
    assert (found.low is None) == (found.high is None) == (found.method == "none")
    if found.low is not None and found.high is not None:
        assert found.low < found.high
        assert found.low <= found.mean <= found.high


@settings(max_examples=50, deadline=None)
@given(samples, st.randoms(use_true_random=False))
def test_order_changes_nothing_and_scale_only_the_scale(
    rows: list[tuple[float, int]], random: Random
) -> None:
    values, clusters = zip(*rows, strict=True)
    again, others = zip(*random.sample(rows, len(rows)), strict=True)

    found = bootstrap_mean(values, clusters, rng(), QUICK)
    shuffled = bootstrap_mean(again, others, rng(), QUICK)
    doubled = bootstrap_mean(2 * np.array(values), clusters, rng(), QUICK)

    assert shuffled == found
    if found.low is not None and found.high is not None:
        assert (doubled.low, doubled.high) == pytest.approx((2 * found.low, 2 * found.high))


@pytest.mark.parametrize(("values", "clusters"), [([7.0] * 9, range(9)), ([1.0, 5.0], [0, 0])])
def test_without_spread_nothing_bounds_the_mean(values: list[float], clusters: list[int]) -> None:
    found = bootstrap_mean(values, clusters, rng())

    assert (found.low, found.high, found.method) == (None, None, "none")


def test_but_bounds_do() -> None:
    found = bootstrap_mean(np.full(40, 100.0), range(40), rng(), Drawing(bounds=(0, 100)))
    rate = cluster_rate(np.ones(40), range(40))

    assert found.method == "score"
    assert (found.low, found.high) == (100 * rate.low, 100)


def test_few_clusters_have_students_interval() -> None:
    means = np.array([1.0, 4.0, 2.0])
    found = bootstrap_mean(np.repeat(means, 5), np.repeat(range(3), 5), rng())

    assert found.method == "t"
    peer = stats.t.interval(0.95, 2, means.mean(), stats.sem(means))
    assert (found.low, found.high) == pytest.approx(peer)


def test_limits_are_cut_at_the_bounds() -> None:
    plan = Drawing(bounds=(0, 500), replicates=500)
    found = bootstrap_mean([0.0, 1, 0, 2, 0, 400, 0, 1], range(8), rng(), plan)

    assert found.low == 0
    assert found.high == 500


def test_a_difference_is_the_mean_of_differences() -> None:
    first, second = rng(1).normal(size=30), rng(2).normal(1, 1, size=30)

    difference = bootstrap_difference(first, second, range(30), rng(3))

    assert difference == bootstrap_mean(second - first, range(30), rng(3))
    assert difference.mean == pytest.approx((second - first).mean())


def test_the_same_seed_gives_the_same_interval_and_another_one_another() -> None:
    values = rng(1).normal(size=30)

    assert bootstrap_mean(values, range(30), rng(4)) == bootstrap_mean(values, range(30), rng(4))
    assert bootstrap_mean(values, range(30), rng(4)) != bootstrap_mean(values, range(30), rng(5))


def test_what_cannot_be_is_named() -> None:
    with pytest.raises(ValueError, match="values: entry 1 is 9, not within"):
        bootstrap_mean([1, 9], [0, 1], rng(), Drawing(bounds=(0, 5)))
    with pytest.raises(ValueError, match="2 in first, 3 in second"):
        bootstrap_difference([1, 2], [1, 2, 3], [0, 1], rng())
    with pytest.raises(ValueError, match="50 replicates"):
        Drawing(replicates=50)
    with pytest.raises(ValueError, match="bounds"):
        Drawing(bounds=(1, 1))
