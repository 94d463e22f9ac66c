"""What a suite wants to see of its runs: tables and figures, declared and never drawn here.

A design is data. `houseguest report` turns it into text, CSV, a page and pictures; what is
declared here is all that a suite has to know of that. See docs/reports.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from env_service.suites.reporting_keys import (
    AGENT_SECONDS,
    COST,
    FAILED,
    GOAL_SHARE,
    STEPS,
    SUCCEEDED,
    SUCCESS_FLAG,
    TOKENS,
    WORLD_SECONDS,
    Bins,
    Chosen,
    Classes,
    Field,
    Key,
    Label,
    Only,
    Quantity,
    Unit,
    metric,
)
from env_service.suites.reporting_measures import (
    EPISODES,
    GOAL_CONDITIONS,
    MEDIAN_REPEAT,
    SUCCESS,
    Measure,
    Statistic,
    matthews,
    mean,
    median,
    rate,
    share,
    total,
)

__all__ = [
    "AGENT_SECONDS",
    "COMMON_DESIGN",
    "COST",
    "EPISODES",
    "FAILED",
    "GOAL_CONDITIONS",
    "GOAL_SHARE",
    "MEDIAN_REPEAT",
    "RESERVED_IDS",
    "STEPS",
    "SUCCEEDED",
    "SUCCESS",
    "SUCCESS_FLAG",
    "TOKENS",
    "WORLD_SECONDS",
    "Bars",
    "Bins",
    "Chosen",
    "Classes",
    "Confusion",
    "Curve",
    "Field",
    "Figure",
    "Histogram",
    "Key",
    "Label",
    "Measure",
    "Only",
    "Quantity",
    "Reference",
    "ReportDesign",
    "Scatter",
    "Stacked",
    "Statistic",
    "Table",
    "Unit",
    "common_design",
    "matthews",
    "mean",
    "median",
    "metric",
    "rate",
    "share",
    "total",
]

RESERVED_IDS = (
    *("overview", "usage", "failures", "lost", "unscored", "repeatability"),
    *("report", "index"),
)
"""Ids of tables that every report has, and names of its files."""
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A row for each value of ``rows``, a column for each measure.

    ``across`` repeats the columns for each of its values (feedback none, simple, detailed).
    A table that names neither runs nor agents nor settings gets a row for each run where
    several are reported together. ``total`` adds a row over all. ``id`` is lower case and
    hyphens, unique in the design: it names files. ``order`` puts these rows first.
    """

    id: str
    title: str
    rows: Key
    columns: tuple[Measure, ...]
    across: Key | None = None
    total: bool = False
    only: Only | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if not self.columns:
            raise ValueError(f"table {self.id!r} has no columns")
        headings = [measure.heading for measure in self.columns]
        if len(set(headings)) < len(headings):
            raise ValueError(f"table {self.id!r} has columns that are called alike: {headings}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """A measure for each value of ``by``, with its interval; ``series`` beside each other.

    Where several runs are reported together and nothing names them, they are the series.
    """

    id: str
    title: str
    by: Key
    measure: Measure = SUCCESS
    series: Key | None = None
    only: Only | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stacked:
    """For each value of ``by``, which shares of its episodes have which value of ``parts``."""

    id: str
    title: str
    by: Key
    parts: Key
    only: Only | None = None
    note: str = ""


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
    """The share of all episodes that succeeded with at most so much of ``quantity``."""

    id: str
    title: str
    quantity: Quantity = STEPS
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


Figure = Bars | Stacked | Histogram | Curve | Scatter | Confusion


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A number that somebody published, to stand beside ours.

    ``table`` is a table's id; ``row`` one of its rows, or empty for the row over all;
    ``column`` a measure's heading, or with ``across`` the value it stands under (then for
    the first measure). ``value`` is in the measure's unit: a share for per cent. ``n`` is
    the number of episodes behind it, None where that is not said. ``source`` says where it
    was published, ``world`` in which world it was played (a world's name, where it is one
    of ours) and ``agent`` by whom.
    """

    table: str
    row: str
    column: str
    value: float
    n: int | None
    source: str
    world: str
    agent: str


@dataclass(frozen=True, slots=True)
class ReportDesign:
    """A suite's tables and figures in the order in which to show them, and published numbers.

    ``group`` is what the suite's groups are: "level", "task type".
    """

    items: tuple[Table | Figure, ...] = ()
    references: tuple[Reference, ...] = ()
    group: str = "group"

    def __post_init__(self) -> None:
        ids = [item.id for item in self.items]
        for name in ids:
            if not _ID.fullmatch(name):
                raise ValueError(f"{name!r} cannot be an id: lower case, digits and hyphens")
            if ids.count(name) > 1 or name in RESERVED_IDS:
                raise ValueError(f"the id {name!r} is taken")
        tables = {item.id: item for item in self.items if isinstance(item, Table)}
        for reference in self.references:
            table = tables.get(reference.table)
            if table is None:
                raise ValueError(f"a reference names the table {reference.table!r}: there is none")
            headings = [measure.heading for measure in table.columns]
            if table.across is None and reference.column not in headings:
                raise ValueError(
                    f"a reference names the column {reference.column!r} of the table"
                    f" {table.id!r}, which has {headings}"
                )

    def plus(self, *more: Table | Figure | Reference) -> ReportDesign:
        """This design with more at its end. Raises ValueError where an id is taken."""
        items = tuple(item for item in more if not isinstance(item, Reference))
        references = tuple(item for item in more if isinstance(item, Reference))
        return ReportDesign(
            (*self.items, *items), (*self.references, *references), group=self.group
        )


def common_design(group: str = "group") -> ReportDesign:
    """What a suite gets that declares nothing of its own, and a start for one that does.

    ``group`` is what the suite's groups are: "level", "task type".
    """
    return ReportDesign(
        group=group,
        items=(
            Table(
                id="groups",
                title=f"By {group}",
                rows=Field.GROUP,
                columns=(EPISODES, SUCCESS, GOAL_CONDITIONS, mean(STEPS)),
                total=True,
            ),
            Bars(id="success", title=f"Success by {group}", by=Field.GROUP),
            Stacked(id="endings", title="How episodes ended", by=Field.GROUP, parts=Field.FAILURE),
            Curve(id="within-steps", title="Success within so many steps"),
            Table(
                id="repeats",
                title="By repeat",
                rows=Field.REPEAT,
                columns=(EPISODES, SUCCESS, GOAL_CONDITIONS),
            ),
            Scatter(id="cost-success", title="Cost and success", x=mean(COST, "cost an episode")),
        ),
    )


COMMON_DESIGN = common_design()
