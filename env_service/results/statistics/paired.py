"""Two runs on the same tasks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from env_service.results.statistics.checks import Labels, check_fraction, read_scores
from env_service.results.statistics.clusters import ClusterTotals, robust_variance
from env_service.results.statistics.distributions import t_quantile, t_tails
from env_service.results.statistics.episodes import Episodes


@dataclass(frozen=True, slots=True)
class Difference:
    """``second - first``, a difference of two means within -1 … 1, and its limits.

    ``n`` pairs in ``clusters`` clusters. ``p_value`` is that of Student's two-sided test of no
    difference, which rejects where the limits before they are cut exclude 0.
    """

    difference: float
    low: float
    high: float
    n: int
    clusters: int
    p_value: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs on the tasks that both have scored.

    ``difference`` is of ``second_rate - first_rate``. ``first_better`` and ``second_better``
    count the tasks that one run solved more often than the other, over the repeats that both
    have; ``p_value`` is that of ``mcnemar_p_value`` for these counts, or the difference's where
    scores are means of unequally many episodes. ``pairing`` says what the
    rates are means of: ``episodes`` where both runs have the same repeats of every task, else
    ``tasks``, each by its mean. ``only_first`` and ``only_second`` count the tasks left out.
    """

    first_rate: float
    second_rate: float
    difference: Difference
    first_better: int
    second_better: int
    p_value: float
    tasks: int
    pairing: Literal["episodes", "tasks"]
    only_first: int
    only_second: int


def mcnemar_p_value(first_only: int, second_only: int) -> float:
    """The exact two-sided McNemar test, from the two counts of discordant pairs.

    Under the null hypothesis each discordant pair is as likely one way as the other. Twice the
    smaller tail of Binomial(first_only + second_only, 1/2), at most 1: Q. McNemar, "Note on the
    sampling error of the difference between correlated proportions or percentages",
    Psychometrika 12 (1947), 153-157, without its normal approximation. In whole numbers, hence
    exact for any count. Raises ValueError for negative counts.
    """
    if first_only < 0 or second_only < 0:
        raise ValueError(f"{first_only} and {second_only} discordant pairs: counts are needed")
    n, fewer = first_only + second_only, min(first_only, second_only)
    ways, tail = 1, 0
    for k in range(fewer + 1):
        tail += ways
        ways = ways * (n - k) // (k + 1)
    return min(1.0, 2 * tail / (1 << n))


def cluster_difference(
    first: ArrayLike, second: ArrayLike, clusters: Labels, confidence: float = 0.95
) -> Difference:
    """The mean of ``second - first`` over pairs, with an interval for new clusters too.

    ``first`` and ``second`` are [N], each entry 1, 0 or a fraction between, and stand for the
    same task in the same order; ``clusters`` names the cluster of each pair. The interval is
    the adjusted Wald of A. Agresti and Y. Min, "Simple improved confidence intervals for
    comparing matched proportions", Statistics in Medicine 24 (2005), 729-740 (half a pair more
    in each of the four cells), with the cluster-robust variance of ``robust_variance``, the
    four halves as clusters of their own, and Student's t. It is cut at -1 and 1 and encloses
    the difference; its width is never 0. A single cluster counts as one pair.

    Raises ValueError where the two differ in length, and as ``cluster_rate`` does.
    """
    check_fraction(confidence, "confidence")
    one, other = read_scores(first, "first"), read_scores(second, "second")
    if one.shape != other.shape:
        raise ValueError(f"paired scores are needed: {one.size} in first, {other.size} in second")
    totals = ClusterTotals.of(other - one, clusters)
    mean, groups = totals.mean, totals.sizes.size
    if groups == 1:
        degrees = math.inf
        totals = ClusterTotals(np.ones(1), np.array([mean]))
    else:
        degrees = robust_variance(totals).degrees
    halves = ClusterTotals(
        np.append(totals.sizes, [0.5] * 4), np.append(totals.sums, [0.5, -0.5, 0.0, 0.0])
    )
    error = math.sqrt(robust_variance(halves).variance)
    reach = t_quantile((1 + confidence) / 2, degrees) * error
    low = max(-1.0, min(mean, halves.mean - reach))
    high = min(1.0, max(mean, halves.mean + reach))
    p_value = t_tails(abs(halves.mean) / error, degrees)
    return Difference(mean, low, high, one.size, groups, p_value)


def compare(
    first: Episodes, second: Episodes, confidence: float = 0.95, *, averaged: bool = False
) -> Comparison:
    """Compares two runs task by task; see ``Comparison``.

    ``averaged``: scores are means of several episodes, more of them in one run than in the other.
    Of equally good runs the one with more is the less often perfect, and the less often at 0, so
    that counting which was better would test nothing: the test then is of the difference.

    The test is on tasks, since repeats of a task by one agent are alike: a task is one pair,
    discordant where one run solved it more often in the repeats that both have. It takes tasks
    for independent; where they share scenes, the interval of the difference is the safer guide.
    Raises ValueError where the runs have no task in common, or a task in different clusters.
    """
    tasks = sorted(set(first.tasks) & set(second.tasks))
    if not tasks:
        raise ValueError("the two runs have no scored task in common")
    homes, other_homes = first.cluster_of(), second.cluster_of()
    for task in tasks:
        if homes[task] != other_homes[task]:
            both = f"{homes[task]!r} in the first run and {other_homes[task]!r} in the second"
            raise ValueError(f"task {task!r} is in cluster {both}")
    common = set(tasks)
    one = {key: score for key, score in first.by_episode().items() if key[0] in common}
    other = {key: score for key, score in second.by_episode().items() if key[0] in common}
    same = one.keys() == other.keys()
    pairs = _episode_pairs(one, other) if same else _task_pairs(first, second, tasks)
    names, left, right = zip(*pairs, strict=True)
    gains = _gains(one, other)
    first_better = sum(gain < 0 for gain in gains)
    second_better = sum(gain > 0 for gain in gains)
    difference = cluster_difference(left, right, [homes[name] for name in names], confidence)
    p_value = difference.p_value if averaged else mcnemar_p_value(first_better, second_better)
    return Comparison(
        first_rate=math.fsum(left) / len(left),
        second_rate=math.fsum(right) / len(right),
        difference=difference,
        first_better=first_better,
        second_better=second_better,
        p_value=p_value,
        tasks=len(tasks),
        pairing="episodes" if same else "tasks",
        only_first=len(set(first.tasks) - common),
        only_second=len(set(second.tasks) - common),
    )


_Scores = dict[tuple[str, int], float]


def _episode_pairs(one: _Scores, other: _Scores) -> list[tuple[str, float, float]]:
    return [(key[0], one[key], other[key]) for key in sorted(one)]


def _task_pairs(
    first: Episodes, second: Episodes, tasks: list[str]
) -> list[tuple[str, float, float]]:
    left, right = first.by_task(), second.by_task()
    return [(task, float(left[task].mean()), float(right[task].mean())) for task in tasks]


def _gains(one: _Scores, other: _Scores) -> list[float]:
    """By how much the second run's scores exceed the first's: a sum for each task."""
    gains: dict[str, list[float]] = {}
    for key in one.keys() & other.keys():
        gains.setdefault(key[0], []).append(other[key] - one[key])
    return [math.fsum(gain) for gain in gains.values()]
