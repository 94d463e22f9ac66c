"""Draws figures as SVG and PNG. It imports matplotlib, so import it only to draw."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from textwrap import wrap
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from env_service.domain.text import counted, safe
from env_service.results.report.content import (
    Axis,
    BarChart,
    Branch,
    Cell,
    Drawing,
    LineChart,
    Matrix,
    PointChart,
    StackChart,
    TreeChart,
)
from env_service.results.report.number_format import squeezed
from env_service.results.report.palette import (
    GOOD,
    GRID,
    INK,
    MUTED,
    PAPER,
    REST,
    SERIES,
    part_colours,
)
from env_service.suites.reporting import Unit

PNG_DPI = 200
_BAR = 0.24
_TALLEST = 60.0
"""The largest height of a PNG, in inches."""
_SHADES = LinearSegmentedColormap.from_list("shades", ["#eef4f9", SERIES[0]])

_STYLE: Any = {
    # Names come from agents and data: a dollar sign must not start a formula.
    "text.parse_math": False,
    "text.usetex": False,
    "svg.fonttype": "none",
    "font.family": ["DejaVu Sans", "sans-serif"],
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GRID,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "axes.unicode_minus": True,
}


@dataclass(frozen=True, slots=True)
class FigureSpace:
    """The room of a figure.

    In order: width in inches, letters in a line of a bar's name, lines of such a name, letters in a
    line of the legend and of a heading, and numbers on an axis.
    """

    width: float
    name: int
    name_lines: int
    line: int
    ticks: int


WIDE = FigureSpace(width=7.2, name=40, name_lines=1, line=80, ticks=6)
"""A text column, at 100 points to the inch."""
NARROW = FigureSpace(width=3.7, name=20, name_lines=2, line=40, ticks=4)
"""An upright phone, with letters as large as in the text column."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn figure. ``svg`` is a whole document, without a background."""

    svg: str
    png: bytes | None


def draw(
    drawing: Drawing, name: str, *, png: bool, label: str = "", room: FigureSpace = WIDE
) -> Picture:
    """Draws a figure; equal drawings with equal names give equal SVG.

    ``png`` adds pixels; ``label`` is written above the figure.
    """
    style = _STYLE | {"svg.hashsalt": name}
    with mpl.rc_context(style):
        figure = _figure(drawing, room)
        if label:
            text = "\n".join(wrap(safe(label), room.line + 10))
            figure.suptitle(text, fontsize=8, color=SERIES[1])
        vector = io.StringIO()
        figure.savefig(vector, format="svg", metadata={"Date": None, "Creator": None})
        pixels = io.BytesIO()
        if png:
            plain = {"Software": None}
            figure.savefig(pixels, format="png", dpi=PNG_DPI, facecolor=PAPER, metadata=plain)
    return Picture(vector.getvalue(), pixels.getvalue() if png else None)


def _figure(drawing: Drawing, room: FigureSpace) -> Figure:
    match drawing:
        case BarChart():
            return _bars(drawing, room)
        case StackChart():
            return _stack(drawing, room)
        case LineChart():
            return _lines(drawing, room)
        case PointChart():
            return _points(drawing, room)
        case Matrix():
            return _matrix(drawing, room)
        case TreeChart():
            return draw_tree(drawing, narrow=room is NARROW)


def _new(height: float, width: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, min(height, _TALLEST)), layout="constrained")
    return figure, figure.subplots()


