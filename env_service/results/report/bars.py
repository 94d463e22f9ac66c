"""Figures of bars: a measure by a key's values, or several measures beside each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from env_service.results.report.drawings import Axis, BarChart
from env_service.results.report.episodes import Episodes, Ints, heading, within
from env_service.results.report.figure_parts import figure_series, numbers_table
from env_service.results.report.measures import evaluate
from env_service.results.report.model import FigureData
from env_service.results.report.published import (
    ORIGIN_COLUMNS,
    Origin,
    PublishedBar,
    origin_of,
    published_bars,
)
from env_service.results.report.tables import Cell, Column, Row, RowKind
from env_service.results.report.writing import one
from env_service.suites.reporting import Bars, Profile, ReportDesign, Unit

Series = tuple[str, tuple[Cell, ...]]
"""The name of what is shown in one colour, and a cell for each category."""


def make_bars(
    figure: Bars, design: ReportDesign, episodes: Episodes, chosen: Ints
) -> FigureData | None:
    """The measure for each value, and published ones below; None where no episode has it."""
    parts = within(episodes.parts(figure.by), chosen)
    series = figure_series(episodes, figure.series, chosen, figure.by)
    if figure.contrast and len(series) < 2:
        return None
    ours = tuple(
        (
            name,
            tuple(
                evaluate(figure.measure, episodes, np.intersect1d(members, own, assume_unique=True))
                for _, members in parts
            ),
        )
        for name, own in series
    )
    if all(cell.value is None for _, cells in ours for cell in cells):
        return None
    others: list[PublishedBar] = []
    if episodes.family.asked_models:
        world = episodes.family.manifest.world
        others = published_bars(figure, [name for name, _ in series], design, world)
    names = tuple(name for name, _ in parts)
    words, unit = heading(figure.by, design.group), figure.measure.unit
    named = [name or figure.measure.heading for name, _ in ours]
    columns = [Column("key", words), *(Column(name, name, unit) for name in named)]
    rows = _rows(names, ours)
    if others:
        origins = [origin_of(episodes.runs_of(members), design) for _, members in parts]
        columns, rows = _with_origins(columns, rows, origins, others)
    return FigureData(
        id=figure.id,
        title=figure.title,
        drawing=BarChart(
            (*names, *(f"{each.agent}, {each.origin[0]}" for each in others)),
            _with_published(ours, others),
            Axis(figure.measure.heading, unit),
            published=len(others),
        ),
        description=_in_words(
            f"{figure.measure.heading} by {words}", unit, names, _marked(episodes, ours)
        )
        + _published_in_words(others),
        table=numbers_table(figure, columns, rows),
        note=figure.note,
    )


def make_profile(figure: Profile, episodes: Episodes, chosen: Ints) -> FigureData | None:
    """A bar for each measure and series; None where no episode has any."""
    ours = tuple(
        (name, tuple(evaluate(measure, episodes, own) for measure in figure.measures))
        for name, own in figure_series(episodes, figure.series, chosen)
    )
    if all(cell.value is None for _, cells in ours for cell in cells):
        return None
    names = tuple(measure.heading for measure in figure.measures)
    unit = figure.measures[0].unit
    columns = [Column("key", "what")]
    columns += [Column(name or "all", name or "all", unit) for name, _ in ours]
    words = _in_words(figure.axis, unit, names, _marked(episodes, ours))
    return FigureData(
        id=figure.id,
        title=figure.title,
        drawing=BarChart(names, ours, Axis(figure.axis, unit)),
        description=words,
        table=numbers_table(figure, columns, _rows(names, ours)),
        note=figure.note,
    )


def _rows(names: Sequence[str], series: Sequence[Series]) -> list[Row]:
    return [
        Row((Cell(name), *(cells[place] for _, cells in series)))
        for place, name in enumerate(names)
    ]


def _with_origins(
    columns: Sequence[Column],
    rows: Sequence[Row],
    origins: Sequence[Origin],
    others: Sequence[PublishedBar],
) -> tuple[list[Column], list[Row]]:
    """Our rows and the published ones, each with its world and rules behind its name."""
    told = [
        Row((row.cells[0], *map(Cell, origin), *row.cells[1:]))
        for row, origin in zip(rows, origins, strict=True)
    ]
    told += [
        Row(
            (Cell(each.agent), *map(Cell, each.origin), *each.cells),
            RowKind.PUBLISHED,
            each.source,
        )
        for each in others
    ]
    return [columns[0], *ORIGIN_COLUMNS, *columns[1:]], told


def _with_published(ours: Sequence[Series], others: Sequence[PublishedBar]) -> tuple[Series, ...]:
    return tuple(
        (name, (*cells, *(each.cells[number] for each in others)))
        for number, (name, cells) in enumerate(ours)
    )


def _marked(episodes: Episodes, series: Sequence[Series]) -> list[Series]:
    """The series with short names, where they are runs."""
    return [(episodes.mark(name), cells) for name, cells in series]


def _in_words(what: str, unit: Unit, names: tuple[str, ...], series: Sequence[Series]) -> str:
    said = []
    for name, cells in series:
        known = [
            (float(cell.value), category)
            for cell, category in zip(cells, names, strict=True)
            if isinstance(cell.value, float | int)
        ]
        if not known:
            continue
        (low, worst), (high, best) = min(known), max(known)
        extremes = f"from {one(low, unit)} ({worst}) to {one(high, unit)} ({best})"
        if low == high:
            extremes = f"{one(low, unit)} throughout"
        said.append(f"{name}: {extremes}" if name else extremes)
    return f"Bars: {what}, {'; '.join(said)}."


def _published_in_words(others: Sequence[PublishedBar]) -> str:
    if not others:
        return ""
    sources = ". ".join(dict.fromkeys(each.source for each in others))
    return f" Hollow bars are published numbers, none of these runs. {sources}."
