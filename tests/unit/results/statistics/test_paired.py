"""Two runs on the same tasks."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from env_service.results.statistics import (
    EpisodeIndex,
    cluster_difference,
    compare,
    mcnemar_p_value,
)
from tests.support.late import Late

stats = Late("scipy.stats")

score = st.sampled_from([0.0, 1.0, 0.5])
pairs = st.lists(st.tuples(score, score, st.integers(0, 5)), min_size=1, max_size=50)


def run(rows: list[tuple[str, int, float]], clusters: dict[str, str] | None = None) -> EpisodeIndex:
    tasks, repeats, scores = zip(*rows, strict=True)
    homes = [clusters[task] if clusters else task for task in tasks]
    return EpisodeIndex(tasks, repeats, scores, homes)


@pytest.mark.parametrize(
    ("first_only", "second_only", "p_value"),
    [
        # M. W. Fagerland, S. Lydersen and P. Laake, "The McNemar test for binary matched-pairs
        # data", BMC Medical Research Methodology 13 (2013) 91: airway hyper-responsiveness.
        (1, 7, 0.0703),
        (0, 0, 1.0),
        (3, 3, 1.0),
        (0, 6, 0.03125),
    ],
)
def test_published_and_plain_examples(first_only: int, second_only: int, p_value: float) -> None:
    assert mcnemar_p_value(first_only, second_only) == pytest.approx(p_value, abs=5e-5)


@given(st.integers(0, 400), st.integers(0, 400))
def test_it_is_the_exact_sign_test_and_symmetric(one: int, other: int) -> None:
    ours = mcnemar_p_value(one, other)

    assert ours == mcnemar_p_value(other, one)
    if one + other:
        assert ours == pytest.approx(stats.binomtest(one, one + other).pvalue, rel=1e-9)


def test_counts_beyond_floating_point_work() -> None:
    assert mcnemar_p_value(4000, 4100) == pytest.approx(stats.binomtest(4000, 8100).pvalue)
    assert mcnemar_p_value(0, 5000) == 0.0


def test_negative_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="-1 and 3 discordant pairs"):
        mcnemar_p_value(-1, 3)


@given(pairs, st.sampled_from([0.9, 0.95]))
def test_it_holds_the_difference_in_bounds_with_a_width(
    rows: list[tuple[float, float, int]], confidence: float
) -> None:
    first, second, clusters = zip(*rows, strict=True)

    found = cluster_difference(first, second, clusters, confidence)

    assert found.difference == pytest.approx(np.mean(second) - np.mean(first))
    assert -1 <= found.low <= found.difference <= found.high <= 1
    assert found.high - found.low > 0.001


@given(pairs, st.randoms(use_true_random=False))
def test_swapping_the_runs_mirrors_and_order_does_not_matter(
    rows: list[tuple[float, float, int]],
    random: Random,
) -> None:
    first, second, clusters = zip(*rows, strict=True)
    one, other, homes = zip(*random.sample(rows, len(rows)), strict=True)

    found = cluster_difference(first, second, clusters)
    swapped = cluster_difference(other, one, homes)

    assert (-swapped.high, -swapped.low) == pytest.approx((found.low, found.high))


def test_independent_pairs_have_agresti_and_mins_interval() -> None:
    """Half a pair more in each cell, then Wald; the normal is Student's t by now."""
    both, first_only, second_only, none = 200, 60, 90, 250
    first = np.repeat([1, 1, 0, 0], [both, first_only, second_only, none])
    second = np.repeat([1, 0, 1, 0], [both, first_only, second_only, none])
    n = 602
    centre = (second_only - first_only) / n
    variance = (second_only + first_only + 1) / n - centre**2
    reach = stats.norm.ppf(0.975) * (variance / n) ** 0.5

    found = cluster_difference(first, second, range(600))

    assert (found.low, found.high) == pytest.approx((centre - reach, centre + reach), abs=3e-4)


def test_tasks_that_share_scenes_widen_it() -> None:
    gain = np.repeat([1, 0, 0, 1, 0, 1, 0, 0, 1, 0], 20)

    alone = cluster_difference(np.zeros(200), gain, range(200))
    shared = cluster_difference(np.zeros(200), gain, np.repeat(range(10), 20))

    assert shared.high - shared.low > 3 * (alone.high - alone.low)


def test_runs_that_never_differ_are_not_known_to_be_equal() -> None:
    found = cluster_difference(np.ones(108), np.ones(108), range(108))

    assert found.low == -found.high
    assert 0.005 < found.high < 0.05


def test_a_single_cluster_counts_as_one_pair() -> None:
    found = cluster_difference(np.zeros(100), np.ones(100), ["FloorPlan1"] * 100)

    assert found.difference == found.high == 1
    assert found.low < 0.1


