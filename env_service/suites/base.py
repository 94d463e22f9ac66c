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
    """What a task takes at most, before anybody has played it.

    ``limit`` is its step limit; None where only opening the episode shows it. ``input_tokens`` is
    the length of the suite's prompt for a model, as a mean over all of these steps; None
    for unknown. It was counted from requests, with a token for four characters and 1,000 for a
    picture. ``output_tokens`` is that of a reply with a short thought.
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
    """A benchmark. Stateless: the gateway and every worker hold one each."""

    name: str
    version: str
    """Of the rules. Changes whenever a score could."""
    description: str
    worlds: tuple[str, ...]
    """The worlds that any of its task sets can be played in."""
    settings: tuple[Setting, ...]
    conditions: Mapping[str, Mapping[str, str]]
    """Conditions that have a name: what each changes of the default settings. Mostly none."""
    modes: tuple[Mode, ...]
    """The modes that its episodes may be played in."""
    packages: tuple[str, ...]
    """The distributions whose versions could change a score; recorded with each run."""
    deterministic: tuple[str, ...]
    """The worlds in which equal orders and actions give equal pixels, so that runs in them can be
    replayed."""
    report: ReportDesign
    """Which tables and figures a report on its runs has; COMMON_DESIGN for the usual ones alone."""

    drawn: tuple[str, ...]
    """Task sets that take seconds to draw up: lists of suites name them and do not count them."""

    def task_sets(self) -> Mapping[str, TaskSet]:
        """The suite's task lists by name; the first is the default.

        The names are always known. Taking a list out raises DataPackError where the data that it
        is read from are not here.
        """

    def under(self, task_set: TaskSet, condition: Condition) -> TaskSet:
        """The task set to play under a condition, with the same name: another one only where a
        condition makes several tasks of one, as with a wording of which a task has several.

        Raises ConditionError where tasks cannot be played under it.
        """

    def data(self, task_set: str, world: str) -> Mapping[str, tuple[str, ...]]:
        """What playing these tasks reads: patterns of files by data pack. Empty: nothing.

        A run does not begin before all these files are present, and records them.
        """

    def worlds_of(self, task_set: str) -> tuple[str, ...]:
        """Those of ``worlds`` that a task set can be played in; the first is its default."""

    def for_training(self, task_set: str, task_id: str) -> bool:
        """Whether agents may be trained on demonstrations of a task of that set.

        False for every task that agents are evaluated on, even if the set has others. Reads no data
        pack. An unknown set or task is not for training.
        """

    def episodes_per_worker(self, world: str) -> int:
        """How many episodes one worker process may host at once: 1 for a heavy simulator."""

    def skills_per_step(self, condition: Condition) -> int:
        """The maximum number of skills in one step under this condition, at least 1: those of the
        longest plan, where a whole plan is one step. The service waits the longer for it."""

    def step_facts(self, task: Task, world: str, condition: Condition) -> StepFacts:
        """What an episode of the task takes at most, for estimates. Opens no world."""

    def sanity_sets(self) -> tuple[SanitySet, ...]:
        """A few tasks, quickly played and without a data pack where that can be: enough to see an
        agent play each mode. ``houseguest submit check`` has it play them."""

    def disclosure(self, condition: Condition) -> Disclosure:
        """What the wire may say under this condition."""

    def offer(self, condition: Condition) -> ObservationOffer:
        """What an agent may ask to see under this condition.

        Raises ConditionError where settings do not go together.
        """

    def open_episode(self, order: EpisodeOrder) -> Episode:
        """Makes the episode; loads nothing yet. Called in a worker."""

    def expert(self, order: EpisodeOrder) -> ExpertRun:
        """Solves the task with full knowledge of the world. Called in any process."""


class PlainSuite:
    """Defaults that fit most suites.

    It has no named conditions. Every task set is ready at once, plays in every world, and has the
    same tasks under every condition. No task is for training. A step is one skill. What a step
    takes is unknown. The sanity set is the first two tasks of the default task set.
    """

    worlds: tuple[str, ...]
    conditions: Mapping[str, Mapping[str, str]] = {}
    drawn: tuple[str, ...] = ()

    def under(self, task_set: TaskSet, condition: Condition) -> TaskSet:
        """The task set itself."""
        del condition
        return task_set

    def worlds_of(self, task_set: str) -> tuple[str, ...]:
        """All there are."""
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
        """Nothing is known before it is played."""
        del task, world, condition
        return StepFacts()

    def sanity_sets(self) -> tuple[SanitySet, ...]:
        """The first two tasks of the default task set."""
        return (SanitySet(limit=2),)
