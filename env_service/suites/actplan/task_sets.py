"""The suite's task sets, made when they are asked for."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path

from env_service.datasets.errors import DataPackError
from env_service.datasets.pack import open_pack
from env_service.domain.task import Task, TaskSet
from env_service.suites import builtin_sets as builtin
from env_service.suites.actplan.dataset.published_files import (
    DESCRIPTIONS,
    LABELLED_FILE,
    PACK,
    PROBLEMS,
    SAMPLES,
    SPLIT_FILE,
    SPLITS,
)
from env_service.suites.actplan.dataset.tasks import OwnTasksError, PublishedTasks, read_own_tasks
from env_service.suites.actplan.task import Variant

_LOG = logging.getLogger(__name__)

_BUILTIN = "env_service.suites.actplan.builtin.task_set"
"""Imported when it is asked for: published tasks need none of its rooms."""

PROBLEM_SET, LABELLED_SET, PICTURED, ARCHIVE = "problems", "labelled", "pictured", "archive"

FOLDER = "folder:"
"""Stands before the path of a folder of one's own activities, in the published layout."""

_PARTS = (*(each.value for each in Variant), *SPLITS)
PUBLISHED_SETS: tuple[str, ...] = (
    PROBLEM_SET,
    *(f"{PROBLEM_SET}/{part}" for part in _PARTS),
    LABELLED_SET,
    *(f"{LABELLED_SET}/{part}" for part in _PARTS),
    PICTURED,
    ARCHIVE,
)
"""Of published tasks; the first is the default."""

_DESCRIPTIONS: Mapping[str, str] = {
    PROBLEM_SET: "ActPlan-1K's problems, each once: no scene, no pictures",
    LABELLED_SET: "Instances, a problem in a scene each, of which people have judged models' plans",
    PICTURED: "Samples of instances whose pictures are here",
    ARCHIVE: "All samples of instances that are here, with pictures or without",
}

_DEFINED = (DESCRIPTIONS, PROBLEMS, SPLIT_FILE, LABELLED_FILE)


class ActPlanTaskSets(Mapping[str, TaskSet]):
    """Task sets by name. The names are always there; published tasks are where the data pack is.
    Built-in sets of other sizes and seeds are there too, and so are folders of activities of one's
    own (``folder:PATH``); these are not listed.

    Taking a set out raises DataPackError where its files are not here or not sound, or hold no task
    of it; ValueError for a malformed name of a built-in set.
    """

    def __init__(self) -> None:
        """Loads nothing yet."""
        self._made: dict[str, TaskSet] = {}

    def __getitem__(self, name: str) -> TaskSet:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*PUBLISHED_SETS, builtin.NAME))

    def __len__(self) -> int:
        return len(PUBLISHED_SETS) + 1

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        return name in PUBLISHED_SETS or builtin.is_builtin(name) or name.startswith(FOLDER)

    def _make(self, name: str) -> TaskSet:
        if name in PUBLISHED_SETS:
            return self._published(name)
        if name.startswith(FOLDER):
            return _of_folder(name)
        made = _builtin(name) if builtin.is_builtin(name) else None
        if made is None:
            raise KeyError(name)
        return made

    def _published(self, name: str) -> TaskSet:
        kind, _, part = name.partition("/")
        tasks = tuple(task for task in self._of(kind) if part in ("", *_parts_of(task)))
        if not tasks:
            raise _nothing(name)
        description = f"{_DESCRIPTIONS[kind]}; {part} alone." if part else f"{_DESCRIPTIONS[kind]}."
        return TaskSet(name, description, tasks)

    def _of(self, kind: str) -> tuple[Task, ...]:
        if kind == PROBLEM_SET:
            return self._tasks.problems
        if kind == LABELLED_SET:
            return self._tasks.labelled
        samples = self._tasks.samples
        return samples if kind == ARCHIVE else tuple(filter(_has_pictures, samples))

    @cached_property
    def _tasks(self) -> PublishedTasks:
        return PublishedTasks(open_pack(PACK))


def gold_steps(task_set: str) -> Mapping[str, float]:
    """The mean number of steps of the gold plans that are here, by the tasks of a task set and
    others; empty where none are, as for all that were not published.

    It is no part of a task: a task is the same where nobody's plans are.
    """
    if task_set not in PUBLISHED_SETS:
        return {}
    try:
        return PublishedTasks(open_pack(PACK)).gold_steps
    except DataPackError as error:
        _LOG.warning("the lengths of gold plans are not known: %s", error)
        return {}


def data_patterns(task_set: str) -> Mapping[str, tuple[str, ...]]:
    """What of which data pack a task set reads, for `Suite.data`; empty for built-in ones."""
    if task_set not in PUBLISHED_SETS:
        return {}
    in_scenes = not task_set.startswith(PROBLEM_SET)
    return {PACK: (*_DEFINED, SAMPLES) if in_scenes else _DEFINED}


def _builtin(name: str) -> TaskSet | None:
    make: Callable[[str], TaskSet | None] = import_module(_BUILTIN).builtin_task_set
    return make(name)


def _of_folder(name: str) -> TaskSet:
    try:
        tasks = read_own_tasks(Path(name.removeprefix(FOLDER)))
    except OwnTasksError as error:
        raise DataPackError(str(error)) from error
    return TaskSet(name, "Activities of a folder of one's own.", tasks)


def _parts_of(task: Task) -> tuple[str, str]:
    return task.group, task.data["split"]


def _has_pictures(task: Task) -> bool:
    return bool(task.data["pictures"]["files"])


def _nothing(name: str) -> DataPackError:
    """Why a set is empty: upstream's is not."""
    if name in (PICTURED, ARCHIVE):
        return open_pack(PACK).missing(["annotation/*/*/*/sample_*/*.png"])
    return DataPackError(
        f"data pack {PACK!r} holds no task of {name!r}: {LABELLED_FILE} is not as upstream has it,"
        f" or not all of it. Get it: houseguest data fetch {PACK}"
    )
