"""A confusion matrix of two labels, with what it is worth."""

from __future__ import annotations

import numpy as np

from env_service.domain.english import counted
from env_service.results.report.drawings import Matrix
from env_service.results.report.episodes import Episodes, Ints, heading
from env_service.results.report.measures import CORRELATION_DRAWING, answers
from env_service.results.report.model import FigureData
from env_service.results.report.tables import Cell, Column, Row, TableData
from env_service.results.report.writing import bounded, one
from env_service.results.statistics import (
    Answers,
    Confusion,
    class_scores,
    count_answers,
    majority_baseline,
    matthews_interval,
    rate_interval,
)
from env_service.suites.reporting import Confusion as Design
from env_service.suites.reporting import ReportDesign, Unit


def make_confusion(
    figure: Design, design: ReportDesign, episodes: Episodes, chosen: Ints
) -> FigureData | None:
    """The matrix over the episodes that have both labels; None where there are none."""
    given = answers(figure.truth, figure.predicted, episodes, chosen)
    if given is None:
        return None
    tally = count_answers(given.truth, given.answers, given.labels)
    words = heading(figure.truth, design.group), heading(figure.predicted, design.group)
    return FigureData(
        id=figure.id,
        title=figure.title,
        drawing=Matrix(*words, given.labels, tuple(tuple(row) for row in tally.counts.tolist())),
        description=_in_words(tally, given),
        table=_table(figure, words, tally),
        note=figure.note,
    )


def _in_words(tally: Confusion, given: Answers) -> str:
    right = np.equal(given.truth, given.answers).astype(np.float64)
    low, high = rate_interval(right, given.clusters, given.clusters)
    matthews = matthews_interval(given, np.random.default_rng(0), CORRELATION_DRAWING)
    baseline = majority_baseline(tally)
    reached = bounded(Cell(float(right.mean()), low, high), Unit.PERCENT)
    agreement = bounded(Cell(matthews.mcc, matthews.low, matthews.high), Unit.NUMBER)
    return (
        f"Over {counted(tally.n, 'episode')}: accuracy {reached}, where always saying"
        f" “{baseline.label}” would reach {one(baseline.accuracy, Unit.PERCENT)};"
        f" Matthews correlation {agreement}."
    )


def _table(figure: Design, words: tuple[str, str], tally: Confusion) -> TableData:
    """A row for each truth: how often each was said, and how well the class was met."""
    columns = (
        Column("key", words[0]),
        *(Column(f"said {name}", name, Unit.NUMBER, words[1]) for name in tally.labels),
        Column("precision", "precision", Unit.PERCENT),
        Column("recall", "recall", Unit.PERCENT),
        Column("f1", "F1", Unit.NUMBER),
    )
    rows = [
        Row(
            (
                Cell(score.label),
                *(Cell(count) for count in line),
                Cell(score.precision, n=score.answers),
                Cell(score.recall, n=score.truths),
                Cell(score.f1),
            )
        )
        for score, line in zip(class_scores(tally), tally.counts.tolist(), strict=True)
    ]
    return TableData(id=figure.id, title=figure.title, columns=columns, rows=tuple(rows))
