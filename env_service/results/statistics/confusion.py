"""Answers against the truth, counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
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
    """The constant answer that is right most often: the commonest truth, the first of equals."""

    label: str
    accuracy: float


@dataclass(frozen=True, slots=True)
class ClassScore:
    """One class: ``truths`` have it, ``answers`` named it.

    ``precision`` is None where no answer named it, ``recall`` where no truth has it; ``f1`` is
    2 hits / (truths + answers), None where both are 0.
    """

    label: str
    truths: int
    answers: int
    precision: float | None
    recall: float | None
    f1: float | None


def count_answers(truth: Sequence[str], answers: Sequence[str], labels: Sequence[str]) -> Confusion:
    """Counts ``answers`` [N] against ``truth`` [N].

    Raises ValueError where they differ in length, are empty, or one is not in ``labels``.
    """
    counts = np.zeros((len(labels), len(labels)), dtype=np.int64)
    np.add.at(counts.reshape(-1), cells_of(truth, answers, labels), 1)
    return Confusion(tuple(labels), counts)


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


def accuracy(confusion: Confusion) -> float:
    """The share of right answers."""
    return int(np.trace(confusion.counts)) / confusion.n


def majority_baseline(confusion: Confusion) -> Baseline:
    """What always giving the commonest truth would score."""
    truths = confusion.counts.sum(axis=1)
    at = int(np.argmax(truths))
    return Baseline(confusion.labels[at], int(truths[at]) / confusion.n)


def class_scores(confusion: Confusion) -> tuple[ClassScore, ...]:
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
