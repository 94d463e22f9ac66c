"""Intervals of rates, ratios and means, for independent episodes and for episodes in clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from env_service.results.statistics.distributions import normal_quantile, t_quantile
from env_service.results.statistics.inputs import (
    Codes,
    Floats,
    Labels,
    check_fraction,
    read_labels,
    read_numbers,
    read_scores,
)


def rate_interval(scores: ArrayLike, clusters: Labels, tasks: Labels) -> tuple[float, float]:
    """The 95 % interval of the mean of ``scores`` [N], each in 0 … 1.

    ``clusters`` and ``tasks`` [N] name the cluster (a scene, a level) and the task of each
    episode. Episodes that share a cluster count together. Within a single cluster the rate is
    that of this cluster and says nothing of others; there the repeats of a task count
    together. Successes (each score 0 or 1) of which none share anything have Wilson's.

    Raises ValueError for no scores, scores outside 0 … 1 and a missing label.
    """
    values = read_scores(scores, "scores")
    together = clusters if len(set(clusters)) > 1 else tasks
    if len(set(together)) == values.size and bool(np.isin(values, (0.0, 1.0)).all()):
        return wilson_interval(round(float(values.sum())), values.size)
    found = cluster_rate(values, together)
    return found.low, found.high


# --- The interval of one rate of independent episodes


def wilson_interval(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of a rate, without continuity correction.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 22 (1927), 209-212. Both ends are in
    0 … 1. Raises ValueError unless 0 <= successes <= n, 1 <= n and 0 < confidence < 1.
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}: no rate")
    check_fraction(confidence, "confidence")
    return score_limits(successes / n, n, normal_quantile((1 + confidence) / 2))


def wilson_intervals(
    successes: ArrayLike, n: ArrayLike, confidence: float = 0.95
) -> tuple[Floats, Floats]:
    """Many Wilson intervals: the low ends and the high ends, each float64 [N].

    ``successes`` and ``n`` are [N]. Raises the ValueError of ``wilson_interval`` for the first
    invalid entry.
    """
    check_fraction(confidence, "confidence")
    hits, trials = read_numbers(successes, "successes"), read_numbers(n, "n")
    if hits.shape != trials.shape:
        raise ValueError(f"{hits.size} counts of successes, but {trials.size} of episodes")
    wrong = np.flatnonzero((trials < 1) | (hits < 0) | (hits > trials))
    if wrong.size:
        at = wrong[0]
        raise ValueError(f"entry {at}: {hits[at]:g} successes of {trials[at]:g}: no rate")
    z = normal_quantile((1 + confidence) / 2)
    limits = [
        score_limits(h / t, t, z) for h, t in zip(hits.tolist(), trials.tolist(), strict=True)
    ]
    low, high = np.array(limits, dtype=np.float64).T
    return low, high


def score_limits(rate: float, n: float, quantile: float) -> tuple[float, float]:
    """The rates p for which (rate - p)² <= quantile² p (1 - p) / n: Wilson's interval.

    ``n`` may be an effective number of episodes, hence fractional. Both ends are in 0 … 1.
    """
    square = quantile * quantile
    centre = rate + square / (2 * n)
    spread = quantile * math.sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    scale = 1 + square / n
    # At the ends the formula is exactly 0 or 1, which floating point may miss.
    low = 0.0 if rate == 0 else max(0.0, (centre - spread) / scale)
    high = 1.0 if rate == 1 else min(1.0, (centre + spread) / scale)
    return low, high


# --- A rate of episodes in clusters: tasks of one scene, repeats of one task

ASSUMED_CORRELATION = 0.1
"""The assumed correlation of two episodes of a cluster, for as long as the data do not show it.

