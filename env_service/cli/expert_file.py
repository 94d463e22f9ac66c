"""A file of expert lines: written as they come, taken up again after an interruption."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from env_service.cli.errors import Misuse
from env_service.plain_files import MOST_GIVEN, read_plain
from env_service.results.atomic import write_atomically
from env_service.results.journal import read_journal

_KEYS = {"task", "opening", "actions", "success"}
_START = b'{"task": "'


class ExpertFile:
    """JSON Lines, one a task. Use it as a context manager.

    ``lines`` holds what is known, by task id. Each line is in the file when ``add``
    returns; leaving the block puts them in the order of the task set.
    """

    def __init__(self, path: Path, task_ids: Sequence[str]) -> None:
        """Reads what the file holds; a torn last line is dropped. ``task_ids``: the task set.

        Raises Misuse for a file that holds anything else.
        """
        self.path = path
        self._places = {task_id: place for place, task_id in enumerate(task_ids)}
        self.lines = self._read()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._rewrite()
        self._file = path.open("a", encoding="utf-8")

    def add(self, line: Mapping[str, Any]) -> None:
        """Writes a line at the end."""
        self.lines[line["task"]] = line
        self._file.write(dump(line))
        self._file.flush()

    def __enter__(self) -> ExpertFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._rewrite()

    def _rewrite(self) -> None:
        ordered = sorted(self.lines.values(), key=lambda line: self._places[line["task"]])
        text = "".join(map(dump, ordered)).encode()
        if not self.path.is_file() or read_plain(self.path, MOST_GIVEN) != text:
            write_atomically(self.path, text)

    def _read(self) -> dict[str, Mapping[str, Any]]:
        lines: dict[str, Mapping[str, Any]] = {}
        if self.path.is_char_device():
            return lines
        text = read_journal(self.path)
        if text.torn[: len(_START)] != _START[: len(text.torn)]:
            raise self._misfit(len(text.lines) + 1, "is no line of an expert's file")
        for line in text.lines:
            value = line.value
            if not isinstance(value, dict) or not value.keys() >= _KEYS:
                raise self._misfit(line.number, "is no line of an expert's file")
            if value["task"] not in self._places:
                raise self._misfit(
                    line.number, f"is of task {value['task']!r}, which is not in the task set"
                )
            lines[value["task"]] = value
        return lines

    def _misfit(self, number: int, what: str) -> Misuse:
        return Misuse(
            f"{self.path}, line {number} {what}. Remove the file, or choose another --out.",
            kind="ExpertFileError",
        )


def dump(line: Mapping[str, Any]) -> str:
    """One line of the file, with its end."""
    return json.dumps(line, ensure_ascii=False) + "\n"
