"""The progress of a run or a sweep in a notebook: lines that change, with bars."""

from __future__ import annotations

import time
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from env_service.domain.text import counted
from env_service.domain.usage import spent_text
from env_service.evaluation.run_progress import Pace, clock_text, left_text, rate_text
from env_service.gateway.run_state import Counts, RunEvent

if TYPE_CHECKING:
    from env_service.sweep.schedule import Job

_EVERY = 0.2
"""Seconds between two changes of a line, at least."""
_MOST_SAID = 20
"""Messages below the bars of a sweep; later ones replace the first."""


def in_notebook() -> bool:
    """Whether this program is the kernel of a notebook, which shows HTML."""
    try:
        shell = get_ipython()  # type: ignore[name-defined] # a builtin of IPython
    except NameError:
        return False
    return bool(shell.__class__.__name__ == "ZMQInteractiveShell")


class NotebookBar:
    """A Reporter that shows a bar below the cell."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._pace = Pace(counts.done, time.monotonic())
        self._handle: Any = None
        self._said: list[str] = []
        self._shown = 0.0

    def __enter__(self) -> NotebookBar:
        from IPython.display import HTML, display  # noqa: PLC0415 - a notebook has it

        self._handle = display(HTML(self._html()), display_id=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._show()

    def update(self, counts: Counts, events: list[RunEvent]) -> None:
        """Moves the bar."""
        self._counts = counts
        self._said += filter(None, map(left_text, events))
        if time.monotonic() - self._shown >= _EVERY:
            self._show()

    def say(self, text: str) -> None:
        """Shows a message below the bar."""
        self._said.append(text)
        self._show()

    def _show(self) -> None:
        from IPython.display import HTML  # noqa: PLC0415 - a notebook has it

        self._shown = time.monotonic()
        self._handle.update(HTML(self._html()))

    def _html(self) -> str:
        counts, now = self._counts, time.monotonic()
        over = counts.done + counts.unscored
        parts = [
            f"{over}/{counts.total} episodes",
            f"success {rate_text(counts)}",
            f"{self._pace.per_minute(counts, now):.0f} episodes/min",
            f"{clock_text(self._pace.seconds_left(counts, now))} left",
            *([f"{counts.voided} voided"] if counts.voided else []),
            *([f"{counts.withdrawn} withdrawn"] if counts.withdrawn else []),
            *filter(None, [spent_text(counts.usage)]),
        ]
        said = "".join(f"<br>{escape(text)}" for text in self._said)
        return f"{_bar(over, counts.total, ' | '.join(parts))}{said}"


class SweepBar:
    """A sweep's Progress: a bar for the whole, and one for each run that plays, below the cell."""

    def __init__(self) -> None:
        from IPython.display import HTML, display  # noqa: PLC0415 - a notebook has it

        self._handle: Any = display(HTML(""), display_id=True)
        self._bars = ""
        self._said: list[str] = []
        self._shown = 0.0

    def say(self, text: str) -> None:
        """Shows a message below the bars."""
        self._said = [*self._said, text][-_MOST_SAID:]
        self._show()

    def update(self, jobs: Sequence[Job]) -> None:
        """Moves the bars."""
        from env_service.sweep.schedule import OVER, Status  # noqa: PLC0415 - only for sweeps

        over = sum(job.status in OVER for job in jobs)
        total, done = sum(job.run.planned for job in jobs), sum(job.done for job in jobs)
        playing = [job for job in jobs if job.status is Status.PLAYING]
        bars = [
            _bar(done, total, f"{over} of {counted(len(jobs), 'run')}, {done}/{total} episodes"),
            *(_bar(each.done, each.run.planned, each.name) for each in playing),
        ]
        changed, self._bars = self._bars != (now := "<br>".join(bars)), now
        if changed and (time.monotonic() - self._shown >= _EVERY or over == len(jobs)):
            self._show()

    def _show(self) -> None:
        from IPython.display import HTML  # noqa: PLC0415 - a notebook has it

        self._shown = time.monotonic()
        said = "".join(f"<br>{escape(text)}" for text in self._said)
        self._handle.update(HTML(self._bars + said))


def _bar(done: int, total: int, text: str) -> str:
    return f'<progress value="{done}" max="{total}"></progress> {escape(text)}'
