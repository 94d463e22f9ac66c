"""Published numbers beside ours: marked, with their source and world, and never tested."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from env_service.domain.printable import safe
from env_service.results.manifest import Manifest
from env_service.results.report.runs import ReportedRun
from env_service.results.report.slots import Slot
from env_service.results.report.tables import EMPTY, Cell, Column, Row, RowKind, TableData
from env_service.results.statistics import wilson_interval
from env_service.suites.reporting import (
    Bars,
    Field,
    Measure,
    Reference,
    ReportDesign,
    Statistic,
    Table,
)

Origin = tuple[str, str]
"""The world in which, and the rules by which, the episodes behind a row were played."""
ORIGIN_COLUMNS = (Column("world", "world"), Column("rules", "rules"))
"""Where it is told."""
NO_MODEL = (
    "They are of models. None of these agents says that it asked one: neither a model in its"
    " declaration, nor any call in its usage."
)
"""Why published numbers are not shown."""


def with_published(
    data: TableData,
    table: Table,
    slots: Sequence[Slot],
    design: ReportDesign,
    origins: Sequence[Origin],
) -> TableData:
    """The table with a row for each agent's published numbers, after the row it belongs to, and
    with the world and the rules of each row, ours and published; as it is, where none stands here.

    ``origins`` are those of the table's rows. Published numbers whose columns are not among
    ``slots`` (a condition that we did not run) are left out.
    """
    keys = len(data.columns) - len(slots)
    told = [_told(row, keys, origin) for row, origin in zip(data.rows, origins, strict=True)]
    rows = _published_rows(told, table, slots, design, {world for world, _ in origins})
    if len(rows) == len(told):
        return data
    columns = (*data.columns[:keys], *ORIGIN_COLUMNS, *data.columns[keys:])
    return replace(data, columns=columns, rows=tuple(rows))


def origin_of(runs: Iterable[ReportedRun], design: ReportDesign) -> Origin:
    """The world and the rules of some runs, each once."""
    manifests = [run.manifest for run in runs]
    worlds = dict.fromkeys(each.world for each in manifests)
    rules = dict.fromkeys(_rules(each, design) for each in manifests)
    return ", ".join(worlds), ", ".join(rules)


def _rules(manifest: Manifest, design: ReportDesign) -> str:
    version = f"version {manifest.suite_version}"
    chosen = manifest.condition.get(design.rules)
    return safe(f"{chosen} ({version})" if chosen else version)


def _told(row: Row, keys: int, origin: Origin) -> Row:
    return replace(row, cells=(*row.cells[:keys], *map(Cell, origin), *row.cells[keys:]))


def _published_rows(
    rows: Sequence[Row],
    table: Table,
    slots: Sequence[Slot],
    design: ReportDesign,
    worlds: Collection[str],
) -> list[Row]:
    placed = list(rows)
    keys = len(rows[0].cells) - len(slots) - len(ORIGIN_COLUMNS)
    # Those of rows that we have first: the others then stand together at the end.
    ours = {row.cells[0].value for row in rows}
    together = _together(design, table.id)
    for items in sorted(together, key=lambda items: items[0].row not in ours):
        first = items[0]
        names = [Cell(_name(first, table))] + [Cell("published")] * (keys - 1)
        numbers = [_cell(slot, items, table) for slot in slots]
        if all(
            slot.measure.statistic is Statistic.EPISODES or cell == EMPTY
            for slot, cell in zip(slots, numbers, strict=True)
        ):
            continue
        cells = (*names, Cell(first.world), Cell(first.rules), *numbers)
        row = Row(cells, RowKind.PUBLISHED, _source(first, worlds))
        placed.insert(_place(placed, first.row), row)
    return placed


@dataclass(frozen=True, slots=True)
class PublishedBar:
    """An agent's published numbers in a figure: a cell for each of its series.

    ``origin`` is the world and the rules, ``source`` tells where the numbers are from.
    """

    agent: str
    origin: Origin
    cells: tuple[Cell, ...]
    source: str


def published_bars(
    figure: Bars, series: Sequence[str], design: ReportDesign, world: str
) -> list[PublishedBar]:
    """What is published of bars by agent, in the design's order; other series are left out."""
    found = []
    for items in _together(design, figure.id):
        named = {item.column: _with_interval(item, figure.measure) for item in items}
        cells = tuple(named.get(name or figure.measure.heading, EMPTY) for name in series)
        if any(cell != EMPTY for cell in cells):
            first = items[0]
            origin = (first.world, first.rules)
            found.append(PublishedBar(first.agent, origin, cells, _source(first, (world,))))
    return found


def _together(design: ReportDesign, name: str) -> list[list[Reference]]:
    """The references of a table or figure: those that make one row."""
    found: dict[tuple[str, ...], list[Reference]] = {}
    for item in design.references:
        if item.table == name:
            same = (item.row, item.agent, item.source, item.world, item.rules)
            found.setdefault(same, []).append(item)
    return list(found.values())


def _name(item: Reference, table: Table) -> str:
    by_agent = table.rows in (Field.AGENT, Field.RUN)
    return item.agent if by_agent or not item.row else f"{item.row}: {item.agent}"


def _cell(slot: Slot, items: Sequence[Reference], table: Table) -> Cell:
    measure = slot.measure
    first_measure = measure is table.columns[0]
    for item in items:
        if item.column == (slot.across if table.across else measure.heading) and (
            first_measure or table.across is None
        ):
            return _with_interval(item, measure)
    known = measure.statistic is Statistic.EPISODES and items[0].n is not None
    return Cell(items[0].n) if known else EMPTY


def _with_interval(item: Reference, measure: Measure) -> Cell:
    if measure.statistic is not Statistic.RATE or not item.n:
        return Cell(item.value, n=item.n)
    low, high = wilson_interval(round(item.value * item.n), item.n)
    return Cell(item.value, low, high, item.n)


def _source(item: Reference, worlds: Collection[str]) -> str:
    text = f"Published in {item.source}; played in {item.world}, rules: {item.rules}"
    others = [world for world in worlds if world != item.world]
    if others:
        text += f"; another world than {', '.join(others)}: for orientation, not comparable"
    return text


def _place(rows: Sequence[Row], name: str) -> int:
    """Behind the last row of that name, and what was put there; at the end where there is none."""
    ours = [
        place
        for place, row in enumerate(rows)
        if row.cells[0].value == name and row.kind is not RowKind.PUBLISHED
    ]
    if not name or not ours:
        return len(rows)
    place = ours[-1] + 1
    while place < len(rows) and rows[place].kind is RowKind.PUBLISHED:
        place += 1
    return place
