"""Tables, progress bars, sizes and counts: rich output on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import click

if TYPE_CHECKING:
    from rich.console import JustifyMethod

PLAIN_SECONDS = 5.0
"""Seconds between two lines of progress if standard error is not a terminal."""


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints a table on a terminal; elsewhere, one plain line per row with aligned columns.

    A column whose name starts with ``#`` is right-aligned, for numbers.
    """
    if not sys.stdout.isatty():
        _print_lines(columns, rows)
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        side: JustifyMethod = "right" if name[0] == "#" else "left"
        # Fold long names: a name cut with an ellipsis cannot be copied into a command.
        table.add_column(name.removeprefix("#"), justify=side, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


@contextmanager
def progress(label: str, total: int) -> Iterator[Callable[[], None]]:
    """Yields a function to call after each of ``total`` pieces of work.

    Shows a bar on a terminal; elsewhere a plain line every PLAIN_SECONDS and one at the end.
    Writes to standard error, so that standard output contains only the result.
    """
    if not sys.stderr.isatty():
        yield _Lines(label, total).advance
        return
    from rich import progress as rich
    from rich.console import Console

    columns = (
        rich.TextColumn(label),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TimeRemainingColumn(),
    )
    with rich.Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=total)
        yield lambda: bar.advance(task)


class _Lines:
    def __init__(self, label: str, total: int) -> None:
        self._label, self._total = label, total
        self._done = 0
        self._last = time.monotonic()

    def advance(self) -> None:
        self._done += 1
        now = time.monotonic()
        if self._done == self._total or now - self._last >= PLAIN_SECONDS:
            self._last = now
            click.echo(f"{self._label}: {self._done} of {self._total}", err=True)


def _print_lines(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    numeric = [name.startswith("#") for name in columns]
    lines = [[name.removeprefix("#") for name in columns], *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(columns))]
    for line in lines:
        cells = zip(line, widths, numeric, strict=True)
        aligned = (
            cell.rjust(width) if right else cell.ljust(width) for cell, width, right in cells
        )
        click.echo("  ".join(aligned).rstrip())


# --- Progress in bytes


class Advance(Protocol):
    """Counts ``more`` bytes as done. ``total`` is the number of all bytes, once known."""

    def __call__(self, more: int, total: int | None = None) -> None: ...


@contextmanager
def byte_progress(label: str, total: int | None) -> Iterator[Advance]:
    """Yields a function to call with the size of each finished piece, in bytes.

    Writes to standard error, so that standard output contains only the result.
    """
    if not sys.stderr.isatty():
        lines = _ByteLines(label, total)
        yield lines.advance
        lines.end()
        return
    from rich import progress as rich
    from rich.console import Console

    columns = (
        rich.TextColumn(label),
        rich.BarColumn(),
        rich.DownloadColumn(),
        rich.TransferSpeedColumn(),
        rich.TimeRemainingColumn(),
    )
    with rich.Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=total)

        def advance(more: int, total: int | None = None) -> None:
            bar.update(task, advance=more, total=total)

        yield advance


class _ByteLines:
    def __init__(self, label: str, total: int | None) -> None:
        self._label, self._total, self._done = label, total, 0
        self._last = time.monotonic()

    def advance(self, more: int, total: int | None = None) -> None:
        self._done += more
        self._total = total or self._total
        if time.monotonic() - self._last >= PLAIN_SECONDS:
            self._last = time.monotonic()
            self.end()

    def end(self) -> None:
        of = f" of {size_text(self._total)}" if self._total else ""
        click.echo(f"{self._label}: {size_text(self._done)}{of}", err=True)


# --- Sizes, counts and lists as text

MOST_NAMED = 20
"""Maximum number of items listed in text output; ``--json`` lists all."""


def size_text(size: int) -> str:
    """A number of bytes for readers, such as ``22.2 MB``."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size} B"


def count_text(number: int, noun: str = "file") -> str:
    """``1 file``, ``2 files``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(label: str, items: Iterable[str]) -> Iterator[str]:
    """Yields ``label: item`` for the first MOST_NAMED items, then the number of the others."""
    every = list(items)
    yield from (f"{label}: {item}" for item in every[:MOST_NAMED])
    if len(every) > MOST_NAMED:
        yield f"{label}: {len(every) - MOST_NAMED} more; --json lists all"
