"""How far a classifier agrees with people on pairs that it was not trained on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from env_service.suites.actplan.judges.agreement import (
    Confusion,
    area_under_roc,
    count_verdicts,
)
from env_service.suites.actplan.learned.classifier import THRESHOLD, Classifier
from env_service.suites.actplan.learned.pairs import Labelled

ALL = "all"


@dataclass(frozen=True, slots=True)
class Agreement:
    """On one model's plans, or on `ALL`. ``roc``: the area under the ROC curve, None where all
    labels are alike."""

    model: str
    confusion: Confusion
    roc: float | None

    def to_json(self) -> dict[str, Any]:
        """As JSON, with the accuracy of the constant answer beside the accuracy."""
        told = self.confusion
        return {
            "model": self.model,
            "plans": told.count,
            "mcc": told.mcc,
            "accuracy": told.accuracy,
            "baseline": told.baseline,
            "roc": self.roc,
            "true_positives": told.true_positives,
            "false_positives": told.false_positives,
            "false_negatives": told.false_negatives,
            "true_negatives": told.true_negatives,
        }


def evaluate(
    classifier: Classifier, pairs: Sequence[Labelled], advance: Callable[[], None] | None = None
) -> tuple[Agreement, ...]:
    """The agreement on each model's plans, then on all. Raises ValueError where there are none."""
    if not pairs:
        raise ValueError("there are no labelled plans to evaluate with")
    return agreements(pairs, classifier.probabilities([each.example for each in pairs], advance))


def agreements(pairs: Sequence[Labelled], chances: Sequence[float]) -> tuple[Agreement, ...]:
    """What probabilities [N] of N pairs come to."""
    rows = [
        (each.model, each.example.label, chance)
        for each, chance in zip(pairs, chances, strict=True)
    ]
    models = dict.fromkeys(model for model, _, _ in rows)
    parts = {model: [row for row in rows if row[0] == model] for model in models}
    return tuple(_agreement(name, part) for name, part in [*parts.items(), (ALL, rows)])


def _agreement(name: str, rows: Sequence[tuple[str, bool, float]]) -> Agreement:
    labels, chances = [label for _, label, _ in rows], [chance for _, _, chance in rows]
    verdicts = [chance >= THRESHOLD for chance in chances]
    return Agreement(name, count_verdicts(labels, verdicts), area_under_roc(labels, chances))
