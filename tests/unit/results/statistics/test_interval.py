"""Which interval a rate gets."""

from __future__ import annotations

import pytest

from env_service.results.statistics import cluster_rate, rate_interval, wilson_interval

SCORES = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]
TASKS = list("abcdef")


def test_independent_episodes_have_wilsons() -> None:
    assert rate_interval(SCORES, list("uvwxyz"), TASKS) == wilson_interval(4, 6)


def test_episodes_that_share_clusters_count_together() -> None:
    clusters = list("uuvvww")
    found = cluster_rate(SCORES, clusters)
    assert rate_interval(SCORES, clusters, TASKS) == (found.low, found.high)


def test_within_one_cluster_tasks_are_the_unit() -> None:
    assert rate_interval(SCORES, ["u"] * 6, TASKS) == wilson_interval(4, 6)
    found = cluster_rate(SCORES, list("aabbcc"))
    assert rate_interval(SCORES, ["u"] * 6, list("aabbcc")) == (found.low, found.high)


def test_fractions_have_no_wilson_interval() -> None:
    low, high = rate_interval([0.5, 0.25, 1.0], list("uvw"), list("abc"))
    assert 0 <= low < 0.58 < high <= 1


def test_nothing_has_no_interval() -> None:
    with pytest.raises(ValueError, match="scores"):
        rate_interval([], [], [])
