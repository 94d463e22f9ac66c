"""Means over plans, as the paper's Table 4 has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from env_service.suites.actplan.judges.agreement import area_under_roc
from env_service.suites.actplan.lcs.scoring import Score

TOTAL = "total"

PUBLISHED: Mapping[str, tuple[float, float]] = {"gpt-4v": (14.23, 0.55), "gemini": (18.00, 0.67)}
"""Mean length and mean normalised length by model, over 402 instances, `Mode.COMPAT` (paper, Table
4; spec: actplan.md section 0)."""


@dataclass(frozen=True, slots=True)
class Row:
    """One model's plans, of one variant or in total.

    Attributes:
        part: a variant's value, or `TOTAL`.
        count: plans.
        best_length, best_normalised: the mean over plans, each with the gold that it is most like.
        mean_length, mean_normalised: the mean over plans of their means over golds.
        roc: area under the ROC curve of the best normalised length for people's labels; None where
            there are no labels, or all are alike. High because golds were edited from models' own
            answers (spec: actplan.md section 4): it finds copies.
    """

    model: str
    part: str
    count: int
    best_length: float
    best_normalised: float
    mean_length: float
    mean_normalised: float
    roc: float | None


def summarise(scores: Sequence[Score]) -> tuple[Row, ...]:
    """Rows by model, in the order in which they come first: each variant that it has plans of, and
    the total."""
    models = dict.fromkeys(score.case.model for score in scores)
    return tuple(row for model in models for row in _rows(model, scores))


def _rows(model: str, scores: Sequence[Score]) -> Iterator[Row]:
    own = [score for score in scores if score.case.model == model]
    for part in dict.fromkeys(score.case.variant for score in own):
        yield _row(model, part.value, [score for score in own if score.case.variant is part])
    yield _row(model, TOTAL, own)


def _row(model: str, part: str, scores: Sequence[Score]) -> Row:
    return Row(
        model=model,
        part=part,
        count=len(scores),
        best_length=fmean(score.best.length for score in scores),
        best_normalised=fmean(score.best.normalised for score in scores),
        mean_length=fmean(score.mean_length for score in scores),
        mean_normalised=fmean(score.mean_normalised for score in scores),
        roc=_roc(scores),
    )


def _roc(scores: Sequence[Score]) -> float | None:
    labelled = [
        (score.case.correct, score.best.normalised)
        for score in scores
        if score.case.correct is not None
    ]
    if not labelled:
        return None
    labels, values = zip(*labelled, strict=True)
    return area_under_roc(labels, values)
