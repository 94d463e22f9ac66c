"""Which interval a rate over episodes gets."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from env_service.results.statistics.checks import Labels, read_scores
from env_service.results.statistics.clusters import cluster_rate
from env_service.results.statistics.rates import wilson_interval


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
