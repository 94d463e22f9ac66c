"""Progress in bytes: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from env_service.cli.data_text import size_text
from env_service.cli.output import PLAIN_SECONDS


class Advance(Protocol):
    """Is told of ``more`` bytes, and of how many there are in all once that is known."""

    def __call__(self, more: int, total: int | None = None) -> None: ...


@contextmanager
def byte_progress(label: str, total: int | None) -> Iterator[Advance]:
    """Yields a function to call with each number of bytes that is done.

    It is told on standard error, so that standard output stays free.
    """
    if not sys.stderr.isatty():
        lines = _Lines(label, total)
        yield lines.advance
        lines.end()
        return
    columns = (
        TextColumn(label),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=total)

        def advance(more: int, total: int | None = None) -> None:
            bar.update(task, advance=more, total=total)

        yield advance


class _Lines:
    def __init__(self, label: str, total: int | None) -> None:
        self._label, self._total, self._done = label, total, 0
        self._told = time.monotonic()

    def advance(self, more: int, total: int | None = None) -> None:
        self._done += more
        self._total = total or self._total
        if time.monotonic() - self._told >= PLAIN_SECONDS:
            self._told = time.monotonic()
            self.end()

    def end(self) -> None:
        of = f" of {size_text(self._total)}" if self._total else ""
        click.echo(f"{self._label}: {size_text(self._done)}{of}", err=True)
