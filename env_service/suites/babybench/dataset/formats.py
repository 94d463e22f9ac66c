"""The columns of a data set, its file formats (CSV, JSON Lines and Parquet), and their readers."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from env_service.storage.plain_files import open_plain

# --- Columns

SCHEMA_VERSION = "1"
"""The version of the columns: raised if one is added, removed or changes its meaning."""

MOST_BYTES = 2**36
"""The largest file of rows that is read, in bytes."""

Row = Mapping[str, Any]
"""A row: a value of its kind for every column, by name. Equal rows have equal JSON."""


class Kind(Enum):
    """The values that a column holds. CSV has the last three as JSON."""

    TEXT = "text"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    TEXTS = "list of texts"
    DOORS = "list of doors"
    """``{"color", "x", "y", "state"}``; the state is "open", "closed" or "locked"."""
    SUBGOALS = "list of subgoals"
    """``{"name", "reason", "target", "x", "y"}``; x and y are null where it names no cell."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column. ``published``: LLM-BabyBench's files have it too."""

    name: str
    kind: Kind
    meaning: str
    published: bool = False


_STATE = "as ((x, y), d): column and row from the north-west corner, both from 0; d is 0 east, 1"
_STATE += " south, 2 west, 3 north"

_BEGINNING = (
    Column("env_name", Kind.TEXT, "The environment's id in minigrid.", published=True),
    Column("seed", Kind.INTEGER, "The seed that it is made from.", published=True),
    Column(
        "env_description", Kind.TEXT, "The environment in words, by the formatter.", published=True
    ),
    Column("initial_state", Kind.TEXT, f"The agent at the start, {_STATE}.", published=True),
)

_EXPERT_ACTIONS = "The expert's actions, joined by comma and space"

_ASKED: Mapping[str, tuple[Column, ...]] = {
    "predict": (
        Column("action_sequence", Kind.TEXT, f"{_EXPERT_ACTIONS}: the question.", published=True),
        Column(
            "target_state",
            Kind.TEXT,
            "The agent after these actions, as initial_state: the answer.",
            published=True,
        ),
    ),
    "plan": (
        Column("target_subgoal", Kind.TEXT, "The red ball's cell, as (x, y).", published=True),
        Column(
            "expert_action_sequence",
            Kind.TEXT,
            f"{_EXPERT_ACTIONS}: one right answer, though not always the shortest.",
            published=True,
        ),
    ),
    "decompose": (
        Column("mission", Kind.TEXT, "What is to be achieved.", published=True),
        Column(
            "help_count",
            Kind.INTEGER,
            "Subgoals that the expert set itself, those of the mission's translation included.",
            published=True,
        ),
    ),
}

_SHORTEST = Column("shortest_steps", Kind.INTEGER, "The fewest actions that reach the ball.")

_MISSION = Column("mission", Kind.TEXT, "What is to be achieved.")

_HELP = (
    Column("help_initial", Kind.INTEGER, "Those of help_count that translate the mission."),
    Column("help_added", Kind.INTEGER, "Those of help_count that it added on the way."),
    Column(
        "initial_subgoals",
        Kind.SUBGOALS,
        "The mission's translation in order: the subgoal's name; its purpose, if it serves"
        " another (Open: to open the door; PutNext: to face a free cell next to the target); what"
        " it concerns; and the cell of that which the expert takes at the start.",
    ),
    Column("expert_action_sequence", Kind.TEXT, f"{_EXPERT_ACTIONS}."),
)

