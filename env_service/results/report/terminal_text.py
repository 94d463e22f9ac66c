"""A report as text for the terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from env_service.domain.text import safe
from env_service.results.report.content import (
    Block,
    Commands,
    Document,
    Facts,
    FigureData,
    Headline,
    Notice,
    Omissions,
    Row,
    RowKind,
    Section,
    TableData,
    Tone,
)
from env_service.results.report.number_format import NumberFormat

_GAP = 3
_WIDEST = 40
"""The widest column; longer words are folded."""
_STYLES = {RowKind.OURS: "", RowKind.TOTAL: "bold", RowKind.PUBLISHED: "italic dim"}


def as_text(document: Document) -> RenderableType:
    """The whole report. Figures become their descriptions; the page draws them."""
    parts: list[RenderableType] = [Text(safe(document.title), style="bold")]
    parts += map(_notice, document.notices)
    for section in document.sections:
        parts += _section(section, alone=len(document.sections) == 1)
    return Group(*parts)


def _section(section: Section, *, alone: bool) -> Iterator[RenderableType]:
    if not alone:
        yield Text()
        yield Rule(Text(safe(section.title)), align="left")
    yield Text(safe(section.lead))
    yield from map(_notice, section.notices)
    facts = [block for block in section.blocks if isinstance(block, Facts)]
    for block in section.blocks:
        # The facts of several runs would push their numbers off the screen; the page has them.
        if len(facts) == 1 or not isinstance(block, Facts):
            yield from _block(block)


def _block(block: Block) -> Iterator[RenderableType]:
    match block:
        case Headline(table):
            yield from _table(table)
        case TableData():
            yield from _table(block)
        case FigureData():
            if not block.table.folded:
                yield from _table(block.table)
                yield Text(safe(block.description), style="dim")
        case Facts():
            yield from _facts(block)
        case Commands(title, lines, note):
            yield Text()
            yield Text(safe(title), style="bold")
            if note:
                yield Text(safe(note), style="dim")
            yield from (Text(safe(line), no_wrap=True, overflow="ignore") for line in lines)
        case Omissions(pairs, tables):
            # Figures are never missing here, because the terminal draws none.
            for title, why in pairs:
                if title in tables:
                    yield Text()
                    yield Text(safe(title), style="bold")
                    yield Text(safe(why), style="dim")


def _notice(notice: Notice) -> Text:
    if notice.tone is Tone.PLAIN:
        return Text(safe(notice.text))
    return Text(f"! {safe(notice.text)}", style="yellow")


def _facts(block: Facts) -> Iterator[RenderableType]:
    yield Text()
    yield Text(safe(block.title), style="bold")
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for term, text in block.pairs:
        table.add_row(Text(safe(term)), Text(safe(text)))
    yield table


def _table(table: TableData) -> Iterator[RenderableType]:
    yield Text()
    yield Text(safe(table.title), style="bold")
    if table.sentences:
        yield from _paragraphs(table)
    else:
        yield Sheet(table)
    shown = _shown(table)
    if len(shown) < len(table.rows):
        yield Text(f"… and {len(table.rows) - len(shown)} more", style="dim")
    if table.note:
        yield Text(safe(table.note), style="dim")
    for number, source in enumerate(table.sources, 1):
        yield Text(f"[{number}] {safe(source)}", style="dim")


def _paragraphs(table: TableData) -> Iterator[RenderableType]:
    """A paragraph for each row: the first cell, then each further cell after its heading."""
    headings = [safe(column.heading) for column in table.columns[1:]]
    for row in _shown(table):
        yield Text(safe(str(row.cells[0].value)))
        grid = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True, style="dim", min_width=max(map(cell_len, headings)) + 2)
        grid.add_column(overflow="fold")
        for heading, cell in zip(headings, row.cells[1:], strict=True):
            if cell.value not in (None, ""):
                grid.add_row(Text(f"  {heading}"), Text(safe(str(cell.value))))
        yield grid


def _shown(table: TableData) -> tuple[Row, ...]:
    return table.rows if table.shown is None else table.rows[: table.shown]


class Sheet:
    """A table; if it is wider than the terminal, its columns are split into several tables.

    The text columns at the left, which identify a row, are repeated in each.
    """

    def __init__(self, table: TableData) -> None:
        self._table = table
        self._columns = [_column(table, place) for place in range(len(table.columns))]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for number, places in enumerate(self._split(options.max_width)):
            if number:
                yield Text()
            yield self._drawn(places)

    def _split(self, width: int) -> Iterator[list[int]]:
        """The columns of each table."""
        words = [column.unit is None for column in self._table.columns]
        keys = list(range(words.index(False))) if False in words else [0]
        room = width - sum(self._columns[place].width + _GAP for place in keys)
        chunk: list[int] = []
        for place in range(len(keys), len(self._columns)):
            used = sum(self._columns[other].width + _GAP for other in chunk)
            if chunk and used + self._columns[place].width > room:
                yield [*keys, *chunk]
                chunk = []
            chunk.append(place)
        yield [*keys, *chunk]

    def _drawn(self, places: Sequence[int]) -> Table:
        drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for place in places:
            column, words = self._columns[place], self._table.columns[place].unit is None
            drawn.add_column(
                Text(column.heading, justify="left" if words else "right"),
                justify="left" if words or column.aligned else "right",
                min_width=min(column.width, _WIDEST),
                overflow="fold",
                vertical="top",
            )
        for number, row in enumerate(_shown(self._table)):
            cells = [Text(self._columns[place].cells[number]) for place in places]
            drawn.add_row(*cells, style=_STYLES[row.kind])
        return drawn


@dataclass(frozen=True, slots=True)
class _Column:
    heading: str
    cells: tuple[str, ...]
    width: int
    aligned: bool


def _column(table: TableData, place: int) -> _Column:
    column, rows = table.columns[place], _shown(table)
    writer = NumberFormat(column.unit, (row.cells[place] for row in rows))
    texts = [writer.value(row.cells[place]) for row in rows]
    bounds = [writer.interval(row.cells[place]) for row in rows]
    widest = max(map(len, bounds), default=0)
    if widest:
        # Aligned here, because a right-aligned column would misplace a number without interval.
        most = max(map(len, texts))
        pairs = zip(texts, bounds, strict=True)
        texts = [f"{text:>{most}}  {bound:>{widest}}" for text, bound in pairs]
    if place == 0:
        texts = [
            f"{text} [{table.sources.index(row.source) + 1}]" if row.source else text
            for text, row in zip(texts, rows, strict=True)
        ]
    heading = f"{column.above}\n{column.heading}" if column.above else column.heading
    needed = max(map(cell_len, [*texts, *heading.split()]), default=0)
    return _Column(safe_lines(heading), tuple(texts), min(needed, _WIDEST), bool(widest))


def safe_lines(text: str) -> str:
    """A text of several lines, each of them safe."""
    return "\n".join(safe(line) for line in text.split("\n"))
