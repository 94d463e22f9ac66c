"""The bootstrap by whole clusters, for means without a natural scale: steps, seconds, cost.

A rate has ``cluster_rate``, a difference of rates ``cluster_difference``: both hold their level
better near the ends of the scale, and need no random numbers.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from env_service.results.statistics.distributions import t_quantile
from env_service.results.statistics.inputs import Floats, Labels, check_fraction, read_numbers
from env_service.results.statistics.intervals import (
    ClusterTotals,
    Robust,
    cluster_rate,
    robust_variance,
)

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
