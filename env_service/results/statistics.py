"""Numbers about rates."""

from __future__ import annotations

import math
from statistics import NormalDist


def wilson_interval(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of a rate, without continuity correction.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 22 (1927), 209-212. Both ends lie in
    0 … 1. Raises ValueError unless 0 <= successes <= n, 1 <= n and 0 < confidence < 1.
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n}: no rate")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence} is not between 0 and 1")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate = successes / n
    centre = rate + z * z / (2 * n)
    spread = z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # At the ends the formula is exactly 0 or 1, which floating point may miss.
    low = 0.0 if successes == 0 else (centre - spread) / scale
    high = 1.0 if successes == n else (centre + spread) / scale
    return low, high
