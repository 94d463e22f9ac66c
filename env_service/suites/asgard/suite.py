"""The suite: AsgardBench, step by step."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from importlib import import_module

from env_service.datasets.pack import open_pack
from env_service.domain.episode import Episode, Mode
from env_service.domain.observation import LOSSLESS, Channel, ObservationOffer
from env_service.domain.outcome import Disclosure
from env_service.domain.task import Task, TaskSet
from env_service.suites import builtin_sets as builtin
from env_service.suites.asgard.ai2thor_start import PICTURE
from env_service.suites.asgard.conditions import SETTINGS, Conditions, check_condition, feedback_of
from env_service.suites.asgard.recorded import task_set as recorded
from env_service.suites.asgard.task_sets import (
    PACK,
    PLANS,
    PackTasks,
    data_patterns,
    load_task_set,
    read_task,
)
from env_service.suites.base import (
    Condition,
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

_EXPERT = "env_service.suites.asgard.expert"
"""Imported when it is asked for: a run needs no planner."""


class AsgardSuite(PlainSuite):
    """A Suite (see suites.base): AsgardBench's household tasks, in kitchens, bathrooms and living
    rooms, played with twelve actions and auto-navigation.

    The service enforces the settings ``text_only``, ``feedback``, ``hand``, ``previous_image``,
    ``rules`` and ``picture``, and ``common_sense`` in what it says of the environment's rules.
    ``memory`` and ``full_plan`` concern the agent's prompt alone: they are recorded, and the agent
    keeps to them. An order's seed feeds what actions draw; the opening is drawn from the task's
    own.
    """

    name = "asgard"
    version = "1"
    description = "AsgardBench: household tasks in iTHOR rooms, from pictures, step by step."
    worlds: tuple[str, ...] = (*_SIMULATED, recorded.WORLD)
    settings = (*SETTINGS, PICTURE)
    conditions: Mapping[str, Mapping[str, str]] = Conditions()
    modes: tuple[Mode, ...] = (Mode.STEPWISE,)
    packages: tuple[str, ...] = ("numpy", "pillow", "ai2thor")
    drawn: tuple[str, ...] = (builtin.NAME,)

    @cached_property
    def report(self) -> ReportDesign:
        """Which tables and figures a report on its runs has."""
        from env_service.suites.asgard.recorded import report as of_recorded  # noqa: PLC0415 - a list of suites costs no report
        from env_service.suites.asgard.report import DESIGN  # noqa: PLC0415 - a list of suites costs no report

        return replace(DESIGN, by_world={recorded.WORLD: of_recorded.DESIGN})

    @property
    def deterministic(self) -> tuple[str, ...]:
        """The worlds that say so of themselves, and the recorded one."""
        found = tuple(each for each in _SIMULATED if capabilities(each).deterministic)
        return (*found, recorded.WORLD)

    @cached_property
    def _task_sets(self) -> AsgardTaskSets:
        return AsgardTaskSets()

    def task_sets(self) -> Mapping[str, TaskSet]:
        """``official`` (108 tasks), ``sanity`` (2), ``builtin`` (108, or as many as its name says),
        ``recorded``; see `AsgardTaskSets`."""
        return self._task_sets

    def sanity_sets(self) -> tuple[SanitySet, ...]:
        """Two built-in tasks."""
        # Small pictures: this is about the protocol, not about seeing.
        return (SanitySet("builtin-2-0", condition={"picture": "300"}),)

    def data(self, task_set: str, world: str) -> Mapping[str, tuple[str, ...]]:
        """The plans, and the floor plans where the world builds them; built-in tasks need
        nothing."""
        if builtin.is_builtin(task_set):
            return {}
        if task_set == recorded.NAME:
            return recorded.data_patterns()
        rooms = {SCENES: (FLOOR_PLANS,)} if capabilities(world).floor_plans_from_pack else {}
        return {**data_patterns(task_set), **rooms}

    def worlds_of(self, task_set: str) -> tuple[str, ...]:
        """Those that have the task set's rooms."""
        if task_set == recorded.NAME:
            return (recorded.WORLD,)
        if builtin.is_builtin(task_set):
            return tuple(each for each in _SIMULATED if capabilities(each).built_in_rooms)
        return _SIMULATED

    def for_training(self, task_set: str, task_id: str) -> bool:
        """Built-in tasks of another seed than that of the default set."""
        del task_id
        return builtin.is_training_set(task_set)

    def episodes_per_worker(self, world: str) -> int:
        """One: a room that is drawn fills a core, and AI2-THOR plays one at a time. Recorded
        questions are two pictures each."""
        return 16 if world == recorded.WORLD else 1

    def step_facts(self, task: Task, world: str, condition: Condition) -> StepFacts:
        """The limit by the length of the task's plan; a recorded question is one step."""
        from env_service.suites.asgard.limits import StepLimits  # noqa: PLC0415 - a list of suites costs no engine

        tokens = 1_900 if condition["text_only"] == "on" else 3_800
        if world == recorded.WORLD:
            return StepFacts(1, tokens)
        return StepFacts(StepLimits.of(read_task(task).plan.step_count).hard + 1, tokens)

    def disclosure(self, condition: Condition) -> Disclosure:
        """Follows the setting ``feedback``. No agent of the paper reads about limits."""
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

    def open_episode(self, order: EpisodeOrder) -> Episode:
        """Makes the episode; the world opens when it starts.

        Raises ConditionError where settings do not go together, or with recorded pictures.
        """
        from env_service.suites.asgard.episode import (  # noqa: PLC0415 - a list of suites costs no engine
            AsgardEpisode,
        )
        from env_service.suites.asgard.recorded.episode import (  # noqa: PLC0415 - a list of suites costs no engine
            RecordedEpisode,
        )

        return RecordedEpisode(order) if order.world == recorded.WORLD else AsgardEpisode(order)

    def expert(self, order: EpisodeOrder) -> ExpertRun:
        """Solves the task with full knowledge of the scene; for a recorded question it says what
        was done."""
        if order.world == recorded.WORLD:
            from env_service.suites.asgard.recorded import scoring  # noqa: PLC0415 - a list of suites costs no scoring

            return scoring.solve(order)
        solve: Callable[[EpisodeOrder], ExpertRun] = import_module(_EXPERT).solve
        return solve(order)


