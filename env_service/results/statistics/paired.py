"""Two runs on the same tasks: their difference, its test, and what such a test can detect."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from env_service.results.statistics.distributions import (
    binomial_cdf,
    normal_quantile,
    t_quantile,
    t_tails,
)
from env_service.results.statistics.inputs import (
    EpisodeIndex,
    Floats,
    Labels,
    check_fraction,
    read_scores,
)
from env_service.results.statistics.intervals import ClusterTotals, robust_variance


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
    in each of the four cells), with the cluster-robust variance of ``robust_variance``, each
    half as a separate cluster, and Student's t. It is cut at -1 and 1 and encloses
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
    first: EpisodeIndex, second: EpisodeIndex, confidence: float = 0.95, *, averaged: bool = False
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
    first: EpisodeIndex, second: EpisodeIndex, tasks: list[str]
) -> list[tuple[str, float, float]]:
    left, right = first.by_task(), second.by_task()
    return [(task, float(left[task].mean()), float(right[task].mean())) for task in tasks]


def _gains(one: _Scores, other: _Scores) -> list[float]:
    """By how much the second run's scores exceed the first's: a sum for each task."""
    gains: dict[str, list[float]] = {}
    for key in one.keys() & other.keys():
        gains.setdefault(key[0], []).append(other[key] - one[key])
    return [math.fsum(gain) for gain in gains.values()]


# --- Several tests at once


def holm(p_values: ArrayLike) -> Floats:
    """p-values adjusted for their number, float64 [N], in the order given.

    Rejecting those of at most alpha keeps the chance of any false rejection at alpha, whatever
    the dependence: S. Holm, "A simple sequentially rejective multiple test procedure",
    Scandinavian Journal of Statistics 6 (1979), 65-70. Raises ValueError for an empty list, or
    a value outside 0 … 1.
    """
    raw = read_scores(p_values, "p-values")
    order = np.argsort(raw, kind="stable")
    stepped = np.arange(raw.size, 0, -1) * raw[order]
    adjusted = np.empty_like(raw)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted


# --- How small a difference a comparison can find


@dataclass(frozen=True, slots=True)
class Aim:
    """A test's two-sided level, and the chance of finding a difference."""

    alpha: float = 0.05
    power: float = 0.8

    def __post_init__(self) -> None:
        """Raises ValueError unless 0 < alpha < 1 and alpha < power < 1."""
        check_fraction(self.alpha, "alpha")
        check_fraction(self.power, "power")
        if self.power <= self.alpha:
            raise ValueError(f"power {self.power} is not above alpha {self.alpha}")


@dataclass(frozen=True, slots=True)
class Detectable:
    """The nearest rates below and above ``rate`` that differ detectably; None if none."""

    rate: float
    below: float | None
    above: float | None