def _bars(chart: BarChart, room: FigureSpace) -> Figure:
    """Draws points with whiskers rather than filled bars, because readers need the interval."""
    count = max(1, len(chart.series))
    names = [name for name, _ in chart.series]
    rows = len(chart.categories)
    height = 0.85 + rows * max(_row(room), _BAR * count) + _legend_height(names, room)
    figure, axes = _new(height, room.width)
    places, ours = np.arange(rows), rows - chart.published
    spread = 0.7 / count
    for number, (name, cells) in enumerate(chart.series):
        offset = (number - (count - 1) / 2) * spread
        colour = SERIES[number % len(SERIES)]
        lengths = [_number(cell) for cell in cells]
        axes.barh(
            places[:ours] + offset,
            lengths[:ours],
            height=spread * 0.86,
            color=colour,
            alpha=0.35,
            label=_entry(name, room) if name else None,
        )
        axes.barh(
            places[ours:] + offset,
            lengths[ours:],
            height=spread * 0.8,
            facecolor="none",
            edgecolor=colour,
            linewidth=0.8,
            linestyle=(0, (3, 2)),
        )
        for place, cell in enumerate(cells):
            if cell.value is not None:
                _whisker(axes, place + offset, cell, colour, hollow=place >= ours)
    _categories(axes, chart, ours, room)
    axes.set_ylim(rows - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    signed = any(
        (_number(cell) < 0 or (cell.low or 0) < 0) for _, cells in chart.series for cell in cells
    )
    _axis(axes, chart.value, "x", room, full=not signed)
    if signed:
        axes.axvline(0, color=MUTED, linewidth=1)
    _legend(axes, names, room)
    return figure


def _categories(axes: Axes, chart: BarChart, ours: int, room: FigureSpace) -> None:
    """Names the bars and marks published ones."""
    names = [_tick(name, room) for name in chart.categories[:ours]]
    names += [_tick(name, room, " (published)") for name in chart.categories[ours:]]
    axes.set_yticks(range(len(names)), names)
    for label in axes.get_yticklabels()[ours:]:
        label.set(style="italic", color=MUTED)
    if chart.published and ours:
        axes.axhline(ours - 0.5, color=GRID, linewidth=1)


def _whisker(axes: Axes, place: float, cell: Cell, colour: str, *, hollow: bool) -> None:
    value = _number(cell)
    if cell.interval is not None:
        axes.plot(
            cell.interval, [place, place], color=colour, linewidth=1.6, solid_capstyle="round"
        )
    inside = "none" if hollow else colour
    axes.plot([value], [place], "o", color=colour, markerfacecolor=inside, markersize=4.5)


def _stack(chart: StackChart, room: FigureSpace) -> Figure:
    rows = len(chart.categories)
    height = 0.85 + rows * _row(room) + _legend_height(chart.parts, room)
    figure, axes = _new(height, room.width)
    counts = np.array(chart.counts, dtype=float)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    left = np.zeros(rows)
    for number, (part, colour) in enumerate(
        zip(chart.parts, part_colours(chart.parts), strict=True)
    ):
        axes.barh(
            range(rows),
            shares[:, number],
            left=left,
            height=0.66,
            color=colour,
            label=_entry(part, room),
        )
        for row in range(rows):
            if shares[row, number] > 0.06:
                middle = left[row] + shares[row, number] / 2
                text = f"{chart.counts[row][number]}"
                axes.text(middle, row, text, ha="center", va="center", fontsize=8, color="#ffffff")
        left += shares[:, number]
    axes.set_yticks(range(rows), [_tick(name, room) for name in chart.categories])
    axes.invert_yaxis()
    axes.grid(visible=False)
    axes.tick_params(axis="y", length=0)
    _axis(axes, Axis(f"share of {chart.counted}", Unit.PERCENT), "x", room, full=True)
    _legend(axes, chart.parts, room)
    return figure


def _lines(chart: LineChart, room: FigureSpace) -> Figure:
    names = [line.name for line in chart.lines]
    figure, axes = _new(3.0 + _legend_height(names, room), room.width)
    for number, line in enumerate(chart.lines):
        colour = SERIES[number % len(SERIES)]
        label = _entry(line.name, room) if line.name else None
        axes.step(line.x, line.y, where="post", color=colour, linewidth=1.8, label=label)
        if line.low:
            band = axes.fill_between(line.x, line.low, line.high, step="post", linewidth=0)
            band.set(color=colour, alpha=0.16 if len(names) < 3 else 0.08)
    _axis(axes, chart.x, "x", room)
    _axis(axes, chart.y, "y", room, full=chart.y.unit is Unit.PERCENT)
    axes.set_ylim(bottom=0)
    _legend(axes, names, room)
    return figure


def _points(chart: PointChart, room: FigureSpace) -> Figure:
    names = [name for name, _, _ in chart.points]
    figure, axes = _new(3.4 + _legend_height(names, room), room.width)
    for number, (name, x, y) in enumerate(chart.points):
        colour, marker = SERIES[number % len(SERIES)], "osD^vP"[number // len(SERIES) % 6]
        axes.errorbar(
            _number(x),
            _number(y),
            xerr=_error(x),
            yerr=_error(y),
            fmt=marker,
            color=colour,
            label=_entry(name, room),
            markersize=6,
            elinewidth=1.2,
        )
    _axis(axes, chart.x, "x", room)
    _axis(axes, chart.y, "y", room, full=chart.y.unit is Unit.PERCENT)
    middle = sum(axes.get_ylim()) / 2
    for (left, height), marks in _marked(chart).items():
        # Towards the middle, which has room.
        place = (6, -11) if height > middle else (6, 5)
        axes.annotate(marks, (left, height), place, textcoords="offset points", fontsize=8.5)
    _legend(axes, names, room)
    return figure


def _marked(chart: PointChart) -> dict[tuple[float, float], str]:
    """The positions of the marks; points at the same place share one."""
    found: dict[tuple[float, float], str] = {}
    for mark, (_, x, y) in zip(chart.marks, chart.points, strict=False):
        place = (_number(x), _number(y))
        found[place] = ", ".join(filter(None, (found.get(place, ""), safe(mark))))
    return found


def _matrix(chart: Matrix, room: FigureSpace) -> Figure:
    size = len(chart.names)
    side = min(room.width - 0.8, 1.8 + 0.5 * size)
    figure, axes = _new(side, min(room.width, side + 1.2))
    counts = np.array(chart.counts, dtype=float)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    # Not imshow: it embeds an image in the SVG, which a page would have to fetch.
    axes.pcolormesh(shares, cmap=_SHADES, vmin=0, vmax=1)
    axes.set_aspect("equal")
    axes.invert_yaxis()
    for row in range(size):
        for column in range(size):
            colour = "#ffffff" if shares[row, column] > 0.5 else "#1c1e21"
            text = str(chart.counts[row][column])
            axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=colour)
    names = [_short(name, 18) for name in chart.names]
    middles = np.arange(size) + 0.5
    axes.set_xticks(middles, names)
    if size > 3:
        axes.tick_params(axis="x", labelrotation=35)
    axes.set_yticks(middles, names)
    axes.set_xlabel(safe(chart.predicted))
    axes.set_ylabel(safe(chart.truth))
    axes.grid(visible=False)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return figure


def _axis(axes: Axes, axis: Axis, which: str, room: FigureSpace, *, full: bool = False) -> None:
    """Names an axis and formats its numbers; ``full`` shows all of 0 … 100 %."""
    part = axes.xaxis if which == "x" else axes.yaxis
    part.set_label_text("\n".join(wrap(safe(axis.heading), room.line)))
    if axis.unit is Unit.PERCENT and full:
        limit = axes.set_xlim if which == "x" else axes.set_ylim
        limit(0, 1.02)
        shares = [0, 0.2, 0.4, 0.6, 0.8, 1] if room.ticks > 5 else [0, 0.25, 0.5, 0.75, 1]
        part.set_major_locator(FixedLocator(shares))
    else:
        if which == "x" and full:
            axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))
        part.set_major_locator(
            MaxNLocator(room.ticks, steps=[1, 2, 2.5, 5, 10], integer=axis.whole)
        )
    part.set_major_formatter(FuncFormatter(_ticks(axis.unit)))


