"""Numbers about results: pure functions on arrays, each with its source.

Which one:

- one rate over episodes, whatever they share: ``rate_interval``, which chooses between
  ``wilson_interval`` (independent episodes) and ``cluster_rate`` (shared scenes or tasks);
- several repeats of each task: ``summarize_repeats``;
- the ratio of two sums (kinds of failure over all failures named): ``ratio_interval``;
- a mean of steps, seconds or cost: ``bootstrap_mean``, and ``bootstrap_difference`` of two;
- two runs on the same tasks: ``compare``; several such tests at once: ``holm``;
- what a comparison could find: ``detectable_rates``, ``detectable_difference``;
- answers of several classes: ``count_answers`` and the functions that take its result.

``benchmarks/coverage.py`` measures how often the intervals cover what they estimate.
"""

from env_service.results.statistics.agreement import (
    Answers,
    Baseline,
    ClassScore,
    ConfusionCounts,
    Correlation,
    accuracy,
    class_scores,
    count_answers,
    kappa,
    majority_baseline,
    matthews,
    matthews_interval,
)
from env_service.results.statistics.inputs import EpisodeIndex
from env_service.results.statistics.intervals import (
    BootstrapMean,
    ClusterRate,
    Drawing,
    bootstrap_difference,
    bootstrap_mean,
    cluster_rate,
    rate_interval,
    ratio_interval,
    wilson_interval,
    wilson_intervals,
)
from env_service.results.statistics.paired import (
    Aim,
    Comparison,
    Detectable,
    Difference,
    cluster_difference,
    compare,
    detectable_difference,
    detectable_rates,
    holm,
    mcnemar_p_value,
    mcnemar_power,
)
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
    "ConfusionCounts",
    "Correlation",
    "Detectable",
    "Difference",
    "Drawing",
    "EpisodeIndex",
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
