"""The tables and figures of a suite's reports, as declarations; env_service/results draws them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from env_service.domain.action import Action, Plan, SkillCall, Text, Unreadable
from env_service.domain.task import TaskSet
from env_service.suites.reporting_measures import (
    AGENT_SECONDS,
    COST,
    EPISODES,
    FAILED,
    GAINED_BRIEF,
    GAINED_EXPLAINED,
    GAINED_SHARE,
    GOAL_CONDITIONS,
    GOAL_SHARE,
    GOALS_GAINED,
    GOALS_MET,
    MEDIAN_REPEAT,
    STEPS,
    SUCCEEDED,
    SUCCESS,
    SUCCESS_FLAG,
    TOKENS,
    WORLD_SECONDS,
    Afterwards,
    Bins,
    Chosen,
    Classes,
    Field,
    GoalsMet,
    Key,
    Label,
    Measure,
    Only,
    Quantity,
    Statistic,
    Unit,
    added,
    macro,
    matthews,
    mean,
    median,
    metric,
    rate,
    ratio,
    share,
    task_number,
    total,
)

# --- An action as the words that a report shows of it

LONGEST = 60
"""Maximum number of characters of an action in free text; the rest is cut."""


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
    """A measure for each value of ``by``, with its interval; ``series`` gives several bars per
    value.

    If a report has several runs and no key names them, the runs are the series. With ``contrast``,
    the figure shows the difference between its series, and is left out unless two have episodes.
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
    """Several measures next to each other, each with its interval.

    ``measures`` have one unit, and ``axis`` says what they count. If a report has several runs and
    no key names them, the runs are the series.
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
    """For each value of ``by``, the shares of its episodes with each value of ``parts``.

    An episode with several values counts in each; ``counted`` then says what is counted.
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
    """The number of episodes in each of ``bins`` equal ranges of a quantity; a line per series."""

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
    """The share of all episodes that succeeded with at most a given amount of ``quantity``.

    ``counted`` is for a quantity that is a count: the numbers have a row for 0, 1, 2, …
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
    """One measure against another, with a point for each value of ``points``."""

    id: str
    title: str
    x: Measure
    y: Measure = SUCCESS
    points: Key = Field.RUN
    only: Only | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """How often each value of ``predicted`` occurs with each value of ``truth``, for each run.

    Also shows the accuracy, the Matthews correlation, and the accuracy of always giving the most
    frequent answer.
    """

    id: str
    title: str
    truth: Label
    predicted: Label
    only: Only | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionTree:
    """The actions of all episodes of one instruction, as a tree.

    Episodes that began with the same actions share a path up to the first action in which they
    differ; its width shows their number. The tree contains every action in the transcripts,
    successful or not. ``words`` gives the texts of an action, one for each node. By default, the
    tree is for the instruction with the most episodes. The figure has at most ``rows`` branches,
    those with the most episodes, and says how many it leaves out; the numbers have the whole tree.
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


