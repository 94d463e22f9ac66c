"""From a declared figure to what is drawn, what it says in words, and its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from env_service.domain.english import counted
from env_service.results.report.bars import make_bars, make_profile
from env_service.results.report.confusion import make_confusion
from env_service.results.report.drawings import (
    Axis,
    PointChart,
    StackChart,
)
from env_service.results.report.episodes import Episodes, Ints, Part, heading, within
from env_service.results.report.figure_parts import numbers_table
from env_service.results.report.lines import make_curve, make_histogram
from env_service.results.report.measures import evaluate
from env_service.results.report.model import FigureData
from env_service.results.report.tables import EMPTY, Cell, Column, Row
from env_service.results.report.tabulate import apart
from env_service.results.report.tree_figure import make_tree
from env_service.suites.reporting import (
    ActionTree,
    Bars,
    Confusion,
    Curve,
    Field,
    Figure,
    Histogram,
    Profile,
    ReportDesign,
    Scatter,
    Stacked,
    Unit,
)

MOST_PARTS = 8
"""Of a stacked bar, by their colours."""
MOST_RUNS = 8
"""Of a figure that shows several runs beside each other: more cannot be told apart."""


def make_figures(figure: Figure, design: ReportDesign, episodes: Episodes) -> list[FigureData]:
    """The figure, or one for each run where runs cannot share one; none where there is nothing.

    A figure that pools several runs says so.
    """
    runs = episodes.family.runs
    if isinstance(figure, Confusion) and len(runs) > 1:
        return _confusions(figure, design, episodes) if len(runs) <= MOST_RUNS else []
    made = make_figure(figure, design, episodes)
    if made is None:
        return []
    if _pools(figure, episodes):
        note = f"{made.note} All {len(runs)} runs together.".strip()
        return [replace(made, note=note)]
    return [made]


def _confusions(figure: Confusion, design: ReportDesign, episodes: Episodes) -> list[FigureData]:
    """A matrix for each run: pooled, they would tell of no agent."""
    found = []
    for name, members in within(episodes.parts(Field.RUN), episodes.only(figure.only)):
        mark = episodes.mark(name)
        own = replace(figure, id=f"{figure.id}-run-{mark.lower()}", title=f"{figure.title}: {name}")
        made = make_confusion(own, design, episodes, members)
        found += [] if made is None else [made]
    return found


def _pools(figure: Figure, episodes: Episodes) -> bool:
    """Whether the figure shows several runs as one."""
    match figure:
        case Bars(by=by, series=series) if series is not None:
            return apart(episodes, by, series) is not None
        case Curve(series=series) | Histogram(series=series) | Profile(series=series) if (
            series is not None
        ):
            return apart(episodes, series) is not None
        case Scatter(points=points):
            return apart(episodes, points) is not None
        case ActionTree():
            return len(episodes.family.runs) > 1
        case _:
            return False


def make_figure(figure: Figure, design: ReportDesign, episodes: Episodes) -> FigureData | None:
    """The figure's numbers; None where the episodes have nothing for it."""
    chosen = episodes.only(figure.only)
    if not len(chosen):
        return None
    match _legible(figure, episodes):
        case None:
            return None
        case Bars() as figure:
            return make_bars(figure, design, episodes, chosen)
        case Profile() as figure:
            return make_profile(figure, episodes, chosen)
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
        case ActionTree() as figure:
            return make_tree(figure, episodes, chosen)


def _legible(figure: Figure, episodes: Episodes) -> Figure | None:
    """The figure as it can still be read; None where it cannot.

    With more than MOST_RUNS runs, bars are of runs instead of the parts of each.
    """
    if len(episodes.family.runs) <= MOST_RUNS:
        return figure
    match figure:
        case Bars(series=None, by=by) if apart(episodes, by) is Field.RUN:
            return replace(figure, by=Field.RUN)
        case Stacked(by=by, parts=parts) if apart(episodes, by, parts) is Field.RUN:
            return replace(figure, by=Field.RUN)
        case Curve(series=None) | Histogram(series=None) | Profile(series=None):
            return None
        case _:
            return figure


def _stacked(
    figure: Stacked, design: ReportDesign, episodes: Episodes, chosen: Ints
) -> FigureData | None:
    parts = within(episodes.parts(figure.parts), chosen)
    bars = within(episodes.parts(figure.by), chosen)
    told = apart(episodes, figure.by, figure.parts)
    if told is not None:
        bars = [
            (f"{name} · {episodes.mark(run)}", own)
            for name, members in bars
            for run, own in within(episodes.parts(told), members)
        ]
    if not parts or not bars:
        return None
    parts = _told_apart(parts)
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
        drawing=StackChart(tuple(name for name, _ in bars), names, counts, figure.counted),
        description=f"Stacked bars: {figure.counted} of each {words} by {kinds}; in all {totals}.",
        table=numbers_table(figure, columns, rows),
        note=figure.note,
    )


def _told_apart(parts: list[Part]) -> list[Part]:
    """The commonest parts, and all others as one, where there are more than colours."""
    if len(parts) <= MOST_PARTS:
        return parts
    commonest = sorted(parts, key=lambda part: -len(part[1]))[: MOST_PARTS - 1]
    kept = {name for name, _ in commonest}
    rest = [members for name, members in parts if name not in kept]
    others = (counted(len(rest), "other"), np.unique(np.concatenate(rest)))
    return [*(part for part in parts if part[0] in kept), others]


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
            _marks(episodes, [name for name, _, _ in points]),
        ),
        description=f"Points: {figure.y.heading} against {figure.x.heading}, one for each {words}.",
        table=numbers_table(figure, columns, [Row((Cell(name), x, y)) for name, x, y in points]),
        note=figure.note,
    )


def _marks(episodes: Episodes, names: Sequence[str]) -> tuple[str, ...]:
    """The letters of runs; none where the points are anything else."""
    marks = tuple(episodes.mark(name) for name in names)
    return marks if all(mark != name for mark, name in zip(marks, names, strict=True)) else ()
