"""Ratios of sums against simulated data, the bootstrap and other intervals."""

from __future__ import annotations

import numpy as np
import pytest

from env_service.results.statistics import rate_interval, ratio_interval, wilson_interval


def bootstrap(
    part: np.ndarray, whole: np.ndarray, clusters: np.ndarray, seed: int
) -> tuple[float, float]:
    """The percentile interval over whole clusters."""
    generator = np.random.default_rng(seed)
    parts, wholes = np.bincount(clusters, part), np.bincount(clusters, whole)
    drawn = generator.integers(0, parts.size, (4000, parts.size))
    ratios = parts[drawn].sum(axis=1) / wholes[drawn].sum(axis=1)
    low, high = np.quantile(ratios, [0.025, 0.975])
    return float(low), float(high)


def labelled(seed: int, clusters: int, rate: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Failed episodes with one or two labels, the rate of one kind varying from room to room."""
    generator = np.random.default_rng(seed)
    room = np.repeat(np.arange(clusters), generator.integers(1, 6, clusters))
    rates = generator.beta(6 * rate, 6 * (1 - rate), clusters)
    whole = generator.integers(1, 3, room.size)
    part = generator.random(room.size) < rates[room]
    return part.astype(float), whole.astype(float), room


@pytest.mark.parametrize("seed", range(4))
def test_shares_of_labels_have_the_interval_of_the_bootstrap_over_clusters(seed: int) -> None:
    part, whole, room = labelled(seed, clusters=80, rate=0.5)
    low, high = ratio_interval(part, whole, room, np.arange(room.size))
    drawn_low, drawn_high = bootstrap(part, whole, room, seed)
    assert low is not None
    assert high is not None
    assert (low, high) == pytest.approx((drawn_low, drawn_high), abs=0.025)


@pytest.mark.parametrize("seed", range(4))
def test_other_ratios_have_the_interval_of_the_bootstrap_over_clusters(seed: int) -> None:
    generator = np.random.default_rng(100 + seed)
    room = np.repeat(np.arange(90), 3)
    whole = generator.gamma(4, 1, room.size)
    part = whole * generator.gamma(9, 0.3, room.size)
    found = ratio_interval(part, whole, room, np.arange(room.size))
    assert found == pytest.approx(bootstrap(part, whole, room, seed), rel=0.03)


def test_the_interval_covers_the_true_ratio_about_as_often_as_it_says() -> None:
    hits = 0
    for seed in range(300):
        part, whole, room = labelled(1000 + seed, clusters=40, rate=0.4)
        low, high = ratio_interval(part, whole, room, np.arange(room.size))
        # A label's mean number an episode is 1.5.
        hits += low is not None and high is not None and low <= 0.4 / 1.5 <= high
    assert 0.91 <= hits / 300 <= 0.99


def test_with_one_label_an_episode_it_is_a_rate() -> None:
    part = np.array([1.0, 0, 0, 1, 1, 0, 0, 0])
    ones, numbers = np.ones(8), np.arange(8)
    assert ratio_interval(part, ones, numbers, numbers) == wilson_interval(3, 8)
    rooms = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    assert ratio_interval(part, ones, rooms, numbers) == rate_interval(part, rooms, numbers)


def test_none_of_a_kind_is_no_certainty() -> None:
    none = ratio_interval(np.zeros(6), np.full(6, 2.0), np.arange(6), np.arange(6))
    assert none[0] == 0
    assert none[1] is not None
    assert 0.1 < none[1] < 0.6


def test_episodes_without_labels_change_nothing() -> None:
    part, whole = np.array([1.0, 0, 2, 0]), np.array([1.0, 2, 2, 1])
    rooms = np.array([0, 1, 2, 3])
    more = ratio_interval([*part, 0, 0], [*whole, 0, 0], [*rooms, 4, 5], np.arange(6))
    assert more == ratio_interval(part, whole, rooms, np.arange(4))


def test_where_nothing_varies_there_is_none() -> None:
    assert ratio_interval([1.5, 3], [1, 2], [0, 1], [0, 1]) == (None, None)
    assert ratio_interval([1.5, 3], [2, 0], [0, 1], [0, 1]) == (None, None)


@pytest.mark.parametrize(
    ("parts", "wholes", "problem"),
    [
        ([1], [1, 2], "1 parts, but 2 wholes"),
        ([0, 0], [0, 0], "not all 0"),
        ([1, 1], [2, -1], "0 or more"),
        ([float("nan")], [1], "entry 0 is nan"),
    ],
)
def test_what_is_no_ratio_is_refused(parts: list, wholes: list, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        ratio_interval(parts, wholes, ["a"] * len(parts), ["b"] * len(parts))
