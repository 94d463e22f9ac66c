"""What published plans and task sets are made of, and what the paper says of its data."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from statistics import fmean, median

from env_service.domain.task import TaskSet
from env_service.suites.actplan.dataset.labelled_plans import MODELS, LabelledInstance, split_steps
from env_service.suites.actplan.dataset.published_files import GOLDS
from env_service.suites.actplan.plans.verbs import meaning_of
from env_service.suites.actplan.task import ActPlanTask, Circumstance, Variant, read_task
from env_service.worlds.activity.bddl.parser import read_problem
from env_service.worlds.activity.bddl.problem import Problem
from env_service.worlds.activity.bddl.syntax import BddlError

_Parts = dict[Variant | None, list[LabelledInstance]]


@dataclass(frozen=True, slots=True)
class VerbUse:
    """One spelling of a verb in gold plans: what it means ("walk_to"; empty if unknown), how often
    each gold has it, and with how many arguments."""

    word: str
    meaning: str
    uses: Mapping[str, int]
    arities: Mapping[int, int]

    @property
    def total(self) -> int:
        """How often all golds have it."""
        return sum(self.uses.values())


@dataclass(frozen=True, slots=True)
class Label:
    """How many of one model's plans people found correct."""

    plans: int
    correct: int

    @property
    def share(self) -> float:
        """0 … 1; 0 of none."""
        return self.correct / self.plans if self.plans else 0.0


@dataclass(frozen=True, slots=True)
class PlanStatistics:
    """Of labelled plans.

    Attributes:
        steps: steps of each plan, by whose they are ("gold_1", "gold_2", "gpt-4v", "gemini") and
            variant; all variants under None.
        verbs: of gold plans, the most frequent first.
        labels: by model and variant; all variants under None.
    """

    instances: int
    steps: Mapping[str, Mapping[Variant | None, Spread]]
    verbs: tuple[VerbUse, ...]
    labels: Mapping[str, Mapping[Variant | None, Label]]


def plan_statistics(instances: Iterable[LabelledInstance]) -> PlanStatistics:
    """Counts labelled plans."""
    every = tuple(instances)
    return PlanStatistics(
        instances=len(every),
        steps={name: _steps(every, name) for name in (*GOLDS, *MODELS)},
        verbs=_verbs(every),
        labels={model: _labels(every, model) for model in MODELS},
    )


def plan_of(instance: LabelledInstance, name: str) -> str:
    """One of an instance's plans by whose it is; empty where there is none."""
    golds = dict(zip(GOLDS, (instance.gold_1, instance.gold_2), strict=True))
    return golds[name] if name in golds else instance.plans[name].text


def _parts(
    instances: Iterable[LabelledInstance],
) -> _Parts:
    found: _Parts = {each: [] for each in (*Variant, None)}
    for instance in instances:
        found[instance.key.variant].append(instance)
        found[None].append(instance)
    return {part: members for part, members in found.items() if members}


def _steps(instances: Iterable[LabelledInstance], name: str) -> Mapping[Variant | None, Spread]:
    return {
        part: spread(len(split_steps(text)) for each in members if (text := plan_of(each, name)))
        for part, members in _parts(instances).items()
    }


def _labels(instances: Iterable[LabelledInstance], model: str) -> Mapping[Variant | None, Label]:
    return {
        part: Label(len(members), sum(each.plans[model].correct for each in members))
        for part, members in _parts(instances).items()
    }


def _verbs(instances: Iterable[LabelledInstance]) -> tuple[VerbUse, ...]:
    uses: dict[str, Counter[str]] = defaultdict(Counter)
    arities: dict[str, Counter[int]] = defaultdict(Counter)
    for instance in instances:
        for gold in GOLDS:
            for step in split_steps(plan_of(instance, gold)):
                word, arguments = _taken_apart(step)
                uses[word][gold] += 1
                arities[word][arguments] += 1
    found = (
        VerbUse(
            word,
            _meaning(word),
            {gold: counts[gold] for gold in GOLDS},
            dict(sorted(arities[word].items())),
        )
        for word, counts in uses.items()
    )
    return tuple(sorted(found, key=lambda each: (-each.total, each.word)))


def _taken_apart(step: str) -> tuple[str, int]:
    """A step's verb as written, and the number of its arguments."""
    word, _, rest = step.partition("(")
    inside = rest.removesuffix(")").strip()
    return word.strip(), inside.count(",") + 1 if inside else 0


def _meaning(word: str) -> str:
    meaning = meaning_of(word)
    return "" if meaning is None else meaning.verb.value


# --- What a task set is made of: the shapes of the paper's Table 2 and Figure 4


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


# --- What the paper says of its data, for comparison (docs/actplan.md, Task sets)

SOURCE = "ActPlan-1K, Table 2 and Figure 4"

INSTANCES: Mapping[Variant, int] = {Variant.NORMAL: 825, Variant.COUNTERFACTUAL: 362}
"""Table 2: up to three samplings of each instance of which plans were judged."""

STEPS: Mapping[Variant, float] = {Variant.NORMAL: 23.95, Variant.COUNTERFACTUAL: 31.93}
"""Table 2: mean number of steps of gold plans."""

CIRCUMSTANCES: Mapping[Circumstance, float] = {
    Circumstance.PROPERTY: 0.30,
    Circumstance.FUNCTION: 0.45,
    Circumstance.CAUSALITY: 0.25,
}
"""Figure 4: shares of counterfactual activities. The labels were never published; the
classification of activities is ours."""

NOTE = (
    "Published counts are of all samples of the authors' archive; the labelled instances are one"
    " sample each. Circumstances here are classified by us: no such labels were published."
)


# --- How numbers are spread


@dataclass(frozen=True, slots=True)
class Spread:
    """Of ``count`` numbers; all 0 of none."""

    count: int = 0
    least: float = 0.0
    median: float = 0.0
    mean: float = 0.0
    most: float = 0.0


def spread(numbers: Iterable[float]) -> Spread:
    """The spread of some numbers."""
    found = sorted(numbers)
    if not found:
        return Spread()
    return Spread(len(found), found[0], median(found), fmean(found), found[-1])
