"""Tables as CSV files (RFC 4180, UTF-8)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from env_service.domain.printable import safe
from env_service.results.report.tables import Cell, Column, RowKind, TableData
from env_service.results.report.writing import has_intervals

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_csv(table: TableData, label: str = "") -> str:
    """The table with all its rows: numbers unrounded, shares as fractions of 1.

    A column of numbers with intervals is followed by ``NAME low``, ``NAME high`` and
    ``NAME n``; ``kind`` (ours, total, published) and ``source`` come last where any number
    was published, and ``label``, where there is one, in a column of its own. A text that a
    spreadsheet would take for a formula gets a ' in front.
    """
    published = any(row.kind is RowKind.PUBLISHED for row in table.rows)
    bounded = [has_intervals(table, column) for column in table.columns]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    headings = [
        name
        for column, named, interval in zip(table.columns, table.names, bounded, strict=True)
        for name in _headings(column, named, interval=interval)
    ]
    kinds = any(row.kind is not RowKind.OURS for row in table.rows)
    extra = [*(["kind"] if kinds else []), *(["source"] if published else [])]
    extra += ["label"] if label else []
    writer.writerow([plain(name) for name in (*headings, *extra)])
    for row in table.rows:
        values: list[object] = []
        for cell, interval in zip(row.cells, bounded, strict=True):
            values += _values(cell, interval=interval)
        values += [row.kind.value] if kinds else []
        values += [plain(row.source)] if published else []
        values += [plain(label)] if label else []
        writer.writerow(values)
    return file.getvalue()


def _headings(column: Column, named: str, *, interval: bool) -> Iterator[str]:
    name = named if column.unit is not None else column.heading
    yield name
    if interval:
        yield from (f"{name} low", f"{name} high", f"{name} n")


def _values(cell: Cell, *, interval: bool) -> Iterator[object]:
    value = plain(cell.value) if isinstance(cell.value, str) else cell.value
    yield "" if value is None else value
    if interval:
        yield from ("" if bound is None else bound for bound in (cell.low, cell.high, cell.n))


def plain(text: str) -> str:
    """A text as a cell holds it: safe, and no formula."""
    shown = safe(text)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown
