"""Reports, comparisons and verifications of runs, as the command line makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from env_service.results.report.comparison import compare_any
from env_service.results.report.content import Document
from env_service.results.report.designs import design_finder
from env_service.results.report.html_page import as_page
from env_service.results.report.report_files import FORMATS, PAGE, write_report
from env_service.results.report.run_report import make_report
from env_service.results.run_reader import RunContents
from env_service.results.verification import verify as verify_run
from env_service.results.verification_findings import Problem, VerificationReport
from houseguest.errors import UsageError, translated
from houseguest.html import table_html
from houseguest.runs import Place, Run, Runs, load

Given = Place | Run | Runs | Iterable["Place | Run"]
"""Runs, as objects or as places that ``hg.load`` takes."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report, and the files that it was written to: the page first if there is one."""

    document: Document
    files: tuple[Path, ...]

    def to_json(self) -> dict[str, Any]:
        """All numbers, as ``houseguest report --json`` prints them."""
        return self.document.to_json()

    def __str__(self) -> str:
        return _as_text(self.document)

    def _repr_html_(self) -> str:
        return _as_html(self.document)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs compared on the tasks that all of them have scored."""

    document: Document

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """Each pair with its difference, interval and p-value, as ``houseguest compare --json``
        prints them."""
        pairs: list[dict[str, Any]] = self.document.to_json()["pairs"]
        return pairs

    def to_json(self) -> dict[str, Any]:
        """All numbers, as ``houseguest compare --json`` prints them."""
        return self.document.to_json()

    def __str__(self) -> str:
        return _as_text(self.document)

    def _repr_html_(self) -> str:
        return _as_html(self.document)


@dataclass(frozen=True, slots=True)
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
    repeats and selected tasks; anything else is refused unless ``force``. Raises UsageError for
    fewer than two runs, and for runs that cannot be compared.
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
    if unknown := sorted(set(formats) - set(FORMATS)):
        raise UsageError(f"There is no format {unknown[0]!r}. Formats: {', '.join(FORMATS)}.")
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


def _as_html(document: Document) -> str:
    """The page in a frame, so that its styles do not change the notebook's."""
    from html import escape  # noqa: PLC0415 - only in notebooks

    page = escape(as_page(document, {}))
    style = "width:100%;height:600px;border:0"
    return f'<iframe sandbox srcdoc="{page}" style="{style}" title="{escape(PAGE)}"></iframe>'
