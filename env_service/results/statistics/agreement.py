"""Answers against the truth: counts, and agreement beyond that of constant or random answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from env_service.results.statistics.distributions import t_quantile
from env_service.results.statistics.inputs import Floats, Labels, read_labels
from env_service.results.statistics.intervals import Drawing

_PRIOR = 2.0
"""Answers spread evenly over the table as a prior: half an answer in each of four cells."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """Matthews' correlation coefficient and its limits, over ``n`` answers in ``clusters``."""

    mcc: float
    low: float
    high: float
    n: int
    clusters: int


def matthews(confusion: ConfusionCounts) -> float:
    """Matthews' correlation coefficient, -1 … 1; 0 if all truths or all answers are equal.

    B. W. Matthews, "Comparison of the predicted and observed secondary structure of T4 phage
    lysozyme", Biochimica et Biophysica Acta 405 (1975), 442-451; for more than two classes R_K of
    J. Gorodkin, "Comparing two K-category assignments by a K-category correlation coefficient",
    Computational Biology and Chemistry 28 (2004), 367-374.
    """
    return float(_matthews(confusion.counts.astype(np.float64)))


def kappa(confusion: ConfusionCounts) -> float:
    """Cohen's kappa; 0 if all truths and all answers are one class, which proves nothing.

    J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological
    Measurement 20 (1960), 37-46.
    """
    counts, n = confusion.counts, confusion.n
    # Whole numbers until the division: by chance alone, expected / n² agree.
    expected = int(counts.sum(axis=0) @ counts.sum(axis=1))
    if expected == n * n:
        return 0.0
    return (n * int(np.trace(counts)) - expected) / (n * n - expected)


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers and truths, [N] each, with the cluster of each and the classes' names."""

    truth: Sequence[str]
    answers: Sequence[str]
    clusters: Labels
    labels: tuple[str, ...]


def matthews_interval(
    given: Answers, generator: np.random.Generator, drawing: Drawing | None = None
) -> Correlation:
    """Matthews' correlation coefficient with a bootstrap interval by clusters.

    The Bayesian bootstrap (D. B. Rubin, "The Bayesian bootstrap", Annals of Statistics 9
    (1981), 130-134): each cluster gets an exponential weight, and each cell of the table two
    answers' worth of prior, evenly spread, so that a table without errors has an interval too.
    The quantiles lie further out, by sqrt((G+1)/(G-1)) and Student's t for the normal, as T.
    Hesterberg, "What teachers should know about the bootstrap", The American Statistician 69
    (2015), 371-386, proposes for small samples; G is the number of clusters. A
    single cluster counts as one answer. The interval encloses the coefficient and has a width.

    Raises ValueError as ``count_answers`` does, and for missing cluster labels.
    """
    plan = drawing or Drawing()
    cells = cells_of(given.truth, given.answers, given.labels)
    if not cells.size:
        raise ValueError("answers: empty, so there is nothing to estimate from")
    clusters = read_labels(given.clusters, cells.size, "clusters")
    groups, classes = int(clusters.max()) + 1, len(given.labels)
    table = np.zeros((groups, classes * classes))
    np.add.at(table, (clusters, cells), 1)
    mcc = float(_matthews(table.sum(axis=0).reshape(classes, classes)))
    drawn = _draw_tables(table, generator, plan.replicates)
    tail = _tail(groups, plan.confidence)
    low, high = np.quantile(_matthews(drawn.reshape(-1, classes, classes)), [tail, 1 - tail])
    return Correlation(mcc, min(mcc, float(low)), max(mcc, float(high)), cells.size, groups)


def _matthews(tables: Floats) -> NDArray[np.float64]:
    """The coefficient of each table [..., K, K]."""
    truths, answers = tables.sum(axis=-1), tables.sum(axis=-2)
    n = truths.sum(axis=-1)
    hits = np.trace(tables, axis1=-2, axis2=-1)
    covariance = n * hits - np.sum(truths * answers, axis=-1)
    spreads = (n * n - np.sum(truths**2, axis=-1)) * (n * n - np.sum(answers**2, axis=-1))
    # Rounding may leave a trace of spread where all are of one class.
    defined = spreads > 1e-12 * n**4
    ratio = covariance / np.sqrt(np.where(defined, spreads, 1.0))
    return np.asarray(np.where(defined, np.clip(ratio, -1.0, 1.0), 0.0))


def _draw_tables(table: Floats, generator: np.random.Generator, replicates: int) -> Floats:
    """Weighted tables [B, K²]: the sum over clusters, and the prior."""
    groups, cells = table.shape
    if groups == 1:
        return generator.gamma(table[0] / table.sum() + _PRIOR / cells, size=(replicates, cells))
    distinct, counts = np.unique(table, axis=0, return_counts=True)
    drawn = generator.gamma(_PRIOR / cells, size=(replicates, cells))
    block = max(1, (1 << 20) // len(distinct))
    for start in range(0, replicates, block):
        size = min(block, replicates - start)
        # A sum of c exponentials is a gamma: equal clusters are drawn together.
        weights = generator.gamma(counts, size=(size, len(distinct)))
        drawn[start : start + size] += weights @ distinct
    return drawn


def _tail(groups: int, confidence: float) -> float:
    """The share of the draws beyond each limit."""
    if groups == 1:
        return (1 - confidence) / 2
    t = t_quantile((1 + confidence) / 2, groups - 1)
    reach = t * math.sqrt((groups + 1) / (groups - 1))
    return 0.5 * math.erfc(reach / math.sqrt(2))


# --- Counts of answers against the truth

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionCounts:
    """How often each answer was given for each truth.

    ``labels`` are K distinct classes in their order, ``counts`` int64 [K, K]: a row a truth, a
    column an answer.
    """

    labels: tuple[str, ...]
    counts: Counts

    def __post_init__(self) -> None:
        """Raises ValueError for repeated labels, another shape, negative counts, or none."""
        classes = len(self.labels)
        if len(set(self.labels)) < classes:
            raise ValueError(f"labels {self.labels}: one of them comes twice")
        if self.counts.shape != (classes, classes):
            raise ValueError(f"{classes} labels, but counts of shape {self.counts.shape}")
        if (self.counts < 0).any() or not self.counts.any():
            raise ValueError("counts: at least one answer is needed, and none may be negative")

    @property
    def n(self) -> int:
        """How many answers were counted."""
        return int(self.counts.sum())


@dataclass(frozen=True, slots=True)
class Baseline:
    """The best constant answer: the most frequent truth, the first of equals."""

    label: str
    accuracy: float


@dataclass(frozen=True, slots=True)
class ClassScore:
    """One class: ``truths`` have it, ``answers`` named it.

    ``precision`` is None if no answer named it, ``recall`` if no truth has it; ``f1`` is 2 hits /
    (truths + answers), None if both are 0.
    """

    label: str
    truths: int
    answers: int
    precision: float | None
    recall: float | None
    f1: float | None


def count_answers(
    truth: Sequence[str], answers: Sequence[str], labels: Sequence[str]
) -> ConfusionCounts:
    """Counts ``answers`` [N] against ``truth`` [N].

    Raises ValueError if they differ in length, are empty, or contain a value not in ``labels``.
    """
    counts = np.zeros((len(labels), len(labels)), dtype=np.int64)
    np.add.at(counts.reshape(-1), cells_of(truth, answers, labels), 1)
    return ConfusionCounts(tuple(labels), counts)


def cells_of(
    truth: Sequence[str], answers: Sequence[str], labels: Sequence[str]
) -> NDArray[np.intp]:
    """Which cell of the flattened table each answer belongs to: intp [N]."""
    if len(truth) != len(answers):
        raise ValueError(f"{len(truth)} truths, but {len(answers)} answers")
    place = {label: at for at, label in enumerate(labels)}
    for name, column in (("truth", truth), ("answers", answers)):
        for at, label in enumerate(column):
            if label not in place:
                raise ValueError(f"{name}: entry {at} is {label!r}, not one of {list(labels)}")
    pairs = zip(truth, answers, strict=True)
    found = (place[true] * len(labels) + place[answer] for true, answer in pairs)
    return np.fromiter(found, dtype=np.intp, count=len(truth))


def accuracy(confusion: ConfusionCounts) -> float:
    """The share of right answers."""
    return int(np.trace(confusion.counts)) / confusion.n


def majority_baseline(confusion: ConfusionCounts) -> Baseline:
    """The accuracy of always giving the most frequent truth."""
    truths = confusion.counts.sum(axis=1)
    at = int(np.argmax(truths))
    return Baseline(confusion.labels[at], int(truths[at]) / confusion.n)


def class_scores(confusion: ConfusionCounts) -> tuple[ClassScore, ...]:
    """Precision, recall and F1 of each class, in the order of the labels."""
    truths = confusion.counts.sum(axis=1).tolist()
    answers = confusion.counts.sum(axis=0).tolist()
    hits = np.diag(confusion.counts).tolist()
    return tuple(
        ClassScore(
            label=label,
            truths=true,
            answers=answered,
            precision=_ratio(hit, answered),
            recall=_ratio(hit, true),
            f1=_ratio(2 * hit, true + answered),
        )
        for label, true, answered, hit in zip(confusion.labels, truths, answers, hits, strict=True)
    )


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
