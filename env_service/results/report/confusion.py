"""A confusion matrix of two labels, with what it is worth."""

from __future__ import annotations

import numpy as np

from env_service.results.report.drawings import Matrix
from env_service.results.report.episodes import Episodes, Ints, heading
from env_service.results.report.model import FigureData
from env_service.results.report.tables import Cell, Column, Row, TableData
from env_service.results.report.writing import bounded, one
from env_service.results.statistics import (
    Answers,
    Confusion,
    Drawing,
    class_scores,
    cluster_rate,
    count_answers,
    majority_baseline,
    matthews_interval,
)
from env_service.suites.reporting import Confusion as Design
from env_service.suites.reporting import ReportDesign, Unit

_DRAWING = Drawing(replicates=2000)


def make_confusion(
    figure: Design, design: ReportDesign, episodes: Episodes, chosen: Ints
) -> FigureData | None:
    """The matrix over the episodes that have both labels; None where there are none."""
    both = [
        number
        for number in chosen
        if {figure.truth.name, figure.predicted.name} <= episodes.records[number].labels.keys()
    ]
    if not both:
        return None
    labels = [episodes.records[number].labels for number in both]
    truth = [label[figure.truth.name] for label in labels]
    said = [label[figure.predicted.name] for label in labels]
    names = tuple(sorted({*truth, *said}))
    counted = count_answers(truth, said, names)
    given = Answers(truth, said, episodes.clusters[both], names)
    words = heading(figure.truth, design.group), heading(figure.predicted, design.group)
    return FigureData(
        id=figure.id,
        title=figure.title,
        drawing=Matrix(*words, names, tuple(tuple(row) for row in counted.counts.tolist())),
        description=_in_words(counted, given, np.equal(truth, said).astype(np.float64)),
        table=_table(figure, words, counted),
        note=figure.note,
    )


def _in_words(counted: Confusion, given: Answers, right: np.ndarray) -> str:
    accuracy = cluster_rate(right, given.clusters)
    matthews = matthews_interval(given, np.random.default_rng(0), _DRAWING)
    baseline = majority_baseline(counted)
    reached = bounded(Cell(accuracy.rate, accuracy.low, accuracy.high), Unit.PERCENT)
    agreement = bounded(Cell(matthews.mcc, matthews.low, matthews.high), Unit.NUMBER)
    return (
        f"Over {counted.n} episodes: accuracy {reached}, where always saying"
        f" “{baseline.label}” would reach {one(baseline.accuracy, Unit.PERCENT)};"
        f" Matthews correlation {agreement}."
    )


def _table(figure: Design, words: tuple[str, str], counted: Confusion) -> TableData:
    """A row for each truth: how often each was said, and how well the class was met."""
    columns = (
        Column("key", words[0]),
        *(Column(f"said {name}", name, Unit.NUMBER, words[1]) for name in counted.labels),
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
        for score, line in zip(class_scores(counted), counted.counts.tolist(), strict=True)
    ]
    return TableData(id=figure.id, title=figure.title, columns=columns, rows=tuple(rows))
