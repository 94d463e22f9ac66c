"""From a declared figure to what is drawn, what it says in words, and its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from env_service.results.report.confusion import make_confusion
from env_service.results.report.drawings import (
    Axis,
    BarChart,
    PointChart,
    StackChart,
)
from env_service.results.report.episodes import Episodes, Ints, heading, within
from env_service.results.report.figure_parts import figure_series, numbers_table
from env_service.results.report.lines import make_curve, make_histogram
from env_service.results.report.measures import evaluate
from env_service.results.report.model import FigureData
from env_service.results.report.tables import EMPTY, Cell, Column, Row
from env_service.results.report.tabulate import asks_for_runs
from env_service.results.report.writing import one
from env_service.suites.reporting import (
    Bars,
    Confusion,
    Curve,
    Field,
    Figure,
    Histogram,
    ReportDesign,
    Scatter,
    Stacked,
    Unit,
)

MOST_RUNS = 8
"""Of a figure that shows several runs beside each other: more cannot be told apart."""


def make_figure(figure: Figure, design: ReportDesign, episodes: Episodes) -> FigureData | None:
    """The figure's numbers; None where the episodes have nothing for it."""
    chosen = episodes.only(figure.only)
    if not len(chosen):
        return None
    match _legible(figure, episodes):
        case None:
            return None
        case Bars() as figure:
            return _bars(figure, design, episodes, chosen)
        case Stacked() as figure:
            return _stacked(figure, design, episodes, chosen)
        case Histogram() as figure:
            return make_histogram(figure, episodes, chosen)
        case Curve() as figure:
            return make_curve(figure, episodes, chosen)
        case Scatter() as figure:
            return _scatter(figure, design, episodes, chosen)
        case Confusion() as figure:
            return make_confusion(figure, design, episodes, chosen)


def _legible(figure: Figure, episodes: Episodes) -> Figure | None:
    """The figure as it can still be read; None where it cannot.

    With more than MOST_RUNS runs, bars are of runs instead of the parts of each.
    """
    if len(episodes.family.runs) <= MOST_RUNS:
        return figure
    match figure:
        case Bars(series=None, by=by) if asks_for_runs(episodes, by):
            return replace(figure, by=Field.RUN)
        case Stacked(by=by, parts=parts) if asks_for_runs(episodes, by, parts):
            return replace(figure, by=Field.RUN)
        case Curve(series=None) | Histogram(series=None):
            return None
        case _:
            return figure


def _bars(
    figure: Bars, design: ReportDesign, episodes: Episodes, chosen: Ints
) -> FigureData | None:
    parts = within(episodes.parts(figure.by), chosen)
    series = figure_series(episodes, figure.series, chosen, figure.by)
    measured = tuple(
        (
            name,
            tuple(
                evaluate(figure.measure, episodes, np.intersect1d(members, own, assume_unique=True))
                for _, members in parts
            ),
        )
        for name, own in series
    )
    if all(cell.value is None for _, cells in measured for cell in cells):
        return None
    names = tuple(name for name, _ in parts)
    words = heading(figure.by, design.group)
    columns = [Column("key", words)] + [
        Column(name or figure.measure.heading, name or figure.measure.heading, figure.measure.unit)
        for name, _ in measured
    ]
    rows = [
        Row((Cell(name), *(cells[place] for _, cells in measured)))
        for place, name in enumerate(names)
    ]
    return FigureData(
        id=figure.id,
        title=figure.title,
        drawing=BarChart(names, measured, Axis(figure.measure.heading, figure.measure.unit)),
        description=_bars_in_words(figure, words, names, _marked(episodes, measured)),
        table=numbers_table(figure, columns, rows),
        note=figure.note,
    )


def _marked(
    episodes: Episodes, measured: Sequence[tuple[str, tuple[Cell, ...]]]
) -> list[tuple[str, tuple[Cell, ...]]]:
    """The series with short names, where they are runs."""
    marks = {run.name: run.mark for run in episodes.family.runs}
    return [(marks.get(name, name), cells) for name, cells in measured]


def _bars_in_words(
    figure: Bars,
    words: str,
    names: tuple[str, ...],
    measured: Sequence[tuple[str, tuple[Cell, ...]]],
) -> str:
    said = []
    for series, cells in measured:
        known = [
            (float(cell.value), name)
            for cell, name in zip(cells, names, strict=True)
            if isinstance(cell.value, float | int)
        ]
        if not known:
            continue
        (low, worst), (high, best) = min(known), max(known)
        unit = figure.measure.unit
        extremes = f"from {one(low, unit)} ({worst}) to {one(high, unit)} ({best})"
        said.append(f"{series}: {extremes}" if series else extremes)
    return f"Bars: {figure.measure.heading} by {words}, {'; '.join(said)}."


def _stacked(
    figure: Stacked, design: ReportDesign, episodes: Episodes, chosen: Ints
) -> FigureData | None:
    parts = within(episodes.parts(figure.parts), chosen)
    bars = within(episodes.parts(figure.by), chosen)
    if asks_for_runs(episodes, figure.by, figure.parts):
        bars = [
            (f"{name} · {episodes.mark(run)}", own)
            for name, members in bars
            for run, own in within(episodes.parts(Field.RUN), members)
        ]
    if not parts or not bars:
        return None
    counts = tuple(
        tuple(len(np.intersect1d(own, members, assume_unique=True)) for _, members in parts)
        for _, own in bars
    )
    words, kinds = heading(figure.by, design.group), heading(figure.parts, design.group)
    names = tuple(name for name, _ in parts)
    columns = [Column("key", words)] + [Column(name, name, Unit.NUMBER, kinds) for name in names]
    rows = [
        Row((Cell(name), *map(Cell, line))) for (name, _), line in zip(bars, counts, strict=True)
    ]
    totals = ", ".join(f"{name} {len(members)}" for name, members in parts)
    return FigureData(
        id=figure.id,
        title=figure.title,
        drawing=StackChart(tuple(name for name, _ in bars), names, counts),
        description=f"Stacked bars: episodes of each {words} by {kinds}; in all {totals}.",
        table=numbers_table(figure, columns, rows),
        note=figure.note,
    )


def _scatter(
    figure: Scatter, design: ReportDesign, episodes: Episodes, chosen: Ints
) -> FigureData | None:
    points = tuple(
        (name, x, y)
        for name, members in within(episodes.parts(figure.points), chosen)
        if (x := evaluate(figure.x, episodes, members)) != EMPTY
        and (y := evaluate(figure.y, episodes, members)) != EMPTY
    )
    if len(points) < 2:
        return None
    words = heading(figure.points, design.group)
    columns = [
        Column("key", words),
        Column(figure.x.heading, figure.x.heading, figure.x.unit),
        Column(figure.y.heading, figure.y.heading, figure.y.unit),
    ]
    return FigureData(
        id=figure.id,
        title=figure.title,
        drawing=PointChart(
            points,
            Axis(figure.x.heading, figure.x.unit),
            Axis(figure.y.heading, figure.y.unit),
        ),
        description=f"Points: {figure.y.heading} against {figure.x.heading}, one a {words}.",
        table=numbers_table(figure, columns, [Row((Cell(name), x, y)) for name, x, y in points]),
        note=figure.note,
    )
