"""Which interval a mean of anything but shares gets."""

from __future__ import annotations

import math

import numpy as np

from env_service.results.report.episodes import Floats, Ints
from env_service.results.statistics import Drawing, bootstrap_mean
from env_service.results.statistics.clusters import ClusterTotals, robust_variance
from env_service.results.statistics.distributions import t_quantile

Bounds = tuple[float, float] | tuple[None, None]

_LEAST_DRAWN, _MOST_DRAWN = 10, 100
"""Clusters for which a mean's interval is drawn: fewer give too few different draws, and with
more the mean is as good as normal."""
_DRAWING = Drawing(replicates=2000)
_BROKEN_DOWN = 3.0
"""How many times as wide as Student's interval a drawn one is that tells nothing any more."""


def mean_interval(values: Floats, clusters: Ints, tasks: Ints) -> Bounds:
    """The 95 % interval of any mean: the bootstrap over clusters, or Student's.

    ``values``, and the cluster and the task of each, are [N]. Within a single cluster the tasks
    stand for clusters, as in ``rate_interval``, which is for shares.

    Student's, with the variance robust to clusters, where the clusters are many or few, and
    where the bootstrap breaks down: nearly all values are equal, and draws without spread make
    it endless.
    None where nothing varies, or there is a single task.
    """
    together = clusters if np.ptp(clusters) else tasks
    totals = ClusterTotals.of(values, together)
    if totals.sizes.size < 2:
        return None, None
    robust = robust_variance(totals)
    if math.sqrt(robust.variance) <= 1e-12 * float(np.max(np.abs(values))):
        return None, None
    reach = t_quantile(0.975, robust.degrees) * math.sqrt(robust.variance)
    if _LEAST_DRAWN <= totals.sizes.size <= _MOST_DRAWN:
        drawn = bootstrap_mean(values, together, np.random.default_rng(0), _DRAWING)
        if drawn.low is None or drawn.high is None:
            return None, None
        if drawn.high - drawn.low <= _BROKEN_DOWN * 2 * reach:
            return drawn.low, drawn.high
    return totals.mean - reach, totals.mean + reach
