"""Calibrates a model's probabilities against people's verdicts, and measures how far they agree
before and after.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from env_service.suites.actplan.judges.agreement import (
    REPLICATES,
    Confusion,
    Interval,
    area_under_roc,
    count_verdicts,
    interval_by_cluster,
)
from env_service.suites.actplan.judges.model_judge import CERTAIN, LabelledQuestion, ModelVerdict

COLDEST, HOTTEST = 0.1, 20.0
"""The temperatures that are tried, in `_STEPS` steps of equal ratio."""

LEAST = 10
"""Plans of each label that a calibration is fitted on, at least."""

_STEPS = 400
_MIDDLE = 0.5


class CalibrationError(ValueError):
    """There is too little to fit a calibration on. The message says what."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """``temperature``: divides logits; ``threshold``: least calibrated probability of a plan that
    is called correct, 0 … 1. The default changes nothing."""

    temperature: float = 1.0
    threshold: float = _MIDDLE

    def probability(self, raw: float) -> float:
        """The calibrated value of a probability that the model names, 0 … 1."""
        bounded = min(max(raw, 1 - CERTAIN), CERTAIN)
        return float(_squash(math.log(bounded / (1 - bounded)) / self.temperature))

    def verdict(self, raw: float) -> bool:
        """Whether a plan that the model gives this probability is called correct."""
        return self.probability(raw) >= self.threshold


def fit(raw: Sequence[float], labels: Sequence[bool]) -> Calibration:
    """The temperature of the least log loss, and then the threshold of the best Matthews'
    coefficient, of equal ones the nearest to a half.

    Args:
        raw: the model's probabilities [N].
        labels: people's verdicts [N].

    Raises:
        CalibrationError: fewer than `LEAST` plans of either label.
        ValueError: the lengths differ.
    """
    marks = np.asarray(labels, dtype=np.bool_)
    if len(raw) != marks.size:
        raise ValueError(f"{len(raw)} probabilities, but {marks.size} labels")
    fewer = min(int(marks.sum()), int((~marks).sum()))
    if fewer < LEAST:
        raise CalibrationError(
            f"a calibration is fitted on {LEAST} plans of each label at least; there are"
            f" {int(marks.sum())} correct and {int((~marks).sum())} incorrect ones with a verdict"
        )
    bounded = np.clip(np.asarray(raw, dtype=np.float64), 1 - CERTAIN, CERTAIN)
    logits = np.log(bounded / (1 - bounded))
    tried = np.geomspace(COLDEST, HOTTEST, _STEPS)
    losses = [_log_loss(logits / temperature, marks) for temperature in tried]
    temperature = float(tried[int(np.argmin(losses))])
    return Calibration(temperature, _threshold(_squash(logits / temperature), marks))


def brier(chances: Sequence[float], labels: Sequence[bool]) -> float:
    """The mean squared difference of probabilities and labels, 0 … 1: 0 is perfect."""
    pairs = zip(chances, labels, strict=True)
    return sum((chance - label) ** 2 for chance, label in pairs) / len(labels)


def _threshold(chances: NDArray[np.float64], marks: NDArray[np.bool_]) -> float:
    levels = np.unique(chances)
    between = (levels[1:] + levels[:-1]) / 2
    # Away from the middle a threshold has to earn its place.
    tried = sorted([_MIDDLE, *between.tolist()], key=lambda level: (abs(level - _MIDDLE), level))
    labels = marks.tolist()
    return float(
        max(tried, key=lambda level: count_verdicts(labels, (chances >= level).tolist()).mcc)
    )


def _log_loss(logits: NDArray[np.float64], marks: NDArray[np.bool_]) -> float:
    signed = np.where(marks, logits, -logits)
    return float(np.logaddexp(0.0, -signed).mean())


def _squash(logits: NDArray[np.float64] | float) -> NDArray[np.float64]:
    squashed: NDArray[np.float64] = 1 / (1 + np.exp(-np.asarray(logits, dtype=np.float64)))
    return squashed


# --- How far a model agrees with people, before and after calibration

ALL = "all"
SEED = 20_240
"""Of the bootstrap: equal verdicts give equal intervals."""


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A labelled plan with the model's verdict."""

    labelled: LabelledQuestion
    verdict: ModelVerdict


@dataclass(frozen=True, slots=True)
class Measure:
    """On one model's plans of one split.

    Attributes:
        plans: whose: a source, or `ALL`.
        raw: the model's plain verdicts against people's.
        calibrated: those of its calibrated probabilities.
        interval: of the calibrated Matthews coefficient, activities being drawn.
        brier_raw, brier_calibrated: of its probabilities as it names them, and calibrated.
        roc: area under the ROC curve, which no calibration changes.
    """

    split: str
    plans: str
    raw: Confusion
    calibrated: Confusion
    interval: Interval
    brier_raw: float
    brier_calibrated: float
    roc: float | None

    def to_json(self) -> dict[str, Any]:
        """As JSON, with the accuracy of the constant answer."""
        return {
            "split": self.split,
            "plans_of": self.plans,
            "plans": self.raw.count,
            "baseline": self.raw.baseline,
            "said": _confusion_json(self.raw),
            "calibrated": _confusion_json(self.calibrated),
            "calibrated_mcc_interval": [self.interval.low, self.interval.high],
            "brier_said": self.brier_raw,
            "brier_calibrated": self.brier_calibrated,
            "roc": self.roc,
        }


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """``replicates``: draws of the bootstrap."""

    calibration: Calibration = field(default_factory=Calibration)
    replicates: int = REPLICATES

    def measures(self, rows: Sequence[AnsweredQuestion]) -> tuple[Measure, ...]:
        """By split, in the order in which they come: each source's plans, then all."""
        splits = dict.fromkeys(row.labelled.split for row in rows)
        return tuple(
            self._measure(split, source, part)
            for split in splits
            for source, part in _parts([row for row in rows if row.labelled.split == split]).items()
        )

    def _measure(self, split: str, source: str, rows: Sequence[AnsweredQuestion]) -> Measure:
        labels = [row.labelled.label for row in rows]
        chances = [row.verdict.probability for row in rows]
        calibrated = [self.calibration.probability(chance) for chance in chances]
        verdicts = [self.calibration.verdict(chance) for chance in chances]
        interval = interval_by_cluster(
            list(zip(labels, verdicts, strict=True)),
            [row.labelled.activity for row in rows],
            _mcc,
            np.random.default_rng(SEED),
            self.replicates,
        )
        return Measure(
            split=split,
            plans=source,
            raw=count_verdicts(labels, [row.verdict.correct for row in rows]),
            calibrated=count_verdicts(labels, verdicts),
            interval=interval,
            brier_raw=brier(chances, labels),
            brier_calibrated=brier(calibrated, labels),
            roc=area_under_roc(labels, chances),
        )


def _parts(rows: Sequence[AnsweredQuestion]) -> Mapping[str, Sequence[AnsweredQuestion]]:
    sources = dict.fromkeys(row.labelled.question.source for row in rows)
    parts = {
        source: [row for row in rows if row.labelled.question.source == source]
        for source in sources
    }
    return {**parts, ALL: rows}


def _mcc(counted: Confusion) -> float:
    return counted.mcc


def _confusion_json(counted: Confusion) -> dict[str, Any]:
    return {
        "mcc": counted.mcc,
        "accuracy": counted.accuracy,
        "true_positives": counted.true_positives,
        "false_positives": counted.false_positives,
        "false_negatives": counted.false_negatives,
        "true_negatives": counted.true_negatives,
    }
