"""A rate whose episodes come in clusters: tasks of one scene, repeats of one task.

Episodes of one cluster resemble each other, so that they tell less than as many independent
ones. The interval here is Wilson's, with an effective number of episodes and Student's t: one of
the intervals that J. M. Dean and M. Pagano compare in "Evaluating confidence interval methods
for binomial proportions in clustered surveys", Journal of Survey Statistics and Methodology 3
(2015), 484-503. ``benchmarks/coverage.py`` measures that it holds its level with ten clusters
and a correlation of 0.1, and that the percentile bootstrap does not. It needs no random numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from env_service.results.statistics.checks import (
    Floats,
    Labels,
    check_fraction,
    read_labels,
    read_scores,
)
from env_service.results.statistics.distributions import t_quantile
from env_service.results.statistics.rates import score_limits

ASSUMED_CORRELATION = 0.1
"""The correlation of two episodes of a cluster, as long as the data say nothing about it.

A choice of ours. It weighs as much as one episode with the rarer result, so that it matters
only near 0 % and 100 %.
"""

_LEAST_SHARE = 0.25
"""Clusters that happen to agree do not make an interval of less than half the usual width."""


@dataclass(frozen=True, slots=True)
class ClusterTotals:
    """What robust variances need: the size and the sum of each cluster, float64 [G]."""

    sizes: Floats
    sums: Floats

    @staticmethod
    def of(values: Floats, clusters: Labels) -> ClusterTotals:
        """Totals of ``values`` [N] by their labels [N]. Raises ValueError for bad labels."""
        codes = read_labels(clusters, values.size, "clusters")
        sizes = np.bincount(codes).astype(np.float64)
        # Summed in one order, so that rounding is the same whatever the order given.
        order = np.lexsort((values, codes))
        sums = np.bincount(codes[order], weights=values[order]).astype(np.float64, copy=False)
        return ClusterTotals(sizes, sums)

    @property
    def n(self) -> float:
        """How many values there are."""
        return float(self.sizes.sum())

    @property
    def mean(self) -> float:
        """The mean of the values."""
        return float(self.sums.sum()) / self.n


@dataclass(frozen=True, slots=True)
class Robust:
    """The cluster-robust variance of a mean, and its degrees of freedom."""

    variance: float
    degrees: float


def robust_variance(totals: ClusterTotals) -> Robust:
    """The variance of the mean, where whole clusters were sampled; two clusters at least.

    "CR2" of R. M. Bell and D. F. McCaffrey, "Bias reduction in standard errors for linear
    regression with multi-stage samples", Survey Methodology 28 (2002), 169-181, for a model
    with nothing but a mean, and their degrees of freedom (independence as the working model).
    With clusters of one size this is the ordinary variance of G cluster means, and G - 1.
    """
    n = totals.n
    share = totals.sizes / n
    residual = (totals.sums - totals.sizes * totals.mean) / n
    variance = float(np.sum(residual**2 / (1 - share)))
    # trace(M)² / trace(M²), M being the quadratic form's matrix; both have closed forms here.
    weight = share**2 / (1 - share)
    off_diagonal = float(np.sum(weight)) ** 2 - float(np.sum(weight**2))
    return Robust(variance, 1 / (float(np.sum(share**2)) + off_diagonal))


@dataclass(frozen=True, slots=True)
class ClusterRate:
    """A rate over ``n`` episodes in ``clusters`` clusters, within ``low`` … ``high``.

    ``effective_n`` is the number of independent episodes that would tell as much (for
    ``power``, for instance), ``degrees`` the degrees of freedom of Student's t (infinite with
    a single cluster, where nothing is estimated).
    """

    rate: float
    low: float
    high: float
    n: int
    clusters: int
    effective_n: float
    degrees: float


def cluster_rate(scores: ArrayLike, clusters: Labels, confidence: float = 0.95) -> ClusterRate:
    """The mean of ``scores`` and its interval, for new clusters as for those seen.

    ``scores`` is [N], each 1, 0 or a fraction between (goal conditions met, a task's rate over
    its repeats); ``clusters`` names the cluster of each. The design effect, n / effective_n
    (L. Kish, "Survey Sampling", 1965, section 8.2), is the robust variance over that of
    independent episodes. Where the rarer result was seen k times, the estimate weighs k and
    Kish's 1 + (m - 1) ASSUMED_CORRELATION weighs 1, m being the size of the clusters as an
    episode meets them; so that a perfect score too has a sensible interval. A single cluster
    counts as one episode: nothing says how another would turn out.

    The width is never 0. Raises ValueError for scores outside 0 … 1, a missing label, or a
    confidence outside 0 … 1.
    """
    check_fraction(confidence, "confidence")
    values = read_scores(scores, "scores")
    totals = ClusterTotals.of(values, clusters)
    groups = totals.sizes.size
    if groups == 1:
        effective, degrees = 1.0, math.inf
    else:
        robust = robust_variance(totals)
        effective = totals.n / _design_effect(values, totals, robust.variance)
        degrees = robust.degrees
    quantile = t_quantile((1 + confidence) / 2, degrees)
    low, high = score_limits(totals.mean, effective, quantile)
    return ClusterRate(totals.mean, low, high, values.size, groups, effective, degrees)


def _design_effect(values: Floats, totals: ClusterTotals, variance: float) -> float:
    n, mean = totals.n, totals.mean
    size_met = float(np.sum(totals.sizes**2)) / n
    assumed = 1 + (size_met - 1) * ASSUMED_CORRELATION
    independent = mean * (1 - mean) / n
    if independent <= 0:
        return assumed
    rarer = n * min(mean, 1 - mean)
    estimate = (rarer * variance / independent + assumed) / (rarer + 1)
    # Fractions of goal conditions vary less than successes; the bound is of their variance.
    observed = float(np.mean((values - mean) ** 2)) / n
    return max(estimate, _LEAST_SHARE * observed / independent)
