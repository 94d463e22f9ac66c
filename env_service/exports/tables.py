"""Runs as tables: their episodes, the steps of these, and what models used.

The schema is the same for every format: EPISODE_COLUMNS, OPENING_COLUMNS and the named columns of
the runs for ``episodes``, STEP_COLUMNS for ``steps``, USAGE_COLUMNS for ``usage``.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import repeat
from typing import Any

from env_service.domain.data_node import FormatError
from env_service.exports.conversation import unreadable
from env_service.exports.job import Job
from env_service.results.records import EpisodeRecord
from env_service.results.report.episode_table import (
    EPISODE_COLUMNS,
    USAGE_COLUMNS,
    Column,
    Kind,
    episode_table,
    named_columns,
    usage_rows,
)
from env_service.results.report.step_table import (
    OPENING_COLUMNS,
    STEP_COLUMNS,
    of_episode,
    opening_row,
    read_exchanges,
    step_row,
)
from env_service.results.run_reader import RunContents
from env_service.storage.signed_journal import CorruptFileError

EPISODES, STEPS, USAGE = "episodes", "steps", "usage"
ROWS, SIZE = 20_000, 32 * 2**20
"""A batch is written as soon as it has this many rows, or bytes of transcripts and pictures."""

Row = Sequence[Any]
Write = Callable[[Sequence[Sequence[Any]]], None]
"""Writes rows to a file, given the values of each column."""
Open = Callable[[str, Sequence[Column]], AbstractContextManager[Write]]
"""Opens the file of a table, given the table's name and columns."""
Pictures = Callable[[RunContents, EpisodeRecord, Mapping[str, Any]], list[dict[str, Any]]]
"""Reads the pictures that an exchange showed, each with its ``bytes``."""

OPENING_PICTURES = Column("opening_images", Kind.PICTURES, "The pictures of the opening.")
STEP_PICTURES = Column("images", Kind.PICTURES, "The pictures that the agent was shown afterwards.")


def write_tables(job: Job, open_table: Open, pictures: Pictures | None = None) -> None:
    """Writes the three tables. ``pictures`` adds OPENING_PICTURES to ``episodes`` and STEP_PICTURES
    to ``steps``.

    Raises UnreadableEpisodeError for an episode whose transcript or picture cannot be read.
    """
    named = named_columns((run, job.episodes(run)) for run in job.runs)
    openings = (*OPENING_COLUMNS, *([OPENING_PICTURES] if pictures else ()))
    tables = {
        EPISODES: (*EPISODE_COLUMNS, *openings, *named),
        STEPS: (*STEP_COLUMNS, *([STEP_PICTURES] if pictures else ())),
        USAGE: USAGE_COLUMNS,
    }
    with ExitStack() as files, _uncollected():
        batches = {
            name: _Batch(files.enter_context(open_table(name, columns)))
            for name, columns in tables.items()
        }
        steps = batches[STEPS]
        for run in job.runs:
            records = tuple(job.episodes(run))
            opened = []
            for record in records:
                opening: Row = (None,) * len(openings)
                for kind, row, size in _transcribed(run, record, pictures):
                    if kind == "begin":
                        opening = row
                    else:
                        steps.append(row, size)
                opened.append(opening)
                job.advance()
            batches[EPISODES].add(_episode_rows(run, records, opened, named))
            batches[USAGE].add(usage_rows(run, records, lost=job.selection.everything))
        for batch in batches.values():
            batch.flush()


@contextmanager
def _uncollected() -> Iterator[None]:
    """Switches off the search for cycles of objects: rows have none, and among so many objects it
    takes a tenth of the time."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


class _Batch:
    """Rows that were not written yet."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._rows: list[Row] = []
        self._size = 0

    def add(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self.append(row)

    def append(self, row: Row, size: int = 0) -> None:
        self._rows.append(row)
        self._size += size
        if len(self._rows) >= ROWS or self._size >= SIZE:
            self.flush()

    def flush(self) -> None:
        if self._rows:
            self._write(tuple(zip(*self._rows, strict=True)))
        self._rows, self._size = [], 0


def _transcribed(
    run: RunContents, record: EpisodeRecord, pictures: Pictures | None
) -> Iterator[tuple[str, Row, int]]:
    """The kinds ``begin`` and ``step`` of exchanges, each with its row and the size of that."""
    shared = of_episode(run, record)
    step = 0
    try:
        # The service may have given up a task before it opened an episode.
        for size, exchange in read_exchanges(run, record) if record.exchanges else ():
            kind = exchange.get("kind")
            if kind not in ("begin", "step"):
                continue
            row = opening_row(exchange) if kind == "begin" else step_row(shared, step, exchange)
            step += kind == "step"
            if pictures is None:
                yield kind, row, size
                continue
            shown = pictures(run, record, exchange)
            yield kind, (*row, shown), size + sum(len(each["bytes"]) for each in shown)
    except (OSError, CorruptFileError, FormatError) as error:
        raise unreadable(run, record, str(error)) from error


def _episode_rows(
    run: RunContents,
    records: Sequence[EpisodeRecord],
    openings: Sequence[Row],
    named: Sequence[Column],
) -> Iterator[Row]:
    values = episode_table([(run, records)]).values
    first = zip(*(values[each.name] for each in EPISODE_COLUMNS), strict=True)
    last = zip(*(values.get(each.name) or repeat(None) for each in named), strict=False)
    for fixed, opening in zip(first, openings, strict=True):
        yield (*fixed, *opening, *next(last, ()))
