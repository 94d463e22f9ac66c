"""Runs as CSV files: ``episodes.csv``, ``steps.csv`` and ``usage.csv``."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from env_service.exports.job import Job
from env_service.exports.tables import Write, write_tables
from env_service.results.report.episode_table import Column
from env_service.results.report.report_files import csv_value


def write(job: Job) -> None:
    """Writes the tables as RFC 4180 has it, in UTF-8, with values as in a report's
    ``episodes.csv``. Raises UnreadableEpisodeError."""

    @contextmanager
    def open_table(name: str, columns: Sequence[Column]) -> Iterator[Write]:
        with (job.out / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\r\n")
            writer.writerow([csv_value(each.name) for each in columns])

            def write_rows(values: Sequence[Sequence[Any]]) -> None:
                writer.writerows([map(csv_value, row) for row in zip(*values, strict=True)])

            yield write_rows

    write_tables(job, open_table)