# --- Tables of a report other than measures over a key's values: why episodes failed, what a
# task set is made of, and runs in pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A row for each episode that ``only`` keeps, with its task and the labels in ``columns``.

    For texts that people read: the command, the reason of a failure. A terminal shows the first
    rows, the page and the CSV file all of them.
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
    """A cell for each column: text, a number in the column's unit, or None.

    ``source`` is the publication of a row of published numbers; empty for our own.
    """

    cells: tuple[str | float | None, ...]
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFacts:
    """A table about the tasks themselves, independent of the episodes.

    ``columns`` are (heading, unit; None for text). ``rows`` makes the rows for a whole task set
    under the default settings, within three seconds. If the tasks are not installed, differ from
    those of the run, or give no rows, the report leaves the table out and says why.
    """

    id: str
    title: str
    columns: tuple[tuple[str, Unit | None], ...]
    rows: Callable[[TaskSet], Sequence[FactRow]]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """One agent's runs that differ only in ``settings``, compared on the tasks that both scored.

    The report compares each run with the one that has the values of ``baseline`` (setting, value),
    or else with the first. ``by`` names the runs: a label that follows from the condition.
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


__all__ = [
    "AGENT_SECONDS",
    "COMMON_DESIGN",
    "COST",
    "EPISODES",
    "FAILED",
    "GAINED_BRIEF",
    "GAINED_EXPLAINED",
    "GAINED_SHARE",
    "GOALS_GAINED",
    "GOALS_MET",
    "GOAL_CONDITIONS",
    "GOAL_SHARE",
    "INFERENCE",
    "MEDIAN_REPEAT",
    "RESERVED_IDS",
    "STEPS",
    "SUCCEEDED",
    "SUCCESS",
    "SUCCESS_FLAG",
    "TOKENS",
    "WORLD_SECONDS",
    "ActionTree",
    "Afterwards",
    "AgentSettings",
    "Bars",
    "Bins",
    "Chosen",
    "Classes",
    "Confusion",
    "Curve",
    "FactRow",
    "Field",
    "Figure",
    "GoalsMet",
    "Histogram",
    "Item",
    "Key",
    "Label",
    "Listing",
    "Measure",
    "Only",
    "Paired",
    "Profile",
    "Quantity",
    "Reference",
    "ReportDesign",
    "Scatter",
    "Stacked",
    "Statistic",
    "Table",
    "TaskFacts",
    "Unit",
    "action_words",
    "added",
    "common_design",
    "macro",
    "matthews",
    "mean",
    "median",
    "metric",
    "rate",
    "ratio",
    "share",
    "task_number",
    "total",
]

RESERVED_IDS = (
    *("overview", "usage", "failures", "lost", "unscored", "repeatability"),
    *("report", "index", "inference", "episodes"),
)
"""Ids of tables that every report has, and names of its files."""
INFERENCE: Mapping[str, tuple[str, ...]] = {
    "temperature": ("temperature",),
    "top p": ("top_p",),
    "top k": ("top_k",),
    "max tokens per reply": (
        *("max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens"),
        "reply_tokens",
    ),
    "more where cut": ("longer_tokens",),
    "reasoning effort": ("reasoning_effort", "effort", "thinking", "thinking_budget"),
    "sampling seed": ("sampling_seed", "seed"),
    "guided decoding": ("guided",),
    "number format": ("dtype", "quantization", "load_in"),
    "pictures": ("pictures",),
    "past turns": ("history",),
    "prompts": ("prompts", "prompt", "prompt_version"),
}
"""How a model is run, by what reports call it: the names under which agents declare it."""

_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A row for each value of ``rows``, a column for each measure.

    ``across`` repeats the columns for each of its values (feedback none, simple, detailed). If no
    key names runs, agents or settings, each of several runs gets its own rows. ``total`` adds a row
    over all. ``shown`` limits the rows on a terminal. ``id`` names files: lower case and hyphens,
    unique in the design. ``afterwards``: the numbers are `added` from these scores; if a run has
    none, the report says how to get them.
    """

    id: str
    title: str
    rows: Key
    columns: tuple[Measure, ...]
    across: Key | None = None
    total: bool = False
    only: Only | None = None
    note: str = ""
    shown: int | None = None
    afterwards: Afterwards | None = None

    def __post_init__(self) -> None:
        if not self.columns:
            raise ValueError(f"table {self.id!r} has no columns")
        headings = [measure.heading for measure in self.columns]
        if len(set(headings)) < len(headings):
            raise ValueError(f"table {self.id!r} has columns that are called alike: {headings}")


Item = Table | Figure | Listing | Paired | TaskFacts
"""A part of a design."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A published number, for comparison with ours.

    ``table`` is the id of a table, or of bars by agent or run; ``row`` one of the table's rows, or
    empty for the row over all; ``column`` a measure's heading, or with ``across`` (of bars:
    ``series``) the value of its group, then for the first measure. ``value`` is in the measure's
    unit: a share for per cent. ``n`` is the number of episodes behind it, None if unknown.
    ``source`` is the publication. ``world`` is the name of the world, ``rules`` describes the rules
    of playing and scoring, and ``agent`` names the agent.
    """

    table: str
    row: str
    column: str
    value: float
    n: int | None
    source: str
    world: str
    agent: str
    rules: str = "not stated"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """The model settings of a published agent, for comparison with what agents declare.

    ``settings`` are (name, value), with the names in `INFERENCE`.
    """

    agent: str
    settings: tuple[tuple[str, str], ...]
    source: str

    def __post_init__(self) -> None:
        for name, _ in self.settings:
            if name not in INFERENCE:
                raise ValueError(
                    f"unknown inference setting {name!r}; the settings are {', '.join(INFERENCE)}"
                )


