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
NARROW_WIDTH = 3.7
"""Inches, for a telephone: what came of a row then stands below it."""

_POINTS = 72.0
_LINE = 10.5
_GAP = 5.0
_RIGHT = 0.645 * WIDTH * _POINTS
"""Where it is said what came of the episodes."""
_INDENT = 15.0
_DEEPEST, _NARROW_DEEPEST = 200.0, 72.0
"""Points that indentation takes at most."""
_THINNEST, _THICKEST = 0.9, 7.0
_ENTRY = 12.0


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a row begins, in points from the upper left, its lines, and where and how it is said
    what came of its episodes."""

    x: float
    y: float
    lines: tuple[str, ...]
    told: str
    told_at: tuple[float, float]

    @property
    def bottom(self) -> float:
        """Where its last line ends."""
        return max(self.y + _LINE * (len(self.lines) - 1), self.told_at[1]) + _LINE


def draw_tree(chart: TreeChart, *, narrow: bool = False) -> Figure:
    """The figure. Branches are as wide as they have episodes, and coloured by what they came to.

    ``narrow``: for a telephone.
    """
    width = NARROW_WIDTH if narrow else WIDTH
    places = _places(chart.branches, narrow=narrow)
    bottom = places[-1].bottom
    figure = Figure(figsize=(width, (bottom + _LINE) / _POINTS))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width * _POINTS)
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


def _places(branches: Sequence[Branch], *, narrow: bool) -> list[_Place]:
    deepest = max(branch.depth for branch in branches)
    most = _NARROW_DEEPEST if narrow else _DEEPEST
    indent = min(_INDENT, most / max(deepest, 1))
    places: list[_Place] = []
    y = 0.0
    for branch in branches:
        x = _THICKEST + branch.depth * indent
        if narrow:
            room = NARROW_WIDTH * _POINTS - x - _ENTRY
            lines = tuple(row_lines(branch, room))
            at = (x + _ENTRY, y + _LINE * len(lines))
        else:
            room = WIDTH * _POINTS - _RIGHT
            lines = tuple(row_lines(branch, _RIGHT - x - 2 * _ENTRY))
            at = (_RIGHT, y)
        places.append(_Place(x, y, lines, outcome(branch, room), at))
        y = places[-1].bottom + _GAP
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
    _text(axes, *place.told_at, place.told, INK if branch.end else MUTED)


def _text(axes: Axes, x: float, y: float, text: str, colour: str) -> None:
    axes.text(x, y, text, fontsize=SIZE, color=colour, va="center")


def _colour(branch: Branch) -> str:
    """Whether all of them succeeded, none, or some."""
    if branch.won == branch.episodes:
        return GOOD
    return MUTED if branch.won else REST[0]
