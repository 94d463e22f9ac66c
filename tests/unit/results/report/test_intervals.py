"""Which interval a mean of anything but shares gets."""

from __future__ import annotations

import numpy as np
import pytest

from env_service.results.report.measures import mean_interval
from env_service.results.statistics import Drawing, bootstrap_mean
from tests.support.late import Late

stats = Late("scipy.stats")

FIRST_HUNDRED = np.arange(100)


def test_a_mean_over_a_few_clusters_is_drawn() -> None:
    values = np.random.default_rng(1).gamma(2.0, 10.0, 60)
    clusters = FIRST_HUNDRED[:60] // 2
    plan = Drawing(replicates=2000)
    drawn = bootstrap_mean(values, clusters, np.random.default_rng(0), plan)
    assert mean_interval(values, clusters, FIRST_HUNDRED[:60]) == (drawn.low, drawn.high)


def test_a_mean_over_many_clusters_is_students() -> None:
    values = np.random.default_rng(1).gamma(2.0, 10.0, 400)
    expected = stats.t.interval(0.95, 399, values.mean(), stats.sem(values))
    assert mean_interval(values, np.arange(400), np.arange(400)) == pytest.approx(expected)


def test_where_nearly_all_values_are_equal_the_interval_stays_sensible() -> None:
    values = np.array([0.0] * 18 + [0.7, 0.8])
    drawn = bootstrap_mean(values, np.arange(20), np.random.default_rng(0))
    assert drawn.high is not None
    assert drawn.high > 10, "what this guards against"
    low, high = mean_interval(values, np.arange(20), np.arange(20))
    assert low is not None
    assert high is not None
    assert (low, high) == pytest.approx(
        stats.t.interval(0.95, 19, values.mean(), stats.sem(values))
    )


def test_within_a_single_cluster_tasks_stand_for_clusters() -> None:
    values, nought = np.array([1.0, 2.0, 4.0, 5.0]), np.zeros(4, int)
    repeated = np.array([0, 0, 1, 1])
    assert mean_interval(values, nought, repeated) == mean_interval(values, repeated, repeated)


def test_where_nothing_varies_there_is_no_interval() -> None:
    twenty, nought = np.arange(20), np.zeros(2, int)
    assert mean_interval(np.full(20, 3.0), twenty, twenty) == (None, None)
    assert mean_interval(np.array([1.0, 2.0]), nought, nought) == (None, None)
