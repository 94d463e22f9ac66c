"""Calibrates a model's probabilities against people's verdicts.

Two numbers are fitted, on the train split alone: a temperature, which divides logits so that
probabilities mean what they say (C. Guo et al., On Calibration of Modern Neural Networks, ICML
2017), and the threshold from which a plan is called correct.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from env_service.suites.actplan.judges.agreement import count_verdicts
from env_service.suites.actplan.judges.model_judge.verdict import CERTAIN

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

    def probability(self, said: float) -> float:
        """What a probability that the model names comes to, 0 … 1."""
        bounded = min(max(said, 1 - CERTAIN), CERTAIN)
        return float(_squash(math.log(bounded / (1 - bounded)) / self.temperature))

    def verdict(self, said: float) -> bool:
        """Whether a plan that the model gives this probability is called correct."""
        return self.probability(said) >= self.threshold


def fit(said: Sequence[float], labels: Sequence[bool]) -> Calibration:
    """The temperature of the least log loss, and then the threshold of the best Matthews'
    coefficient, of equal ones the nearest to a half.

    Args:
        said: the model's probabilities [N].
        labels: people's verdicts [N].

    Raises:
        CalibrationError: fewer than `LEAST` plans of either label.
        ValueError: the lengths differ.
    """
    marks = np.asarray(labels, dtype=np.bool_)
    if len(said) != marks.size:
        raise ValueError(f"{len(said)} probabilities, but {marks.size} labels")
    fewer = min(int(marks.sum()), int((~marks).sum()))
    if fewer < LEAST:
        raise CalibrationError(
            f"a calibration is fitted on {LEAST} plans of each label at least; there are"
            f" {int(marks.sum())} correct and {int((~marks).sum())} incorrect ones with a verdict"
        )
    bounded = np.clip(np.asarray(said, dtype=np.float64), 1 - CERTAIN, CERTAIN)
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
