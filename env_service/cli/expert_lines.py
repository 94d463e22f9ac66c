"""Lines of ``houseguest expert``: a file of them to take up again, and ambiguous openings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from env_service.cli.errors import Misuse
from env_service.storage.atomic_files import write_atomically
from env_service.storage.plain_files import MOST_GIVEN, read_plain
from env_service.storage.signed_journal import read_journal
from env_service.suites.base import EpisodeOrder

_KEYS = {"task", "opening", "actions", "success"}
_START = b'{"task": "'


class ExpertFile:
    """A file of JSON Lines, one per task. A context manager.

    ``lines`` has the known lines by task id. ``add`` appends a line to the file at once; leaving
    the block sorts the lines in the order of the task set.
    """

    def __init__(self, path: Path, task_ids: Sequence[str]) -> None:
        """Reads the file; drops an incomplete last line. ``task_ids`` are those of the task set.

        Raises Misuse for a file with any other content.
        """
        self.path = path
        self._places = {task_id: place for place, task_id in enumerate(task_ids)}
        self.lines = self._read()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._rewrite()
        self._file = path.open("a", encoding="utf-8")

    def add(self, line: Mapping[str, Any]) -> None:
        """Appends a line to the file."""
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
            raise self._misfit(len(text.lines) + 1, "is not a line of an expert's file")
        for line in text.lines:
            value = line.value
            if not isinstance(value, dict) or not value.keys() >= _KEYS:
                raise self._misfit(line.number, "is not a line of an expert's file")
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
    """One line of the file, with its newline."""
    return json.dumps(line, ensure_ascii=False) + "\n"


# --- Tasks with equal opening texts, which only their opening pictures distinguish

Line = Mapping[str, Any]


def words_of(opening: Mapping[str, Any]) -> tuple[object, ...]:
    """The texts of an opening."""
    return tuple(opening.get(name, "") for name in ("instruction", "text", "context"))


def to_draw(orders: Iterable[EpisodeOrder], lines: Mapping[str, Line]) -> list[EpisodeOrder]:
    """The orders that can have pictures and whose lines, by task id, are still ambiguous."""
    mistaken = set(ambiguous_openings(lines.values()))
    return [order for order in orders if order.task.id in mistaken and order.request.images]


def ambiguous_openings(lines: Iterable[Line]) -> Sequence[str]:
    """The ids of tasks without a picture whose opening texts are equal to another task's."""
    openings = {line["task"]: line["opening"] for line in lines}
    known = Counter(map(words_of, openings.values()))
    return [
        task
        for task, opening in openings.items()
        if known[words_of(opening)] > 1 and not opening["images"]
    ]


def with_images(line: Line, images: Sequence[str]) -> dict[str, Any]:
    """A copy of the line with these pictures in its opening."""
    return {**line, "opening": {**line["opening"], "images": list(images)}}
