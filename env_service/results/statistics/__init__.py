"""Numbers about results: pure functions on arrays, each with its source.

Which one:

- one rate over episodes, whatever they share: ``rate_interval``, which chooses between
  ``wilson_interval`` (independent episodes) and ``cluster_rate`` (shared scenes or tasks);
- several repeats of each task: ``summarize_repeats``;
- the ratio of two sums (kinds of failure over all kinds told): ``ratio_interval``;
- a mean of steps, seconds or cost: ``bootstrap_mean``, and ``bootstrap_difference`` of two;
- two runs on the same tasks: ``compare``; several such tests at once: ``holm``;
- what a comparison could find: ``detectable_rates``, ``detectable_difference``;
- answers of several classes: ``count_answers`` and what is computed from it.

``benchmarks/coverage.py`` measures how often the intervals cover what they estimate.
"""

from env_service.results.statistics.agreement import (
    Answers,
    Correlation,
    kappa,
    matthews,
    matthews_interval,
)
from env_service.results.statistics.bootstrap import (
    BootstrapMean,
    Drawing,
    bootstrap_difference,
    bootstrap_mean,
)
from env_service.results.statistics.clusters import ClusterRate, cluster_rate
from env_service.results.statistics.confusion import (
    Baseline,
    ClassScore,
    Confusion,
    accuracy,
    class_scores,
    count_answers,
    majority_baseline,
)
from env_service.results.statistics.episodes import Episodes
from env_service.results.statistics.interval import rate_interval
from env_service.results.statistics.multiple import holm
from env_service.results.statistics.paired import (
    Comparison,
    Difference,
    cluster_difference,
    compare,
    mcnemar_p_value,
)
from env_service.results.statistics.power import (
    Aim,
    Detectable,
    detectable_difference,
    detectable_rates,
    mcnemar_power,
)
from env_service.results.statistics.rates import wilson_interval, wilson_intervals
from env_service.results.statistics.ratios import ratio_interval
from env_service.results.statistics.repeats import (
    RepeatSummary,
    intraclass_correlation,
    pass_all_k,
    pass_at_k,
    summarize_repeats,
)

__all__ = [
    "Aim",
    "Answers",
    "Baseline",
    "BootstrapMean",
    "ClassScore",
    "ClusterRate",
    "Comparison",
    "Confusion",
    "Correlation",
    "Detectable",
    "Difference",
    "Drawing",
    "Episodes",
    "RepeatSummary",
    "accuracy",
    "bootstrap_difference",
    "bootstrap_mean",
    "class_scores",
    "cluster_difference",
    "cluster_rate",
    "compare",
    "count_answers",
    "detectable_difference",
    "detectable_rates",
    "holm",
    "intraclass_correlation",
    "kappa",
    "majority_baseline",
    "matthews",
    "matthews_interval",
    "mcnemar_p_value",
    "mcnemar_power",
    "pass_all_k",
    "pass_at_k",
    "rate_interval",
    "ratio_interval",
    "summarize_repeats",
    "wilson_interval",
    "wilson_intervals",
]