@dataclass(frozen=True, slots=True)
class ReportDesign:
    """A suite's tables and figures, in the order in which reports show them, and published numbers.

    ``group`` names the suite's groups: "level", "task type". ``agents`` are the agents of the
    published numbers. ``overview`` are the columns of the first table; empty: the usual ones, with
    success first. ``endings``: whether the report counts successes and failures. ``goals`` is the
    paper's name for its measure of goal conditions. ``rules`` is the setting that selects the rules
    of a run; empty if there is none. ``by_world`` and ``by_task_set`` replace this design for runs
    in some worlds, or for task sets whose name matches a shell pattern ("predict*"; the first
    match). ``paired_by``: under some condition, one task has several episodes, and this label
    identifies the task. Runs of both kinds share a section, and comparisons pair their means.
    """

    items: tuple[Item, ...] = ()
    references: tuple[Reference, ...] = ()
    group: str = "group"
    agents: tuple[AgentSettings, ...] = ()
    overview: tuple[Measure, ...] = ()
    endings: bool = True
    goals: GoalsMet = GOALS_MET
    rules: str = ""
    paired_by: Label | None = None
    by_world: Mapping[str, ReportDesign] = field(default_factory=dict)
    by_task_set: Mapping[str, ReportDesign] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ids = [item.id for item in self.items]
        for name in ids:
            if not _ID.fullmatch(name):
                raise ValueError(f"{name!r} cannot be an id: lower case, digits and hyphens")
            if ids.count(name) > 1 or name in RESERVED_IDS:
                raise ValueError(f"the id {name!r} is taken")
        for reference in self.references:
            self._check(reference)

    def _check(self, reference: Reference) -> None:
        """Raises ValueError for a reference without a place in the report."""
        name, column = reference.table, reference.column
        match next((item for item in self.items if item.id == name), None):
            case Table(across=None, columns=columns):
                headings = [measure.heading for measure in columns]
                kind = "table"
            case Bars(by=Field.AGENT | Field.RUN, series=None, measure=measure):
                headings, kind = [measure.heading], "bars"
            case Bars(by=Field.AGENT | Field.RUN, series=Classes(classes=classes)):
                headings, kind = [value for value, _ in classes], "bars"
            case Table() | Bars(by=Field.AGENT | Field.RUN):
                return
            case _:
                raise ValueError(
                    f"a reference names the table {name!r}: there is none, and no bars by agent"
                    " or run"
                )
        if column not in headings:
            raise ValueError(
                f"a reference names the column {column!r} of the {kind} {name!r}, which has"
                f" {headings}"
            )

    def in_world(self, world: str) -> ReportDesign:
        """The design for runs in a world: this one, unless the world has a separate one."""
        return self.by_world.get(world, self)

    def of_task_set(self, name: str) -> ReportDesign:
        """The design for runs of a task set: this one, unless a pattern has a separate one."""
        fitting = (own for like, own in self.by_task_set.items() if fnmatchcase(name, like))
        return next(fitting, self)

    def plus(self, *more: Item | Reference) -> ReportDesign:
        """This design with more items at its end. Raises ValueError if an id is taken."""
        items = tuple(item for item in more if not isinstance(item, Reference))
        references = tuple(item for item in more if isinstance(item, Reference))
        return replace(
            self, items=(*self.items, *items), references=(*self.references, *references)
        )


def common_design(group: str = "group", goals: GoalsMet = GOALS_MET) -> ReportDesign:
    """The design of a suite that declares none, and a starting point for one that does.

    ``group`` names the suite's groups: "level", "task type". ``goals`` is the paper's name for its
    measure of goal conditions.
    """
    return ReportDesign(
        group=group,
        goals=goals,
        items=(
            Table(
                id="groups",
                title=f"By {group}",
                rows=Field.GROUP,
                columns=(EPISODES, SUCCESS, GOALS_GAINED, goals.measure, mean(STEPS)),
                total=True,
            ),
            Bars(id="success", title=f"Success by {group}", by=Field.GROUP),
            Stacked(id="endings", title="Results of episodes", by=Field.GROUP, parts=Field.FAILURE),
            Curve(id="within-steps", title="Success within a number of steps"),
            Table(
                id="repeats",
                title="By repeat",
                rows=Field.REPEAT,
                columns=(EPISODES, SUCCESS, GOALS_GAINED, goals.measure),
            ),
            Scatter(id="cost-success", title="Cost and success", x=mean(COST, "cost per episode")),
        ),
    )


COMMON_DESIGN = common_design()
