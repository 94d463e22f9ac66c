"""The contract of a suite: what the service calls, and defaults for most of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from env_service.domain.action import Action
from env_service.domain.episode import Episode, Mode
from env_service.domain.observation import ObservationOffer, ObservationRequest
from env_service.domain.outcome import Disclosure
from env_service.domain.task import Task, TaskSet
from env_service.suites.reporting import ReportDesign

Condition = Mapping[str, str]
"""A value for each of a suite's settings."""


class ConditionError(ValueError):
    """Settings that do not go together. The message says which to change, and to what."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One experimental setting. The first of ``values`` is the default."""

    name: str
    description: str
    values: tuple[str, ...]

    @property
    def default(self) -> str:
        """The value of a run that does not name this setting."""
        return self.values[0]


@dataclass(frozen=True, slots=True)
class EpisodeOrder:
    """All that a worker needs to open one episode. Equal orders give equal episodes.

    ``condition`` has a value for every setting of the suite; ``request`` is settled: one
    encoding a channel. ``seed`` is in 0 … 2**63 - 1 and feeds every random draw.
    """

    task: Task
    world: str
    condition: Condition
    request: ObservationRequest
    seed: int


@dataclass(frozen=True, slots=True)
class ExpertRun:
    """What the expert did: ``actions`` that lead from the opening to ``success``."""

    actions: tuple[Action, ...]
    success: bool


@dataclass(frozen=True, slots=True)
class StepFacts:
    """Estimates for a task that has not been played yet.

    ``limit`` is the step limit; None if only opening the episode shows it. ``input_tokens`` is the
    mean length of the suite's prompt for a model over all of these steps; None if unknown. It was
    counted from requests, with one token for four characters and 1,000 for a picture.
    ``output_tokens`` is the length of a reply with a short thought.
    """

    limit: int | None = None
    input_tokens: int | None = None
    output_tokens: int = 300


@dataclass(frozen=True, slots=True)
class SanitySet:
    """Some tasks of a task set, under a condition. Empty names mean the suite's defaults, ``limit``
    0 all tasks."""

    task_set: str = ""
    tasks: tuple[str, ...] = ()
    limit: int = 0
    condition: Condition = field(default_factory=dict)


class Suite(Protocol):
    """A benchmark. It has no state: the gateway and every worker have their own instance."""

    name: str
    version: str
    """The version of the rules. Increase it whenever a score could change."""
    description: str
    worlds: tuple[str, ...]
    """The worlds for any of its task sets; the first is the default."""
    settings: tuple[Setting, ...]
    conditions: Mapping[str, Mapping[str, str]]
    """Named conditions: the settings that each changes. Often empty."""
    modes: tuple[Mode, ...]
    """The modes of its episodes: step by step, a whole plan, or an answer in words."""
    packages: tuple[str, ...]
    """The distributions whose versions could change a score; recorded with each run."""
    deterministic: tuple[str, ...]
    """The worlds in which equal orders and actions give equal pixels, so that runs in them can be
    replayed."""
    report: ReportDesign
    """The tables and figures of its reports; COMMON_DESIGN has the usual ones."""

    drawn: tuple[str, ...]
    """Task sets that take seconds to generate: lists of suites do not count their tasks."""

    def task_sets(self) -> Mapping[str, TaskSet]:
        """The suite's task lists by name; the first is the default.

        The names are always known. Reading a list raises DataPackError if its data are not
        installed.
        """

    def under(self, task_set: TaskSet, condition: Condition) -> TaskSet:
        """The task set under a condition, with the same name. It differs only if the condition
        turns one task into several, such as one for each wording.

        Raises ConditionError if tasks cannot be played under it.
        """

    def data(self, task_set: str, world: str) -> Mapping[str, tuple[str, ...]]:
        """The files of data packs that these tasks need: patterns by data pack. May be empty.

        A run starts only if all these files are installed, and records them.
        """

    def worlds_of(self, task_set: str) -> tuple[str, ...]:
        """The worlds for a task set, out of ``worlds``; the first is its default."""

    def for_training(self, task_set: str, task_id: str) -> bool:
        """Whether agents may be trained on demonstrations of a task of that set.

        False for every task on which any agent is evaluated, even if the set has others. Reads no
        data pack. An unknown set or task is not for training.
        """

    def episodes_per_worker(self, world: str) -> int:
        """The number of episodes in one worker at once: 1 for a heavy simulator."""

    def skills_per_step(self, condition: Condition) -> int:
        """The maximum number of skills in one step under this condition: 1, or the length of the
        longest plan if a step can be a plan. The service's time limit for a step grows with it."""

    def step_facts(self, task: Task, world: str, condition: Condition) -> StepFacts:
        """The step limit and the tokens of a step, for estimates. Opens no world."""

    def sanity_sets(self) -> tuple[SanitySet, ...]:
        """A few quick tasks, if possible without data packs, that cover each mode. ``houseguest
        submit check`` plays them."""

    def disclosure(self, condition: Condition) -> Disclosure:
        """How much of an action's outcome, the step limit and the time budget the agent sees."""

    def offer(self, condition: Condition) -> ObservationOffer:
        """The pictures and texts that an agent may request under this condition.

        Raises ConditionError if settings contradict each other.
        """

    def open_episode(self, order: EpisodeOrder) -> Episode:
        """Creates the episode; loads nothing yet. Called in a worker."""

    def expert(self, order: EpisodeOrder) -> ExpertRun:
        """Solves the task with full knowledge of the world. Called in any process."""


class PlainSuite:
    """Defaults that fit most suites.

    It has no named conditions. Every task set is ready at once, supports every world, and has the
    same tasks under every condition. No task is for training. A step is one skill. The step facts
    are unknown. The sanity set is the first two tasks of the default task set.
    """

    worlds: tuple[str, ...]
    conditions: Mapping[str, Mapping[str, str]] = {}
    drawn: tuple[str, ...] = ()

    def under(self, task_set: TaskSet, condition: Condition) -> TaskSet:
        """The task set itself."""
        del condition
        return task_set

    def worlds_of(self, task_set: str) -> tuple[str, ...]:
        """All worlds."""
        del task_set
        return self.worlds

    def for_training(self, task_set: str, task_id: str) -> bool:
        """False: all tasks are for evaluation."""
        del task_set, task_id
        return False

    def skills_per_step(self, condition: Condition) -> int:
        """1."""
        del condition
        return 1

    def step_facts(self, task: Task, world: str, condition: Condition) -> StepFacts:
        """Unknown."""
        del task, world, condition
        return StepFacts()

    def sanity_sets(self) -> tuple[SanitySet, ...]:
        """The first two tasks of the default task set."""
        return (SanitySet(limit=2),)
