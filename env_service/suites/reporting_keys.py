"""The keys by which a report groups episodes, and the numbers that an episode has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

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
    """What every episode has, to break results down by; the value is its heading."""

    RUN = "run"
    AGENT = "agent"
    """The agent as it was named, with the models that it declared."""
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

    An episode without that label is left out of what is broken down by it. Where there is a
    ``separator``, the label lists several values with it between them, and an episode has each; an
    empty text lists none. ``condition``: the label follows from the run's settings and contains all
    that matter, so that the report adds nothing to distinguish runs with different labels.
    """

    name: str
    heading: str = ""
    separator: str = ""
    condition: bool = False


@dataclass(frozen=True, slots=True)
class Chosen:
    """The value of one of the suite's settings, which runs differ in."""

    setting: str


TaskNumbers = Callable[[str], Mapping[str, float]]
"""Numbers by task id, for the task set of that name."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that an episode has.

    ``source`` says where to find it: ``episode`` (``success`` as 0 or 1, ``goals_gained`` as
    ``share_gained`` has it, ``goal_conditions`` as the share that held at the end, ``steps``,
    ``agent_seconds``, ``environment_seconds``), ``metric`` (EpisodeResult.metrics) or ``usage``
    (what the agent says that its model used: ``calls``, ``tokens``, ``input_tokens``,
    ``output_tokens``, ``cached_input_tokens``, ``reasoning_tokens``, ``images``, ``seconds``,
    ``cost_usd``); ``task``: it is what ``of_tasks`` says of the episode's task; ``added``: a
    command gave it to the episode afterwards, and ``name`` is "SCORES/NUMBER" (see `Afterwards`).
    An episode that lacks the number, or any model call, is left out of what is made of it. The
    interval of a quantity that is not ``signed`` never goes below 0.
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
    """A number of the episode's task that is looked up where the report is made, and no part of the
    task nor of the run: how long other people's solutions are, say.

    ``of_tasks`` is called once a report, with the task set's name, and has to be quick; a task that
    it does not know has no number.
    """
    heading = heading or name.replace("_", " ")
    return Quantity("task", name, heading, unit, of_tasks=of_tasks)


def added(scores: str, name: str, heading: str = "", unit: Unit = Unit.NUMBER) -> Quantity:
    """A number that episodes were given afterwards: see `Afterwards`, whose name ``scores`` is."""
    return Quantity("added", f"{scores}/{name}", heading or name.replace("_", " "), unit)


@dataclass(frozen=True, slots=True)
class Afterwards:
    """Scores that a command gives to the episodes of a run that was played, since they take what no
    run may need (an encoder). They lie in the run's folder (results.posthoc_scores).

    Attributes:
        name: of the scores; of lower case letters: it names a file.
        command: what makes them, followed by the folders of runs: "houseguest SUITE COMMAND".
        task_sets: shell patterns of the task sets that they can be made for.
    """

    name: str
    command: str
    task_sets: tuple[str, ...] = ("*",)


@dataclass(frozen=True, slots=True)
class Bins:
    """A quantity cut into ranges: below the first edge, from each edge to the next, and above.

    ``edges`` rise. A value that equals an edge belongs to the range above it.
    """

    quantity: Quantity
    edges: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.edges or list(self.edges) != sorted(set(self.edges)):
            raise ValueError(f"bin edges have to rise: {self.edges}")


@dataclass(frozen=True, slots=True)
class Classes:
    """Named collections of another key's values, such as levels that ask for one skill.

    ``classes`` are (name, values), in the order to show them. A value may be in several of them, or
    in none; ``rest``: then it forms a class by itself, after them.
    """

    of: Field | Label | Chosen
    heading: str
    classes: tuple[tuple[str, tuple[str, ...]], ...]
    rest: bool = False


Key = Field | Label | Chosen | Bins | Classes
"""What to break results down by."""


@dataclass(frozen=True, slots=True)
class Only:
    """Leaves out every episode whose ``key`` has none of ``values``."""

    key: Key
    values: tuple[str, ...]
