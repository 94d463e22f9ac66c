"""The file formats of a data set (CSV, JSON Lines and Parquet), and a reader for each."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from enum import Enum
from importlib import import_module
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from env_service.storage.plain_files import open_plain
from env_service.suites.babybench.dataset.columns import (
    MOST_BYTES,
    SCHEMA_VERSION,
    Column,
    Kind,
    Row,
    dump,
)


class Format(Enum):
    """A file format; the values are file extensions."""

    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"


class RowWriter(AbstractContextManager["RowWriter"], Protocol):
    """Writes one file, complete at the end of the block. Equal rows give equal bytes."""

    def write(self, row: Row) -> None:
        """Writes the next row."""


def check_formats(formats: Sequence[Format]) -> None:
    """Raises FormatUnavailableError if one of them needs a library that is not installed."""
    if Format.PARQUET in formats:
        check_parquet()


def libraries(formats: Sequence[Format]) -> dict[str, str]:
    """Versions, by name, of the libraries on which the bytes of these files depend."""
    return parquet_library() if Format.PARQUET in formats else {}


def open_writer(path: Path, form: Format, columns: Sequence[Column]) -> RowWriter:
    """Starts a file and replaces any existing one. Raises OSError."""
    match form:
        case Format.PARQUET:
            return ParquetWriter(path, columns)
        case Format.CSV:
            return CsvWriter(path, columns)
        case Format.JSONL:
            return JsonLinesWriter(path, columns)


def read_rows(path: Path, form: Format, columns: Sequence[Column]) -> Iterator[Row]:
    """The rows of a file, with the values that were written.

    Raises OSError, and ValueError with the position for a file without such rows.
    """
    match form:
        case Format.PARQUET:
            return read_parquet(path, columns)
        case Format.CSV:
            return read_csv(path, columns)
        case Format.JSONL:
            return read_jsonl(path, columns)


# --- CSV after RFC 4180, in UTF-8 without a byte order mark

_LONGEST_FIELD = 2**24
"""In characters. The standard library's default of 131072 is too small for the words of a huge
grid.
"""
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


# --- JSON Lines: an object a row, in UTF-8, its keys in the columns' order


class JsonLinesWriter:
    """A RowWriter (see formats)."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        self._names = [column.name for column in columns]
        self._file = path.open("w", encoding="utf-8", newline="\n")

    def write(self, row: Row) -> None:
        """Writes the next row."""
        self._file.write(dump({name: row[name] for name in self._names}) + "\n")

    def __enter__(self) -> JsonLinesWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()


def read_jsonl(path: Path, columns: Sequence[Column]) -> Iterator[Row]:
    """The rows of a file. Raises OSError and ValueError."""
    names = [column.name for column in columns]
    with TextIOWrapper(open_plain(path, MOST_BYTES), "utf-8", newline="\n") as file:
        for number, line in enumerate(file, start=1):
            try:
                row = json.loads(line)
            except ValueError as error:
                raise ValueError(f"line {number} is not JSON: {error}") from error
            if not isinstance(row, dict) or list(row) != names:
                raise ValueError(f"line {number} does not have the manifest's columns")
            yield row


# --- Apache Parquet, by pyarrow: an optional library (the extra ``parquet``)

ROWS_PER_GROUP = 1_000
"""Some megabytes in memory."""


class FormatUnavailableError(Exception):
    """A file format whose library is not installed; the message says how to install it."""


def check_parquet() -> None:
    """Raises FormatUnavailableError if pyarrow is not installed."""
    if find_spec("pyarrow") is None:
        raise FormatUnavailableError(
            "Parquet files take pyarrow, which is not installed. Get it with: pip install"
            " 'houseguest[parquet]'. Or choose other formats: --format csv,jsonl."
        )


def parquet_library() -> dict[str, str]:
    """The version of pyarrow, by name."""
    return {"pyarrow": str(import_module("pyarrow").__version__)}


class ParquetWriter:
    """A RowWriter (see formats)."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        check_parquet()
        self._names = [column.name for column in columns]
        self._schema = _schema(columns)
        self._rows: list[dict[str, Any]] = []
        self._writer = import_module("pyarrow.parquet").ParquetWriter(
            str(path), self._schema, version="2.6", compression="zstd", compression_level=3
        )

    def write(self, row: Row) -> None:
        """Adds the next row, and writes a group once it is full."""
        self._rows.append({name: row[name] for name in self._names})
        if len(self._rows) == ROWS_PER_GROUP:
            self._flush()

    def _flush(self) -> None:
        table = import_module("pyarrow").Table.from_pylist(self._rows, schema=self._schema)
        self._writer.write_table(table, row_group_size=ROWS_PER_GROUP)
        self._rows.clear()

    def __enter__(self) -> ParquetWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._rows and error is None:
            self._flush()
        self._writer.close()


def read_parquet(path: Path, columns: Sequence[Column]) -> Iterator[Row]:
    """The rows of a file. Raises OSError, ValueError and FormatUnavailableError."""
    check_parquet()
    with import_module("pyarrow.parquet").ParquetFile(path) as file:
        if not file.schema_arrow.equals(_schema(columns)):
            raise ValueError("its schema does not have the manifest's columns")
        for batch in file.iter_batches(batch_size=ROWS_PER_GROUP):
            yield from batch.to_pylist()


def _schema(columns: Sequence[Column]) -> Any:
    arrow = import_module("pyarrow")
    fields = [
        arrow.field(column.name, _arrow_type(column.kind), nullable=False) for column in columns
    ]
    return arrow.schema(fields, metadata={"schema_version": SCHEMA_VERSION})


def _arrow_type(kind: Kind) -> Any:
    arrow = import_module("pyarrow")
    text, cell = arrow.string(), arrow.int32()
    match kind:
        case Kind.TEXT:
            return text
        case Kind.INTEGER:
            return arrow.int64()
        case Kind.BOOLEAN:
            return arrow.bool_()
        case Kind.TEXTS:
            return arrow.list_(text)
        case Kind.DOORS:
            named = [("color", text), ("x", cell), ("y", cell), ("state", text)]
        case Kind.SUBGOALS:
            named = [("name", text), ("reason", text), ("target", text), ("x", cell), ("y", cell)]
    return arrow.list_(arrow.struct(named))
