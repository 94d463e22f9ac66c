"""Draws a tree of actions: a row for each branch, its actions in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from env_service.results.report.drawings import Branch, TreeChart
from env_service.results.report.palette import GOOD, GRID, INK, MUTED, REST
from env_service.results.report.tree_text import SIZE, outcome, row_lines

WIDTH = 10.2
"""Inches: actions need room."""

_POINTS = 72.0
_LINE = 10.5
_GAP = 5.0
_RIGHT = 0.645 * WIDTH * _POINTS
"""Where it is said what came of the episodes."""
_INDENT = 15.0
_DEEPEST = 200.0
"""Points that indentation takes at most."""
_THINNEST, _THICKEST = 0.9, 7.0
_ENTRY = 12.0


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a row begins, in points from the upper left, and its lines."""

    x: float
    y: float
    lines: tuple[str, ...]


def draw_tree(chart: TreeChart) -> Figure:
    """The figure. Branches are as wide as they have episodes, and coloured by what they came to."""
    places = _places(chart.branches)
    bottom = places[-1].y + _LINE * len(places[-1].lines)
    figure = Figure(figsize=(WIDTH, (bottom + _LINE) / _POINTS))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, WIDTH * _POINTS)
    axes.set_ylim(bottom, -_LINE)
    axes.set_axis_off()
    widths = [_width(branch.episodes, chart.branches[0].episodes) for branch in chart.branches]
    for number, branch in enumerate(chart.branches):
        below = [n for n, other in enumerate(chart.branches) if other.parent == number]
        _trunk(axes, places, widths, number, below)
        if branch.parent is not None:
            _arm(axes, places[branch.parent].x, places[number], _colour(branch), widths[number])
    for branch, place in zip(chart.branches, places, strict=True):
        _write(axes, place, branch)
    return figure


def _places(branches: Sequence[Branch]) -> list[_Place]:
    deepest = max(branch.depth for branch in branches)
    indent = min(_INDENT, _DEEPEST / max(deepest, 1))
    places, y = [], 0.0
    for branch in branches:
        x = _THICKEST + branch.depth * indent
        lines = tuple(row_lines(branch, _RIGHT - x - 2 * _ENTRY))
        places.append(_Place(x, y, lines))
        y += _LINE * len(lines) + _GAP
    return places


def _width(episodes: int, total: int) -> float:
    return _THINNEST + (_THICKEST - _THINNEST) * episodes / max(total, 1)


def _trunk(
    axes: Axes,
    places: Sequence[_Place],
    widths: Sequence[float],
    parent: int,
    below: Sequence[int],
) -> None:
    """From a row down to those that leave it: as wide as what is still to leave."""
    x, upper = places[parent].x, places[parent].y
    for count, number in enumerate(below):
        left = sum(widths[other] for other in below[count:])
        width = min(left, widths[parent])
        lower = places[number].y
        (line,) = axes.plot([x, x], [upper, lower], color=GRID, linewidth=width, zorder=0)
        line.set_solid_capstyle("butt")
        upper = lower


def _arm(axes: Axes, x: float, place: _Place, colour: str, width: float) -> None:
    axes.plot([x, place.x], [place.y, place.y], color=colour, linewidth=width, zorder=1)


def _write(axes: Axes, place: _Place, branch: Branch) -> None:
    colour = _colour(branch)
    filled = branch.won > 0 or not branch.end
    axes.plot(
        [place.x],
        [place.y],
        marker="o",
        markersize=5.5,
        color=colour,
        markerfacecolor=colour if filled else "none",
        zorder=2,
    )
    for number, line in enumerate(place.lines):
        _text(axes, place.x + _ENTRY, place.y + _LINE * number, line, INK)
    told = outcome(branch, WIDTH * _POINTS - _RIGHT)
    _text(axes, _RIGHT, place.y, told, INK if branch.end else MUTED)


def _text(axes: Axes, x: float, y: float, text: str, colour: str) -> None:
    axes.text(x, y, text, fontsize=SIZE, color=colour, va="center")


def _colour(branch: Branch) -> str:
    """Whether all of them succeeded, none, or some."""
    if branch.won == branch.episodes:
        return GOOD
    return MUTED if branch.won else REST[0]
