"""How far a model agrees with people, before and after calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from env_service.suites.actplan.judges.agreement import (
    REPLICATES,
    Confusion,
    Interval,
    area_under_roc,
    count_verdicts,
    interval_by_cluster,
)
from env_service.suites.actplan.judges.model_judge.calibration import Calibration, brier
from env_service.suites.actplan.judges.model_judge.questions import LabelledQuestion
from env_service.suites.actplan.judges.model_judge.verdict import ModelVerdict

ALL = "all"
SEED = 20_240
"""Of the bootstrap: equal verdicts give equal intervals."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A labelled plan with the model's verdict."""

    asked: LabelledQuestion
    verdict: ModelVerdict


@dataclass(frozen=True, slots=True)
class Measure:
    """On one model's plans of one split.

    Attributes:
        plans: whose: a source, or `ALL`.
        said: the model's plain verdicts against people's.
        calibrated: those of its calibrated probabilities.
        interval: of the calibrated Matthews coefficient, activities being drawn.
        brier_said, brier_calibrated: of its probabilities as it names them, and calibrated.
        roc: area under the ROC curve, which no calibration changes.
    """

    split: str
    plans: str
    said: Confusion
    calibrated: Confusion
    interval: Interval
    brier_said: float
    brier_calibrated: float
    roc: float | None

    def to_json(self) -> dict[str, Any]:
        """As JSON, with the accuracy of the constant answer."""
        return {
            "split": self.split,
            "plans_of": self.plans,
            "plans": self.said.count,
            "baseline": self.said.baseline,
            "said": _told(self.said),
            "calibrated": _told(self.calibrated),
            "calibrated_mcc_interval": [self.interval.low, self.interval.high],
            "brier_said": self.brier_said,
            "brier_calibrated": self.brier_calibrated,
            "roc": self.roc,
        }


@dataclass(frozen=True, slots=True)
class Measuring:
    """``replicates``: draws of the bootstrap."""

    calibration: Calibration = field(default_factory=Calibration)
    replicates: int = REPLICATES

    def measures(self, rows: Sequence[Answered]) -> tuple[Measure, ...]:
        """By split, in the order in which they come: each source's plans, then all."""
        splits = dict.fromkeys(row.asked.split for row in rows)
        return tuple(
            self._measure(split, source, part)
            for split in splits
            for source, part in _parts([row for row in rows if row.asked.split == split]).items()
        )

    def _measure(self, split: str, source: str, rows: Sequence[Answered]) -> Measure:
        labels = [row.asked.label for row in rows]
        chances = [row.verdict.probability for row in rows]
        calibrated = [self.calibration.probability(chance) for chance in chances]
        verdicts = [self.calibration.verdict(chance) for chance in chances]
        interval = interval_by_cluster(
            list(zip(labels, verdicts, strict=True)),
            [row.asked.activity for row in rows],
            _mcc,
            np.random.default_rng(SEED),
            self.replicates,
        )
        return Measure(
            split=split,
            plans=source,
            said=count_verdicts(labels, [row.verdict.correct for row in rows]),
            calibrated=count_verdicts(labels, verdicts),
            interval=interval,
            brier_said=brier(chances, labels),
            brier_calibrated=brier(calibrated, labels),
            roc=area_under_roc(labels, chances),
        )


def _parts(rows: Sequence[Answered]) -> Mapping[str, Sequence[Answered]]:
    sources = dict.fromkeys(row.asked.question.source for row in rows)
    parts = {
        source: [row for row in rows if row.asked.question.source == source] for source in sources
    }
    return {**parts, ALL: rows}


def _mcc(counted: Confusion) -> float:
    return counted.mcc


def _told(counted: Confusion) -> dict[str, Any]:
    return {
        "mcc": counted.mcc,
        "accuracy": counted.accuracy,
        "true_positives": counted.true_positives,
        "false_positives": counted.false_positives,
        "false_negatives": counted.false_negatives,
        "true_negatives": counted.true_negatives,
    }
