"""Reports, comparisons and verifications of runs, as the command line makes them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from env_service.domain.text import counted
from env_service.results.report.comparison import compare_any
from env_service.results.report.content import Document
from env_service.results.report.designs import design_finder
from env_service.results.report.report_files import (
    CONTENTS,
    FORMATS,
    PASTED,
    whole_page,
    write_report,
)
from env_service.results.report.run_report import make_report
from env_service.results.run_reader import RunContents
from env_service.results.verification import verify as verify_run
from env_service.results.verification_findings import Problem, VerificationReport
from env_service.storage.plain_files import MOST_GIVEN, read_plain
from houseguest.errors import UsageError, translated
from houseguest.frames import Column, Kind, Table, Tabular, Value
from houseguest.html import framed, table_html
from houseguest.runs import Place, Run, Runs, load

Given = Place | Run | Runs | Iterable["Place | Run"]
"""Runs, as objects or as places that ``hg.load`` takes."""


class ReportTable(Tabular):
    """A table of a report, a comparison or a leaderboard, as a frame.

    A column of numbers with intervals is followed by ``NAME low``, ``NAME high`` and ``NAME n``:
    the ends of the 95 % interval and the number of episodes. Shares are fractions of 1.
    """

    def __init__(self, contents: Mapping[str, Any]) -> None:
        """``contents`` is a table of ``report.json``."""
        self.title = str(contents["title"])
        self.note = str(contents["note"])
        self._columns, self._rows = contents["columns"], contents["rows"]

    def table(self) -> Table:
        """The columns and their values."""
        columns: list[Column] = []
        values: dict[str, list[Value]] = {}
        for name in self._columns:
            cells = [row.get(name) for row in self._rows]
            bounded = any(isinstance(cell, dict) for cell in cells)
            parts = [_parts(cell) for cell in cells]
            text = any(isinstance(value, str) for value, *_ in parts)
            columns.append(Column(name, Kind.TEXT if text else Kind.NUMBER))
            values[name] = [value for value, *_ in parts]
            for place, (suffix, kind) in enumerate(_OF_INTERVALS if bounded else (), 1):
                columns.append(Column(f"{name} {suffix}", kind))
                values[f"{name} {suffix}"] = [part[place] for part in parts]
        return Table(tuple(columns), values)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"<ReportTable {self.title!r}: {counted(len(self), 'row')}>"

    def _repr_html_(self) -> str:
        table = self.table()
        columns = (map(_shown, table.values[each.name]) for each in table.columns)
        rows = [list(row) for row in zip(*columns, strict=True)]
        return table_html([each.name for each in table.columns], rows, len(rows))


_OF_INTERVALS = (("low", Kind.NUMBER), ("high", Kind.NUMBER), ("n", Kind.WHOLE))


def _parts(cell: Any) -> tuple[Value, Value, Value, Value]:
    """The value of a cell, the ends of its interval, and its number of episodes."""
    if not isinstance(cell, dict):
        return cell, None, None, None
    low, high = cell.get("interval_95", (None, None))
    return cell["value"], low, high, cell.get("n")


def _shown(value: Value) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _tables(contents: Mapping[str, Any]) -> dict[str, ReportTable]:
    """Tables by the names of their files."""
    sections = contents["sections"]
    return {
        table["id"] if len(sections) == 1 else f"{section['id']}-{table['id']}": ReportTable(table)
        for section in sections
        for table in section["tables"]
    }


def tables(folder: str | PathLike[str]) -> dict[str, ReportTable]:
    """The tables that ``houseguest report``, ``compare`` or ``sweep`` wrote to a folder, by name.

        hg.tables("runs/plan-leaderboard")["success"].to_pandas()

    Raises UsageError for a folder without a report.
    """
    file = Path(folder) / CONTENTS
    try:
        return _tables(json.loads(read_plain(file, MOST_GIVEN)))
    except (OSError, ValueError, LookupError, TypeError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"{folder} holds no report: {CONTENTS} cannot be read: {why}.") from error


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """A report, and the files that it was written to: the page first if there is one."""

    document: Document
    files: tuple[Path, ...]

    @property
    def tables(self) -> dict[str, ReportTable]:
        """The tables by the names of their files."""
        return _tables(self.document.to_json())

    def to_json(self) -> dict[str, Any]:
        """All numbers, as ``houseguest report --json`` prints them."""
        return self.document.to_json()

    def __repr__(self) -> str:
        return f"<Report {self.document.title!r}>"

    def __str__(self) -> str:
        return _as_text(self.document)

    def _repr_html_(self) -> str:
        return framed(whole_page(self.document), self.document.title)


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """Runs compared on the tasks that all of them have scored.

    Runs of several suites or settings make a leaderboard: the tables ``success``, ``differences``
    from the agent of the first run, and ``cost``.
    """

    document: Document

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """Each pair with its difference, interval and p-value, as ``houseguest compare --json``
        prints them; empty for a leaderboard."""
        pairs: list[dict[str, Any]] = self.document.to_json().get("pairs", [])
        return pairs

    @property
    def tables(self) -> dict[str, ReportTable]:
        """The tables by the names of their files."""
        return _tables(self.document.to_json())

    def to_json(self) -> dict[str, Any]:
        """All numbers, as ``houseguest compare --json`` prints them."""
        return self.document.to_json()

    def __repr__(self) -> str:
        return f"<Comparison {self.document.title!r}>"

    def __str__(self) -> str:
        return _as_text(self.document)

    def _repr_html_(self) -> str:
        return framed(whole_page(self.document), self.document.title)


@dataclass(frozen=True, slots=True, repr=False)
class Verification:
    """The findings of a verification. True in a condition if there is no problem."""

    report: VerificationReport

    @property
    def good(self) -> bool:
        """Whether no problem was found."""
        return self.report.good

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Each problem with its ``file``, ``line``, ``what`` and ``hint``."""
        return self.report.problems

    def to_json(self) -> dict[str, Any]:
        """All findings, as ``houseguest verify --json`` prints them."""
        return self.report.to_json()

    def __bool__(self) -> bool:
        return self.good

    def __repr__(self) -> str:
        return f"<Verification of {self}>"

    def __str__(self) -> str:
        checked = f"{self.report.episodes} episodes checked, {self.report.replayed} replayed"
        found = "; ".join(map(str, self.problems))
        return f"{self.report.run}: {checked}; {found or 'no problem'}"

    def _repr_html_(self) -> str:
        rows = [[each.file, str(each.line or ""), each.what, each.hint] for each in self.problems]
        head = ["file", "line", "problem", "hint"]
        return table_html([str(self)], [], 0) if self.good else table_html(head, rows, len(rows))


