"""Facts about a task set's commands: how varied they are, and how often they ask for something else
than the goal (the paper's Tables 2 and 1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from env_service.domain.task import TaskSet
from env_service.suites.alfred.command_wordings import KEPT, Wording
from env_service.suites.alfred.dataset.statistics import NOTE, SOURCE, TABLE_2, by_wording
from env_service.suites.alfred.judging.integrity import Fault, check
from env_service.suites.alfred.report_published import ERRORS, ERRORS_SOURCE
from env_service.suites.alfred.task import AlfredTask, Goal, read_task
from env_service.suites.reporting import FactRow, TaskFacts, Unit

_CLASSES = (Fault.OBJECT, Fault.SPATIAL, Fault.SEQUENCE)
_ORIGINAL = Wording.ORIGINAL.value


def _variety(task_set: TaskSet) -> list[FactRow]:
    published = TABLE_2.get(task_set.name, {})
    rows = []
    for wording, own in by_wording(task_set).items():
        numbers = (own.commands, own.words, own.unique, own.diversity, own.entropy)
        rows.append(FactRow((wording, *numbers)))
        if wording in published:
            other = published[wording]
            other_values = (None, None, other.unique, other.diversity, other.entropy)
            rows.append(FactRow((wording, *other_values), SOURCE))
    return rows


def _errors(task_set: TaskSet) -> list[FactRow]:
    tasks = [read_task(task) for task in task_set.tasks]
    pools = {_ORIGINAL: list(_originals(tasks)), **{each: _refined(tasks, each) for each in KEPT}}
    rows = [_row(wording, pool) for wording, pool in pools.items() if pool]
    split = task_set.name.partition("/")[0]
    if rows and pools[_ORIGINAL] and split in ERRORS:
        rows.insert(1, _published(split))
    return rows


_Pool = list[tuple[str, Goal]]


def _originals(tasks: list[AlfredTask]) -> Iterator[tuple[str, Goal]]:
    for task in tasks:
        chosen = (
            slice(None) if task.annotation is None else slice(task.annotation, task.annotation + 1)
        )
        yield from ((text, task.goal) for text in task.originals[chosen])


def _refined(tasks: list[AlfredTask], wording: str) -> _Pool:
    return [(task.commands[wording], task.goal) for task in tasks if wording in task.commands]


def _row(wording: str, pool: _Pool) -> FactRow:
    language = "ko" if wording == Wording.KOREAN.value else "en"
    counts = Counter(check(text, goal, "", language=language).type for text, goal in pool)
    return FactRow((wording, *_numbers(len(pool), counts), counts[Fault.OTHER]))


def _numbers(commands: int, counts: Mapping[Fault, int]) -> tuple[float, ...]:
    found = [counts[each] for each in _CLASSES]
    return commands, *found, sum(found) / commands


def _published(split: str) -> FactRow:
    own = ERRORS[split]
    found = (own.object, own.spatial, own.sequence)
    counts = dict(zip(_CLASSES, found, strict=True))
    return FactRow((_ORIGINAL, *_numbers(own.commands, counts), None), f"{ERRORS_SOURCE} {split}")


VARIETY = TaskFacts(
    id="commands",
    title="Variety of the commands",
    columns=(
        ("wording", None),
        ("commands", Unit.NUMBER),
        ("words", Unit.NUMBER),
        ("unique words", Unit.NUMBER),
        ("unique of words", Unit.PERCENT),
        ("entropy, bits", Unit.NUMBER),
    ),
    rows=_variety,
    note=(
        "Of all tasks of the set, whichever were played. All commands of a wording together, in"
        " lower case, split at blanks, with their punctuation. Published are numbers of valid_seen"
        f" and valid_unseen as a whole. {NOTE}"
    ),
)

ERRORS_FOUND = TaskFacts(
    id="command-errors",
    title="Commands that do not match the goal",
    columns=(
        ("wording", None),
        ("commands", Unit.NUMBER),
        ("object", Unit.NUMBER),
        ("spatial", Unit.NUMBER),
        ("action sequence", Unit.NUMBER),
        ("of all", Unit.PERCENT),
        ("not read", Unit.NUMBER),
    ),
    rows=_errors,
    note=(
        "Of all tasks of the set, whichever were played. Ours are found by words alone, with no"
        " model: a word that may mean what the goal wants counts as correct, so we find fewer"
        " errors than the published ones, which a model found in the original commands. What is"
        " found in refined wordings bounds how often the search by words is wrong; C says much in a"
        " roundabout way."
    ),
)
