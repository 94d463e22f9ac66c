"""From a declared table to its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from env_service.results.report.episodes import Episodes, Ints, Part, heading, within
from env_service.results.report.measures import evaluate
from env_service.results.report.published import origin_of, with_published
from env_service.results.report.slots import Slot, make_slots
from env_service.results.report.tables import EMPTY, RUN, Cell, Column, Row, RowKind, TableData
from env_service.suites.reporting import Chosen, Classes, Field, Key, Label, ReportDesign, Table

ALL = "all"
"""What the row over all is called."""


def tabulate(table: Table, design: ReportDesign, episodes: Episodes) -> TableData | None:
    """The table's numbers and published ones; None where the episodes have nothing for it."""
    chosen = episodes.only(table.only)
    parts = within(episodes.parts(table.rows), chosen)
    if not parts:
        return None
    nested = apart(episodes, table.rows, table.across)
    slots = list(make_slots(table, design, episodes))
    made = list(_rows(episodes, parts, slots, nested=nested))
    if table.total and len(parts) > 1:
        made += _rows(episodes, [(ALL, chosen)], slots, nested=nested, kind=RowKind.TOTAL)
    keys = [Column("key", heading(table.rows, design.group))]
    if nested:
        keys.append(Column(RUN, heading(nested, design.group)))
    data = TableData(
        id=table.id,
        title=table.title,
        columns=(*keys, *(slot.column for slot in slots)),
        rows=tuple(row for row, _ in made),
        note=table.note,
        shown=table.shown,
    )
    if episodes.family.asked_models:
        origins = [origin_of(episodes.runs_of(own), design) for _, own in made]
        data = with_published(data, table, slots, design, origins)
    return _without_empty(data)


def apart(episodes: Episodes, *keys: Key | None) -> Field | None:
    """What has to tell runs apart that none of the keys does; None where nothing has to.

    Runs, where several are reported; where a key is a setting, or a label that tells the whole
    condition, and the agents of its runs would be taken together, agents.
    """
    named = [key.of if isinstance(key, Classes) else key for key in keys]
    if len(episodes.family.runs) < 2 or Field.RUN in named or Field.AGENT in named:
        return None
    if not any(_of_condition(key) for key in named):
        return Field.RUN
    return Field.AGENT if len(episodes.parts(Field.AGENT)) > 1 else None


def _of_condition(key: Key | None) -> bool:
    return isinstance(key, Chosen) or (isinstance(key, Label) and key.condition)


def _rows(
    episodes: Episodes,
    parts: Sequence[Part],
    slots: Sequence[Slot],
    *,
    nested: Field | None,
    kind: RowKind = RowKind.OURS,
) -> Iterator[tuple[Row, Ints]]:
    """Each row with the episodes that it is about."""
    for name, members in parts:
        inner = within(episodes.parts(nested), members) if nested else [("", members)]
        for other, own in inner:
            names = (Cell(name), Cell(episodes.mark(other))) if nested else (Cell(name),)
            whole = dict(episodes.parts(nested))[other] if nested else episodes.all
            cells = (
                evaluate(slot.measure, episodes, slot.narrow(own))
                if len(slot.narrow(whole))
                else EMPTY
                for slot in slots
            )
            yield Row((*names, *cells), kind), own


def _without_empty(table: TableData) -> TableData | None:
    """Leaves out columns of numbers that hold none; None where no other column is left."""
    kept = [
        place
        for place, column in enumerate(table.columns)
        if column.unit is None or any(row.cells[place] != EMPTY for row in table.rows)
    ]
    if all(table.columns[place].unit is None for place in kept):
        return None
    return TableData(
        id=table.id,
        title=table.title,
        columns=tuple(table.columns[place] for place in kept),
        rows=tuple(
            Row(tuple(row.cells[place] for place in kept), row.kind, row.source)
            for row in table.rows
        ),
        note=table.note,
        shown=table.shown,
    )