A choice of ours. It weighs as much as one episode with the rarer result, so that it matters only
near 0 % and 100 %.
"""

_LEAST_SHARE = 0.25
"""Clusters that agree by chance never make an interval of less than half the usual width."""


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
        # Summed in a fixed order, so that the given order does not change the rounding.
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


# --- The ratio of two sums over episodes: labels of one kind over all labels, say

Bounds = tuple[float, float] | tuple[None, None]


def ratio_interval(
    parts: ArrayLike, wholes: ArrayLike, clusters: Labels, tasks: Labels, *, shares: bool = True
) -> Bounds:
    """The 95 % interval of sum(``parts``) / sum(``wholes``), both [N], an entry an episode.

    ``clusters`` and ``tasks`` [N] name the cluster and the task of each episode; within a single
    cluster the tasks stand for clusters, as in `rate_interval`.

    Where the parts are counted among the wholes (whole numbers, 0 <= part <= whole), each thing
    counted is one trial of its cluster: the interval is `rate_interval`'s, within 0 … 1, and
    never empty. All else has Student's interval of the linearised ratio (W. G. Cochran, "Sampling
    Techniques", 3rd edition, 1977, sections 2.11 and 6.3), with the variance robust to clusters;
    none where nothing varies, or the wholes are in a single cluster. So has, without ``shares``, a
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


# --- The bootstrap by whole clusters, for means without a natural scale: steps, seconds, cost.
# A rate has `cluster_rate`, a difference of rates `cluster_difference`: both hold their level
# better near the ends of the scale, and need no random numbers.

_FEWEST_CLUSTERS = 5
"""With fewer clusters, there are too few different draws for 95 %, and Student's t is used."""

_CELLS_AT_ONCE = 1 << 18
"""How many random numbers are in memory at a time: some megabytes."""

