"""The suite: ActPlan-1K's activities, judged by carrying plans out as symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module

from env_service.domain.episode import Episode, Mode
from env_service.domain.observation import LOSSLESS, Channel, ObservationOffer
from env_service.domain.outcome import Disclosure
from env_service.domain.task import Task, TaskSet
from env_service.suites import builtin_sets as builtin
from env_service.suites.actplan.conditions import (
    NAMED,
    SETTINGS,
    check_condition,
    feedback_of,
)
from env_service.suites.actplan.task_sets import ActPlanTaskSets, data_patterns
from env_service.suites.base import (
    Condition,
    EpisodeOrder,
    ExpertRun,
    PlainSuite,
    SanitySet,
    StepFacts,
)
from env_service.suites.reporting import ReportDesign

WORLD = "activity"

_EXPERT = "env_service.suites.actplan.expert"
"""Imported when it is asked for: a run needs no planner."""


class ActPlanSuite(PlainSuite):
    """A Suite (see suites.base): procedural plans for household activities, normal and
    counterfactual, at once or step by step.

    The service enforces every setting. An order's seed changes nothing: what there is to draw is
    drawn with the task. Built-in activities are played as symbols too; the household world only
    draws their pictures.
    """

    name = "actplan"
    version = "1"
    description = "ActPlan-1K: procedural plans for household activities defined in BDDL."
    worlds: tuple[str, ...] = (WORLD,)
    settings = SETTINGS
    conditions: Mapping[str, Mapping[str, str]] = NAMED
    modes: tuple[Mode, ...] = (Mode.PLAN, Mode.STEPWISE)
    packages: tuple[str, ...] = ("numpy", "pillow")
    deterministic: tuple[str, ...] = (WORLD,)
    drawn: tuple[str, ...] = (builtin.NAME,)

    @cached_property
    def report(self) -> ReportDesign:
        """Which tables and figures a report on its runs has."""
        from env_service.suites.actplan.report import DESIGN  # noqa: PLC0415 - a list of suites costs no report

        return DESIGN

    @cached_property
    def _task_sets(self) -> ActPlanTaskSets:
        return ActPlanTaskSets()

    def task_sets(self) -> Mapping[str, TaskSet]:
        """``problems``, ``labelled`` and their parts, ``pictured``, ``archive``, ``builtin``; see
        `ActPlanTaskSets`."""
        return self._task_sets

    def sanity_sets(self) -> tuple[SanitySet, ...]:
        """A built-in activity, planned at once and step by step."""
        return (
            SanitySet("builtin-2", limit=1),
            SanitySet("builtin-2", limit=1, condition={"play": "steps", "pictures": "off"}),
        )

    def data(self, task_set: str, world: str) -> Mapping[str, tuple[str, ...]]:
        """Definitions, descriptions and pictures; built-in activities need nothing."""
        del world
        return {} if builtin.is_builtin(task_set) else data_patterns(task_set)

    def for_training(self, task_set: str, task_id: str) -> bool:
        """Built-in tasks of another seed than that of the default set."""
        del task_id
        return builtin.is_training_set(task_set)

    def episodes_per_worker(self, world: str) -> int:
        """One: judging a plan fills a core."""
        del world
        return 1

    def step_facts(self, task: Task, world: str, condition: Condition) -> StepFacts:
        """One step for a whole plan."""
        from env_service.suites.actplan.episode import MOST_TURNS  # noqa: PLC0415 - a list of suites costs no engine

        del task, world
        pictures = 3_000 if condition["pictures"] == "on" else 0
        if condition["play"] == "steps":
            return StepFacts(MOST_TURNS, 1_200 + pictures)
        return StepFacts(1, 500 + pictures)

    def disclosure(self, condition: Condition) -> Disclosure:
        """Follows the setting ``feedback``."""
        check_condition(condition)
        return Disclosure(feedback=feedback_of(condition), step_limit=False)

    def offer(self, condition: Condition) -> ObservationOffer:
        """Text, and the pictures of the opening where ``pictures`` is on; a task may have none.

        Raises ConditionError for settings that do not go together.
        """
        check_condition(condition)
        channels = ((Channel.RGB, LOSSLESS),) if condition["pictures"] == "on" else ()
        return ObservationOffer(channels=channels, text=True)

    def open_episode(self, order: EpisodeOrder) -> Episode:
        """Makes the episode. Raises ConditionError where settings do not go together."""
        from env_service.suites.actplan.episode import (  # noqa: PLC0415 - a list of suites costs no engine
            ActPlanEpisode,
        )

        return ActPlanEpisode(order)

    def expert(self, order: EpisodeOrder) -> ExpertRun:
        """Plans with the goal known, and has the plan judged."""
        solve: Callable[[EpisodeOrder], ExpertRun] = import_module(_EXPERT).solve
        return solve(order)
