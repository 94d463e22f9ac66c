"""What a report consists of, independent of its format: sections, tables and figures.

Every renderer reads these types only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any
from urllib.parse import quote, urlencode

from env_service.results.run_reader import RunContents
from env_service.storage.canonical_json import writable
from env_service.suites.reporting import Unit

# --- The contents of figures: named numbers


@dataclass(frozen=True, slots=True)
class Axis:
    """The quantity and unit of an axis. ``whole``: its values are whole numbers."""

    heading: str
    unit: Unit = Unit.NUMBER
    whole: bool = False


@dataclass(frozen=True, slots=True)
class BarChart:
    """``series`` are (name, a cell for each category); a single series may have an empty name.

    The last ``published`` categories are published numbers.
    """

    categories: tuple[str, ...]
    series: tuple[tuple[str, tuple[Cell, ...]], ...]
    value: Axis
    published: int = 0


@dataclass(frozen=True, slots=True)
class StackChart:
    """``counts[i][j]`` episodes (or what ``counted`` names) of category i are of part j."""

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
    """A step chart: each value holds until the next ``x``."""

    lines: tuple[Line, ...]
    x: Axis
    y: Axis


@dataclass(frozen=True, slots=True)
class PointChart:
    """``points`` are (name, x, y). ``marks`` label them, one each, or are empty."""

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
    """One row of a tree: the actions between two points where episodes diverge.

    ``parent`` is the row that it leaves, None for a beginning. ``actions`` are the actions of the
    row, in order, with consecutive equal ones merged. ``episodes`` went through it and ``won`` of
    them succeeded. ``end`` says which episodes ended with it, and is empty if it branches further.
    ``more`` is the number of branches below it that are not drawn.
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
    """Rows from the root on, each after its parent and that parent's earlier descendants."""

    branches: tuple[Branch, ...]


Drawing = BarChart | StackChart | LineChart | PointChart | Matrix | TreeChart


# --- Tables of numbers with their intervals, in any format

RUN = "run"
"""The id of a second column that distinguishes runs."""
Value = float | int | str | None
_OURS = ("kind", "source", "label")
"""Other keys of a table's row in JSON; a column of this name is renamed."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One value. ``low`` and ``high`` are its 95 % interval, ``n`` its number of episodes.

    A missing number is None. ``link`` is the place of what it names on the viewer's page. ``mark``
    follows the value, such as a star that the table's note explains.
    """

    value: Value
    low: float | None = None
    high: float | None = None
    n: int | None = None
    link: str = ""
    mark: str = ""

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends, if there is an interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)


EMPTY = Cell(None)


def episode_link(run: str, episode_id: str) -> str:
    """The place of an episode on the viewer's page. ``run`` is the name of the run's folder."""
    return f"#/runs/{quote(run, safe='')}/episodes/{quote(episode_id, safe='')}"


def run_link(run: str) -> str:
    """The place of a run on the viewer's page."""
    return f"#/runs/{quote(run, safe='')}"


def episodes_link(filters: Sequence[tuple[str, str]]) -> str:
    """The place of the episodes that fulfil filters, such as ("group", "kitchen")."""
    return f"#/episodes?{urlencode(filters, errors='replace')}"


@dataclass(frozen=True, slots=True)
class Column:
    """``unit`` is None for text. ``above`` heads several neighbours; ``id`` names it in CSV."""

    id: str
    heading: str
    unit: Unit | None = None
    above: str = ""


class RowKind(Enum):
    """Where a row's numbers come from."""

    OURS = "ours"
    TOTAL = "total"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class Row:
    """A cell for each column. ``source`` cites the publication of published numbers."""

    cells: tuple[Cell, ...]
    kind: RowKind = RowKind.OURS
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableData:
    """``shown``: how many rows the terminal shows; None for all.

    ``sentences``: the cells are sentences, and the terminal shows each row as a paragraph.
    """

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""
    folded: bool = False
    shown: int | None = None
    sentences: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """What each column is called in JSON and, if it holds numbers, in CSV; all differ.

        Names may come from a run's labels, which can equal ours: "kind", "key" or "run".
        """
        found: list[str] = []
        for column in self.columns:
            name, number = column.id, 2
            while name in found or name in _OURS:
                name, number = f"{column.id} {number}", number + 1
            found.append(name)
        return tuple(found)

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of published rows, each once, in order."""
        return tuple(dict.fromkeys(row.source for row in self.rows if row.source))

    def to_json(self) -> dict[str, Any]:
        """For ``--json``: a mapping for each row, with shares as fractions."""
        return {
            "id": self.id,
            "title": self.title,
            "note": self.note,
            "columns": [*self.names],
            "rows": [
                {
                    "kind": row.kind.value,
                    **({"source": row.source} if row.source else {}),
                    **{
                        name: _cell_json(cell)
                        for name, cell in zip(self.names, row.cells, strict=True)
                    },
                }
                for row in self.rows
            ],
        }


def words_table(
    table_id: str, title: str, headings: Sequence[str], rows: Sequence[Sequence[Value]]
) -> TableData:
    """A table without intervals; a column whose heading starts with ``#`` holds numbers."""
    return TableData(
        id=table_id,
        title=title,
        columns=tuple(
            Column(
                heading.removeprefix("#").replace(" ", "_"),
                heading.removeprefix("#"),
                Unit.NUMBER if heading.startswith("#") else None,
            )
            for heading in headings
        ),
        rows=tuple(Row(tuple(Cell(value) for value in row)) for row in rows),
    )


