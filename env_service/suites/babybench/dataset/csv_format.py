"""CSV after RFC 4180, in UTF-8 without a byte order mark.

The first line has the columns' names. Lines end in CR LF; a field is quoted exactly where it
holds a comma, a quote or a line break, and line breaks within one stay as they are (LF). Truth
values are ``true`` and ``false``, lists are JSON.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path
from types import TracebackType
from typing import Any

from env_service.plain_files import open_plain
from env_service.suites.babybench.dataset.columns import MOST_BYTES, Column, Kind, Row
from env_service.suites.babybench.dataset.digest import dump

_LONGEST_FIELD = 2**24
"""Characters. The standard library's own bound, 131072, is less than a huge grid's words take."""
_TRUTH = {"true": True, "false": False}


class CsvWriter:
    """A RowWriter (see formats)."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._file = path.open("w", encoding="utf-8", newline="")
        self._writer = csv.writer(self._file, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
        self._writer.writerow(column.name for column in columns)

    def write(self, row: Row) -> None:
        """Writes the next row."""
        self._writer.writerow(_field(column.kind, row[column.name]) for column in self._columns)

    def __enter__(self) -> CsvWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()


def read_csv(path: Path, columns: Sequence[Column]) -> Iterator[Row]:
    """The rows of a file. Raises OSError and ValueError."""
    names = [column.name for column in columns]
    csv.field_size_limit(_LONGEST_FIELD)
    with TextIOWrapper(open_plain(path, MOST_BYTES), "utf-8", newline="") as file:
        lines = csv.reader(file, strict=True)
        try:
            if next(lines, None) != names:
                raise ValueError("the first line does not name the manifest's columns")
            for fields in lines:
                pairs = zip(columns, fields, strict=True)
                yield {column.name: _value(column.kind, field) for column, field in pairs}
        except (csv.Error, ValueError, KeyError) as error:
            raise ValueError(f"line {lines.line_num}: {error}") from error


def _field(kind: Kind, value: Any) -> str:
    match kind:
        case Kind.TEXT:
            return str(value)
        case Kind.INTEGER:
            return str(int(value))
        case Kind.BOOLEAN:
            return "true" if value else "false"
        case _:
            return dump(value)


def _value(kind: Kind, field: str) -> Any:
    match kind:
        case Kind.TEXT:
            return field
        case Kind.INTEGER:
            return int(field)
        case Kind.BOOLEAN:
            return _TRUTH[field]
        case _:
            return json.loads(field)
