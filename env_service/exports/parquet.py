"""Runs as Parquet files: ``episodes.parquet``, ``steps.parquet`` and ``usage.parquet``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from env_service.domain.data_node import FormatError
from env_service.exports.job import Job
from env_service.exports.tables import Write, write_tables
from env_service.results.report.episode_table import Column, Kind

SCHEMA_VERSION = 2
"""Of the fixed columns. It increases if one is removed, renamed or given another meaning. Version 1
called ``declared_agent`` ``guest``."""

PICTURE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
TYPES: Mapping[Kind, pa.DataType] = {
    Kind.TEXT: pa.string(),
    Kind.FLAG: pa.bool_(),
    Kind.WHOLE: pa.int64(),
    Kind.NUMBER: pa.float64(),
    Kind.PICTURES: pa.list_(PICTURE),
}


def write(job: Job) -> None:
    """Writes the tables. Raises UnreadableEpisodeError and FormatError."""

    @contextmanager
    def open_table(name: str, columns: Sequence[Column]) -> Iterator[Write]:
        with parquet_file(job.out / f"{name}.parquet", columns) as written:
            yield written

    write_tables(job, open_table)


@contextmanager
def parquet_file(
    path: Path, columns: Sequence[Column], metadata: Mapping[str, Any] | None = None
) -> Iterator[Write]:
    """A Parquet file to write rows to; each call writes a row group. ``metadata`` has JSON values
    by key. Each field's metadata has its ``description``."""
    schema = pa.schema(
        [
            pa.field(each.name, TYPES[each.kind], metadata={"description": each.meaning})
            for each in columns
        ],
        {
            key: json.dumps(value)
            for key, value in {"houseguest_schema": SCHEMA_VERSION, **(metadata or {})}.items()
        },
    )
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:

        def write_rows(values: Sequence[Sequence[Any]]) -> None:
            arrays = [_array(each, field) for each, field in zip(values, schema, strict=True)]
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))

        yield write_rows


def _array(values: Sequence[Any], field: pa.Field) -> pa.Array:
    try:
        return pa.array(values, field.type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise FormatError(
            f"A value of the column {field.name!r} is not of the type {field.type}: {error}. The"
            " run was changed, or Houseguest did not write it: `houseguest verify RUN` checks it."
        ) from error
