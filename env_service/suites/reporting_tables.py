"""Tables of a report that are no measures over a key's values: why episodes failed, what a task set
is made of, and runs in pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from env_service.domain.task import TaskSet
from env_service.suites.reporting_keys import Label, Only, Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A row for each episode that ``only`` leaves, with its task and what ``columns`` say of it.

    For texts that a person reads: the command, the reason of a failure. A terminal gets the
    first of them, the page and the CSV file have them all.
    """

    id: str
    title: str
    columns: tuple[Label, ...]
    only: Only | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if not self.columns:
            raise ValueError(f"the listing {self.id!r} has no columns")


@dataclass(frozen=True, slots=True)
class FactRow:
    """A cell for each column: words, a number in the column's unit, or None for none.

    ``source`` is where a row of published numbers was published; empty: they are ours.
    """

    cells: tuple[str | float | None, ...]
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFacts:
    """A table about the tasks themselves, whatever was played of them.

    ``columns`` are (heading, unit; None for words), ``rows`` makes the rows of a task set: of the
    whole of it, as under the default settings, and within three seconds. The table is left out,
    and the report says why, where the tasks are not here, are not those that were played, or have
    nothing for it (no rows).
    """

    id: str
    title: str
    columns: tuple[tuple[str, Unit | None], ...]
    rows: Callable[[TaskSet], Sequence[FactRow]]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """Runs of one agent that differ in ``settings`` alone, on the tasks that both have scored.

    Each is compared with the one that has the values of ``baseline`` (setting, value), or where
    there is none with the first. ``by`` is what the runs are called: a label that follows from
    the condition.
    """

    id: str
    title: str
    by: Label
    settings: tuple[str, ...]
    baseline: tuple[tuple[str, str], ...]
    note: str = ""

    def __post_init__(self) -> None:
        for name, _ in self.baseline:
            if name not in self.settings:
                raise ValueError(
                    f"the baseline of {self.id!r} names the setting {name!r}, which is not among"
                    f" those that differ: {', '.join(self.settings)}"
                )
