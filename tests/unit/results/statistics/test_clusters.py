"""The interval of a rate in clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from env_service.results.statistics import cluster_rate, wilson_interval
from env_service.results.statistics.intervals import ClusterTotals, robust_variance

episodes = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0, 0.5, 0.25]), st.integers(0, 6)), min_size=1, max_size=60
)


def by_definition(values: Sequence[float], clusters: Sequence[int]) -> tuple[float, float]:
    """CR2 and its degrees of freedom with matrices, as Bell and McCaffrey define them."""
    y, codes = np.array(values), np.array(clusters)
    n = len(y)
    x = np.ones((n, 1))
    residual_maker = np.eye(n) - np.ones((n, n)) / n
    variance, columns = 0.0, []
    for code in np.unique(codes):
        own = codes == code
        roots, axes = np.linalg.eigh(residual_maker[np.ix_(own, own)])
        adjust = axes / np.sqrt(roots) @ axes.T
        weights = adjust @ x[own] / n
        residual = y[own] - y.mean()
        variance += float(((weights.T @ residual) ** 2).item())
        columns.append(residual_maker[:, own] @ weights)
    g = np.hstack(columns)
    eigenvalues = np.linalg.eigvalsh(g.T @ g)
    return variance, float(eigenvalues.sum() ** 2 / (eigenvalues**2).sum())


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.floats(-5, 5), st.integers(0, 4)), min_size=2, max_size=12).filter(
        lambda rows: len({cluster for _, cluster in rows}) > 1
    )
)
def test_the_robust_variance_is_what_its_authors_define(rows: list[tuple[float, int]]) -> None:
    values, clusters = zip(*rows, strict=True)

    robust = robust_variance(ClusterTotals.of(np.array(values), clusters))

    variance, degrees = by_definition(values, clusters)
    assert robust.variance == pytest.approx(variance, rel=1e-6, abs=1e-9)
    assert robust.degrees == pytest.approx(degrees, rel=1e-6)


def test_with_clusters_of_one_size_it_is_the_variance_of_their_means() -> None:
    means = np.array([0.2, 0.9, 0.4, 0.7])
    robust = robust_variance(ClusterTotals(np.full(4, 10.0), 10 * means))

    assert robust.variance == pytest.approx(means.var(ddof=1) / 4)
    assert robust.degrees == pytest.approx(3)


@given(episodes, st.sampled_from([0.8, 0.95, 0.99]))
def test_it_holds_the_rate_lies_in_bounds_and_has_a_width(
    rows: list[tuple[float, int]], confidence: float
) -> None:
    scores, clusters = zip(*rows, strict=True)

    found = cluster_rate(scores, clusters, confidence)

    assert found.rate == pytest.approx(np.mean(scores))
    assert 0 <= found.low <= found.rate <= found.high <= 1
    assert found.high - found.low > 0.001
    assert found.effective_n > 0
    assert not math.isnan(found.degrees)


@given(episodes, st.randoms(use_true_random=False))
def test_neither_order_nor_the_clusters_names_matter(
    rows: list[tuple[float, int]], random: Random
) -> None:
    shuffled = random.sample(rows, len(rows))
    scores, clusters = zip(*rows, strict=True)
    again, others = zip(*shuffled, strict=True)

    found = cluster_rate(scores, clusters)
    renamed = cluster_rate(again, [f"scene {-cluster}" for cluster in others])

    assert (renamed.low, renamed.high) == pytest.approx((found.low, found.high))


@given(episodes)
def test_failures_mirror_successes(rows: list[tuple[float, int]]) -> None:
    scores, clusters = zip(*rows, strict=True)

    found = cluster_rate(scores, clusters)
    mirrored = cluster_rate([1 - score for score in scores], clusters)

    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((found.low, found.high))


def test_episodes_on_their_own_are_nearly_wilsons() -> None:
    found = cluster_rate([1.0] * 150 + [0.0] * 350, range(500))

    assert (found.low, found.high) == pytest.approx(wilson_interval(150, 500), abs=1e-3)
    assert found.effective_n == pytest.approx(500, rel=0.01)


def test_clusters_that_end_alike_count_as_one_episode_each() -> None:
    scores = np.repeat([1, 0, 1, 1, 0, 0, 1, 0, 1, 0] * 3, 20)

    found = cluster_rate(scores, np.repeat(range(30), 20))

    assert found.effective_n == pytest.approx(30, rel=0.05)


def test_a_perfect_score_in_clusters_says_less_than_in_independent_episodes() -> None:
    scenes = np.repeat(range(16), 20)

    found = cluster_rate(np.ones(320), scenes)
    almost = cluster_rate(np.append(np.ones(319), 0), scenes)

    assert found.high == 1
    assert 0.95 < found.low < wilson_interval(320, 320)[0]
    assert abs(found.low - almost.low) < 0.01


def test_a_single_cluster_counts_as_one_episode() -> None:
    found = cluster_rate(np.ones(50), ["FloorPlan1"] * 50)

    assert (found.low, found.high) == wilson_interval(1, 1)
    assert found.clusters == 1


@pytest.mark.parametrize(
    ("scores", "clusters", "message"),
    [
        ([], [], "scores: empty"),
        ([1, 2], ["a", "b"], "entry 1 is 2.0, not within 0 … 1"),
        ([1, float("nan")], ["a", "b"], "entry 1 is nan"),
        ([1, 0, 1], ["a", "b"], "clusters: 3 labels are needed"),
        ([[1, 0]], ["a"], "one dimension"),
        (["yes"], ["a"], "not a list of numbers"),
    ],
)
def test_what_cannot_be_is_named(scores: list[float], clusters: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cluster_rate(scores, clusters)


def test_a_confidence_in_per_cent_is_refused() -> None:
    with pytest.raises(ValueError, match="confidence 95 is not between 0 and 1"):
        cluster_rate([1, 0], ["a", "b"], 95)
