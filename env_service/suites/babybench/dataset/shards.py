"""Rows that are made already, kept while a data set is unfinished: a file for each level."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from env_service.suites.babybench.dataset.columns import Row
from env_service.suites.babybench.dataset.digest import dump

_SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True)
class Piece:
    """Seeds of one level that one process makes in one go."""

    level: str
    seeds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """What came of one row: the row, or, where there is none, the problem in words."""

    level: str
    seed: int
    row: Row | None
    problem: str = ""


class Shard:
    """What was made of one level: JSON Lines, in the order in which it came.

    Every line is complete but perhaps the last, which a killed process leaves; opening the
    shard cuts it off. Only the places of lines are in memory.
    """

    def __init__(self, folder: Path, level: str) -> None:
        """Opens the level's file, and makes it where there is none.

        Raises ShardError for a file that holds anything else.
        """
        self.level, self.path = level, folder / (level + _SUFFIX)
        self._places: dict[int, int] = {}
        self._file = self.path.open("a+b")
        self._read()

    def _read(self) -> None:
        self._file.seek(0)
        end = 0
        for number, line in enumerate(self._file, start=1):
            if not line.endswith(b"\n"):
                break
            self._places[self._made(line, number).seed] = end
            end += len(line)
        self._file.truncate(end)
        self._file.seek(0, os.SEEK_END)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, seed: object) -> bool:
        return seed in self._places

    def add(self, made: Sequence[Made]) -> None:
        """Appends lines. They are in the system's hands when this returns."""
        place = self._file.seek(0, os.SEEK_END)
        for each in made:
            line = dump({"seed": each.seed, "row": each.row, "problem": each.problem}).encode()
            self._places[each.seed] = place
            place += self._file.write(line + b"\n")
        self._file.flush()

    def in_order(self) -> Iterator[Made]:
        """All that was made, by ascending seed."""
        for seed, place in sorted(self._places.items()):
            self._file.seek(place)
            yield self._made(self._file.readline(), seed)

    def close(self) -> None:
        """May be called twice."""
        self._file.close()

    def _made(self, line: bytes, number: int) -> Made:
        try:
            value: dict[str, Any] = json.loads(line)
            return Made(self.level, value["seed"], value["row"], value["problem"])
        except (ValueError, KeyError, TypeError) as error:
            raise ShardError(
                f"{self.path}, line {number}, is not what was written there. Remove the folder"
                f" {self.path.parent} and start again."
            ) from error


class ShardError(Exception):
    """A file of unfinished work that was changed from outside; the message says what to do."""
