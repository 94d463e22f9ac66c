"""The omniscient expert's inputs and results: plain values. Needs no simulator."""

from dataclasses import dataclass
from enum import Enum

from env_service.worlds.babyai.state import Heading, Position

STEP_CAP = 1_000
"""The expert's episode ends after this many actions, as in LLM-BabyBench's generators."""


class ExpertMode(Enum):
    """How the expert behaves where LLM-BabyBench's published one has faults."""

    COMPAT = "compat"
    """As published, action for action, to compare with published numbers."""
    FIXED = "fixed"
    """Solves every level, and ends every plan with a result."""


class SubgoalName(Enum):
    """The subgoals that a plan may hold. Values are LLM-BabyBench's names."""

    GO_NEXT_TO = "GoNextToSubgoal"
    PICKUP = "PickupSubgoal"
    DROP = "DropSubgoal"
    OPEN = "OpenSubgoal"
    CLOSE = "CloseSubgoal"
    EXPLORE = "ExploreSubgoal"
    """Not in LLM-BabyBench's paper, but accepted by its evaluator."""


@dataclass(frozen=True, slots=True)
class PlannedSubgoal:
    """One line of a plan.

    ``position`` is the cell to stand next to and face; only GO_NEXT_TO uses it, and needs it. Any
    integers are allowed, even outside the grid.
    """

    name: SubgoalName
    position: Position | None = None


@dataclass(frozen=True, slots=True)
class StackEntry:
    """A subgoal on the expert's stack.

    ``reason`` is its purpose: "" for a goal in itself, "Open" to open the door there, "PutNext" to
    face a free cell next to the target, "Explore". ``target`` describes the target ("grey box",
    "door left", "any ball"); "" for a mere cell, or nothing. ``position`` is the cell, if the
    subgoal names one: a cell, or one certain thing.
    """

    name: SubgoalName
    reason: str = ""
    target: str = ""
    position: Position | None = None


@dataclass(frozen=True, slots=True)
class InitialSubgoal:
    """A part of the expert's first plan: the translated mission.

    ``matches`` are the cells of all things that ``entry.target`` describes, column by column from
    the west; ``chosen`` is the one nearest to the expert at the start. Both are empty, or None, for
    subgoals without a target.
    """

    entry: StackEntry
    matches: tuple[Position, ...] = ()
    chosen: Position | None = None


class ProblemKind(Enum):
    """Why the expert could not continue. Results may store these values."""

    UNREACHABLE = "unreachable"
    """No way leads to the target, and no door is left to open."""
    LOCKED_DOOR = "locked_door"
    """The expert is at a locked door with its key in hand, without a subgoal to open it.

    Only in COMPAT.
    """
    NO_POSITION = "no_position"
    """A GO_NEXT_TO without a position, or no cell to drop a thing."""
    NOTHING_MATCHES = "nothing_matches"
    """The target is outside the grid."""
    RUNS_IN_CIRCLES = "runs_in_circles"
    """The expert adds subgoals endlessly, and takes no action.

    The published expert hangs here, so it has no error to publish.
    """


@dataclass(frozen=True, slots=True)
class Problem:
    """Why the expert gave up, also in words; ``published_error`` is how the published one fails.

    ``published_error`` is the exception's class and text ("AssertionError: "), or "" if the
    published expert does not raise.
    """

    kind: ProblemKind
    message: str
    published_error: str


@dataclass(frozen=True, slots=True)
class ExpertRecord:
    """How the expert played a level by itself.

    ``actions`` are minigrid's names: the six of ACTIONS and, in COMPAT when the stack is
    empty, "done", ``done_padding`` times. ``truncated`` is whether the level's own limit
    ended the episode; STEP_CAP may have ended it before. ``reward`` is minigrid's, 0 without
    success.

    Help is the number of subgoals put on the stack: ``help_initial`` by translating the
    mission, ``help_added`` later on. LLM-BabyBench's ``help_count`` is their sum.

    ``stacks[i]`` is the stack from which ``actions[i]`` was taken, the next subgoal last.
    ``published`` is whether the level is the published one (see simulator.py). ``problem`` is
    None unless the expert gave up.
    """

    level: str
    seed: int
    mode: ExpertMode
    mission: str
    actions: tuple[str, ...]
    success: bool
    truncated: bool
    reward: float
    final_position: Position
    final_heading: Heading
    help_initial: int
    help_added: int
    initial_subgoals: tuple[InitialSubgoal, ...]
    stacks: tuple[tuple[StackEntry, ...], ...]
    published: bool
    problem: Problem | None

    @property
    def steps(self) -> int:
        """The number of actions, including "done"."""
        return len(self.actions)

    @property
    def help_count(self) -> int:
        """All subgoals put on the stack, including the translation: at least 1."""
        return self.help_initial + self.help_added

    @property
    def done_padding(self) -> int:
        """How many of the actions are "done"."""
        return self.actions.count("done")


@dataclass(frozen=True, slots=True)
class Assistance:
    """The result of executing a given plan with the expert's help.

    ``help_added`` is the number of subgoals that the expert added; the plan's subgoals do not
    count. ``help_at[i]`` is how many there were when ``actions[i]`` was taken: it never falls.
    ``plan_left[i]`` is how many subgoals at the bottom of ``stacks[i]`` belong to the plan: it
    never rises. ``terminated`` is whether the mission ended, which in these levels is success;
    ``truncated`` whether the level's step limit ended the episode before. ``actions``, ``stacks``,
    ``final_*``, ``published`` and ``problem`` are as in ExpertRecord.
    """

    level: str
    seed: int
    mode: ExpertMode
    actions: tuple[str, ...]
    terminated: bool
    truncated: bool
    final_position: Position
    final_heading: Heading
    help_added: int
    help_at: tuple[int, ...]
    plan_left: tuple[int, ...]
    stacks: tuple[tuple[StackEntry, ...], ...]
    published: bool
    problem: Problem | None

    @property
    def steps(self) -> int:
        """Actions taken."""
        return len(self.actions)
