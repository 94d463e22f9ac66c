"""Writes a report's files: the page, figures, tables, and the episodes as CSV."""

import csv
import io
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from env_service.domain.text import safe
from env_service.results.report.common_tables import in_order
from env_service.results.report.content import (
    Cell,
    Column,
    Document,
    FigureData,
    RowKind,
    Section,
    TableData,
    episode_link,
)
from env_service.results.report.episode_table import Value, episode_table
from env_service.results.report.html_page import Drawn, as_page
from env_service.results.report.number_format import has_intervals
from env_service.results.report.pasted_tables import as_latex, as_markdown
from env_service.results.run_reader import RunContents
from env_service.storage.atomic_files import document as json_document
from env_service.storage.atomic_files import write_atomically
from env_service.storage.plain_files import MOST_GIVEN, read_plain

FORMATS = ("html", "csv", "svg", "png")
PASTED = ("latex", "md")
"""Further formats, of tables alone, for papers and web pages."""
_SUFFIXES = {*FORMATS, "tex", "md"}
CONTENTS = "report.json"
"""The file with all numbers and a list of the other files; it identifies a report's folder."""
PAGE = "index.html"


class ReportFolderError(Exception):
    """A folder cannot hold a report; the message says why."""


def write_report(document: Document, folder: Path, formats: Collection[str]) -> list[Path]:
    """Writes the report in some of FORMATS and PASTED, and CONTENTS; returns the paths, the page
    first.

    Deletes files of an earlier report in the folder that this one lacks. Raises ReportFolderError
    if the folder holds something else, or cannot be written.
    """
    earlier = _contents(folder)
    files = dict(_files(document, formats))
    contents = json_document(document.to_json() | {"files": [*files]})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # First, so that an incomplete folder can be recognised as a report's.
        write_atomically(folder / CONTENTS, contents)
        for name, data in files.items():
            write_atomically(folder / name, data)
        for name in set(earlier) - set(files):
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise ReportFolderError(
            f"{folder} cannot be written: {error.strerror}. Name another folder with --out, or"
            " print only the text with --format text."
        ) from error
    return [folder / name for name in files]


def _contents(folder: Path) -> list[str]:
    """The files of the report that the folder already holds."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return []
    try:
        listed = json.loads(read_plain(folder / CONTENTS, MOST_GIVEN, within=folder))["files"]
        return [name for name in listed if _is_ours(name)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ReportFolderError(
            f"{folder} exists and holds no report: name another folder with --out."
        ) from error


def _is_ours(name: object) -> bool:
    """Whether a listed file can belong to a report; the list may have been edited."""
    if not isinstance(name, str) or Path(name).name != name:
        return False
    return Path(name).suffix.removeprefix(".") in _SUFFIXES


def _files(document: Document, formats: Collection[str]) -> Iterator[tuple[str, bytes]]:
    drawn = []
    if {"svg", "png"} & set(formats):
        from env_service.results.report.plotting import draw  # noqa: PLC0415 - slow to import

        for section, figure in _figures(document):
            name = file_name(document, section, figure.id)
            picture = draw(figure.drawing, name, png="png" in formats, label=document.label)
            drawn.append((name, picture))
    if "html" in formats:
        yield PAGE, whole_page(document, {name: each.svg for name, each in drawn}).encode()
    for section in document.sections:
        for table in section.tables():
            name = file_name(document, section, table.id)
            for kind, (suffix, written) in _TABLES.items():
                if kind in formats:
                    yield f"{name}.{suffix}", written(table, document.label).encode()
    if {"html", "csv"} & set(formats):
        yield FILE, episodes_csv(document.runs, document.label, document.viewer).encode()
    for name, picture in drawn:
        if "svg" in formats:
            yield f"{name}.svg", picture.svg.encode()
        if picture.png is not None:
            yield f"{name}.png", picture.png


def whole_page(document: Document, wide: Mapping[str, str] | None = None) -> str:
    """The page with its figures inside. ``wide`` has figures that are drawn already, by the name of
    their file."""
    pictures: dict[tuple[str, str], Drawn] = {}
    for section, figure in _figures(document):
        from env_service.results.report.plotting import (  # noqa: PLC0415 - slow to import
            NARROW,
            draw,
        )

        name, label = file_name(document, section, figure.id), document.label
        small = draw(figure.drawing, f"{name}-narrow", png=False, label=label, room=NARROW)
        svg = (wide or {}).get(name) or draw(figure.drawing, name, png=False, label=label).svg
        pictures[section.id, figure.id] = Drawn(svg, small.svg)
    return as_page(document, pictures)


def file_name(document: Document, section: Section, item: str) -> str:
    """The file name of a table or figure, without the suffix."""
    return item if len(document.sections) == 1 else f"{section.id}-{item}"


def _figures(document: Document) -> Iterator[tuple[Section, FigureData]]:
    for section in document.sections:
        for figure in section.figures():
            yield section, figure


# --- Every episode of a report's runs as one CSV file, for a spreadsheet or a data frame

FILE = "episodes.csv"


def episodes_csv(runs: Iterable[RunContents], label: str = "", viewer: str = "") -> str:
    """A row for each recorded episode, by run and then in order of the tasks.

    Columns are ids, results, and each setting, usage, label and metric that any episode has.
    Numbers are not rounded, shares are fractions of 1, and missing values are empty. For an episode
    that the service lost for good, ``unscored`` names the fault. If there is a ``viewer``, the
    column ``link`` has the episode's address on its page. ``label``, if any, fills another column.
    A ' precedes texts that a spreadsheet would read as a formula.
    """
    table = episode_table(
        (run, sorted(run.episodes, key=in_order(run.manifest.task_ids))) for run in runs
    )
    values = {column.name: table.values[column.name] for column in table.columns}
    if viewer:
        shown = zip(values["run"], values["episode_id"], strict=True)
        values["link"] = [viewer + episode_link(str(run), str(name)) for run, name in shown]
    if label:
        values["label"] = [label] * len(values["run"])
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(map(plain, values))
    writer.writerows(map(_written, row) for row in zip(*values.values(), strict=True))
    return file.getvalue()


def _written(value: Value) -> Value:
    if isinstance(value, bool):
        return int(value)
    return plain(value) if isinstance(value, str) else value


# --- Tables as CSV files (RFC 4180, UTF-8)

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Spreadsheets read a text that starts with one of these as a formula."""


def as_csv(table: TableData, label: str = "") -> str:
    """The table with all its rows: numbers not rounded, shares as fractions of 1.

    The columns ``NAME low``, ``NAME high`` and ``NAME n`` follow a column of numbers with
    intervals. The last columns are ``kind`` (ours, total, published) and ``source`` if any number
    was published, and ``label`` if there is one. A ' precedes texts that a spreadsheet would read
    as a formula.
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
    """A text safe for a CSV cell, and never a formula."""
    shown = safe(text)
    return f"'{shown}" if shown.lstrip().startswith(FORMULA) else shown


_TABLES = {"csv": ("csv", as_csv), "latex": ("tex", as_latex), "md": ("md", as_markdown)}
"""The suffix and the writer of each format of tables."""
