"""Published numbers beside ours: marked, with their source and world, and never tested."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from env_service.results.report.slots import Slot
from env_service.results.report.tables import EMPTY, Cell, Row, RowKind
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


def published_rows(
    rows: Sequence[Row], table: Table, slots: Sequence[Slot], design: ReportDesign, world: str
) -> list[Row]:
    """``rows`` with a row for each agent's published numbers, after the row it belongs to.

    One whose columns are not among ``slots`` (a condition that we did not run) is left out.
    """
    together: dict[tuple[str, str, str, str], list[Reference]] = {}
    for item in design.references:
        if item.table == table.id:
            together.setdefault(_origin(item), []).append(item)
    placed = list(rows)
    keys = len(rows[0].cells) - len(slots)
    # Those of rows that we have first: the others then stand together at the end.
    ours = {row.cells[0].value for row in rows}
    for items in sorted(together.values(), key=lambda items: items[0].row not in ours):
        names = [Cell(_name(items[0], table))] + [Cell("published")] * (keys - 1)
        numbers = [_cell(slot, items, table) for slot in slots]
        if all(
            slot.measure.statistic is Statistic.EPISODES or cell == EMPTY
            for slot, cell in zip(slots, numbers, strict=True)
        ):
            continue
        row = Row((*names, *numbers), RowKind.PUBLISHED, _source(items[0], world))
        placed.insert(_place(placed, items[0].row), row)
    return placed


@dataclass(frozen=True, slots=True)
class PublishedBar:
    """An agent's published numbers in a figure: a cell for each of its series.

    ``source`` tells where they are from.
    """

    agent: str
    cells: tuple[Cell, ...]
    source: str


def published_bars(
    figure: Bars, series: Sequence[str], design: ReportDesign, world: str
) -> list[PublishedBar]:
    """What is published of bars by agent, in the design's order; other series are left out."""
    together: dict[tuple[str, str, str, str], list[Reference]] = {}
    for item in design.references:
        if item.table == figure.id:
            together.setdefault(_origin(item), []).append(item)
    found = []
    for items in together.values():
        named = {item.column: _with_interval(item, figure.measure) for item in items}
        cells = tuple(named.get(name or figure.measure.heading, EMPTY) for name in series)
        if any(cell != EMPTY for cell in cells):
            found.append(PublishedBar(items[0].agent, cells, _source(items[0], world)))
    return found


def _origin(item: Reference) -> tuple[str, str, str, str]:
    return item.row, item.agent, item.source, item.world


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


def _source(item: Reference, world: str) -> str:
    text = f"Published in {item.source}; played in {item.world}"
    if item.world != world:
        text += f", another world than {world}: for orientation, not comparable"
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
