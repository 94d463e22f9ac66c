"""The ratio of two sums over episodes: labels of one kind over all labels, say."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from env_service.results.statistics.checks import (
    Codes,
    Floats,
    Labels,
    read_labels,
    read_numbers,
)
from env_service.results.statistics.clusters import ClusterTotals, robust_variance
from env_service.results.statistics.distributions import t_quantile
from env_service.results.statistics.interval import rate_interval

Bounds = tuple[float, float] | tuple[None, None]


def ratio_interval(
    parts: ArrayLike, wholes: ArrayLike, clusters: Labels, tasks: Labels, *, shares: bool = True
) -> Bounds:
    """The 95 % interval of sum(``parts``) / sum(``wholes``), both [N], an entry an episode.

    ``clusters`` and ``tasks`` [N] name the cluster and the task of each episode; within a single
    cluster the tasks stand for clusters, as in `rate_interval`.

    Where the parts are counted among the wholes (whole numbers, 0 <= part <= whole), each thing
    counted is one trial of its cluster: the interval is `rate_interval`'s, lies in 0 … 1 and is
    never empty. All else has Student's interval of the linearised ratio (W. G. Cochran, "Sampling
    Techniques", 3rd edition, 1977, sections 2.11 and 6.3), with the variance robust to clusters;
    none where nothing varies, or the wholes lie in a single cluster. So has, without ``shares``, a
    ratio that could be above 1 and is not by chance.

    Raises ValueError for columns of different lengths, negative wholes or a sum of 0, and numbers
    that are not finite.
    """
    part, whole = read_numbers(parts, "parts"), read_numbers(wholes, "wholes")
    if part.shape != whole.shape:
        raise ValueError(f"{part.size} parts, but {whole.size} wholes")
    if bool((whole < 0).any()) or not float(whole.sum()):
        raise ValueError("wholes have to be 0 or more, and not all 0")
    cluster = read_labels(clusters, part.size, "clusters")
    task = read_labels(tasks, part.size, "tasks")
    if shares and _counted(part, whole):
        trials, episode = _trials(part, whole.astype(np.intp))
        return rate_interval(trials, cluster[episode], task[episode])
    return _linearised(part, whole, cluster if np.ptp(cluster) else task)


def _counted(part: Floats, whole: Floats) -> bool:
    integral = (np.mod(part, 1) == 0) & (np.mod(whole, 1) == 0)
    return bool((integral & (part >= 0) & (part <= whole)).all())


def _trials(part: Floats, whole: Codes) -> tuple[Floats, Codes]:
    """1 or 0 for each thing counted, and the number of its episode."""
    episode = np.repeat(np.arange(whole.size, dtype=np.intp), whole)
    rank = np.arange(episode.size) - (np.cumsum(whole) - whole)[episode]
    return (rank < part[episode]).astype(np.float64), episode


def _linearised(part: Floats, whole: Floats, together: Codes) -> Bounds:
    # A cluster weighs as much as is counted in it: then the ratio is the mean of a model with
    # nothing else in it, and its residuals are those of the linearised ratio.
    totals = ClusterTotals(
        np.bincount(together, weights=whole).astype(np.float64, copy=False),
        np.bincount(together, weights=part).astype(np.float64, copy=False),
    )
    if np.count_nonzero(totals.sizes) < 2:
        return None, None
    robust = robust_variance(totals)
    error = math.sqrt(robust.variance)
    if error <= 1e-12 * abs(totals.mean):
        return None, None
    reach = t_quantile(0.975, robust.degrees) * error
    return totals.mean - reach, totals.mean + reach
