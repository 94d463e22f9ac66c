"""From a declared measure and some episodes to one number with its interval."""

import math

import numpy as np

from env_service.results.report.content import EMPTY, Cell
from env_service.results.report.episode_columns import EpisodeColumns, Floats, Ints, within
from env_service.results.statistics import (
    Answers,
    Drawing,
    bootstrap_mean,
    matthews_interval,
    rate_interval,
    ratio_interval,
)
from env_service.results.statistics.distributions import t_quantile
from env_service.results.statistics.intervals import ClusterTotals, robust_variance
from env_service.suites.reporting import Field, Key, Label, Measure, Only, Quantity, Statistic, Unit

CORRELATION_DRAWING = Drawing(replicates=2000)
"""How the bootstrap interval of a Matthews correlation is drawn."""


def evaluate(measure: Measure, episodes: EpisodeColumns, chosen: Ints) -> Cell:
    """The measure over ``chosen``; EMPTY if none of them has the values for it."""
    if measure.only is not None:
        chosen = np.intersect1d(chosen, episodes.only(measure.only), assume_unique=True)
    if measure.statistic is Statistic.EPISODES:
        return Cell(len(chosen))
    if measure.share_of is not None:
        return _share(measure.share_of, episodes, chosen)
    if measure.answers is not None:
        return _matthews(*measure.answers, episodes, chosen)
    if measure.over is not None:
        return _macro(_needed(measure.quantity), measure.over, episodes, chosen)
    if measure.per:
        return _ratio(_needed(measure.quantity), measure.per, episodes, chosen)
    return _of_quantity(measure.statistic, _needed(measure.quantity), episodes, chosen)


def evaluate_share(episodes: EpisodeColumns, chosen: Ints, values: Floats) -> Cell:
    """The mean over ``chosen`` of ``values``, which has a number in 0 … 1 for every episode."""
    if not len(chosen):
        return EMPTY
    own = values[chosen]
    low, high = rate_interval(own, episodes.clusters[chosen], episodes.tasks[chosen])
    return Cell(float(own.mean()), low, high, len(chosen))


def _of_quantity(
    statistic: Statistic, quantity: Quantity, episodes: EpisodeColumns, chosen: Ints
) -> Cell:
    values = episodes.numbers(quantity)
    chosen = chosen[~np.isnan(values[chosen])]
    if not len(chosen):
        return EMPTY
    match statistic:
        case Statistic.SUM:
            return Cell(float(values[chosen].sum()), n=len(chosen))
        case Statistic.MEDIAN:
            return Cell(float(np.median(values[chosen])), n=len(chosen))
        case Statistic.REPEAT_MEDIAN:
            repeats = within(episodes.parts(Field.REPEAT), chosen)
            means = [float(values[members].mean()) for _, members in repeats]
            return Cell(float(np.median(means)), n=len(chosen)) if means else EMPTY
        case _:
            return _mean(statistic, quantity, episodes, chosen)


def _mean(statistic: Statistic, quantity: Quantity, episodes: EpisodeColumns, chosen: Ints) -> Cell:
    values = episodes.numbers(quantity)
    own = values[chosen]
    least, most = float(own.min()), float(own.max())
    share = statistic is Statistic.RATE or quantity.unit is Unit.PERCENT
    if share and least >= 0 and most <= 1:
        return evaluate_share(episodes, chosen, values)
    low, high = mean_interval(own, episodes.clusters[chosen], episodes.tasks[chosen])
    if low is not None and least >= 0 and not quantity.signed:
        low = max(0.0, low)
    if low is not None and high is not None and share and least >= -1 and most <= 1:
        low, high = max(-1.0, low), min(1.0, high)
    return Cell(float(own.mean()), low, high, len(chosen))


def _macro(quantity: Quantity, over: Key, episodes: EpisodeColumns, chosen: Ints) -> Cell:
    values = episodes.numbers(quantity)
    chosen = chosen[~np.isnan(values[chosen])]
    means = [float(values[own].mean()) for _, own in within(episodes.parts(over), chosen)]
    return Cell(float(np.mean(means)), n=len(chosen)) if means else EMPTY


def _ratio(
    quantity: Quantity, per: tuple[Quantity, ...], episodes: EpisodeColumns, chosen: Ints
) -> Cell:
    parts = episodes.numbers(quantity)
    wholes = np.sum([episodes.numbers(each) for each in per], axis=0)
    chosen = chosen[~np.isnan(parts[chosen] + wholes[chosen])]
    below = float(wholes[chosen].sum())
    if not below:
        return EMPTY
    low, high = ratio_interval(
        parts[chosen],
        wholes[chosen],
        episodes.clusters[chosen],
        episodes.tasks[chosen],
        shares=quantity.unit is Unit.PERCENT,
    )
    if low is not None and high is not None and quantity.unit is Unit.PERCENT:
        low, high = max(0.0, low), min(1.0, high)
    elif low is not None and float(parts[chosen].min()) >= 0 and not quantity.signed:
        low = max(0.0, low)
    return Cell(float(parts[chosen].sum()) / below, low, high, len(chosen))


def _share(of: Only, episodes: EpisodeColumns, chosen: Ints) -> Cell:
    having = np.zeros(len(episodes.all), bool)
    fitting = np.zeros(len(episodes.all))
    for name, members in episodes.parts(of.key):
        having[members] = True
        if name in of.values:
            fitting[members] = 1.0
    return evaluate_share(episodes, chosen[having[chosen]], fitting)


def _matthews(truth: Label, predicted: Label, episodes: EpisodeColumns, chosen: Ints) -> Cell:
    given = answers(truth, predicted, episodes, chosen)
    if given is None:
        return EMPTY
    found = matthews_interval(given, np.random.default_rng(0), CORRELATION_DRAWING)
    return Cell(found.mcc, found.low, found.high, found.n)


def answers(
    truth: Label, predicted: Label, episodes: EpisodeColumns, chosen: Ints
) -> Answers | None:
    """Both labels of those episodes of ``chosen`` that have them; None without any.

    As with rates, tasks serve as clusters if there is a single cluster.
    """
    both = [
        number
        for number in chosen
        if {truth.name, predicted.name} <= episodes.records[number].labels.keys()
    ]
    if not both:
        return None
    labels = [episodes.records[number].labels for number in both]
    true = [label[truth.name] for label in labels]
    said = [label[predicted.name] for label in labels]
    clusters = episodes.clusters[both]
    together = clusters if np.ptp(clusters) else episodes.tasks[both]
    return Answers(true, said, together, tuple(sorted({*true, *said})))


def _needed(quantity: Quantity | None) -> Quantity:
    if quantity is None:
        raise ValueError("a measure of a quantity has none")
    return quantity


# --- The interval of a mean that is not a share

Bounds = tuple[float, float] | tuple[None, None]

_LEAST_DRAWN, _MOST_DRAWN = 10, 100
"""The numbers of clusters for which the bootstrap is used.

Fewer clusters give too few different draws; with more, the mean is close enough to normal.
"""
_DRAWING = Drawing(replicates=2000)
_BROKEN_DOWN = 3.0
"""A bootstrap interval this many times as wide as Student's is discarded as uninformative."""


def mean_interval(values: Floats, clusters: Ints, tasks: Ints) -> Bounds:
    """The 95 % interval of any mean: the bootstrap over clusters, or Student's.

    ``values``, and the cluster and the task of each, are [N]. Within a single cluster, tasks serve
    as clusters, as in ``rate_interval``, which is for shares.

    Student's interval, with the cluster-robust variance, is used for many or few clusters, and if
    the bootstrap breaks down: if nearly all values are equal, draws without spread make its
    interval unbounded. None if the values do not vary, or there is a single task.
    """
    together = clusters if np.ptp(clusters) else tasks
    totals = ClusterTotals.of(values, together)
    if totals.sizes.size < 2:
        return None, None
    robust = robust_variance(totals)
    if math.sqrt(robust.variance) <= 1e-12 * float(np.max(np.abs(values))):
        return None, None
    reach = t_quantile(0.975, robust.degrees) * math.sqrt(robust.variance)
    if _LEAST_DRAWN <= totals.sizes.size <= _MOST_DRAWN:
        drawn = bootstrap_mean(values, together, np.random.default_rng(0), _DRAWING)
        if drawn.low is None or drawn.high is None:
            return None, None
        if drawn.high - drawn.low <= _BROKEN_DOWN * 2 * reach:
            return drawn.low, drawn.high
    return totals.mean - reach, totals.mean + reach
