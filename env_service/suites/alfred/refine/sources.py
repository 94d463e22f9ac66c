"""What is refined, through which stages, and where it comes from: a task set, or a file of
refined commands; and what can go wrong meanwhile.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from env_service.datasets.pack import open_pack
from env_service.domain.names import UnknownNameError
from env_service.domain.task import Task, TaskSet
from env_service.domain.text import counted
from env_service.storage.plain_files import MOST_GIVEN, read_plain
from env_service.suites.alfred.dataset.refined_commands import RefinedRecord, read_records
from env_service.suites.alfred.dataset.splits import PACK
from env_service.suites.alfred.dataset.trajectories import read_trajectory
from env_service.suites.alfred.refine.plan_sequences import SequenceError, goal_of, sequence_of
from env_service.suites.alfred.skills.vocabulary import parse_skill
from env_service.suites.alfred.task import AlfredTask, Goal, TaskType, read_task
from env_service.suites.alfred.task_sets import AlfredTaskSets, data_patterns
from env_service.suites.selection import select_tasks

SUITE = "alfred"


def load_task_set(name: str) -> tuple[Source, ...]:
    """The tasks of a task set of the suite. If the set has a task for each original command, each
    task appears once.

    Raises:
        UnknownNameError: no such task set exists.
        DataPackError: its files are missing or damaged.
        SourceError: a task has no demonstration that shows what the command asks.
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


def source_of(record: RefinedRecord, where: str) -> Source:
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


def record_of(source: Source, texts: Mapping[Stage, str]) -> RefinedRecord:
    """A task with its five texts, as the published format has them."""
    base, first, second, contextual, korean = (texts[stage] for stage in WORDINGS)
    return RefinedRecord(
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
    """The plans of built-in tasks as text: their reference plans, at the same level of detail."""
    plans = {}
    for task_id, task in tasks.items():
        steps = [step for step in map(parse_skill, task.reference) if step is not None]
        if not steps:
            raise SourceError(f"task {task_id} has no reference plan to tell its command from")
        plans[task_id] = sequence_of(steps)
    return plans


def _own(task: AlfredTask) -> tuple[str, ...]:
    """Built-in tasks have no crowd's commands: the grammar's command replaces them."""
    return (task.commands["B"],) if "B" in task.commands else ()


# --- What is refined: a task's type, its goal, and how it was demonstrated


@dataclass(frozen=True, slots=True)
class Source:
    """One task to refine.

    Attributes:
        id: the trial's id.
        goal: what the commands have to lead to.
        action_sequence: the demonstration's high-level plan as text (docs/alfred.md, "Task").
        originals: the crowd's commands, one at least.
        texts: the existing wordings.
    """

    id: str
    goal: Goal
    action_sequence: str
    originals: tuple[str, ...]
    texts: Mapping[Stage, str] = field(default_factory=dict)


def digest(sources: Sequence[Source]) -> str:
    """SHA-256 (hex) of all that refining starts from."""
    sheet = [
        [each.id, each.goal.type.value, each.action_sequence, list(each.originals)]
        for each in sources
    ]
    return hashlib.sha256(json.dumps(sheet, ensure_ascii=False).encode()).hexdigest()


# --- The stages of a refinement (docs/refine.md)


class Stage(Enum):
    """A stage, by the name that users type. All but the first make a wording of the command."""

    INTEGRITY = "integrity"
    BASE = "B"
    PARAPHRASE_1 = "P1"
    PARAPHRASE_2 = "P2"
    CONTEXTUAL = "C"
    KOREAN = "K"

    @property
    def prompt(self) -> str:
        """The name of its system prompt, without the ending."""
        return _PROMPTS[self]

    @property
    def batched(self) -> bool:
        """Whether one request holds several commands."""
        return self in REWORDING


_PROMPTS = {
    Stage.INTEGRITY: "integrity",
    Stage.BASE: "base",
    Stage.PARAPHRASE_1: "paraphrase_1",
    Stage.PARAPHRASE_2: "paraphrase_2",
    Stage.CONTEXTUAL: "contextual",
    Stage.KOREAN: "korean",
}

WORDINGS = (
    Stage.BASE,
    Stage.PARAPHRASE_1,
    Stage.PARAPHRASE_2,
    Stage.CONTEXTUAL,
    Stage.KOREAN,
)
"""Those that make a text, in the order of the published keys."""

REWORDING = WORDINGS[1:]
"""Those that make a text of another one."""


def in_order(stages: Iterable[Stage]) -> tuple[Stage, ...]:
    """The stages in the order in which they are gone through, each once."""
    asked = set(stages)
    return tuple(stage for stage in Stage if stage in asked)


# --- Whether a file of refined commands is that of a task set

_SHOWN = 3


def join(path: Path, sources: Sequence[Source], task_set: str) -> tuple[Source, ...]:
    """The file's tasks with their goals as the task set has them.

    Raises:
        SourceError: the file lacks a task, has one more, or says otherwise what a task's action
            sequence, type or original commands are. It names the record, from 0, and the key.
    """
    wanted = {source.id: source for source in load_task_set(task_set)}
    for place, source in enumerate(sources):
        if source.id not in wanted:
            raise SourceError(
                f"{path}: [{place}].task_id: {task_set} has no task {source.id!r:.60}"
            )
        _compare(f"{path}: [{place}]", source, wanted[source.id])
    lacking = sorted(set(wanted) - {source.id for source in sources})
    if lacking:
        more = f" and {len(lacking) - _SHOWN} more" if len(lacking) > _SHOWN else ""
        raise SourceError(
            f"{path}: has {counted(len(sources), 'record')}, but {task_set} has"
            f" {counted(len(wanted), 'task')}; there is"
            f" none of {', '.join(lacking[:_SHOWN])}{more}"
        )
    return tuple(replace(source, goal=wanted[source.id].goal) for source in sources)


def _compare(where: str, found: Source, wanted: Source) -> None:
    pairs = (
        ("task_type", found.goal.type.value, wanted.goal.type.value),
        ("action_sequence", found.action_sequence, wanted.action_sequence),
        ("original", len(found.originals), len(wanted.originals)),
        ("original", _stripped(found.originals), _stripped(wanted.originals)),
    )
    for key, ours, theirs in pairs:
        if ours != theirs:
            raise SourceError(
                f"{where}.{key}: is {ours!r:.100}, but the task {found.id} has {theirs!r:.100}"
            )


def _stripped(texts: Sequence[str]) -> list[str]:
    return [text.strip() for text in texts]


# --- What can go wrong while commands are refined. Every message is fit for a user


class RefineError(Exception):
    """Something keeps commands from being refined."""


class ReviewError(RefineError):
    """A review file cannot be read; the message names the line."""


class SourceError(RefineError):
    """The tasks to refine cannot be loaded."""
