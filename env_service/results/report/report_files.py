"""Writes a report's files: the page, its figures, its tables and its episodes as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path

from env_service.domain.text import safe
from env_service.domain.usage import Usage
from env_service.results.records import EpisodeRecord
from env_service.results.report.common_tables import in_order
from env_service.results.report.content import (
    Cell,
    Column,
    Document,
    FigureData,
    RowKind,
    Section,
    TableData,
)
from env_service.results.report.html_page import Drawn, as_page
from env_service.results.report.number_format import has_intervals
from env_service.results.report.runs import agent_name
from env_service.results.run_reader import RunContents
from env_service.storage.atomic_files import document as json_document
from env_service.storage.atomic_files import write_atomically
from env_service.storage.plain_files import MOST_GIVEN, read_plain

FORMATS = ("html", "csv", "svg", "png")
CONTENTS = "report.json"
"""The file that lists the others, and holds all numbers; a folder of ours is known by it."""
PAGE = "index.html"


class ReportFolderError(Exception):
    """A folder cannot take a report; the message says why."""


def write_report(document: Document, folder: Path, formats: Collection[str]) -> list[Path]:
    """Writes the report in some of FORMATS, and CONTENTS; returns the paths, the page first.

    Files of an earlier report in the same folder that this one lacks are removed. Raises
    ReportFolderError where the folder holds something else, or cannot be written.
    """
    earlier = _contents(folder)
    files = dict(_files(document, formats))
    contents = json_document(document.to_json() | {"files": [*files]})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # First, so that a folder that is not whole is known for ours.
        write_atomically(folder / CONTENTS, contents)
        for name, data in files.items():
            write_atomically(folder / name, data)
        for name in set(earlier) - set(files):
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise ReportFolderError(
            f"{folder} cannot be written: {error.strerror}. Name another folder with --out, or"
            " have the text alone with --format text."
        ) from error
    return [folder / name for name in files]


def _contents(folder: Path) -> list[str]:
    """The files of the report that the folder holds already."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return []
    try:
        listed = json.loads(read_plain(folder / CONTENTS, MOST_GIVEN, within=folder))["files"]
        return [name for name in listed if _is_ours(name)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ReportFolderError(
            f"{folder} is there already and holds no report: name another folder with --out."
        ) from error


def _is_ours(name: object) -> bool:
    """Whether a listed file could be one of a report's: the list may have been changed."""
    if not isinstance(name, str) or Path(name).name != name:
        return False
    return Path(name).suffix.removeprefix(".") in FORMATS


def _files(document: Document, formats: Collection[str]) -> Iterator[tuple[str, bytes]]:
    pictures: dict[tuple[str, str], Drawn] = {}
    drawn = []
    if {"html", "svg", "png"} & set(formats):
        from env_service.results.report.plotting import (  # noqa: PLC0415 - slow to import
            NARROW,
            draw,
        )

        for section, figure in _figures(document):
            name = file_name(document, section, figure.id)
            picture = draw(figure.drawing, name, png="png" in formats, label=document.label)
            drawn.append((name, picture))
            if "html" in formats:
                small = draw(
                    figure.drawing, f"{name}-narrow", png=False, label=document.label, room=NARROW
                )
                pictures[section.id, figure.id] = Drawn(picture.svg, small.svg)
    if "html" in formats:
        yield PAGE, as_page(document, pictures).encode()
    if "csv" in formats:
        for section in document.sections:
            for table in section.tables():
                yield (
                    f"{file_name(document, section, table.id)}.csv",
                    as_csv(table, document.label).encode(),
                )
        yield FILE, episodes_csv(document.runs, document.label).encode()
    for name, picture in drawn:
        if "svg" in formats:
            yield f"{name}.svg", picture.svg.encode()
        if picture.png is not None:
            yield f"{name}.png", picture.png


def file_name(document: Document, section: Section, item: str) -> str:
    """What the files of a table or figure are called, without the suffix."""
    return item if len(document.sections) == 1 else f"{section.id}-{item}"


def _figures(document: Document) -> Iterator[tuple[Section, FigureData]]:
    for section in document.sections:
        for figure in section.figures():
            yield section, figure


# --- Every episode of a report's runs as one CSV file, for a spreadsheet or a data frame

FILE = "episodes.csv"

Value = str | float | None


def _open_at_start(record: EpisodeRecord) -> int | None:
    held = [each.held_at_start for each in record.goal_conditions]
    return None if None in held else held.count(False)


_RUN: Mapping[str, Callable[[RunContents], Value]] = {
    "run": lambda text: text.path.name,
    "run_id": lambda text: text.manifest.run_id,
    "suite": lambda text: text.manifest.suite,
    "suite_version": lambda text: text.manifest.suite_version,
    "task_set": lambda text: text.manifest.task_set,
    "world": lambda text: text.manifest.world,
    "agent": lambda text: agent_name(text.manifest),
}
_EPISODE: Mapping[str, Callable[[EpisodeRecord], Value]] = {
    "episode_id": lambda record: record.episode_id,
    "task_id": lambda record: record.task_id,
    "group": lambda record: record.group,
    "cluster": lambda record: record.cluster,
    "repeat": lambda record: record.repeat,
    "seed": lambda record: record.seed,
    "unscored": lambda record: record.fault,
    "success": lambda record: None if record.fault else int(record.success),
    "failure": lambda record: record.failure,
    "goal_conditions_gained": lambda record: record.goals_gained,
    "goal_conditions_met": lambda record: sum(each.met for each in record.goal_conditions),
    "goal_conditions": lambda record: len(record.goal_conditions),
    "goal_conditions_open_at_start": _open_at_start,
    "steps": lambda record: record.steps,
    "agent_seconds": lambda record: record.agent_seconds,
    "environment_seconds": lambda record: record.environment_seconds,
    "session": lambda record: record.session,
    "guest": lambda record: record.guest,
    "exchanges": lambda record: record.exchanges,
    "transcript_head": lambda record: record.transcript_head,
}


def episodes_csv(texts: Iterable[RunContents], label: str = "") -> str:
    """A row for each recorded episode, by run and then in playing order: ids, what came of it, and
    a column for each setting, usage, label and metric that any of them has.

    Numbers are not rounded, shares are fractions of 1, and what an episode lacks is empty. An
    episode that the service lost for good names the fault under ``unscored``. ``label`` stands
    in a column of its own. A text that a spreadsheet would take for a formula gets a ' in front.
    """
    rows = [
        _row(text, record)
        for text in texts
        for record in sorted(text.episodes, key=in_order(text.manifest.task_ids))
    ]
    first = [*_RUN, *_EPISODE]
    others = sorted({name for row in rows for name in row} - set(first), key=_place)
    names = [*first, *others, *(["label"] if label else [])]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow([plain(name) for name in names])
    for row in rows:
        told = {**row, "label": label} if label else row
        writer.writerow([_written(told.get(name)) for name in names])
    return file.getvalue()


_PARTS = ("setting", "usage", "label", "metric")
"""What the columns behind the first ones begin with, in their order."""


def _place(name: str) -> tuple[int, str]:
    return _PARTS.index(name.partition(" ")[0]), name


def _row(text: RunContents, record: EpisodeRecord) -> dict[str, Value]:
    usage = {each.name: getattr(record.usage, each.name) for each in fields(Usage)}
    return {
        **{name: read(text) for name, read in _RUN.items()},
        **{name: read(record) for name, read in _EPISODE.items()},
        **_named("setting", text.manifest.condition),
        **_named("usage", usage if record.usage else {}),
        **_named("label", record.labels),
        **_named("metric", record.metrics),
    }


def _named(part: str, values: Mapping[str, Value]) -> dict[str, Value]:
    return {f"{part} {name}": value for name, value in values.items()}


def _written(value: Value) -> Value:
    return plain(value) if isinstance(value, str) else value


# --- Tables as CSV files (RFC 4180, UTF-8)

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_csv(table: TableData, label: str = "") -> str:
    """The table with all its rows: numbers unrounded, shares as fractions of 1.

    A column of numbers with intervals is followed by ``NAME low``, ``NAME high`` and
    ``NAME n``; ``kind`` (ours, total, published) and ``source`` come last where any number
    was published, and ``label``, where there is one, in a column of its own. A text that a
    spreadsheet would take for a formula gets a ' in front.
    """
    published = any(row.kind is RowKind.PUBLISHED for row in table.rows)
    bounded = [has_intervals(table, column) for column in table.columns]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    headings = [
        name
        for column, named, interval in zip(table.columns, table.names, bounded, strict=True)
        for name in _headings(column, named, interval=interval)
    ]
    kinds = any(row.kind is not RowKind.OURS for row in table.rows)
    extra = [*(["kind"] if kinds else []), *(["source"] if published else [])]
    extra += ["label"] if label else []
    writer.writerow([plain(name) for name in (*headings, *extra)])
    for row in table.rows:
        values: list[object] = []
        for cell, interval in zip(row.cells, bounded, strict=True):
            values += _values(cell, interval=interval)
        values += [row.kind.value] if kinds else []
        values += [plain(row.source)] if published else []
        values += [plain(label)] if label else []
        writer.writerow(values)
    return file.getvalue()


def _headings(column: Column, named: str, *, interval: bool) -> Iterator[str]:
    name = named if column.unit is not None else column.heading
    yield name
    if interval:
        yield from (f"{name} low", f"{name} high", f"{name} n")


def _values(cell: Cell, *, interval: bool) -> Iterator[object]:
    value = plain(cell.value) if isinstance(cell.value, str) else cell.value
    yield "" if value is None else value
    if interval:
        yield from ("" if bound is None else bound for bound in (cell.low, cell.high, cell.n))


def plain(text: str) -> str:
    """A text as a cell holds it: safe, and no formula."""
    shown = safe(text)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown
