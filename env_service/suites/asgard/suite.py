"""The suite: AsgardBench, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module

from env_service.domain.episode import Mode
from env_service.domain.observation import LOSSLESS, Channel, ObservationOffer
from env_service.domain.outcome import Disclosure
from env_service.domain.task import TaskSet
from env_service.suites.asgard.conditions import SETTINGS, check_condition, feedback_of
from env_service.suites.asgard.episode import AsgardEpisode
from env_service.suites.asgard.pack_sets import PackTaskSets
from env_service.suites.asgard.pictures import PICTURE
from env_service.suites.asgard.report import DESIGN
from env_service.suites.asgard.suffix import Conditions
from env_service.suites.asgard.task_sets import data_patterns
from env_service.suites.base import Condition, EpisodeOrder, ExpertRun
from env_service.suites.scenes import FLOOR_PLANS
from env_service.suites.scenes import PACK as SCENES

HOUSEHOLD = "household"

_EXPERT = "env_service.suites.asgard.expert"
"""Imported when it is asked for: a run needs no planner."""


class AsgardSuite:
    """A Suite (see suites.base): AsgardBench's household tasks, in kitchens, bathrooms and living
    rooms, played with twelve actions and auto-navigation.

    The service enforces the settings ``text_only``, ``feedback``, ``hand``, ``previous_image``,
    ``rules`` and ``picture``. ``memory``, ``full_plan`` and ``common_sense`` concern the agent's
    prompt alone: they are recorded, and the agent keeps to them. An order's seed feeds what
    actions draw; the opening is drawn from the task's own.
    """

    name = "asgard"
    version = "1"
    description = "AsgardBench: household tasks in iTHOR rooms, from pictures, step by step."
    worlds: tuple[str, ...] = (HOUSEHOLD, "ai2thor")
    settings = (*SETTINGS, PICTURE)
    conditions: Mapping[str, Mapping[str, str]] = Conditions()
    modes: tuple[Mode, ...] = (Mode.STEPWISE,)
    packages: tuple[str, ...] = ("numpy", "ai2thor")
    deterministic: tuple[str, ...] = (HOUSEHOLD,)
    report = DESIGN

    @cached_property
    def _task_sets(self) -> PackTaskSets:
        return PackTaskSets()

    def task_sets(self) -> Mapping[str, TaskSet]:
        """``official`` (108 tasks) and ``sanity`` (2); see `PackTaskSets`."""
        return self._task_sets

    def data(self, task_set: str, world: str) -> Mapping[str, tuple[str, ...]]:
        """The plans, and in the household world the rooms that they are played in."""
        rooms = {SCENES: (FLOOR_PLANS,)} if world == HOUSEHOLD else {}
        return {**data_patterns(task_set), **rooms}

    def worlds_of(self, task_set: str) -> tuple[str, ...]:
        """Those that have the task set's rooms."""
        del task_set
        return self.worlds

    def episodes_per_worker(self, world: str) -> int:
        """One: a room that is drawn fills a core, and AI2-THOR plays one at a time."""
        del world
        return 1

    def disclosure(self, condition: Condition) -> Disclosure:
        """Follows the setting ``feedback``. No agent of the paper was told of limits."""
        check_condition(condition)
        return Disclosure(feedback=feedback_of(condition), step_limit=False)

    def offer(self, condition: Condition) -> ObservationOffer:
        """Pictures, the one before too unless ``previous_image`` is none; where ``text_only`` is
        on, the last step in words instead.

        Raises ConditionError for settings that do not go together.
        """
        check_condition(condition)
        if condition["text_only"] == "on":
            return ObservationOffer(text=True)
        return ObservationOffer(
            channels=((Channel.RGB, LOSSLESS),),
            previous_frame=condition["previous_image"] != "none",
        )

    def open_episode(self, order: EpisodeOrder) -> AsgardEpisode:
        """Makes the episode; the world opens when it starts."""
        return AsgardEpisode(order)

    def expert(self, order: EpisodeOrder) -> ExpertRun:
        """Solves the task with full knowledge of the house."""
        solve: Callable[[EpisodeOrder], ExpertRun] = import_module(_EXPERT).solve
        return solve(order)
