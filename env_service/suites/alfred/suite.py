"""The suite: ALFRED with refined commands, on LoTa-Bench's skills."""

from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module

from env_service.domain.episode import Episode, Mode
from env_service.domain.observation import LOSSLESS, Channel, ObservationOffer
from env_service.domain.outcome import Disclosure
from env_service.domain.task import Task, TaskSet
from env_service.suites import builtin_sets as builtin
from env_service.suites.alfred.command_wordings import NoCommandError, Wording
from env_service.suites.alfred.conditions import (
    NAMED,
    PLAN,
    SETTINGS,
    check_condition,
    feedback_of,
    wording_of,
)
from env_service.suites.alfred.skills.plan_reader import MOST_PLAN_STEPS
from env_service.suites.alfred.task_sets import AlfredTaskSets, data_patterns, under_original
from env_service.suites.base import (
    Condition,
    ConditionError,
    EpisodeOrder,
    ExpertRun,
    PlainSuite,
    SanitySet,
    StepFacts,
)
from env_service.suites.reporting import ReportDesign
from env_service.worlds.ai2thor_api.floor_plans import FLOOR_PLANS
from env_service.worlds.ai2thor_api.floor_plans import PACK as SCENES
from env_service.worlds.ai2thor_api.world_registry import capabilities, thor_worlds

_SIMULATED = thor_worlds()

_EXPERT = "env_service.suites.alfred.expert"
"""Imported when it is asked for: a run needs no planner."""


class AlfredSuite(PlainSuite):
    """A Suite (see suites.base): plans for household commands in seven wordings, at once or step by
    step, carried out by LoTa-Bench's skills and judged by the true state of the scene.

    The service enforces every setting. An order's seed changes nothing: what there is to draw is
    drawn with the task.
    """

    name = "alfred"
    version = "1"
    description = (
        "ALFRED with refined commands: one-shot and stepwise plans in LoTa-Bench's skills."
    )
    worlds: tuple[str, ...] = _SIMULATED
    settings = SETTINGS
    conditions: Mapping[str, Mapping[str, str]] = NAMED
    modes: tuple[Mode, ...] = (Mode.PLAN, Mode.STEPWISE)
    packages: tuple[str, ...] = ("numpy", "pillow", "ai2thor")
    drawn: tuple[str, ...] = (builtin.NAME,)

    @cached_property
    def report(self) -> ReportDesign:
        """Which tables and figures a report on its runs has."""
        from env_service.suites.alfred.report import DESIGN  # noqa: PLC0415 - a list of suites costs no report

        return DESIGN

    @property
    def deterministic(self) -> tuple[str, ...]:
        """The worlds that say so of themselves."""
        return tuple(each for each in _SIMULATED if capabilities(each).deterministic)

    @cached_property
    def _task_sets(self) -> AlfredTaskSets:
        return AlfredTaskSets()

    def task_sets(self) -> Mapping[str, TaskSet]:
        """``valid_seen`` and ``valid_unseen`` with their subsets, ``builtin``; see
        `AlfredTaskSets`."""
        return self._task_sets

    def sanity_sets(self) -> tuple[SanitySet, ...]:
        """A built-in task, planned at once and step by step."""
        return (
            SanitySet("builtin-1-0", limit=1),
            SanitySet("builtin-1-0", limit=1, condition={"play": "steps"}),
        )

    def under(self, task_set: TaskSet, condition: Condition) -> TaskSet:
        """As the crowd wrote it a task has several commands: it is played once for each. Raises
        ConditionError where a task has none, as built-in ones."""
        if wording_of(condition) is not Wording.ORIGINAL:
            return task_set
        try:
            return under_original(task_set)
        except NoCommandError as error:
            raise ConditionError(f"task set {task_set.name}: {error}") from error

    def data(self, task_set: str, world: str) -> Mapping[str, tuple[str, ...]]:
        """Trajectories and commands, and the floor plans where the world builds them; built-in
        tasks need nothing."""
        if builtin.is_builtin(task_set):
            return {}
        rooms = {SCENES: (FLOOR_PLANS,)} if capabilities(world).floor_plans_from_pack else {}
        return {**data_patterns(task_set), **rooms}

    def worlds_of(self, task_set: str) -> tuple[str, ...]:
        """Those that have the task set's rooms."""
        if builtin.is_builtin(task_set):
            return tuple(each for each in _SIMULATED if capabilities(each).built_in_rooms)
        return _SIMULATED

    def for_training(self, task_set: str, task_id: str) -> bool:
        """Built-in tasks of another seed than that of the default set."""
        del task_id
        return builtin.is_training_set(task_set)

    def episodes_per_worker(self, world: str) -> int:
        """One: AI2-THOR plays one at a time, and a plan's search for places fills a core."""
        del world
        return 1

    def skills_per_step(self, condition: Condition) -> int:
        """A whole plan is one step."""
        return MOST_PLAN_STEPS if condition["play"] == PLAN else 1

    def step_facts(self, task: Task, world: str, condition: Condition) -> StepFacts:
        """One step for a whole plan, and another for a question."""
        from env_service.suites.alfred.episode import MOST_STEPS  # noqa: PLC0415 - a list of suites costs no engine

        del task, world
        asked = 1 if condition["ask"] == "on" else 0
        most = (1 if condition["play"] == PLAN else MOST_STEPS) + asked
        return StepFacts(most, 2_200 + (1_000 if condition["pictures"] == "on" else 0))

    def disclosure(self, condition: Condition) -> Disclosure:
        """Follows the setting ``feedback``. No agent of the paper reads about limits."""
        check_condition(condition)
        return Disclosure(feedback=feedback_of(condition), step_limit=False)

    def offer(self, condition: Condition) -> ObservationOffer:
        """Text, which says how far it has come and answers a question; and a picture where
        ``pictures`` is on.

        Raises ConditionError for settings that do not go together.
        """
        check_condition(condition)
        channels = ((Channel.RGB, LOSSLESS),) if condition["pictures"] == "on" else ()
        return ObservationOffer(channels=channels, text=True)

    def open_episode(self, order: EpisodeOrder) -> Episode:
        """Makes the episode; the world opens when it starts.

        Raises ConditionError where settings do not go together, or the task has no command in the
        wording.
        """
        from env_service.suites.alfred.episode import (  # noqa: PLC0415 - a list of suites costs no engine
            AlfredEpisode,
        )

        return AlfredEpisode(order)

    def expert(self, order: EpisodeOrder) -> ExpertRun:
        """Solves the task with full knowledge of the scene."""
        solve: Callable[[EpisodeOrder], ExpertRun] = import_module(_EXPERT).solve
        return solve(order)
