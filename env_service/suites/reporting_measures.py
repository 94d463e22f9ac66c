"""The parts of a report: keys, which group episodes; quantities, the numbers of an episode; and
measures, which turn a group of episodes into a number with an interval. Import them from
``reporting``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from env_service.domain.text import with_article

_QUANTITIES = {
    "episode": (
        *("success", "goals_gained", "goal_conditions", "steps"),
        *("agent_seconds", "environment_seconds"),
    ),
    "usage": (
        *("calls", "tokens", "input_tokens", "output_tokens", "cached_input_tokens"),
        *("reasoning_tokens", "images", "seconds", "cost_usd"),
    ),
}


class Unit(Enum):
    """How a number is written."""

    NUMBER = "number"
    PERCENT = "percent"
    """The number is a share in 0 … 1."""
    POINTS = "points"
    """The number is a difference of two shares."""
    SECONDS = "seconds"
    DOLLARS = "dollars"
    PROBABILITY = "probability"
    """Of a test: three decimals, and "< 0.001" below."""


class Field(Enum):
    """Keys that every episode has; the value is the heading."""

    RUN = "run"
    AGENT = "agent"
    """The agent's name, with the models that it declared."""
    GROUP = "group"
    CLUSTER = "cluster"
    REPEAT = "repeat"
    """Counted from 0; an episode of a run without repeats has none."""
    RESULT = "result"
    """``SUCCEEDED`` or ``FAILED``."""
    FAILURE = "failure"
    """The failure class, or ``SUCCEEDED``."""


SUCCEEDED = "succeeded"
FAILED = "did not succeed"


@dataclass(frozen=True, slots=True)
class Label:
    """One of the suite's own categories: ``EpisodeResult.labels[name]``.

    Tables and figures by a label leave out episodes without it. With a ``separator``, the label
    lists several values, and the episode has each of them; an empty text lists none. With
    ``condition``, the label describes all settings of a run that matter, so the report adds nothing
    to distinguish runs with different labels.
    """

    name: str
    heading: str = ""
    separator: str = ""
    condition: bool = False


@dataclass(frozen=True, slots=True)
class Chosen:
    """The value of one of the suite's settings in a run."""

    setting: str


TaskNumbers = Callable[[str], Mapping[str, float]]
"""Numbers by task id, for the task set of that name."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that an episode has.

    ``source`` says where to find it: ``episode`` (``success`` as 0 or 1, ``goals_gained`` as
    ``share_gained`` has it, ``goal_conditions`` as the share that held at the end, ``steps``,
    ``agent_seconds``, ``environment_seconds``), ``metric`` (EpisodeResult.metrics) or ``usage``
    (the model usage that the agent reports: ``calls``, ``tokens``, ``input_tokens``,
    ``output_tokens``, ``cached_input_tokens``, ``reasoning_tokens``, ``images``, ``seconds``,
    ``cost_usd``); ``task``: ``of_tasks`` gives it for the episode's task; ``added``: a command
    computed it after the run, and ``name`` is "SCORES/NUMBER" (see `Afterwards`). Measures leave
    out episodes without the number, or without any model call. The interval of a quantity that is
    not ``signed`` is never below 0.
    """

    source: str
    name: str
    heading: str
    unit: Unit = Unit.NUMBER
    signed: bool = False
    of_tasks: TaskNumbers | None = None

    def __post_init__(self) -> None:
        if (self.source == "task") != (self.of_tasks is not None):
            raise ValueError("a quantity of source 'task', and no other, needs of_tasks")
        if self.source in ("metric", "task", "added"):
            return
        if self.name not in _QUANTITIES.get(self.source, ()):
            raise ValueError(f"unknown quantity {self.name!r} of source {self.source!r}")


SUCCESS_FLAG = Quantity("episode", "success", "success", Unit.PERCENT)
GAINED_SHARE = Quantity(
    "episode", "goals_gained", "goal conditions gained", Unit.PERCENT, signed=True
)
GOAL_SHARE = Quantity("episode", "goal_conditions", "goal conditions met", Unit.PERCENT)
STEPS = Quantity("episode", "steps", "steps")
AGENT_SECONDS = Quantity("episode", "agent_seconds", "agent time", Unit.SECONDS)
WORLD_SECONDS = Quantity("episode", "environment_seconds", "world time", Unit.SECONDS)
TOKENS = Quantity("usage", "tokens", "tokens")
COST = Quantity("usage", "cost_usd", "cost", Unit.DOLLARS)


def metric(
    name: str, heading: str = "", unit: Unit = Unit.NUMBER, *, signed: bool = False
) -> Quantity:
    """One of the suite's own numbers: ``EpisodeResult.metrics[name]``."""
    return Quantity("metric", name, heading or name.replace("_", " "), unit, signed)


