"""The file formats of a data set, and reading any of them back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from enum import Enum
from pathlib import Path
from typing import Protocol

from env_service.suites.babybench.dataset.columns import Column, Row
from env_service.suites.babybench.dataset.csv_format import CsvWriter, read_csv
from env_service.suites.babybench.dataset.jsonl_format import JsonLinesWriter, read_jsonl
from env_service.suites.babybench.dataset.parquet_format import (
    ParquetWriter,
    check_parquet,
    parquet_library,
    read_parquet,
)


class Format(Enum):
    """A file format; values are the files' endings."""

    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"


class RowWriter(AbstractContextManager["RowWriter"], Protocol):
    """Writes one file. Equal rows give equal bytes. The file is whole when the block is left."""

    def write(self, row: Row) -> None:
        """Writes the next row."""


def check_formats(formats: Sequence[Format]) -> None:
    """Raises FormatUnavailableError where one of them takes a library that is not installed."""
    if Format.PARQUET in formats:
        check_parquet()


def libraries(formats: Sequence[Format]) -> dict[str, str]:
    """Versions, by name, of the libraries on which the bytes of these files depend."""
    return parquet_library() if Format.PARQUET in formats else {}


def open_writer(path: Path, form: Format, columns: Sequence[Column]) -> RowWriter:
    """Begins a file, over one that is there already. Raises OSError."""
    match form:
        case Format.PARQUET:
            return ParquetWriter(path, columns)
        case Format.CSV:
            return CsvWriter(path, columns)
        case Format.JSONL:
            return JsonLinesWriter(path, columns)


def read_rows(path: Path, form: Format, columns: Sequence[Column]) -> Iterator[Row]:
    """The rows of a file, with the values that were written.

    Raises OSError, and ValueError with the place for a file that does not hold such rows.
    """
    match form:
        case Format.PARQUET:
            return read_parquet(path, columns)
        case Format.CSV:
            return read_csv(path, columns)
        case Format.JSONL:
            return read_jsonl(path, columns)