def detectable_rates(rate: float, n: int, other_n: int, aim: Aim | None = None) -> Detectable:
    """What two independent runs can tell apart, one with ``rate`` over ``n`` episodes.

    ``other_n`` are the other run's. The two-sided test of two rates with their pooled variance
    and no continuity correction, in the normal approximation of J. L. Fleiss, B. Levin and
    M. C. Paik, "Statistical Methods for Rates and Proportions" (3rd edition, 2003), chapter
    4. For clustered episodes take their effective number. Raises ValueError unless
    0 <= rate <= 1 and both numbers are at least 1.
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"rate {rate} is not within 0 … 1")
    if n < 1 or other_n < 1:
        raise ValueError(f"{n} and {other_n} episodes: at least 1 each is needed")
    goal = aim or Aim()
    z = normal_quantile(1 - goal.alpha / 2)
    wanted = normal_quantile(goal.power)

    def found(other: float) -> bool:
        pooled = (n * rate + other_n * other) / (n + other_n)
        under_null = math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / other_n))
        spread = math.sqrt(rate * (1 - rate) / n + other * (1 - other) / other_n)
        return abs(other - rate) - z * under_null >= wanted * spread

    return Detectable(rate, _nearest(found, rate, 0.0), _nearest(found, rate, 1.0))


def detectable_difference(n: int, discordant: float, aim: Aim | None = None) -> float | None:
    """The smallest difference of two rates on the same ``n`` tasks that McNemar's test finds.

    ``discordant`` is the share of tasks that just one of the two runs solves, 0 < … <= 1. The
    power is exact: of ``mcnemar_p_value``, over all outcomes (``mcnemar_power``). None where
    even a difference as large as ``discordant`` is found too seldom. Raises ValueError as
    ``mcnemar_power`` does.
    """
    goal = aim or Aim()
    design = _Design(n, discordant, goal.alpha)
    return _nearest(lambda difference: design.power(difference) >= goal.power, 0.0, discordant)


def mcnemar_power(n: int, discordant: float, difference: float, alpha: float = 0.05) -> float:
    """The chance that the exact McNemar test rejects at level ``alpha``.

    Each of ``n`` independent tasks is solved by one run alone with a chance of ``discordant``,
    split so that the two rates differ by ``difference``: S. W. Duffy, "Asymptotic and exact
    power for the McNemar test and its analogue with R controls per case", Biometrics 40 (1984),
    1005-1015. Outcomes of a total chance below 1e-9 are left out. Raises ValueError unless
    n >= 1, 0 < discordant <= 1, 0 < alpha < 1 and -discordant <= difference <= discordant.
    """
    check_fraction(alpha, "alpha")
    design = _Design(n, discordant, alpha)
    if abs(difference) > discordant:
        raise ValueError(f"a difference of {difference} needs more than {discordant} discordant")
    return design.power(difference)


class _Design:
    """The counts of discordant pairs that come, their chances, and when the test rejects."""

    def __init__(self, n: int, discordant: float, alpha: float) -> None:
        if n < 1:
            raise ValueError(f"{n} tasks: at least 1 is needed")
        if not 0 < discordant <= 1:
            raise ValueError(f"discordant {discordant} is not within 0 … 1, or is 0")
        self._discordant = discordant
        chances = list(_likely_counts(n, discordant))
        self._counts = [
            (count, chance, bound)
            for (count, chance), bound in zip(
                chances, _rejection_bounds([c for c, _ in chances], alpha), strict=True
            )
            if bound >= 0
        ]

    def power(self, difference: float) -> float:
        """The chance of a rejection."""
        better = (1 + difference / self._discordant) / 2
        return math.fsum(
            chance * (binomial_cdf(bound, count, better) + binomial_cdf(bound, count, 1 - better))
            for count, chance, bound in self._counts
        )


def _likely_counts(n: int, share: float) -> Iterator[tuple[int, float]]:
    """The numbers of discordant pairs with their binomial chances, but for the far tails."""
    if share == 1:
        yield n, 1.0
        return
    reach = 7 * math.sqrt(n * share * (1 - share)) + 10
    for count in range(max(0, int(n * share - reach)), min(n, int(n * share + reach)) + 1):
        ways = math.lgamma(n + 1) - math.lgamma(count + 1) - math.lgamma(n - count + 1)
        yield count, math.exp(ways + count * math.log(share) + (n - count) * math.log1p(-share))


def _rejection_bounds(counts: list[int], alpha: float) -> Iterator[int]:
    """The largest smaller count that rejects, for each of consecutive counts; -1: none."""
    bound = -1
    while binomial_cdf(bound + 1, counts[0], 0.5) <= alpha / 2:
        bound += 1
    for count in counts:
        # One pair more moves the bound by one at most.
        if binomial_cdf(bound + 1, count, 0.5) <= alpha / 2:
            bound += 1
        yield bound


def _nearest(found: Callable[[float], bool], start: float, end: float) -> float | None:
    """The value nearest to ``start`` that is found, on the way to ``end``, within 1e-6."""
    if start == end or not found(end):
        return None
    near, far = start, end
    while abs(far - near) > 1e-6:
        middle = (near + far) / 2
        near, far = (near, middle) if found(middle) else (middle, far)
    return far
