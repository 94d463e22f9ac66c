"""Figures that are lines: histograms, and success within so much of a quantity."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from env_service.domain.english import counted
from env_service.results.report.drawings import Axis, Line, LineChart
from env_service.results.report.episodes import Episodes, Floats, Ints
from env_service.results.report.figure_parts import figure_series, numbers_table
from env_service.results.report.measures import evaluate_share
from env_service.results.report.model import FigureData
from env_service.results.report.tables import Cell, Column, Row
from env_service.results.report.writing import one
from env_service.suites.reporting import SUCCESS_FLAG, Curve, Histogram, Quantity, Unit

MOST_POINTS = 60
"""Of a curve: more cannot be told apart."""


def make_histogram(figure: Histogram, episodes: Episodes, chosen: Ints) -> FigureData | None:
    """How often the quantity falls into each range; None where no episode has it."""
    values = episodes.numbers(figure.quantity)
    known = values[chosen][~np.isnan(values[chosen])]
    if not len(known):
        return None
    edges = np.histogram_bin_edges(known, bins=figure.bins)
    lines, histograms = [], []
    for name, own in figure_series(episodes, figure.series, chosen):
        counts = np.histogram(values[own][~np.isnan(values[own])], bins=edges)[0]
        histograms.append((name or "episodes", counts))
        outline = (float(edges[0]), *_floats(edges)), (0.0, *_floats(counts), 0.0)
        lines.append(Line(name, *outline))
    unit = figure.quantity.unit
    columns = [Column("from", "from", unit), Column("to", "to", unit)]
    columns += [Column(name, name, Unit.NUMBER) for name, _ in histograms]
    rows = [
        Row((Cell(float(low)), Cell(float(high)), *(Cell(int(each[n])) for _, each in histograms)))
        for n, (low, high) in enumerate(pairwise(edges))
    ]
    return FigureData(
        id=figure.id,
        title=figure.title,
        drawing=LineChart(tuple(lines), _axis(figure.quantity), Axis("episodes")),
        description=(
            f"Histogram of {figure.quantity.heading} over {counted(len(known), 'episode')}:"
            f" median {one(float(np.median(known)), unit)},"
            f" from {one(float(known.min()), unit)} to {one(float(known.max()), unit)}."
        ),
        table=numbers_table(figure, columns, rows),
        note=figure.note,
    )


def make_curve(figure: Curve, episodes: Episodes, chosen: Ints) -> FigureData | None:
    """The rising share of successes; None where there is none."""
    values, won = episodes.numbers(figure.quantity), episodes.numbers(SUCCESS_FLAG)
    series = figure_series(episodes, figure.series, chosen)
    reached = values[chosen][(won[chosen] == 1) & ~np.isnan(values[chosen])]
    if not len(reached):
        return None
    grid = _grid(reached, float(np.nanmax(values[chosen])), counted=figure.counted)
    lines, columns, cells = [], [Column("key", figure.quantity.heading, figure.quantity.unit)], []
    for name, own in series:
        column = [
            evaluate_share(episodes, own, ((won == 1) & (values <= limit)).astype(np.float64))
            for limit in grid
        ]
        cells.append(column)
        heading_ = name or "success"
        columns.append(Column(heading_, heading_, Unit.PERCENT))
        lines.append(_line(name, grid, column))
    rows = [
        Row((Cell(float(limit)), *(column[place] for column in cells)))
        for place, limit in enumerate(grid)
    ]
    return FigureData(
        id=figure.id,
        title=figure.title,
        drawing=LineChart(
            tuple(lines),
            Axis(figure.quantity.heading, figure.quantity.unit, whole=figure.counted),
            Axis("success", Unit.PERCENT),
        ),
        description=_curve_in_words(figure, reached),
        table=numbers_table(figure, columns, rows),
        note=figure.note,
    )


def _curve_in_words(figure: Curve, reached: Floats) -> str:
    middle = one(float(np.median(reached)), figure.quantity.unit)
    return (
        f"Curve: share of episodes that succeeded within so many {figure.quantity.heading};"
        f" half of those that succeeded needed at most {middle}."
    )


def _grid(reached: Floats, largest: float, *, counted: bool) -> Floats:
    """0, the values at which the curve rises (at most MOST_POINTS), and where it ends.

    Of a quantity that counts, 0, 1, 2, … as long as these are no more than that.
    """
    if counted and largest < MOST_POINTS:
        return np.arange(int(largest) + 1, dtype=np.float64)
    rises = np.unique(reached)
    if len(rises) > MOST_POINTS:
        rises = np.unique(np.quantile(rises, np.linspace(0, 1, MOST_POINTS), method="nearest"))
    return np.unique(np.concatenate([[min(0.0, rises[0])], rises, [largest]]))


def _line(name: str, x: Floats, cells: Sequence[Cell]) -> Line:
    def column(values: Sequence[object]) -> tuple[float, ...]:
        return tuple(value if isinstance(value, float) else 0.0 for value in values)

    bounded = all(cell.interval is not None for cell in cells)
    return Line(
        name,
        _floats(x),
        column([cell.value for cell in cells]),
        column([cell.low for cell in cells]) if bounded else (),
        column([cell.high for cell in cells]) if bounded else (),
    )


def _axis(quantity: Quantity) -> Axis:
    return Axis(quantity.heading, quantity.unit)


def _floats(values: object) -> tuple[float, ...]:
    return tuple(map(float, np.asarray(values)))
