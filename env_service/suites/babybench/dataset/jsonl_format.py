"""JSON Lines: an object a row, in UTF-8, its keys in the columns' order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path
from types import TracebackType

from env_service.plain_files import open_plain
from env_service.suites.babybench.dataset.columns import MOST_BYTES, Column, Row
from env_service.suites.babybench.dataset.digest import dump


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