def test_two_runs_with_the_same_repeats_are_paired_by_episode() -> None:
    first = run([("a", 0, 1), ("a", 1, 0), ("b", 0, 0), ("b", 1, 0), ("c", 0, 1), ("c", 1, 1)])
    second = run([("c", 1, 1), ("c", 0, 1), ("b", 1, 1), ("b", 0, 1), ("a", 1, 0), ("a", 0, 0)])

    found = compare(first, second)

    assert found.pairing == "episodes"
    assert (found.first_rate, found.second_rate) == pytest.approx((0.5, 4 / 6))
    assert (found.first_better, found.second_better, found.p_value) == (1, 1, 1.0)
    assert (found.difference.n, found.difference.clusters, found.tasks) == (6, 3, 3)


def test_with_other_repeats_tasks_are_paired_by_their_means() -> None:
    first = run([("a", 0, 1), ("a", 1, 0), ("a", 2, 0), ("b", 0, 0)])
    second = run([("a", 0, 1), ("b", 0, 1), ("b", 1, 0)])

    found = compare(first, second)

    assert found.pairing == "tasks"
    assert found.first_rate == pytest.approx((1 / 3 + 0) / 2)
    assert found.second_rate == pytest.approx((1 + 0.5) / 2)
    # Of the repeats that both have, a ended alike and the second run won b.
    assert (found.first_better, found.second_better) == (0, 1)


def test_repeats_of_a_task_are_no_more_evidence_than_the_task() -> None:
    """Two agents without any chance in them, three times."""
    ends = {f"t{i}": (float(i < 6), float(i >= 6)) for i in range(20)}

    def repeated(side: int, times: int) -> EpisodeIndex:
        return run([(task, r, both[side]) for task, both in ends.items() for r in range(times)])

    once, thrice = (compare(repeated(0, k), repeated(1, k)) for k in (1, 3))

    assert (thrice.first_better, thrice.second_better) == (6, 14)
    assert thrice.p_value == once.p_value == pytest.approx(stats.binomtest(6, 20).pvalue)
    low, high = once.difference.low, once.difference.high
    assert (thrice.difference.low, thrice.difference.high) == pytest.approx((low, high), abs=0.05)


def test_tasks_that_one_run_lacks_are_left_out_and_counted() -> None:
    first = run([("a", 0, 1), ("b", 0, 0), ("d", 0, 1)])
    second = run([("a", 0, 1), ("b", 0, 1), ("c", 0, 1)])

    found = compare(first, second)

    assert (found.tasks, found.only_first, found.only_second) == (2, 1, 1)
    assert found.first_rate == 0.5


def test_what_cannot_be_compared_is_named() -> None:
    first = run([("a", 0, 1)], {"a": "FloorPlan1"})
    with pytest.raises(ValueError, match="no scored task in common"):
        compare(first, run([("b", 0, 1)]))
    with pytest.raises(ValueError, match="'a' is in cluster 'FloorPlan1' in the first run and"):
        compare(first, run([("a", 0, 1)], {"a": "FloorPlan2"}))
    with pytest.raises(ValueError, match="1 in first, 2 in second"):
        cluster_difference([1], [1, 0], ["a"])


def test_the_p_of_a_difference_agrees_with_its_limits() -> None:
    for seed in range(40):
        generator = np.random.default_rng(seed)
        first = (generator.random(60) < 0.5).astype(float)
        second = (generator.random((60, 3)) < 0.5 + 0.006 * seed).mean(axis=1)
        found = cluster_difference(first, second, np.arange(60) // 2)
        excluded = found.low > 0 or found.high < 0
        assert excluded == (found.p_value < 0.05)
    alone = cluster_difference([0.0, 1.0], [1.0, 1.0], ["a", "a"])
    assert alone.p_value > 0.3


def test_means_of_several_episodes_are_tested_by_their_difference() -> None:
    # Of equally good agents that solve 95 % the one that plays each task thrice is rarely better
    # in a task and often worse: counting tasks would find a difference that there is not.
    counted, tested = 0, 0
    for seed in range(200):
        generator = np.random.default_rng(seed)
        tasks = [f"t{n}" for n in range(150)]
        one = (generator.random(150) < 0.95).astype(float)
        three = (generator.random((150, 3)) < 0.95).mean(axis=1)
        first = EpisodeIndex(tasks, [0] * 150, one.tolist(), tasks)
        second = EpisodeIndex(tasks, [0] * 150, three.tolist(), tasks)
        counted += compare(first, second).p_value < 0.05
        tested += compare(first, second, averaged=True).p_value < 0.05
    assert counted > 50
    assert tested <= 20
