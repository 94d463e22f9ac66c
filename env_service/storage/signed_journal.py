"""Files of signed JSON lines, appended to and never rewritten."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from env_service.domain.data_node import FormatError
from env_service.storage.atomic_files import append_whole
from env_service.storage.canonical_json import canonical, parse
from env_service.storage.plain_files import open_plain, read_plain
from env_service.storage.signing_key import SigningKey

R = TypeVar("R")

MOST_JOURNAL = 2**30
"""Bytes that are read of a journal: of episodes, about 300,000 of them."""


class CorruptFileError(Exception):
    """A line of a run's file cannot be read. ``line`` counts from 1."""

    def __init__(self, path: Path, line: int, problem: str) -> None:
        super().__init__(
            f"{path}, line {line}: {problem}. The file was changed after it was written:"
            " restore it, or start the run afresh."
        )
        self.path, self.line, self.problem = path, line, problem


@dataclass(frozen=True, slots=True)
class Line:
    """One line. ``value`` is None where it is not JSON, and then ``problem`` says why."""

    number: int
    raw: bytes
    value: Any
    problem: str = ""


@dataclass(frozen=True, slots=True)
class JournalContents:
    """A journal as it was found: its lines, and the bytes of a last one that was torn."""

    lines: tuple[Line, ...]
    torn: bytes


def read_journal(path: Path, *, within: Path | None = None) -> JournalContents:
    """Reads a journal; a missing file is an empty journal.

    A killed process can leave an unreadable last line: then ``torn`` is set, and the line is left
    out. Any other unreadable line is kept, with its problem. ``within`` is the run's folder, in
    which links are not followed. Raises OSError for anything but a plain file, and for a file
    larger than MOST_JOURNAL.
    """
    try:
        data = read_plain(path, MOST_JOURNAL, within=within)
    except FileNotFoundError:
        data = b""
    lines = [_read(number, raw) for number, raw in enumerate(data.splitlines(keepends=True), 1)]
    torn = lines.pop().raw if lines and lines[-1].problem else b""
    return JournalContents(tuple(lines), torn)


def read_records(path: Path, read: Callable[[object], R], *, within: Path | None = None) -> list[R]:
    """The lines of a journal as ``read`` makes them of their values; none of a torn last one.

    Raises as ``iterate_records`` does.
    """
    return list(iterate_records(path, read, within=within))


def iterate_records(
    path: Path, read: Callable[[object], R], *, within: Path | None = None
) -> Iterator[R]:
    """What ``read_records`` lists, with one line in memory at a time; nothing without a file.

    Raises CorruptFileError for a line that cannot be read, and where ``read`` raises
    FormatError; OSError as ``read_journal`` does.
    """
    for line in _iterate_lines(path, within):
        if line.problem:
            return
        try:
            yield read(line.value)
        except FormatError as error:
            raise CorruptFileError(path, line.number, str(error)) from error


def _iterate_lines(path: Path, within: Path | None) -> Iterator[Line]:
    """Every line. Raises CorruptFileError for one that cannot be read, unless it is the last."""
    try:
        opened = open_plain(path, MOST_JOURNAL, within=within)
    except FileNotFoundError:
        return
    with opened as file:
        before: Line | None = None
        for number, raw in enumerate(file, 1):
            if before is not None and before.problem:
                raise CorruptFileError(path, before.number, before.problem)
            before = _read(number, raw)
            if not before.problem:
                yield before
        if before is not None and before.problem:
            yield before


class Journal:
    """Appends to one journal. Each line is on the disk when ``append`` returns."""

    def __init__(self, path: Path, key: SigningKey) -> None:
        """Opens the file and cuts off a torn last line.

        Raises CorruptFileError for a line further up that cannot be read.
        """
        last = next(iter(deque(_iterate_lines(path, None), maxlen=1)), None)
        self._key = key
        self._file = path.open("ab", buffering=0)
        if last is not None and last.problem:
            self._file.truncate(path.stat().st_size - len(last.raw))
        elif last is not None and not last.raw.endswith(b"\n"):
            append_whole(self._file, b"\n")
        os.fsync(self._file.fileno())

    def append(self, body: Mapping[str, Any]) -> None:
        """Signs and writes one line. After an OSError the file is as before."""
        append_whole(self._file, canonical(self._key.sign(body)) + b"\n")
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """May be called twice."""
        self._file.close()


def _read(number: int, raw: bytes) -> Line:
    try:
        return Line(number, raw, parse(raw))
    except ValueError as error:
        return Line(number, raw, None, f"not a JSON object: {error}")
