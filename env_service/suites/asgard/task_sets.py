"""The task sets of the data pack, the 108 official tasks and the two sanity checks, and what
the release says that each scene holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from env_service.datasets.errors import DataPackCorruptError
from env_service.datasets.pack import Pack
from env_service.domain.task import Task, TaskSet
from env_service.suites.asgard.action_language import available_objects
from env_service.suites.asgard.plan import AsgardPlan, ContentsGoal, EventGoal, Goal, LocationGoal
from env_service.suites.asgard.plan_reader import PlanError, load_plan_json, read_plan

PACK = "asgard"
ITEM_CACHE = "AsgardBench/Data/item_cache.json"

PLANS: Mapping[str, str] = {
    "official": "Generated/magt_benchmark/*/plan.json",
    "sanity": "Generated/magt_benchmark_sanity/*/plan.json",
}
"""Where the pack has the plans of each task set; the first is the default."""

_DESCRIPTIONS = {
    "official": "The 108 tasks of AsgardBench: twelve types, in kitchens, bathrooms, living rooms.",
    "sanity": "Two short tasks of AsgardBench: turn on the television.",
}


@dataclass(frozen=True, slots=True)
class PackTasks:
    """A task set, and what was wrong with the plans that are not in it."""

    task_set: TaskSet
    problems: tuple[PlanError, ...]


@dataclass(frozen=True, slots=True)
class AsgardTask:
    """A task as an episode needs it. ``available`` are the words that the agent is shown."""

    plan: AsgardPlan
    available: tuple[str, ...]


def data_patterns(task_set: str) -> Mapping[str, tuple[str, ...]]:
    """What of which data pack a task set reads, for `Suite.data`; empty for one that has none."""
    return {PACK: (ITEM_CACHE, PLANS[task_set])} if task_set in PLANS else {}


def load_task_set(pack: Pack, name: str) -> PackTasks:
    """The task set of that name (a key of ``PLANS``), in the order of the plans' folders.

    Plans that cannot be read are left out and reported in ``problems``.

    Raises:
        DataPackMissingError, DataPackCorruptError: some of its files are missing or damaged.
    """
    files = pack.require([PLANS[name]])
    cache = _item_cache(pack)
    tasks: dict[str, Task] = {}
    problems: list[PlanError] = []
    for file in files:
        try:
            task = make_task(pack.path(file).read_bytes(), file, cache)
            if task.id in tasks:
                raise PlanError(file, "name", f"another plan is called {task.id!r} too")
            tasks[task.id] = task
        except PlanError as error:
            problems.append(error)
    return PackTasks(TaskSet(name, _DESCRIPTIONS[name], tuple(tasks.values())), tuple(problems))


def _item_cache(pack: Pack) -> ItemCache:
    try:
        return read_item_cache(pack.path(ITEM_CACHE).read_bytes())
    except ValueError as error:
        raise DataPackCorruptError(
            f"data pack {PACK!r} is damaged: {ITEM_CACHE}: {error}. Download it again with"
            f" houseguest data fetch {PACK}, or import an intact copy."
        ) from error


def make_task(text: str | bytes, source: str, cache: ItemCache) -> Task:
    """A task from the text of a plan; ``cache`` lists what its scene holds.

    Raises PlanError, also if the cache lacks the scene, or the scene lacks what the plan needs.
    """
    data = load_plan_json(text, source)
    plan = read_plan(data, source)
    if plan.scene not in cache:
        raise PlanError(source, "scene", f"the item cache has no objects for {plan.scene}")
    check_room(plan, cache[plan.scene], source)
    return Task(
        id=plan.name,
        group=plan.family.value,
        cluster=plan.scene,
        data={"plan": data, "objects": list(cache[plan.scene].words)},
    )


def read_task(task: Task) -> AsgardTask:
    """What ``make_task`` put into a task. Raises PlanError."""
    plan = read_plan(task.data["plan"], task.id)
    return AsgardTask(plan, tuple(task.data["objects"]))


# --- What the release says that each scene holds (docs/asgard.md, "Task")


@dataclass(frozen=True, slots=True)
class SceneItems:
    """One scene. ``types`` has those that slicing makes, too; ``names`` are AI2-THOR's, such as
    Mug_e7fad100."""

    types: frozenset[str]
    names: frozenset[str]

    @property
    def words(self) -> tuple[str, ...]:
        """The words for objects that an agent is shown, whatever is really there."""
        return available_objects(self.types)


ItemCache = Mapping[str, SceneItems]
"""By scene, such as FloorPlan13."""


def read_item_cache(text: str | bytes) -> ItemCache:
    """Reads the text of the release's item_cache.json. Raises ValueError if it has another form."""
    try:
        cache = json.loads(text)
        types, names = cache["types"], cache["names"]
        return {
            scene: SceneItems(frozenset(types[scene]), frozenset(names[scene])) for scene in types
        }
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise ValueError(
            "the item cache has to be a JSON object with lists of types and of names by scene under"
            ' "types" and "names"'
        ) from error


def check_room(plan: AsgardPlan, items: SceneItems, source: str) -> None:
    """Raises PlanError where a plan needs what its scene does not have: an object to set up, or
    one that a goal is about."""
    for place, action in enumerate(plan.setup_actions):
        if action.object_name not in items.names:
            where = f"setup_actions[{place}].object_name"
            raise PlanError(source, where, _nameless(action.object_name, plan.scene, items))
    for goal in plan.goals:
        for kind in _types(goal):
            if kind not in items.types:
                problem = f"is impossible: {plan.scene} has no {kind}"
                raise PlanError(source, f"goal ({type(goal).__name__})", problem)


def _nameless(name: str, scene: str, items: SceneItems) -> str:
    kind = name.partition("_")[0]
    alike = sorted(each for each in items.names if each.partition("_")[0] == kind)
    return f"{scene} has no {name}; of {kind} it has {', '.join(alike) or 'none'}"


def _types(goal: Goal) -> tuple[str, ...]:
    match goal:
        case EventGoal():
            return ()
        case LocationGoal():
            return goal.object_type, goal.destination_type
        case ContentsGoal():
            return goal.container_type, *goal.contents
        case _:
            return (goal.object_type,)
