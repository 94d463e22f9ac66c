"""What figures draw: numbers with names, in no format yet."""

from __future__ import annotations

from dataclasses import dataclass

from env_service.results.report.tables import Cell
from env_service.suites.reporting import Unit


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis counts, and in which unit. ``whole``: it has whole numbers alone."""

    heading: str
    unit: Unit = Unit.NUMBER
    whole: bool = False


@dataclass(frozen=True, slots=True)
class BarChart:
    """``series`` are (name, a cell for each category); one without a name stands alone.

    The last ``published`` categories are published numbers.
    """

    categories: tuple[str, ...]
    series: tuple[tuple[str, tuple[Cell, ...]], ...]
    value: Axis
    published: int = 0


@dataclass(frozen=True, slots=True)
class StackChart:
    """``counts[i][j]`` episodes, or what else is ``counted``, of category i are of part j."""

    categories: tuple[str, ...]
    parts: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    counted: str = "episodes"


@dataclass(frozen=True, slots=True)
class Line:
    """Points in the order of ``x``; ``low`` and ``high`` (both or neither) bound each ``y``."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class LineChart:
    """Steps: each value holds until the next ``x``."""

    lines: tuple[Line, ...]
    x: Axis
    y: Axis


@dataclass(frozen=True, slots=True)
class PointChart:
    """``points`` are (name, x, y); ``marks`` stand beside them, one each or none at all."""

    points: tuple[tuple[str, Cell, Cell], ...]
    x: Axis
    y: Axis
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Matrix:
    """``counts[i][j]`` episodes of truth ``names[i]`` were predicted to be ``names[j]``.

    ``truth`` and ``predicted`` say what the rows and the columns are.
    """

    truth: str
    predicted: str
    names: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """One row of a tree: what episodes did from where they parted to where they part again.

    ``parent`` is the row above that it leaves, None for a beginning. ``actions`` are those of
    the row, in order, repeated ones together. ``episodes`` went through it and ``won`` of them
    succeeded. ``end`` says which episodes ended with it, empty where it branches further, and
    ``more`` how many branches below it are not drawn.
    """

    parent: int | None
    depth: int
    actions: tuple[str, ...]
    episodes: int
    won: int
    end: str = ""
    more: int = 0


@dataclass(frozen=True, slots=True)
class TreeChart:
    """Rows from the root on, each behind the one that it leaves and what is below that."""

    branches: tuple[Branch, ...]


Drawing = BarChart | StackChart | LineChart | PointChart | Matrix | TreeChart
