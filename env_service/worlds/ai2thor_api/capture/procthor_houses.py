"""ProcTHOR houses from a file: one house, a JSON object, on each line; gzip'd or not.

This is the form of ProcTHOR-10k's `train.jsonl.gz`, `val.jsonl.gz` and `test.jsonl.gz`.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import IO, Any

from env_service.storage.plain_files import open_plain
from env_service.worlds.ai2thor_api.capture.sidecar import Subject
from env_service.worlds.ai2thor_api.scene_selection import ALL, matching, numbers_between

NEEDED = ("rooms", "walls", "objects")
"""The keys that make a JSON object a house (ProcTHOR's house schema)."""

_INDEX, _RANGE = re.compile(r"\d+"), re.compile(r"(\d+)-(\d+)")


class HouseFile:
    """The houses of one file, named ``procthor-<file>-<index>`` by their lines, from 0.

    Houses stay on disk until they are loaded: a published file has ten thousand.
    """

    def __init__(self, path: Path) -> None:
        """Looks where the lines are.

        Raises:
            ValueError: the file cannot be read, or has no house.
        """
        self._path, self._lock = path, Lock()
        self.family = "procthor-" + re.sub(r"\W+", "-", path.name.split(".")[0]).strip("-")
        try:
            self._file = _opened(path)
            self._starts = _starts(self._file)
        except (OSError, EOFError) as error:
            raise ValueError(
                f"no houses can be read from {path}: {error}; give a file with one house, a JSON "
                "object, on each line"
            ) from error
        if not self._starts:
            self._file.close()
            raise ValueError(f"{path} is empty; give a file with one house on each line")

    def __len__(self) -> int:
        return len(self._starts)

    def names(self) -> list[str]:
        """All names, by line."""
        return [self.name(index) for index in range(len(self))]

    def name(self, index: int) -> str:
        """The name of the house on a line."""
        return f"{self.family}-{index}"

    def select(self, wanted: Sequence[str]) -> tuple[Subject, ...]:
        """The houses that some words mean, each once, by line; all for no word.

        Words are indices (``17``), ranges of them (``0-99``), names, ranges of names
        (``procthor-train-0-99``), shell patterns of names, and ``all``.

        Raises:
            ValueError: a word means no house of this file.
        """
        found = {index for word in wanted or (ALL,) for index in self._meant(word)}
        return tuple(
            Subject(self.name(index), ProcthorHouse(self, index)) for index in sorted(found)
        )

    def line(self, index: int) -> bytes:
        """The text of a house."""
        with self._lock:
            self._file.seek(self._starts[index])
            return self._file.readline().strip()

    def close(self) -> None:
        """Closes the file; houses can no longer be loaded."""
        self._file.close()

    def _meant(self, word: str) -> Iterator[int]:
        if word == ALL:
            return iter(range(len(self)))
        if re.search(r"[*?\[]", word):
            places = {name: index for index, name in enumerate(self.names())}
            return (places[name] for name in matching(word, list(places)))
        plain = word.removeprefix(f"{self.family}-")
        spread = _RANGE.fullmatch(plain)
        if spread is None and not _INDEX.fullmatch(plain):
            raise ValueError(
                f"{word!r} is not a house of {self._path.name}; give an index, a range as 0-99, a "
                f"name as {self.name(0)}, or a pattern"
            )
        numbers = numbers_between(word, *(spread.group(1, 2) if spread else (plain, plain)))
        if numbers[-1] >= len(self):
            raise ValueError(
                f"house {numbers[-1]} is not in {self._path.name}; it has {len(self)}, from 0"
            )
        return iter(numbers)


@dataclass(frozen=True)
class ProcthorHouse:
    """One house of a file."""

    file: HouseFile
    index: int

    def load(self) -> Mapping[str, Any]:
        """See `HouseSource`."""
        place = f"house {self.file.name(self.index)}"
        try:
            house = json.loads(self.file.line(self.index))
        except ValueError as error:
            raise ValueError(f"{place} is not JSON text: {error}; fetch the file again") from error
        if not isinstance(house, dict) or any(key not in house for key in NEEDED):
            raise ValueError(f"{place} is not a ProcTHOR house: it needs {', '.join(NEEDED)}")
        return house

    def digest(self) -> str:
        """See `HouseSource`."""
        return hashlib.sha256(self.file.line(self.index)).hexdigest()


_MOST_BYTES = 2**36


def _opened(path: Path) -> IO[bytes]:
    file = open_plain(path, _MOST_BYTES)
    unpacked: Any = gzip.GzipFile(fileobj=file) if path.suffix == ".gz" else file
    opened: IO[bytes] = unpacked
    return opened


def _starts(file: IO[bytes]) -> list[int]:
    """Where each line that is not empty starts."""
    starts, at = [], 0
    for line in file:
        if line.strip():
            starts.append(at)
        at += len(line)
    return starts