def task_number(
    name: str, of_tasks: TaskNumbers, heading: str = "", unit: Unit = Unit.NUMBER
) -> Quantity:
    """A number of the episode's task that is looked up when the report is made, such as the length
    of published solutions. It is not part of the task or of the run.

    ``of_tasks`` is called once per report, with the task set's name, and has to be quick. A task
    that is missing in its result has no number.
    """
    heading = heading or name.replace("_", " ")
    return Quantity("task", name, heading, unit, of_tasks=of_tasks)


def added(scores: str, name: str, heading: str = "", unit: Unit = Unit.NUMBER) -> Quantity:
    """A number that a command computed after the run. ``scores`` is the name of an `Afterwards`."""
    return Quantity("added", f"{scores}/{name}", heading or name.replace("_", " "), unit)


@dataclass(frozen=True, slots=True)
class Afterwards:
    """Scores that a command adds to a finished run, because they need something that no run may
    require, such as an encoder. They are in the run's folder (results.posthoc_scores).

    Attributes:
        name: of the scores, in lower-case letters: it names a file.
        command: computes them, given the folders of runs: "houseguest SUITE COMMAND".
        task_sets: shell patterns of the task sets that it supports.
    """

    name: str
    command: str
    task_sets: tuple[str, ...] = ("*",)


@dataclass(frozen=True, slots=True)
class Bins:
    """Ranges of a quantity: below the first edge, from each edge to the next, and above the last.

    ``edges`` rise. A value that equals an edge belongs to the range above it.
    """

    quantity: Quantity
    edges: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.edges or list(self.edges) != sorted(set(self.edges)):
            raise ValueError(f"bin edges have to rise: {self.edges}")


@dataclass(frozen=True, slots=True)
class Classes:
    """Named sets of another key's values, such as the levels that need one skill.

    ``classes`` are (name, values), in the order in which reports show them. A value may be in
    several of them, or in none; with ``rest``, each value in none is its own class, after them.
    """

    of: Field | Label | Chosen
    heading: str
    classes: tuple[tuple[str, tuple[str, ...]], ...]
    rest: bool = False


Key = Field | Label | Chosen | Bins | Classes
"""A key that divides results into groups."""


@dataclass(frozen=True, slots=True)
class Only:
    """Keeps the episodes whose ``key`` has one of ``values``."""

    key: Key
    values: tuple[str, ...]


# --- Measures


class Statistic(Enum):
    """How a measure is computed from episodes."""

    EPISODES = "episodes"
    """The number of episodes. Needs no quantity."""
    RATE = "rate"
    """The share in which the quantity, 0 or 1, is 1; with its interval."""
    MEAN = "mean"
    """With its interval."""
    MEDIAN = "median"
    SUM = "sum"
    SHARE = "share"
    """The share of the episodes with ``share_of``'s key in which the key has one of the values."""
    REPEAT_MEDIAN = "repeat_median"
    """The median over repeats of each repeat's mean, as many papers report it."""
    MATTHEWS = "matthews"
    """Matthews correlation of two labels, ``answers``; with its interval."""
    RATIO = "ratio"
    """The sum of the quantity over the sum of others, ``per``; with its interval."""
    MACRO = "macro"
    """The mean of the means over the values of ``over``, with equal weights. Without interval."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One number computed from many episodes. The functions below make the usual ones.

    ``only`` selects episodes first, such as those that succeeded. The intervals of rates, shares,
    means and ratios treat the tasks of a cluster, and repeats, as one unit.
    """

    statistic: Statistic
    heading: str
    quantity: Quantity | None = None
    unit: Unit = Unit.NUMBER
    only: Only | None = None
    share_of: Only | None = None
    answers: tuple[Label, Label] | None = None
    over: Key | None = None
    per: tuple[Quantity, ...] = ()

    def __post_init__(self) -> None:
        if self.statistic is Statistic.SHARE and self.share_of is None:
            raise ValueError("a share needs share_of")
        if self.statistic is Statistic.MATTHEWS and self.answers is None:
            raise ValueError("a correlation needs answers: the labels of truth and answer")
        if (self.statistic is Statistic.MACRO) != (self.over is not None):
            raise ValueError("a mean of means, and nothing else, needs over: what it is taken over")
        if (self.statistic is Statistic.RATIO) != bool(self.per):
            raise ValueError("a ratio, and nothing else, needs per: what it is divided by")
        without = (Statistic.EPISODES, Statistic.SHARE, Statistic.MATTHEWS)
        if self.quantity is None and self.statistic not in without:
            raise ValueError(f"{with_article(self.statistic.value)} needs a quantity")


