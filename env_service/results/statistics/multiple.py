"""Several tests at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from env_service.results.statistics.checks import Floats, read_scores


def holm(p_values: ArrayLike) -> Floats:
    """p-values adjusted for their number, float64 [N], in the order given.

    Rejecting those of at most alpha keeps the chance of any false rejection at alpha, whatever
    the dependence: S. Holm, "A simple sequentially rejective multiple test procedure",
    Scandinavian Journal of Statistics 6 (1979), 65-70. Raises ValueError for an empty list, or
    where one is no probability.
    """
    raw = read_scores(p_values, "p-values")
    order = np.argsort(raw, kind="stable")
    stepped = np.arange(raw.size, 0, -1) * raw[order]
    adjusted = np.empty_like(raw)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted
