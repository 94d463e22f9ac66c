"""Shows a sweep's progress: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from env_service.domain.text import counted, safe
from env_service.sweep.schedule import OVER, Job, Status

_LINE_EVERY = 30.0
"""Seconds between two plain lines about the whole, at least."""
_SIGN_OF_LIFE = 600.0
"""Seconds after which a line is repeated although nothing has changed."""


@contextmanager
def sweep_progress(*, quiet: bool) -> Iterator[Bars | Lines]:
    """The progress that fits standard error; ``quiet`` shows messages alone."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield Lines(quiet=quiet)
        return
    bars = Bars(console)
    with bars.progress:
        yield bars


class Bars:
    """A bar for the whole, and one for each run that plays."""

    def __init__(self, console: Console) -> None:
        self.progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
        )
        self._tasks: dict[str, TaskID] = {}

    def say(self, text: str) -> None:
        """Prints a message above the bars."""
        self.progress.console.print(safe(text), markup=False, highlight=False, soft_wrap=True)

    def update(self, jobs: Sequence[Job]) -> None:
        """Moves the bars."""
        over = sum(job.status in OVER for job in jobs)
        total, done = sum(job.run.planned for job in jobs), sum(job.done for job in jobs)
        self._show(f"{over} of {counted(len(jobs), 'run')}", "", done, total)
        playing = {job.name: job for job in jobs if job.status is Status.PLAYING}
        for name in [each for each in self._tasks if each and each not in playing]:
            self.progress.remove_task(self._tasks.pop(name))
        for name, job in playing.items():
            self._show(safe(name), name, job.done, job.run.planned)

    def _show(self, words: str, name: str, done: int, total: int) -> None:
        if name not in self._tasks:
            self._tasks[name] = self.progress.add_task(words, total=total)
        self.progress.update(self._tasks[name], description=words, completed=done, total=total)


class Lines:
    """Plain lines on standard error."""

    def __init__(self, *, quiet: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._quiet, self._clock = quiet, clock
        self._last, self._shown = clock(), ""

    def say(self, text: str) -> None:
        """Prints a message."""
        click.echo(safe(text), err=True)

    def update(self, jobs: Sequence[Job]) -> None:
        """Prints a line about the whole: from time to time, once it has changed."""
        now = self._clock()
        if self._quiet or now - self._last < _LINE_EVERY:
            return
        over = sum(job.status in OVER for job in jobs)
        total, done = sum(job.run.planned for job in jobs), sum(job.done for job in jobs)
        line = f"{over} of {counted(len(jobs), 'run')} over, {done} of {total} episodes"
        if line != self._shown or now - self._last >= _SIGN_OF_LIFE:
            self._last, self._shown = now, line
            self.say(line)
