"""The task sets of the data pack: the 108 official tasks, and the two sanity checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from env_service.datasets.errors import DataPackCorruptError
from env_service.datasets.pack import Pack
from env_service.domain.task import Task, TaskSet
from env_service.suites.asgard.item_cache import ItemCache, check_room, read_item_cache
from env_service.suites.asgard.node import PlanError, load_json
from env_service.suites.asgard.plan import AsgardPlan
from env_service.suites.asgard.reading import read_plan

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

    A plan that cannot be read is left out and told of; all others are there.

    Raises:
        DataPackMissingError, DataPackCorruptError: not all of its files are there and sound.
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
            f"data pack {PACK!r} is damaged: {ITEM_CACHE}: {error}. Mend it: houseguest data fetch"
            f" {PACK}; or import a sound copy."
        ) from error


def make_task(text: str | bytes, source: str, cache: ItemCache) -> Task:
    """A task from the text of a plan; ``cache`` tells what its scene holds.

    Raises PlanError, also where the cache has no such scene, or the scene not what the plan needs.
    """
    data = load_json(text, source)
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
