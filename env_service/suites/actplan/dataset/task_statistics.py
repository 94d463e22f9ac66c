"""What a task set is made of: the shapes of the paper's Table 2 and Figure 4."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from env_service.domain.task import TaskSet
from env_service.suites.actplan.dataset.spread import Spread, spread
from env_service.suites.actplan.task import ActPlanTask, Circumstance, Variant, read_task
from env_service.worlds.activity.bddl.errors import BddlError
from env_service.worlds.activity.bddl.problem import Problem
from env_service.worlds.activity.bddl.reading import read_problem


@dataclass(frozen=True, slots=True)
class TaskCounts:
    """Of tasks of one variant, or of all.

    Attributes:
        tasks: how many there are.
        pictured: those that have pictures.
        activities, problems, scenes: how many different ones.
        gold_steps: the mean length of each task's gold plans, where it has any.
        words: of each problem's description.
        objects: declared in each problem; those that cannot be read are left out, and counted as
            ``unreadable``.
        conjuncts: of each problem's goal.
    """

    tasks: int
    pictured: int
    activities: int
    problems: int
    scenes: int
    gold_steps: Spread
    words: Spread
    objects: Spread
    conjuncts: Spread
    unreadable: int


@dataclass(frozen=True, slots=True)
class TaskStatistics:
    """Of a task set.

    Attributes:
        counts: by variant, and of all under None; of those variants that there are.
        scenes: tasks by scene, the most frequent first; of tasks that are in one.
        scenes_per_problem: how many problems are in 1, 2, … scenes.
        circumstances: how many counterfactual problems are of each kind.
        categories: declared instances by category ("sink.n.01") over all problems.
        rooms: facts "inroom" by room over all problems.
    """

    counts: Mapping[Variant | None, TaskCounts]
    scenes: Mapping[str, int]
    scenes_per_problem: Mapping[int, int]
    circumstances: Mapping[Circumstance, int]
    categories: Mapping[str, int]
    rooms: Mapping[str, int]


def task_statistics(task_set: TaskSet, gold_steps: Mapping[str, float]) -> TaskStatistics:
    """Counts a task set. Raises what `read_task` does, for tasks of another suite.

    Args:
        gold_steps: the mean length of a task's gold plans, by its id; of those that have any.
    """
    tasks = [read_task(task) for task in task_set.tasks]
    problems = list({(each.activity, each.variant, each.problem): each for each in tasks}.values())
    defined = [found for each in problems if (found := _defined(each.problem)) is not None]
    parts: dict[Variant | None, list[ActPlanTask]] = {
        variant: [each for each in tasks if each.variant is variant] for variant in Variant
    }
    return TaskStatistics(
        counts={
            part: _count(found, gold_steps)
            for part, found in {**parts, None: tasks}.items()
            if found
        },
        scenes=_falling(each.scene for each in tasks if each.scene),
        scenes_per_problem=_scenes_per_problem(tasks),
        circumstances=_circumstances(problems),
        categories=_falling(
            category for problem in defined for category in problem.objects.values()
        ),
        rooms=_falling(
            fact.atom.terms[-1]
            for problem in defined
            for fact in problem.init
            if fact.atom.predicate == "inroom"
        ),
    )


def _count(tasks: list[ActPlanTask], gold_steps: Mapping[str, float]) -> TaskCounts:
    problems = list({(each.activity, each.variant, each.problem): each for each in tasks}.values())
    defined = [found for each in problems if (found := _defined(each.problem)) is not None]

    def spread_of(measure: Callable[[Problem], int]) -> Spread:
        return spread(map(measure, defined))

    return TaskCounts(
        tasks=len(tasks),
        pictured=sum(bool(each.pictures) for each in tasks),
        activities=len({each.activity for each in tasks}),
        problems=len(problems),
        scenes=len({each.scene for each in tasks if each.scene}),
        gold_steps=spread(gold_steps[each.id] for each in tasks if each.id in gold_steps),
        words=spread(len(each.description.split()) for each in problems),
        objects=spread_of(lambda problem: len(problem.objects)),
        conjuncts=spread_of(lambda problem: len(problem.conjuncts)),
        unreadable=len(problems) - len(defined),
    )


def _scenes_per_problem(tasks: Iterable[ActPlanTask]) -> Mapping[int, int]:
    pairs = {(each.activity, each.variant, each.scene) for each in tasks if each.scene}
    counts = Counter(Counter((activity, variant) for activity, variant, _ in pairs).values())
    return dict(sorted(counts.items()))


def _circumstances(problems: Iterable[ActPlanTask]) -> Mapping[Circumstance, int]:
    found = Counter(
        each.circumstance for each in problems if each.variant is Variant.COUNTERFACTUAL
    )
    return {kind: found[kind] for kind in Circumstance if found[kind]}


def _falling(names: Iterable[str]) -> Mapping[str, int]:
    counts = Counter(names)
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


@cache
def _defined(text: str) -> Problem | None:
    """What a text defines; None where it cannot be read."""
    try:
        return read_problem(text, "")
    except BddlError:
        return None