# --- The suite's task sets by name

_LISTED = (*PLANS, builtin.NAME, recorded.NAME)
_LOG = logging.getLogger(__name__)


class AsgardTaskSets(Mapping[str, TaskSet]):
    """Task sets by name. The names are always listed; the tasks of the official and recorded sets
    need their data packs. Built-in sets of other sizes and seeds also exist, but are not listed.

    Taking a set out raises DataPackMissingError or DataPackCorruptError if its files are missing or
    damaged, ValueError for a malformed name of a built-in set.
    """

    def __init__(self) -> None:
        self._made: dict[str, TaskSet] = {}

    def __getitem__(self, name: str) -> TaskSet:
        if name not in self._made:
            self._made[name] = _make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_LISTED)

    def __len__(self) -> int:
        return len(_LISTED)

    def __contains__(self, name: object) -> bool:
        return name in _LISTED or (isinstance(name, str) and builtin.is_builtin(name))


def _make(name: str) -> TaskSet:
    if name in PLANS:
        return _sound(load_task_set(open_pack(PACK), name))
    if name == recorded.NAME:
        return _sound(recorded.load_recorded())
    from env_service.suites.asgard.builtin.task_set import (  # noqa: PLC0415 - a list of suites costs no engine
        builtin_task_set,
    )

    made = builtin_task_set(name)
    if made is None:
        raise KeyError(name)
    return made


def _sound(loaded: PackTasks) -> TaskSet:
    for problem in loaded.problems:
        _LOG.warning("left out of task set %s: %s", loaded.task_set.name, problem)
    return loaded.task_set
