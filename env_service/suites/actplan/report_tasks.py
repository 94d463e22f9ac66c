"""What the tasks of a run are: the shape of the paper's Table 2 and Figure 4."""

from __future__ import annotations

from collections.abc import Sequence

from env_service.domain.task import TaskSet
from env_service.suites.actplan.dataset.published import (
    CIRCUMSTANCES,
    INSTANCES,
    NOTE,
    SOURCE,
    STEPS,
)
from env_service.suites.actplan.dataset.task_statistics import TaskCounts, task_statistics
from env_service.suites.actplan.task import Circumstance, Variant
from env_service.suites.actplan.task_sets import gold_steps
from env_service.suites.reporting import FactRow, TaskFacts, Unit


def _sizes(task_set: TaskSet) -> Sequence[FactRow]:
    counts = task_statistics(task_set, gold_steps(task_set.name)).counts
    ours = [_size(variant.value if variant else "total", each) for variant, each in counts.items()]
    nothing = (None, None, None)
    published = [
        FactRow((each.value, float(INSTANCES[each]), *nothing, STEPS[each], None), SOURCE)
        for each in Variant
    ]
    return [*ours, *published]


def _size(name: str, counts: TaskCounts) -> FactRow:
    means = (counts.objects.mean, counts.gold_steps.mean, counts.words.mean)
    numbers = (counts.tasks, counts.pictured, counts.activities)
    return FactRow((name, *map(float, numbers), *means))


def _shares(task_set: TaskSet) -> Sequence[FactRow]:
    found = task_statistics(task_set, {}).circumstances
    if not found:
        return []
    total = sum(found.values())
    named = [each for each in Circumstance if each is not Circumstance.NONE]
    ours = [FactRow((_name(each), found.get(each, 0) / total)) for each in named]
    return [*ours, *(FactRow((_name(each), CIRCUMSTANCES[each]), SOURCE) for each in named)]


def _name(circumstance: Circumstance) -> str:
    return circumstance.value.replace("_", " ")


SIZES = TaskFacts(
    id="tasks",
    title="What the tasks are",
    columns=(
        ("variant", None),
        ("tasks", Unit.NUMBER),
        ("with pictures", Unit.NUMBER),
        ("activities", Unit.NUMBER),
        ("objects", Unit.NUMBER),
        ("steps of gold plans", Unit.NUMBER),
        ("words", Unit.NUMBER),
    ),
    rows=_sizes,
    note=f"Objects, steps and words are means. {NOTE}",
)
CIRCUMSTANCES_SHARED = TaskFacts(
    id="circumstances-shared",
    title="Circumstances of counterfactual problems",
    columns=(("circumstance", None), ("share", Unit.PERCENT)),
    rows=_shares,
)
