"""The interval of one rate whose episodes are independent."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from env_service.results.statistics.checks import Floats, check_fraction, read_numbers
from env_service.results.statistics.distributions import normal_quantile


def wilson_interval(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of a rate, without continuity correction.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 22 (1927), 209-212. Both ends lie in
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

    ``successes`` and ``n`` are [N]. Raises ValueError as ``wilson_interval`` does, for the
    first entry that is no rate.
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

    ``n`` may be an effective number of episodes, hence fractional. Both ends lie in 0 … 1.
    """
    square = quantile * quantile
    centre = rate + square / (2 * n)
    spread = quantile * math.sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    scale = 1 + square / n
    # At the ends the formula is exactly 0 or 1, which floating point may miss.
    low = 0.0 if rate == 0 else max(0.0, (centre - spread) / scale)
    high = 1.0 if rate == 1 else min(1.0, (centre + spread) / scale)
    return low, high