EPISODES = Measure(Statistic.EPISODES, "episodes")
SUCCESS = Measure(Statistic.RATE, "success", SUCCESS_FLAG, Unit.PERCENT)
GOALS_GAINED = Measure(Statistic.MEAN, "goal conditions gained", GAINED_SHARE, Unit.PERCENT)
"""The mean of `share_gained`. Reports show it before the paper's measure."""
GOAL_CONDITIONS = Measure(Statistic.MEAN, "goal conditions met", GOAL_SHARE, Unit.PERCENT)
MEDIAN_REPEAT = Measure(Statistic.REPEAT_MEDIAN, "median repeat", SUCCESS_FLAG, Unit.PERCENT)


@dataclass(frozen=True, slots=True)
class GoalsMet:
    """The paper's measure of goal conditions: the share of all that hold at the end, including
    those that held from the start.

    ``name`` is the paper's name for it, ``source`` the origin of the name; empty if no such measure
    was published.
    """

    name: str = GOAL_CONDITIONS.heading
    source: str = ""

    @property
    def measure(self) -> Measure:
        """The measure under the paper's name."""
        return replace(GOAL_CONDITIONS, heading=self.name)

    @property
    def brief(self) -> str:
        """A short explanation, shown after the number on a terminal."""
        whose = f"{self.source}: " if self.source else ""
        return f"{whose}met at the end, of all conditions"

    @property
    def explained(self) -> str:
        """An explanation in a sentence."""
        whose = f", {self.source}'s figure" if self.source else ""
        name = f"{self.name[0].upper()}{self.name[1:]}{whose}"
        return f"{name}: the share of all conditions that hold at the end."


GOALS_MET = GoalsMet()
"""The measure if no paper has one."""
GAINED_BRIEF = "(newly met - undone) / unmet at the start"
"""A short explanation of goal conditions gained, shown after the number on a terminal."""
GAINED_EXPLAINED = (
    "Goal conditions gained: conditions newly met minus those undone, as a share of those not met"
    " at the start. 0 %: nothing changed; 100 %: success; below 0 %: more was undone than met."
)
"""The same in a sentence."""


def rate(quantity: Quantity, heading: str = "", only: Only | None = None) -> Measure:
    """How often a quantity that is 0 or 1 is 1."""
    return Measure(Statistic.RATE, heading or quantity.heading, quantity, Unit.PERCENT, only)


def mean(quantity: Quantity, heading: str = "", only: Only | None = None) -> Measure:
    """The mean over episodes."""
    return Measure(Statistic.MEAN, heading or quantity.heading, quantity, quantity.unit, only)


def macro(quantity: Quantity, over: Key, heading: str = "", only: Only | None = None) -> Measure:
    """The mean of the means over the values of ``over``, as papers average over levels."""
    heading = heading or quantity.heading
    return Measure(Statistic.MACRO, heading, quantity, quantity.unit, only, over=over)


def ratio(quantity: Quantity, *per: Quantity, heading: str, only: Only | None = None) -> Measure:
    """The sum of a quantity over all episodes, divided by the sum of one or more others.

    It has the quantity's unit, which is that of a share if the quantity is a part of the divisor.
    Episodes that lack one of the quantities are left out. Without episodes, or if the divisor is 0,
    there is no ratio.
    """
    return Measure(Statistic.RATIO, heading, quantity, quantity.unit, only, per=per)


def median(quantity: Quantity, heading: str = "", only: Only | None = None) -> Measure:
    """The median over episodes."""
    heading = heading or f"median {quantity.heading}"
    return Measure(Statistic.MEDIAN, heading, quantity, quantity.unit, only)


def total(quantity: Quantity, heading: str = "", only: Only | None = None) -> Measure:
    """The sum over episodes."""
    heading = heading or f"{quantity.heading}, sum"
    return Measure(Statistic.SUM, heading, quantity, quantity.unit, only)


def share(key: Key, *values: str, heading: str = "", only: Only | None = None) -> Measure:
    """How often ``key`` has one of ``values``, among the episodes that have the key."""
    return Measure(
        Statistic.SHARE,
        heading or ", ".join(values),
        unit=Unit.PERCENT,
        only=only,
        share_of=Only(key, values),
    )


def matthews(
    truth: Label, predicted: Label, heading: str = "Matthews correlation", only: Only | None = None
) -> Measure:
    """The Matthews correlation of two labels, from -1 to 1, over the episodes that have both.

    0 if all values of one label are equal.
    """
    return Measure(Statistic.MATTHEWS, heading, only=only, answers=(truth, predicted))