def compare(*runs: Given, all_pairs: bool = False, force: bool = False) -> Comparison:
    """Compares runs with the first one, on the tasks that all of them have scored.

        hg.compare("runs/A", "runs/B").pairs[0]["p_value"]

    ``all_pairs`` compares each run with each other. Runs may differ in condition, agent, seed,
    repeats and selected tasks. Runs of several suites or settings make a leaderboard if some agents
    played the same. Anything else is refused unless ``force``. Raises UsageError for fewer than two
    runs, and for runs that cannot be compared.
    """
    contents = _contents(runs)
    if len(contents) < 2:
        raise UsageError("A comparison needs two different runs: hg.compare(first, second).")
    with translated():
        document = compare_any(contents, design_finder(), all_pairs=all_pairs, force=force)
    return Comparison(document)


def report(
    runs: Given, out: str | PathLike[str] | None = None, *, formats: Sequence[str] = FORMATS
) -> Report:
    """Makes the report on some runs: their tables and figures, one section for comparable runs.

    ``out`` is the folder for its files: a page, tables, ``episodes.csv`` and figures in these
    ``formats``; without one, nothing is written. In a notebook, the report shows its page. Raises
    UsageError for an unknown format or a folder that holds something else.
    """
    if unknown := sorted(set(formats) - {*FORMATS, *PASTED}):
        known = ", ".join((*FORMATS, *PASTED))
        raise UsageError(f"Unknown format {unknown[0]!r}. Formats: {known}.")
    contents = _contents([runs])
    with translated():
        document = make_report(contents, design_finder())
        files = [] if out is None else write_report(document, Path(out), formats)
    return Report(document, tuple(files))


def verify(
    run: Place | Run,
    *,
    replay: bool = True,
    key: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Verification:
    """Checks that a run is unchanged and that its scores are true.

        assert hg.verify("runs/my-run")

    ``replay`` plays every episode again if the suite is deterministic. ``key`` is the public key
    (64 hex digits) that you trust; by default the run's own, which proves that the run is
    unchanged, not who signed it. ``progress`` is called with the episodes done and all episodes.
    """
    path = run.path if isinstance(run, Run) else Path(run)
    if not path.is_dir():
        raise UsageError(f"{path} is not a folder; verify takes one run's folder.")
    with translated():
        return Verification(
            verify_run(path, replay=replay, public_key=key and key.lower(), progress=progress)
        )


def _contents(given: Iterable[Given]) -> list[RunContents]:
    return [run.contents for run in dict.fromkeys(run for each in given for run in _runs(each))]


def _runs(given: Given) -> Iterable[Run]:
    if isinstance(given, Run):
        return [given]
    if isinstance(given, Runs):
        return given
    if isinstance(given, str | PathLike):
        return load(given)
    return [run for each in given for run in _runs(each)]


def _as_text(document: Document) -> str:
    from rich.console import Console  # noqa: PLC0415 - only to print

    from env_service.results.report.terminal_text import as_text  # noqa: PLC0415 - only to print

    console = Console(width=120, no_color=True)
    with console.capture() as captured:
        console.print(as_text(document), crop=False)
    return captured.get()
