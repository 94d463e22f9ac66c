"""How far a judge agrees with people.

Most plans are not correct, so that the constant answer scores high: an accuracy is told beside that
of the constant answer, and Matthews' coefficient before either (spec: actplan.md section 0).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

REPLICATES = 10_000
"""Draws of a bootstrap, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """A judge's verdicts against labels, counted. A positive is a plan that is called correct."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    @property
    def count(self) -> int:
        """How many plans were judged."""
        return self.correct + self.incorrect

    @property
    def correct(self) -> int:
        """How many plans the labels call correct."""
        return self.true_positives + self.false_negatives

    @property
    def incorrect(self) -> int:
        """How many they do not."""
        return self.false_positives + self.true_negatives

    @property
    def accuracy(self) -> float:
        """The share of verdicts that agree, 0 … 1; 0 of none."""
        return _share(self.true_positives + self.true_negatives, self.count)

    @property
    def baseline(self) -> float:
        """The accuracy of the better of the two constant answers."""
        return _share(max(self.correct, self.incorrect), self.count)

    @property
    def precision(self) -> float | None:
        """Of the plans that the judge calls correct, the share that people do; None of none."""
        called = self.true_positives + self.false_positives
        return self.true_positives / called if called else None

    @property
    def recall(self) -> float | None:
        """Of the plans that people call correct, the share that the judge does; None of none."""
        return self.true_positives / self.correct if self.correct else None

    @property
    def mcc(self) -> float:
        """Matthews' correlation coefficient, -1 … 1; 0 where all labels or all verdicts are alike.

        B. W. Matthews, Biochimica et Biophysica Acta 405 (1975), 442-451.
        """
        called = self.true_positives + self.false_positives
        spread = called * (self.count - called) * self.correct * self.incorrect
        if not spread:
            return 0.0
        hits = self.true_positives * self.true_negatives
        misses = self.false_positives * self.false_negatives
        return (hits - misses) / math.sqrt(spread)


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval."""

    low: float
    high: float


def count_verdicts(labels: Sequence[bool], verdicts: Sequence[bool]) -> Confusion:
    """Verdicts [N] against labels [N]. Raises ValueError where their lengths differ."""
    pairs = list(zip(labels, verdicts, strict=True))
    return Confusion(
        true_positives=sum(label and verdict for label, verdict in pairs),
        false_positives=sum(verdict and not label for label, verdict in pairs),
        false_negatives=sum(label and not verdict for label, verdict in pairs),
        true_negatives=sum(not label and not verdict for label, verdict in pairs),
    )


def area_under_roc(labels: Sequence[bool], scores: Sequence[float]) -> float | None:
    """The chance that a correct plan scores above another, equal scores counting half; None where
    all labels are alike. Raises ValueError where lengths differ, or a score is not finite."""
    numbers = np.asarray(scores, dtype=np.float64)
    if len(labels) != numbers.size:
        raise ValueError(f"{len(labels)} labels, but {numbers.size} scores")
    if not np.isfinite(numbers).all():
        raise ValueError("scores: one of them is not finite")
    marks = np.asarray(labels, dtype=np.bool_)
    positive, negative = numbers[marks], np.sort(numbers[~marks])
    if not positive.size or not negative.size:
        return None
    below = np.searchsorted(negative, positive, side="left").sum()
    not_above = np.searchsorted(negative, positive, side="right").sum()
    return float(below + not_above) / (2 * positive.size * negative.size)


def interval_by_cluster(
    rows: Sequence[tuple[bool, bool]],
    clusters: Sequence[str],
    statistic: Callable[[Confusion], float],
    generator: np.random.Generator,
    replicates: int = REPLICATES,
) -> Interval:
    """A percentile interval of a statistic of the confusion, whole clusters being drawn with
    replacement: an activity's plans share its definition.

    Args:
        rows: (label, verdict) of each plan, N of them.
        clusters: of each plan its activity, N of them.

    Raises ValueError for no plans, and where the lengths differ.
    """
    table = _by_cluster(rows, clusters)
    groups = len(table)
    weights = generator.multinomial(groups, np.full(groups, 1 / groups), size=replicates)
    drawn = [statistic(Confusion(*map(int, each))) for each in weights @ table]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Interval(float(low), float(high))


def _by_cluster(rows: Sequence[tuple[bool, bool]], clusters: Sequence[str]) -> NDArray[np.int64]:
    """The cells of each cluster: int64 [G, 4]."""
    if not rows or len(rows) != len(clusters):
        raise ValueError(f"{len(rows)} plans in {len(clusters)} clusters: as many, and some")
    places = {name: at for at, name in enumerate(sorted(set(clusters)))}
    cell = {(True, True): 0, (False, True): 1, (True, False): 2, (False, False): 3}
    table = np.zeros((len(places), 4), dtype=np.int64)
    for row, cluster in zip(rows, clusters, strict=True):
        table[places[cluster], cell[row]] += 1
    return table


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
