"""Figures that a design declares, and an action as the words that a report shows of it.
``reporting`` has the names to import.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from env_service.domain.action import Action, Plan, SkillCall, Text, Unreadable
from env_service.suites.reporting_keys import STEPS, Field, Key, Label, Only, Quantity
from env_service.suites.reporting_measures import SUCCESS, Measure

# --- An action as the words that a report shows of it

LONGEST = 60
"""Letters of an action that was said in free text; the rest is cut."""


def action_words(action: Action) -> tuple[str, ...]:
    """A skill with its arguments' values, such as "go to kitchen"; each step of a plan; the
    beginning of a text."""
    match action:
        case SkillCall(name, arguments):
            return (" ".join((name, *(value for _, value in arguments))),)
        case Plan(steps):
            return tuple(word for step in steps for word in action_words(step))
        case Text(text):
            return (action_text(text),)
        case Unreadable():
            return ("(unreadable)",)


def action_text(text: str) -> str:
    """A text in one line, at most LONGEST letters of it; "(nothing)" for none."""
    line = " ".join(text.split()) or "(nothing)"
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """A measure for each value of ``by``, with its interval; ``series`` side by side.

    Where several runs are reported together and nothing names them, they are the series.
    ``contrast`` leaves the figure out unless two of the series have episodes: it is about what
    lies between them.
    """

    id: str
    title: str
    by: Key
    measure: Measure = SUCCESS
    series: Key | None = None
    only: Only | None = None
    note: str = ""
    contrast: bool = False

    def __post_init__(self) -> None:
        if self.contrast and self.series is None:
            raise ValueError(f"the bars {self.id!r} contrast series, and name none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Several measures side by side, each with its interval: which of them is large.

    ``measures`` have one unit, and ``axis`` says what they count. Where several runs are
    reported together and nothing names them, they are the series.
    """

    id: str
    title: str
    measures: tuple[Measure, ...]
    axis: str
    series: Key | None = None
    only: Only | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if len({measure.unit for measure in self.measures}) != 1:
            raise ValueError(f"the profile {self.id!r} needs measures, and all of one unit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stacked:
    """For each value of ``by``, which shares of its episodes have which value of ``parts``.

    An episode that has several of them counts in each; ``counted`` says what then is counted.
    """

    id: str
    title: str
    by: Key
    parts: Key
    only: Only | None = None
    note: str = ""
    counted: str = "episodes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """How often a quantity falls into each of ``bins`` equal ranges; a line for each series."""

    id: str
    title: str
    quantity: Quantity
    bins: int = 20
    series: Key | None = None
    only: Only | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if self.bins < 1:
            raise ValueError(f"histogram {self.id!r} has no bins")


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The share of all episodes that succeeded with at most so much of ``quantity``.

    ``counted`` is for a quantity that counts: the numbers have a row for 0, 1, 2, …
    """

    id: str
    title: str
    quantity: Quantity = STEPS
    counted: bool = False
    series: Key | None = None
    only: Only | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scatter:
    """A point for each value of ``points``: what one measure costs in another."""

    id: str
    title: str
    x: Measure
    y: Measure = SUCCESS
    points: Key = Field.RUN
    only: Only | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """How often ``predicted`` is said where ``truth`` holds: a figure for each run.

    With accuracy, Matthews correlation, and what always saying the commonest would reach.
    """

    id: str
    title: str
    truth: Label
    predicted: Label
    only: Only | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionTree:
    """What episodes of one instruction did, as the tree that their actions branch into.

    Episodes that began with the same actions share a path, as wide as they are many, up to the
    first action in which they differ. Actions are read from the recorded transcripts, whatever came
    of them; ``words`` writes an action as its words, one for each node that it makes. The tree is
    of the instruction that most episodes have, unless the reader names another one. ``rows``: so
    many branches are drawn at most, the busiest; the figure says how many are left out, and the
    numbers hold the whole tree.
    """

    id: str
    title: str
    words: Callable[[Action], tuple[str, ...]] = action_words
    rows: int = 48
    only: Only | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if self.rows < 2:
            raise ValueError(f"the tree {self.id!r} needs two rows at least")


Figure = Bars | Profile | Stacked | Histogram | Curve | Scatter | Confusion | ActionTree
