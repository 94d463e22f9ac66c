"""Reads what was appended to a journal of a run since the last time."""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from env_service.domain.usage import MOST
from env_service.index.rows import MOST_LINE, Row, cut
from env_service.results.run_layout import EPISODES, UNCOUNTED, VOIDS
from env_service.storage.canonical_json import parse
from env_service.storage.plain_files import open_plain
from env_service.storage.signed_journal import MOST_JOURNAL

R = TypeVar("R")

CHECKED = 2**20
"""Bytes before the place to which a journal was read that have to be the same the next time."""
JOURNALS = (EPISODES, VOIDS, UNCOUNTED)
_CHUNK_LINES = 1000
"""Lines of a journal that are written in one transaction."""


class FileState(NamedTuple):
    """A row of ``files``."""

    size: int = -1
    mtime_ns: int = 0
    inode: int = 0
    offset: int = 0
    lines: int = 0
    head: str = ""
    problem: str = ""

    @property
    def stat(self) -> tuple[int, int, int]:
        """The numbers that show whether the file changed."""
        return self[:3]


class ReplacedError(Exception):
    """A file is not the one that was read before, with more at its end."""


def stat_of(path: Path | str) -> tuple[int, int, int]:
    """Size, time of change and inode, without following a link; those of no file where none is."""
    try:
        return numbers_of(os.lstat(path))
    except OSError:
        return FileState().stat


def numbers_of(found: os.stat_result) -> tuple[int, int, int]:
    # Some file systems number files up to 2^64, and databases hold less.
    return found.st_size, found.st_mtime_ns, found.st_ino & MOST


def words_of(error: Exception) -> str:
    """An error without the path of its file, which the message already names."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return " ".join(str(error).split())


def read_journal(
    path: Path,
    root: Path,
    state: FileState,
    take: Callable[[list[bytes], int], tuple[int, str]],
) -> tuple[FileState, bool]:
    """Reads the lines that were appended, or the first of them, and whether there are more.

    ``take`` gets lines and the number of the first, and returns how many of them it took and what
    is wrong with the next one. A last line without a line end is being written, and waits.
    Raises ReplacedError.
    """
    before = stat_of(path)
    if before == state.stat:
        return state, False
    try:
        file = open_plain(path, MOST_JOURNAL, within=root)
    except FileNotFoundError:
        if state.offset:
            raise ReplacedError from None
        return FileState(), False
    except OSError as error:
        if state.offset:
            raise ReplacedError from error
        return FileState(*before, problem=cut(words_of(error))), False
    with file:
        size, mtime_ns, inode = numbers_of(os.fstat(file.fileno()))
        if state.offset and (inode != state.inode or _head(file, state) != state.head):
            raise ReplacedError
        file.seek(state.offset)
        lines, problem, ended = _read_lines(file, size - state.offset)
        taken, wrong = take(lines, state.lines + 1)
        problem = wrong or (problem if taken == len(lines) else "")
        number = state.lines + taken
        offset = state.offset + sum(map(len, lines[:taken]))
        if problem:
            problem = cut(f"line {number + 1}: {problem}")
        more = not problem and (not ended or taken < len(lines))
        # A file that was not read to its end must not look unchanged the next time.
        stat = (offset, 0) if more else (size, mtime_ns)
        after = FileState(*stat, inode, offset, number, "", problem)
        return after._replace(head=_head(file, after)), more


def _read_lines(file: Any, most: int) -> tuple[list[bytes], str, bool]:
    """Whole lines from here on, what is wrong with the next one, and whether these are all."""
    lines: list[bytes] = []
    size = 0
    while size < most and len(lines) < _CHUNK_LINES:
        line = file.readline(min(most - size, MOST_LINE + 1))
        if not line.endswith(b"\n"):
            too_long = len(line) > MOST_LINE
            return lines, f"longer than {MOST_LINE} bytes" if too_long else "", True
        lines.append(line)
        size += len(line)
    return lines, "", size >= most


def _head(file: Any, state: FileState) -> str:
    """SHA-256 (hex) of the last CHECKED bytes before the offset."""
    start = max(0, state.offset - CHECKED)
    file.seek(start)
    return sha256(file.read(state.offset - start)).hexdigest() if state.offset else ""


def take_records(
    rows: list[Row],
    read: Callable[[object], R],
    make: Callable[[R], Row],
    lines: list[bytes],
    seq: int,
) -> tuple[int, str]:
    """Adds a row for each line. Returns how many lines were taken, and what is wrong with the
    next one."""
    for taken, line in enumerate(lines):
        try:
            rows.append({"seq": seq + taken, **make(read(parse(line)))})
        except ValueError as error:
            return taken, words_of(error)
    return len(lines), ""
