"""Where the tasks to refine come from: a task set, or a file of refined commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from env_service.datasets.pack import open_pack
from env_service.domain.names import UnknownNameError
from env_service.domain.task import Task, TaskSet
from env_service.plain_files import MOST_GIVEN, read_plain
from env_service.refine.errors import SourceError
from env_service.refine.sequence import SequenceError, goal_of, sequence_of
from env_service.refine.source import Source
from env_service.refine.stages import WORDINGS, Stage
from env_service.suites.alfred.dataset.pack_tasks import PACK
from env_service.suites.alfred.dataset.refined import Record, read_records
from env_service.suites.alfred.dataset.trajectory import read_trajectory
from env_service.suites.alfred.skills.vocabulary import parse_skill
from env_service.suites.alfred.task import AlfredTask, TaskType, read_task
from env_service.suites.alfred.task_sets import AlfredTaskSets, data_patterns
from env_service.suites.selection import select_tasks

SUITE = "alfred"


def load_task_set(name: str) -> tuple[Source, ...]:
    """The tasks of a task set of the suite; of one with a task for each original command, each
    task once.

    Raises:
        UnknownNameError: there is no such task set.
        DataPackError: its files are not here, or damaged.
        SourceError: a task has no demonstration to tell the command from.
    """
    sets = AlfredTaskSets()
    name = name.removeprefix(f"{SUITE}/")
    if name not in sets:
        raise UnknownNameError("task set of suite 'alfred'", name, sets)
    tasks = {
        each.id.rpartition("/")[0] if _single(each) else each.id: each for each in _read(sets[name])
    }
    patterns = data_patterns(name).get(PACK, ())
    sequences = _recorded(patterns[0], tasks) if patterns else _planned(tasks)
    return tuple(
        Source(
            task_id,
            task.goal,
            sequences[task_id],
            task.originals or _own(task),
            {
                stage: task.commands[stage.value]
                for stage in WORDINGS
                if stage.value in task.commands
            },
        )
        for task_id, task in tasks.items()
    )


def load_file(path: Path) -> tuple[Source, ...]:
    """The tasks of a file in the published format, and the texts that it has for them.

    Raises:
        RefinedError: it is not of that format.
        SourceError: an action sequence in it does not lead to a goal of its task type.
        OSError: it cannot be read.
    """
    return tuple(
        source_of(record, f"{path}: [{place}]")
        for place, record in enumerate(read_records(read_plain(path, MOST_GIVEN), str(path)))
    )


def source_of(record: Record, where: str) -> Source:
    """A record as a task to refine; its goal is what its action sequence leads to.

    Raises:
        SourceError: it leads to none; ``where`` is what the message calls the record.
    """
    try:
        goal = goal_of(TaskType(record.task_type), record.action_sequence)
    except SequenceError as error:
        raise SourceError(
            f"{where}.action_sequence ({record.task_id}): {error}. Mend the record"
        ) from error
    texts = {stage: record.commands[stage.value] for stage in WORDINGS}
    return Source(record.task_id, goal, record.action_sequence, record.original, texts)


def chosen(sources: Sequence[Source], patterns: Sequence[str], limit: int) -> tuple[Source, ...]:
    """Those that patterns of ids or task types name, at most so many; 0 for all.

    Raises UnknownNameError for a pattern that names none.
    """
    listed = TaskSet(SUITE, "", tuple(Task(s.id, s.goal.type.value, "", {}) for s in sources))
    wanted = {task.id for task in select_tasks(listed, patterns, limit)}
    return tuple(source for source in sources if source.id in wanted)


def record_of(source: Source, texts: Mapping[Stage, str]) -> Record:
    """A task with its five texts, as the published format has them."""
    base, first, second, contextual, korean = (texts[stage] for stage in WORDINGS)
    return Record(
        task_id=source.id,
        task_type=source.goal.type.value,
        action_sequence=source.action_sequence,
        base=base,
        original=source.originals,
        paraphrase_1=first,
        paraphrase_2=second,
        contextual=contextual,
        korean=korean,
    )


def _read(task_set: TaskSet) -> Iterable[AlfredTask]:
    return (read_task(task) for task in task_set.tasks)


def _single(task: AlfredTask) -> bool:
    return task.annotation is not None


def _recorded(pattern: str, wanted: Mapping[str, AlfredTask]) -> dict[str, str]:
    """The plans of recorded tasks as text, by task id."""
    pack = open_pack(PACK)
    files = {path.split("/")[-2]: path for path in pack.require([pattern])}
    return {
        task_id: read_trajectory(
            pack.path(files[task_id]).read_bytes(), files[task_id]
        ).action_sequence
        for task_id in wanted
    }


def _planned(tasks: Mapping[str, AlfredTask]) -> dict[str, str]:
    """The plans of built-in tasks as text: their reference plans, told at the same height."""
    told = {}
    for task_id, task in tasks.items():
        steps = [step for step in map(parse_skill, task.reference) if step is not None]
        if not steps:
            raise SourceError(f"task {task_id} has no reference plan to tell its command from")
        told[task_id] = sequence_of(steps)
    return told


def _own(task: AlfredTask) -> tuple[str, ...]:
    """Built-in tasks have no crowd's commands: that of our grammar stands for them."""
    return (task.commands["B"],) if "B" in task.commands else ()