_COMMON = (
    Column("question", Kind.TEXT, "predict, plan or decompose."),
    Column(
        "task_id",
        Kind.TEXT,
        "The task of the suite babybench that asks the same: of the task set QUESTION-dataset for"
        " the seeds 1 to 500, and of QUESTION:LEVELS:SEEDS for all.",
    ),
    Column("level", Kind.TEXT, "The level's short name."),
    Column("difficulty", Kind.TEXT, "The level's group in LLM-BabyBench; in Plan its size."),
    Column("skills", Kind.TEXTS, "What the level takes, after BabyAI's list of competencies."),
    Column("doors", Kind.DOORS, "Every door at the start, by rows from the north-west corner."),
    Column("grid_width", Kind.INTEGER, "Cells, outer walls included."),
    Column("grid_height", Kind.INTEGER, "Cells, outer walls included."),
    Column("things", Kind.INTEGER, "Keys, balls and boxes."),
    Column("obstacles", Kind.INTEGER, "Those of things that the mission does not mean."),
    Column("max_steps", Kind.INTEGER, "Actions after which minigrid ends the episode."),
    Column(
        "env_published",
        Kind.BOOLEAN,
        "Whether this is LLM-BabyBench's environment: minigrid 3.2 makes a few others.",
    ),
    Column("expert_steps", Kind.INTEGER, "How many actions the expert took."),
    Column("expert_success", Kind.BOOLEAN, "Whether they fulfil the mission."),
    Column("expert_mode", Kind.TEXT, "compat: the expert as published; fixed: without its faults."),
    Column("formatter", Kind.TEXT, "Which one wrote env_description."),
    Column("schema_version", Kind.TEXT, "Of these columns."),
)

QUESTIONS = tuple(_ASKED)
"""The questions that there are data sets of."""


def columns_of(question: str) -> tuple[Column, ...]:
    """The columns of one question's rows, in order. ``question`` is one of QUESTIONS."""
    own = {"predict": (_MISSION,), "plan": (_MISSION, _SHORTEST), "decompose": _HELP}[question]
    return (*_BEGINNING, *_ASKED[question], *own, *_COMMON)


# --- A digest of the content of a data set, independent of file formats


class ContentDigest:
    """SHA-256 over rows in order, each as JSON with sorted keys, no spaces, and a line break.

    It depends neither on the files' formats nor on how many processes made the rows.
    """

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()

    def add(self, row: Row) -> None:
        """Adds the next row."""
        text = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        self._sha256.update(text.encode() + b"\n")

    def hexdigest(self) -> str:
        """The digest of the rows so far."""
        return self._sha256.hexdigest()