_DEAR = 16
"""The cost of counting the draws of one kind of cluster, in draws that are named one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """How a bootstrap is drawn: how many ``replicates``, and the ``confidence`` of its interval.

    ``bounds`` are the least and the greatest possible value, where a mean's values have such.
    """

    replicates: int = 10_000
    confidence: float = 0.95
    bounds: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        """Raises ValueError for fewer than 100 replicates, no confidence, or empty bounds."""
        check_fraction(self.confidence, "confidence")
        if self.replicates < 100:
            raise ValueError(f"{self.replicates} replicates: at least 100 are needed")
        if self.bounds is not None and not self.bounds[0] < self.bounds[1]:
            raise ValueError(f"bounds {self.bounds}: the first has to be less than the second")


@dataclass(frozen=True, slots=True)
class BootstrapMean:
    """A mean of ``n`` values in ``clusters`` clusters.

    ``method`` says where the limits are from: ``studentised`` (the bootstrap), ``t`` (fewer
    than 5 clusters), ``score`` (no spread, but bounds), or ``none``: no spread or a single
    cluster, and no bounds. Then nothing bounds the mean, and both limits are None.
    """

    mean: float
    low: float | None
    high: float | None
    n: int
    clusters: int
    method: str


def bootstrap_mean(
    values: ArrayLike,
    clusters: Labels,
    generator: np.random.Generator,
    drawing: Drawing | None = None,
) -> BootstrapMean:
    """The mean of ``values`` [N], with the studentised bootstrap by ``clusters`` [N].

    Whole clusters are drawn with replacement, and the limits come from the quantiles of
    (mean* - mean) / standard error*, both cluster-robust: B. Efron and R. J. Tibshirani, "An
    Introduction to the Bootstrap" (1993), section 12.5. Quantiles of mean* itself ("percentile")
    are too narrow with few clusters or a long tail. Draws without spread are left out.

    The result depends on the generator's state, and on no order. Raises ValueError for values
    that are not finite or out of bounds, and for missing labels.
    """
    plan = drawing or Drawing()
    numbers = read_numbers(values, "values")
    totals = ClusterTotals.of(numbers, clusters)
    if plan.bounds is not None:
        _check_bounds(numbers, plan.bounds)
    groups = totals.sizes.size
    robust = robust_variance(totals) if groups > 1 else Robust(0.0, math.inf)
    # Rounding leaves a little variance where the clusters' means are equal.
    scale = float(np.max(np.abs(numbers)))
    if math.sqrt(robust.variance) <= 1e-12 * scale:
        return _without_spread(numbers, clusters, totals, plan)
    error = math.sqrt(robust.variance)
    if groups < _FEWEST_CLUSTERS:
        t = t_quantile((1 + plan.confidence) / 2, robust.degrees)
        lower, upper, method = -t, t, "t"
    else:
        lower, upper = _studentised(totals, generator, plan)
        method = "studentised"
    low, high = totals.mean - upper * error, totals.mean - lower * error
    if plan.bounds is not None:
        low, high = max(low, plan.bounds[0]), min(high, plan.bounds[1])
    return BootstrapMean(totals.mean, low, high, numbers.size, groups, method)


def bootstrap_difference(
    first: ArrayLike,
    second: ArrayLike,
    clusters: Labels,
    generator: np.random.Generator,
    drawing: Drawing | None = None,
) -> BootstrapMean:
    """The mean of ``second - first``, both [N] and on the same tasks in the same order.

    As ``bootstrap_mean`` of the differences; bounds, if any, are the differences'.
    """
    one, other = read_numbers(first, "first"), read_numbers(second, "second")
    if one.shape != other.shape:
        raise ValueError(f"paired values are needed: {one.size} in first, {other.size} in second")
    return bootstrap_mean(other - one, clusters, generator, drawing)


def draw_totals(
    rows: Floats, generator: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    """Sums of ``rows`` [G, C] over G rows drawn with replacement, ``replicates`` times: [B, C].

    Equal rows are drawn together, by multinomial counts. The order of rows does not affect the
    result.
    """
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    groups = len(rows)
    counted = _DEAR * len(distinct) <= groups
    # If each draw is named, equal rows are adjacent, whatever the given order.
    columns = np.ascontiguousarray(np.repeat(distinct, counts, axis=0).T)
    block = max(1, _CELLS_AT_ONCE // (len(distinct) if counted else groups))
    sums = np.empty((replicates, rows.shape[1]))
    for start in range(0, replicates, block):
        size = min(block, replicates - start)
        if counted:
            drawn = generator.multinomial(groups, counts / groups, size=size)
            sums[start : start + size] = drawn @ distinct
        else:
            named = generator.integers(0, groups, size=(size, groups), dtype=np.int32)
            for at, column in enumerate(columns):
                sums[start : start + size, at] = _sum_of(column, named)
    return sums


def _sum_of(column: Floats, named: NDArray[np.int32]) -> Floats:
    """The sum of the named entries, for each row of ``named``."""
    if column.min() == column.max():
        return np.full(len(named), column[0] * named.shape[1])
    return np.asarray(column[named].sum(axis=1))


def _studentised(
    totals: ClusterTotals, generator: np.random.Generator, plan: Drawing
) -> tuple[float, float]:
    """The quantiles of the studentised mean over the draws."""
    sizes, groups = totals.sizes, totals.sizes.size
    # Centred on the sample's mean, the sums of squares below lose no digits.
    sums = totals.sums - sizes * totals.mean
    rows = np.column_stack((sizes, sums, sums**2, sums * sizes, sizes**2))
    n, total, squares, products, sizes_squared = draw_totals(rows, generator, plan.replicates).T
    shift = total / n
    variance = squares - 2 * shift * products + shift**2 * sizes_squared
    variance *= groups / (groups - 1) / n**2
    least = 1e-20 * float(np.max(sums**2)) / totals.n**2
    spread = variance > least
    studentised = shift[spread] / np.sqrt(variance[spread])
    tail = (1 - plan.confidence) / 2
    lower, upper = np.quantile(studentised, [tail, 1 - tail])
    # The limits enclose the mean, even if all draws are to one side.
    return min(float(lower), 0.0), max(float(upper), 0.0)


def _without_spread(
    numbers: Floats, clusters: Labels, totals: ClusterTotals, plan: Drawing
) -> BootstrapMean:
    n, groups = numbers.size, totals.sizes.size
    if plan.bounds is None:
        return BootstrapMean(totals.mean, None, None, n, groups, "none")
    least, greatest = plan.bounds
    width = greatest - least
    rate = cluster_rate(np.clip((numbers - least) / width, 0, 1), clusters, plan.confidence)
    low, high = least + width * rate.low, least + width * rate.high
    return BootstrapMean(totals.mean, low, high, n, groups, "score")


def _check_bounds(numbers: Floats, bounds: tuple[float, float]) -> None:
    outside = np.flatnonzero((numbers < bounds[0]) | (numbers > bounds[1]))
    if outside.size:
        at = outside[0]
        raise ValueError(f"values: entry {at} is {numbers[at]:g}, not within {bounds}")
