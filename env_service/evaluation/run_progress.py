"""Shows a run's progress: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from env_service.domain.usage import spent_text
from env_service.evaluation.run_evaluation import Reporter
from env_service.gateway.run_state import Counts, RunEvent
from env_service.results.statistics import wilson_interval


class Pace:
    """Episodes per minute and time left, from the episodes finished since this process began."""

    def __init__(self, done: int, now: float) -> None:
        self._start = now
        self._done_before = done

    def per_minute(self, counts: Counts, now: float) -> float:
        """Episodes finished per minute since the start; 0 before the first."""
        elapsed = max(now - self._start, 1e-9)
        return (counts.done - self._done_before) * 60 / elapsed

    def seconds_left(self, counts: Counts, now: float) -> float | None:
        """Seconds left at the current pace; None before the first episode."""
        pace = self.per_minute(counts, now)
        left = counts.total - counts.done - counts.unscored
        return left * 60 / pace if pace else None


def rate_text(counts: Counts) -> str:
    """``41.7 % (19.3 to 68.0)``: the success rate with its 95 % Wilson interval."""
    if not counts.done:
        return "no episode yet"
    low, high = wilson_interval(counts.succeeded, counts.done)
    rate = counts.succeeded / counts.done
    return f"{100 * rate:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def clock_text(seconds: float | None) -> str:
    """``1:02:03``, ``2:03`` or ``–`` for None."""
    if seconds is None:
        return "–"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def lost_text(counts: Counts) -> str:
    """The numbers of voided and withdrawn episodes, in Rich's markup; empty if there are none."""
    voided = [f"{counts.voided} voided"] if counts.voided else []
    withdrawn = [f"{counts.withdrawn} withdrawn"] if counts.withdrawn else []
    return "[yellow]" + ", ".join(voided + withdrawn) if voided or withdrawn else ""


def left_text(event: RunEvent) -> str:
    """The line for an agent that left the run; empty for other events.

    It is shown at once, because the run may continue for hours without that agent.
    """
    if event.kind != "left":
        return ""
    return f"session {event.session} withdrew: {event.message or event.failure}"


class Silent:
    """Shows no progress."""

    def __enter__(self) -> Silent:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def update(self, counts: Counts, events: list[RunEvent]) -> None:
        """Does nothing."""

    def say(self, text: str) -> None:
        """Prints the message on standard error."""
        click.echo(text, err=True)


class Bar:
    """A live bar, for a terminal."""

    def __init__(self, console: Console, counts: Counts) -> None:
        self._pace = Pace(counts.done, time.monotonic())
        self._progress = Progress(
            SpinnerColumn(),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("success {task.fields[rate]}"),
            TextColumn("{task.fields[pace]:.0f} ep/min"),
            TimeElapsedColumn(),
            TextColumn("left {task.fields[left]}"),
            TextColumn("{task.fields[spent]}"),
            TextColumn("{task.fields[voids]}"),
            console=console,
        )
        self._task = self._progress.add_task(
            "run",
            total=counts.total,
            completed=counts.done,
            rate=rate_text(counts),
            pace=0.0,
            left="–",
            spent=spent_text(counts.usage),
            voids=lost_text(counts),
        )

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def update(self, counts: Counts, events: list[RunEvent]) -> None:
        """Moves the bar."""
        for text in filter(None, map(left_text, events)):
            self.say(text)
        now = time.monotonic()
        self._progress.update(
            self._task,
            completed=counts.done + counts.unscored,
            rate=rate_text(counts),
            pace=self._pace.per_minute(counts, now),
            left=clock_text(self._pace.seconds_left(counts, now)),
            spent=spent_text(counts.usage),
            voids=lost_text(counts),
        )

    def say(self, text: str) -> None:
        """Prints the message above the bar."""
        self._progress.console.print(text, markup=False, highlight=False)


class Lines:
    """One plain line per episode, for logs and pipes."""

    def __init__(self, console: Console, counts: Counts) -> None:
        self._console = console
        self._pace = Pace(counts.done, time.monotonic())

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def update(self, counts: Counts, events: list[RunEvent]) -> None:
        """Prints a line for each finished episode and each agent that left."""
        now = time.monotonic()
        for event in events:
            if text := left_text(event):
                self.say(text)
            if event.kind not in ("closed", "voided", "withdrawn"):
                continue
            what = "success" if event.success else event.failure
            what = f"voided: {what}" if event.kind == "voided" else what
            left = clock_text(self._pace.seconds_left(counts, now))
            spent = spent_text(counts.usage)
            steps = f"{event.steps} step{'' if event.steps == 1 else 's'}"
            self.say(
                f"[{counts.done}/{counts.total}] {event.task_id} {what}, {steps}"
                f" | success {rate_text(counts)}"
                f" | {self._pace.per_minute(counts, now):.0f} episodes/min, {left} left"
                + (f" | {spent}" if spent else "")
            )

    def say(self, text: str) -> None:
        """Prints the message."""
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


def reporter(console: Console, counts: Counts, *, quiet: bool) -> Reporter:
    """The reporter that fits the console."""
    if quiet:
        return Silent()
    return Bar(console, counts) if console.is_terminal else Lines(console, counts)
