"""The suite's task sets, each made when it is first used."""

import logging
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib import import_module

from env_service.datasets.errors import DataPackCorruptError
from env_service.datasets.pack import open_pack
from env_service.domain.task import Task, TaskSet
from env_service.suites import builtin_sets as builtin
from env_service.suites.alfred.command_wordings import NoCommandError
from env_service.suites.alfred.dataset.splits import (
    HALF_SEED,
    PACK,
    REFINED_PACK,
    SAMPLE_PERCENT,
    SAMPLE_SEED,
    SPLITS,
    SPLITS_FILE,
    SplitTasks,
    half_of,
    load_entries,
    load_split,
    lota_sample,
    lota_tasks,
    refined_file,
    trajectory_files,
)

_LOG = logging.getLogger(__name__)

_BUILTIN = "env_service.suites.alfred.builtin.task_set"
"""Imported when it is asked for: recorded tasks need none of its rooms."""

ALL, LOTA, HALF, SAMPLE = "", "lota", "half", "sample"
"""Kinds of sets of a split."""

_NAMES: Mapping[str, tuple[str, str]] = {
    "valid_seen": ("valid_seen", ALL),
    "valid_unseen": ("valid_unseen", ALL),
    "valid_seen/lota": ("valid_seen", LOTA),
    "valid_seen/lota-109": ("valid_seen", HALF),
    "valid_seen/lota-208": ("valid_seen", SAMPLE),
    "valid_unseen/lota": ("valid_unseen", LOTA),
    "valid_unseen/lota-115": ("valid_unseen", HALF),
    "valid_unseen/lota-222": ("valid_unseen", SAMPLE),
}
"""The split and the kind of set that each name means. The first name is the default."""

_ALIASES: Mapping[str, str] = {
    "lota": "valid_seen/lota",
    "lota-109": "valid_seen/lota-109",
    "lota-208": "valid_seen/lota-208",
    "valid_unseen/lota-109": "valid_unseen/lota-115",
    "valid_unseen/lota-208": "valid_unseen/lota-222",
}
"""Also understood: the subsets of valid_unseen by the numbers of valid_seen's, and those of
valid_seen alone."""

_SCENES = {"valid_seen": "rooms seen in training", "valid_unseen": "rooms not seen in training"}


class AlfredTaskSets(Mapping[str, TaskSet]):
    """Task sets by name. The names are always listed; the recorded tasks need the data pack.
    Built-in sets of other sizes and seeds also exist, but are not listed.

    A task whose trajectory cannot be read is left out, with a warning in the log. Without the file
    of refined commands tasks have only their original ones.

    Taking a set out raises DataPackMissingError or DataPackCorruptError if its files are missing or
    damaged, ValueError for a malformed name of a built-in set.
    """

    def __init__(self) -> None:
        """Loads nothing yet."""
        self._made: dict[str, TaskSet] = {}
        self._splits = {split: _Split(split) for split in SPLITS}

    def __getitem__(self, name: str) -> TaskSet:
        name = _ALIASES.get(name, name)
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*_NAMES, builtin.NAME))

    def __len__(self) -> int:
        return len(_NAMES) + 1

    def __contains__(self, name: object) -> bool:
        return name in _NAMES or (
            isinstance(name, str) and (name in _ALIASES or builtin.is_builtin(name))
        )

    def _make(self, name: str) -> TaskSet:
        if name in _NAMES:
            split, kind = _NAMES[name]
            return self._splits[split].make(name, kind)
        made = _builtin(name) if builtin.is_builtin(name) else None
        if made is None:
            raise KeyError(name)
        return made


def _builtin(name: str) -> TaskSet | None:
    make: Callable[[str], TaskSet | None] = import_module(_BUILTIN).builtin_task_set
    return make(name)


