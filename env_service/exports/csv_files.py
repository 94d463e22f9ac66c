"""Runs as CSV files: ``episodes.csv``, ``steps.csv`` and ``usage.csv``."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from env_service.exports.job import Job
from env_service.exports.tables import Write, write_tables
from env_service.results.report.episode_table import Column, Value
from env_service.results.report.report_files import FORMULA


def write(job: Job) -> None:
    """Writes the tables as RFC 4180 has it, in UTF-8. Truth is 1 or 0, and texts keep their lines;
    a ' precedes those that a spreadsheet would read as a formula. Raises
    UnreadableEpisodeError."""

    @contextmanager
    def open_table(name: str, columns: Sequence[Column]) -> Iterator[Write]:
        with (job.out / f"{name}.csv").open(
            "w", encoding="utf-8", errors="replace", newline=""
        ) as file:
            writer = csv.writer(file, lineterminator="\r\n")
            writer.writerow([_cell(each.name) for each in columns])

            def write_rows(values: Sequence[Sequence[Any]]) -> None:
                writer.writerows(map(_cell, row) for row in zip(*values, strict=True))

            yield write_rows

    write_tables(job, open_table)


def _cell(value: Value) -> Value:
    if isinstance(value, bool):
        return int(value)
    return f"'{value}" if isinstance(value, str) and value.lstrip().startswith(FORMULA) else value
