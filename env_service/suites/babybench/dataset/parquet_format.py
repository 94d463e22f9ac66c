"""Apache Parquet, by pyarrow: an optional library (the extra ``parquet``).

The file is the same, byte for byte, wherever the version of pyarrow is: groups of a fixed number
of rows, zstd, no column but ours and no time of writing. pyarrow writes its own version into it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

from env_service.suites.babybench.dataset.columns import SCHEMA_VERSION, Column, Kind, Row

ROWS_PER_GROUP = 1_000
"""Some megabytes in memory."""


class FormatUnavailableError(Exception):
    """A file format whose library is not installed; the message says how to get it."""


def check_parquet() -> None:
    """Raises FormatUnavailableError where pyarrow is not installed."""
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
        """Writes the next row, when its group is full."""
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