def _cell_json(cell: Cell) -> Any:
    if cell.interval is None and cell.n is None:
        return cell.value
    whole: dict[str, Any] = {"value": cell.value}
    if cell.interval is not None:
        whole["interval_95"] = list(cell.interval)
    return whole if cell.n is None else whole | {"n": cell.n}


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureData:
    """A figure: the drawing, its description in words, and the same numbers as a table."""

    id: str
    title: str
    drawing: Drawing
    description: str
    table: TableData
    note: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about one thing, as (term, text) pairs."""

    title: str
    pairs: tuple[tuple[str, str], ...]
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Commands:
    """Command lines to copy, under a title that says what they are for."""

    title: str
    lines: tuple[str, ...]
    note: str = ""


class Tone(Enum):
    """The kind of a notice."""

    PLAIN = "plain"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to read before the numbers."""

    text: str
    tone: Tone = Tone.WARNING


@dataclass(frozen=True, slots=True)
class Headline:
    """The overview, read first: a row for each run."""

    table: TableData


@dataclass(frozen=True, slots=True)
class Omissions:
    """What the suite declares and these runs have no data for: (title, why).

    ``tables`` are the titles of omitted tables, as opposed to figures.
    """

    pairs: tuple[tuple[str, str], ...]
    tables: tuple[str, ...] = ()


Block = TableData | FigureData | Facts | Commands | Headline | Omissions


@dataclass(frozen=True, slots=True)
class Section:
    """Runs that can be compared with each other. ``id`` names files and anchors."""

    id: str
    title: str
    lead: str
    notices: tuple[Notice, ...]
    blocks: tuple[Block, ...]

    def tables(self) -> tuple[TableData, ...]:
        """Every table, including those of figures."""
        found = []
        for block in self.blocks:
            match block:
                case TableData():
                    found.append(block)
                case FigureData(table=table) | Headline(table=table):
                    found.append(table)
        return tuple(found)

    def figures(self) -> tuple[FigureData, ...]:
        """Every figure."""
        return tuple(block for block in self.blocks if isinstance(block, FigureData))


@dataclass(frozen=True, slots=True)
class Document:
    """A report or a comparison."""

    title: str
    sections: tuple[Section, ...]
    notices: tuple[Notice, ...] = ()
    label: str = ""
    viewer: str = ""
    """The viewer's page with these runs, as an address from the report's page; empty for none."""
    """A statement that every file has to carry; empty for none."""
    extra: dict[str, Any] = field(default_factory=dict)
    """Further keys of ``--json``."""
    runs: tuple[RunContents, ...] = ()
    """The runs whose episodes it covers."""

    def to_json(self) -> dict[str, Any]:
        """For ``--json``: every table's numbers, not rounded."""
        found = {
            "title": self.title,
            "label": self.label,
            "notices": [notice.text for notice in self.notices],
            **self.extra,
            "sections": [
                {
                    "id": section.id,
                    "title": section.title,
                    "notices": [notice.text for notice in section.notices],
                    "facts": {
                        block.title: dict(block.pairs)
                        for block in section.blocks
                        if isinstance(block, Facts)
                    },
                    "not_shown": {
                        title: why
                        for block in section.blocks
                        if isinstance(block, Omissions)
                        for title, why in block.pairs
                    },
                    "tables": [table.to_json() for table in section.tables()],
                }
                for section in self.sections
            ],
        }
        return {str(key): writable(value) for key, value in found.items()}