def dump(value: Any) -> str:
    """JSON on one line, for JSON Lines and for lists in CSV. Equal values give equal texts."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


# --- File formats


class Format(Enum):
    """A file format; the values are file extensions."""

    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"


class RowWriter(AbstractContextManager["RowWriter"], Protocol):
    """Writes one file, complete at the end of the block. Equal rows give equal bytes."""

    def write(self, row: Row) -> None:
        """Writes the next row."""


def check_formats(formats: Sequence[Format]) -> None:
    """Raises FormatUnavailableError if one of them needs a library that is not installed."""
    if Format.PARQUET in formats:
        check_parquet()


def libraries(formats: Sequence[Format]) -> dict[str, str]:
    """Versions, by name, of the libraries on which the bytes of these files depend."""
    return parquet_library() if Format.PARQUET in formats else {}


def open_writer(path: Path, form: Format, columns: Sequence[Column]) -> RowWriter:
    """Starts a file and replaces any existing one. Raises OSError."""
    match form:
        case Format.PARQUET:
            return ParquetWriter(path, columns)
        case Format.CSV:
            return CsvWriter(path, columns)
        case Format.JSONL:
            return JsonLinesWriter(path, columns)


def read_rows(path: Path, form: Format, columns: Sequence[Column]) -> Iterator[Row]:
    """The rows of a file, with the values that were written.

    Raises OSError, and ValueError with the position for a file without such rows.
    """
    match form:
        case Format.PARQUET:
            return read_parquet(path, columns)
        case Format.CSV:
            return read_csv(path, columns)
        case Format.JSONL:
            return read_jsonl(path, columns)


# --- CSV after RFC 4180, in UTF-8 without a byte order mark

_LONGEST_FIELD = 2**24
"""In characters. The standard library's default of 131072 is too small for the words of a huge
grid.
"""
_TRUTH = {"true": True, "false": False}


class CsvWriter:
    """A RowWriter (see formats)."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._file = path.open("w", encoding="utf-8", newline="")
        self._writer = csv.writer(self._file, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
        self._writer.writerow(column.name for column in columns)

    def write(self, row: Row) -> None:
        """Writes the next row."""
        self._writer.writerow(_field(column.kind, row[column.name]) for column in self._columns)

    def __enter__(self) -> CsvWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()


def read_csv(path: Path, columns: Sequence[Column]) -> Iterator[Row]:
    """The rows of a file. Raises OSError and ValueError."""
    names = [column.name for column in columns]
    csv.field_size_limit(_LONGEST_FIELD)
    with TextIOWrapper(open_plain(path, MOST_BYTES), "utf-8", newline="") as file:
        lines = csv.reader(file, strict=True)
        try:
            if next(lines, None) != names:
                raise ValueError("the first line does not name the manifest's columns")
            for fields in lines:
                pairs = zip(columns, fields, strict=True)
                yield {column.name: _value(column.kind, field) for column, field in pairs}
        except (csv.Error, ValueError, KeyError) as error:
            raise ValueError(f"line {lines.line_num}: {error}") from error


def _field(kind: Kind, value: Any) -> str:
    match kind:
        case Kind.TEXT:
            return str(value)
        case Kind.INTEGER:
            return str(int(value))
        case Kind.BOOLEAN:
            return "true" if value else "false"
        case _:
            return dump(value)


def _value(kind: Kind, field: str) -> Any:
    match kind:
        case Kind.TEXT:
            return field
        case Kind.INTEGER:
            return int(field)
        case Kind.BOOLEAN:
            return _TRUTH[field]
        case _:
            return json.loads(field)


# --- JSON Lines: an object a row, in UTF-8, its keys in the columns' order


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


# --- Apache Parquet, by pyarrow: an optional library (the extra ``parquet``)

ROWS_PER_GROUP = 1_000
"""Some megabytes in memory."""


class FormatUnavailableError(Exception):
    """A file format whose library is not installed; the message says how to install it."""


def check_parquet() -> None:
    """Raises FormatUnavailableError if pyarrow is not installed."""
    if find_spec("pyarrow") is None:
        raise FormatUnavailableError(
            "Parquet files take pyarrow, which is not installed. Get it with: pip install"
            " 'houseguest[parquet]'. Or choose other formats: --format csv,jsonl."
        )


def parquet_library() -> dict[str, str]:
    """The version of pyarrow, by name."""
    return {"pyarrow": str(import_module("pyarrow").__version__)}


class ParquetWriter:
    """A RowWriter (see formats)."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        check_parquet()
        self._names = [column.name for column in columns]
        self._schema = _schema(columns)
        self._rows: list[dict[str, Any]] = []
        self._writer = import_module("pyarrow.parquet").ParquetWriter(
            str(path), self._schema, version="2.6", compression="zstd", compression_level=3
        )

    def write(self, row: Row) -> None:
        """Adds the next row, and writes a group once it is full."""
        self._rows.append({name: row[name] for name in self._names})
        if len(self._rows) == ROWS_PER_GROUP:
            self._flush()

    def _flush(self) -> None:
        table = import_module("pyarrow").Table.from_pylist(self._rows, schema=self._schema)
        self._writer.write_table(table, row_group_size=ROWS_PER_GROUP)
        self._rows.clear()

    def __enter__(self) -> ParquetWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._rows and error is None:
            self._flush()
        self._writer.close()


def read_parquet(path: Path, columns: Sequence[Column]) -> Iterator[Row]:
    """The rows of a file. Raises OSError, ValueError and FormatUnavailableError."""
    check_parquet()
    with import_module("pyarrow.parquet").ParquetFile(path) as file:
        if not file.schema_arrow.equals(_schema(columns)):
            raise ValueError("its schema does not have the manifest's columns")
        for batch in file.iter_batches(batch_size=ROWS_PER_GROUP):
            yield from batch.to_pylist()


def _schema(columns: Sequence[Column]) -> Any:
    arrow = import_module("pyarrow")
    fields = [
        arrow.field(column.name, _arrow_type(column.kind), nullable=False) for column in columns
    ]
    return arrow.schema(fields, metadata={"schema_version": SCHEMA_VERSION})


def _arrow_type(kind: Kind) -> Any:
    arrow = import_module("pyarrow")
    text, cell = arrow.string(), arrow.int32()
    match kind:
        case Kind.TEXT:
            return text
        case Kind.INTEGER:
            return arrow.int64()
        case Kind.BOOLEAN:
            return arrow.bool_()
        case Kind.TEXTS:
            return arrow.list_(text)
        case Kind.DOORS:
            named = [("color", text), ("x", cell), ("y", cell), ("state", text)]
        case Kind.SUBGOALS:
            named = [("name", text), ("reason", text), ("target", text), ("x", cell), ("y", cell)]
    return arrow.list_(arrow.struct(named))
