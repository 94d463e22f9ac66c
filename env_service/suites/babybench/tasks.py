"""Tasks: a question, or none, about one level, and the level at its start. Needs no simulator."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from env_service.domain.task import Task
from env_service.worlds.babyai.levels import LEVELS, PLAN_LEVELS, AnyLevel, Level, find_any_level
from env_service.worlds.babyai.state import Position, Snapshot, Thing


class Question(Enum):
    """What is asked about a level."""

    PREDICT = "predict"
    """Where does the agent end up after the expert's actions?"""
    PLAN = "plan"
    """Which actions lead to the red ball?"""
    DECOMPOSE = "decompose"
    """Which subgoals fulfil the mission?"""
    INTERACTIVE = "interactive"
    """No question: the agent plays the level action by action. Not in the paper."""

    @property
    def levels(self) -> Mapping[str, AnyLevel]:
        """The levels that it is asked about, by name, in LLM-BabyBench's order."""
        return PLAN_LEVELS if self is Question.PLAN else LEVELS


@dataclass(frozen=True, slots=True)
class Subject:
    """What a task is about."""

    question: Question
    level: AnyLevel
    seed: int


def make_task(subject: Subject) -> Task:
    """The task; its id, such as "GoTo/2", is unique among those of its question."""
    level, seed = subject.level, subject.seed
    # Levels of one scenery, and rooms of one size, often have nearly the same grid for equal
    # seeds, so that statistics treat them as one environment.
    scenery = level.scenery if isinstance(level, Level) else level.size
    return Task(
        id=f"{level.name}/{seed}",
        group=level.name,
        cluster=f"{scenery}/{seed}",
        data={"question": subject.question.value, "level": level.name, "seed": seed},
    )


def read_task(task: Task) -> Subject:
    """The subject of a task from ``make_task``. Raises UnknownNameError for an unknown level."""
    return Subject(
        Question(task.data["question"]),
        find_any_level(task.data["level"]),
        int(task.data["seed"]),
    )


# --- The level at its start: the facts for descriptions and questions


@dataclass(frozen=True, slots=True)
class Facts:
    """A level before its first step.

    ``rooms`` is the number of rooms along one side of the square maze, ``start`` the true
    state, ``mission`` what is to be achieved in minigrid's words, ``max_steps`` minigrid's
    limit.
    """

    rooms: int
    start: Snapshot
    mission: str
    max_steps: int

    @property
    def room_size(self) -> int:
        """Cells along a room's side, walls included: neighbouring rooms share a wall."""
        return (self.start.width - 1) // self.rooms + 1

    @property
    def objects(self) -> list[tuple[Position, Thing]]:
        """Keys, balls, boxes and doors, row by row from the north-west corner."""
        return self.start.things()

    @property
    def state(self) -> tuple[Position, int]:
        """Where the agent starts, and its heading: 0 east, 1 south, 2 west, 3 north."""
        return self.start.agent, int(self.start.heading)