def _ticks(unit: Unit) -> Callable[[float, int], str]:
    def write(value: float, _place: int) -> str:
        if unit in (Unit.PERCENT, Unit.POINTS):
            sign = "%" if unit is Unit.PERCENT else "pp"
            return f"{100 * value:.0f} {sign}".replace("-", "−")
        number = f"{value:,.10g}".replace("-", "−")
        return {Unit.DOLLARS: f"${number}", Unit.SECONDS: f"{number} s"}.get(unit, number)

    return write


def _legend_height(names: Sequence[str], room: FigureSpace) -> float:
    if len(names) < 2:
        return 0.0
    return 0.2 * math.ceil(len(names) / _legend_columns(names, room)) + 0.1


def _legend_columns(names: Sequence[str], room: FigureSpace) -> int:
    longest = max(map(len, names), default=0)
    fitting = 1 if longest > 34 else 2 if longest > 16 else 4
    return max(1, fitting * room.line // WIDE.line)


def _legend(axes: Axes, names: Sequence[str], room: FigureSpace) -> None:
    """Draws the legend above the axes, unless there is a single series."""
    if any(names):
        columns = min(len(names), _legend_columns(names, room))
        axes.figure.legend(loc="outside upper left", ncols=columns, fontsize=8.5)


def _row(room: FigureSpace) -> float:
    """The height of a bar's name, in inches."""
    return 0.14 + 0.16 * room.name_lines


def _tick(name: str, room: FigureSpace, more: str = "") -> str:
    """A bar's name, in at most the allowed number of lines; ``more`` is never cut."""
    most = room.name * room.name_lines
    if room.name_lines == 1:
        return _short(name, most) + more
    return "\n".join(wrap(_short(name, most - len(more)) + more, room.name)[: room.name_lines + 1])


def _entry(name: str, room: FigureSpace) -> str:
    """A name in the legend."""
    return _short(name, room.line)


def _number(cell: Cell) -> float:
    return float(cell.value) if isinstance(cell.value, float | int) else math.nan


def _error(cell: Cell) -> list[list[float]] | None:
    if cell.interval is None:
        return None
    value, (low, high) = _number(cell), cell.interval
    return [[max(0.0, value - low)], [max(0.0, high - value)]]


def _short(name: str, most: int = 80) -> str:
    return squeezed(safe(name), most)


# --- Draws a tree of actions: a row for each branch, with its actions in words

WIDTH = 10.2
"""Inches, wide enough for actions."""
NARROW_WIDTH = 3.7
"""Inches, for a phone, where the outcome of a row is below its actions."""

_POINTS = 72.0
_LINE = 10.5
_GAP = 5.0
_RIGHT = 0.645 * WIDTH * _POINTS
"""The column with the outcome of the episodes, in points."""
_INDENT = 15.0
_DEEPEST, _NARROW_DEEPEST = 200.0, 72.0
"""The widest indentation, in points."""
_THINNEST, _THICKEST = 0.9, 7.0
_ENTRY = 12.0


@dataclass(frozen=True, slots=True)
class _Place:
    """The layout of a row.

    It gives the upper left corner in points, the lines, and the position and text of the episodes'
    outcome.
    """

    x: float
    y: float
    lines: tuple[str, ...]
    result: str
    result_at: tuple[float, float]

    @property
    def bottom(self) -> float:
        """The end of its last line."""
        return max(self.y + _LINE * (len(self.lines) - 1), self.result_at[1]) + _LINE


def draw_tree(chart: TreeChart, *, narrow: bool = False) -> Figure:
    """Draws the tree: branches are as wide as their number of episodes, coloured by outcome.

    ``narrow``: for a phone.
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
    """Draws the lines from a row to its children, as wide as the episodes that remain."""
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
    _text(axes, *place.result_at, place.result, INK if branch.end else MUTED)


def _text(axes: Axes, x: float, y: float, text: str, colour: str) -> None:
    axes.text(x, y, text, fontsize=SIZE, color=colour, va="center")


def _colour(branch: Branch) -> str:
    """The colour for all, none, or some of them having succeeded."""
    if branch.won == branch.episodes:
        return GOOD
    return MUTED if branch.won else REST[0]


# --- The words of a tree's rows, cut to the available room

SIZE = 7.4
"""Points."""
MOST_LINES = 2

_FONT = FontProperties(family=["DejaVu Sans"], size=SIZE)
_PATHS = TextToPath()
_ARROW = " → "
_ELLIPSIS = "…"


@lru_cache(maxsize=4096)
def measure(text: str) -> float:
    """The width of a line of text, in points."""
    width, _, _ = _PATHS.get_text_width_height_descent(text, _FONT, ismath=False)
    return float(width)


def row_lines(branch: Branch, room: float) -> list[str]:
    """A row's actions in at most MOST_LINES lines of ``room`` points.

    If there are too many, those in the middle are left out.
    """
    if not branch.actions:
        if branch.more:
            return [f"{_ELLIPSIS} {branch.more} more branches"]
        return ["(the beginning)" if branch.parent is None else "(no further action)"]
    actions = [cut(safe(action), room - measure(_ARROW)) for action in branch.actions]
    for kept in range(len(actions), 1, -1):
        lines = _wrapped(_folded(actions, kept), room)
        if len(lines) <= MOST_LINES:
            return lines
    return [actions[0], f"{_ELLIPSIS} {len(actions) - 1} more"][: len(actions)]


def outcome(branch: Branch, room: float) -> str:
    """The outcome of a row's episodes, and which episodes end with it."""
    if branch.end:
        result = "won" if branch.won else "lost"
        if branch.episodes > 1:
            result = f"{branch.won} of {branch.episodes} won"
        return cut(f"{result} · {safe(branch.end)}", room)
    result = f"{counted(branch.episodes, 'episode')}, {branch.won} won"
    if branch.episodes == 1:
        result = f"1 episode, {'won' if branch.won else 'lost'}"
    if not branch.more or not branch.actions:
        return result
    return f"{result}; {branch.more} branches not drawn"


def cut(text: str, room: float) -> str:
    """The beginning of a text, as much as fits."""
    if measure(text) <= room:
        return text
    kept = len(text)
    while kept and measure(text[:kept] + _ELLIPSIS) > room:
        kept -= 1
    return text[:kept].rstrip() + _ELLIPSIS


def _folded(actions: Sequence[str], kept: int) -> list[str]:
    """``kept`` (at least 2) of the actions: the first ones, and the last."""
    left = len(actions) - kept
    if not left:
        return list(actions)
    return [*actions[: kept - 1], f"{_ELLIPSIS} {left} more {_ELLIPSIS}", actions[-1]]


def _wrapped(actions: Sequence[str], room: float) -> list[str]:
    """Lines of whole actions; an arrow is at the end of a line, never at its beginning."""
    lines = [""]
    for number, action in enumerate(actions):
        more = action + (_ARROW if number < len(actions) - 1 else "")
        if lines[-1] and measure((lines[-1] + more).rstrip()) > room:
            lines.append("")
        lines[-1] += more
    return [line.rstrip() for line in lines]