def data_patterns(task_set: str) -> Mapping[str, tuple[str, ...]]:
    """What of which data pack a task set reads, for `Suite.data`; empty for built-in ones."""
    name = _ALIASES.get(task_set, task_set)
    if name not in _NAMES:
        return {}
    split, kind = _NAMES[name]
    listed = (SPLITS_FILE,) if kind == SAMPLE else ()
    return {PACK: (trajectory_files(split), *listed), REFINED_PACK: (refined_file(split),)}


def under_original(task_set: TaskSet) -> TaskSet:
    """The task set for commands in the crowd's words: a task "ID/N" for each annotation N replaces
    each task that covers all of its annotations.

    Raises:
        NoCommandError: a task has no annotation, such as a built-in one.
    """
    tasks = tuple(each for task in task_set.tasks for each in _annotated(task))
    if tasks == task_set.tasks:
        return task_set
    description = f"{task_set.description} One task for each original command."
    return TaskSet(task_set.name, description, tasks)


def annotated(task: Task, annotation: int) -> Task:
    """A task that is one of its annotations alone, from 0: "ID/N"."""
    data = {**task.data, "annotation": annotation}
    return Task(f"{task.id}/{annotation}", task.group, task.cluster, data)


def _annotated(task: Task) -> Iterator[Task]:
    if task.data["annotation"] is not None:
        yield task
        return
    originals = len(task.data["originals"])
    if not originals:
        raise NoCommandError(
            f"task {task.id} has no original commands: play it under another wording"
        )
    for number in range(originals):
        yield annotated(task, number)


class _Split:
    """The sets of one split; its files are read once, when the first of them is made."""

    def __init__(self, name: str) -> None:
        self._name = name

    def make(self, name: str, kind: str) -> TaskSet:
        loaded = self._loaded
        rooms = _SCENES[self._name]
        if kind == SAMPLE:
            tasks = self._sample(loaded)
            description = (
                f"{len(tasks)} original commands drawn as LoTa-Bench draws {SAMPLE_PERCENT} % of"
                f" them (seed {SAMPLE_SEED}); {rooms}."
            )
            return TaskSet(name, description, tasks)
        lota = lota_tasks(loaded.folders)
        half = f"Half of LoTa-Bench's tasks, by task type (seed {HALF_SEED}); {rooms}."
        chosen, description = {
            ALL: (loaded.folders, f"ALFRED's tasks of all seven types; {rooms}."),
            LOTA: (lota, f"LoTa-Bench's tasks: all but those with two objects; {rooms}."),
            HALF: (half_of(lota), half),
        }[kind]
        tasks = tuple(task for folder, task in loaded.tasks.items() if folder in chosen)
        return TaskSet(name, description, tasks)

    @cached_property
    def _loaded(self) -> SplitTasks:
        loaded = load_split(open_pack(PACK), open_pack(REFINED_PACK), self._name)
        for problem in loaded.problems:
            _LOG.warning("left out of task set %s: %s", self._name, problem)
        if loaded.without_commands:
            _LOG.warning(
                "task set %s has no refined commands: %s", self._name, loaded.without_commands
            )
        return loaded

    def _sample(self, loaded: SplitTasks) -> tuple[Task, ...]:
        drawn = []
        for entry in lota_sample(load_entries(open_pack(PACK), self._name)):
            folder = f"{entry.name}/{entry.trial}"
            if folder not in loaded.folders:
                raise _strange(f"{self._name} has no task {folder}")
            task = loaded.tasks.get(folder)
            if task is None:
                continue
            if entry.annotation >= len(task.data["originals"]):
                raise _strange(f"task {folder} has no annotation {entry.annotation}")
            drawn.append(annotated(task, entry.annotation))
        return tuple(drawn)


def _strange(problem: str) -> DataPackCorruptError:
    return DataPackCorruptError(
        f"data pack {PACK!r} is damaged: {SPLITS_FILE}: {problem}. Download it again with"
        f" houseguest data fetch {PACK}, or import an intact copy."
    )
