"""Prepares runs: selects, draws and hashes the tasks of a run or a practice, and lists suites.

This takes up to a minute of processor time, so a service does it in another process. All
input and output can be pickled.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import pickle
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from env_service.datasets.errors import DataPackError
from env_service.datasets.folder import PackFolder
from env_service.datasets.registry import definition
from env_service.domain.names import UnknownNameError
from env_service.domain.packed_tasks import PackedTasks
from env_service.domain.run_bounds import MOST_EPISODES, MOST_TASKS
from env_service.domain.task import TaskSet
from env_service.suites.base import Suite
from env_service.suites.registry import SuiteLoadError, load_suite, suite_code
from env_service.suites.selection import (
    check_playable,
    find_task_sets,
    named_first,
    pick_task_set,
    pick_tasks,
    pick_world,
    require_data,
    select_tasks,
    settle_condition,
)

_CHUNK = 2000
"""Tasks that are unpickled at once, in a quarter of a millisecond. It is done without a pause,
and nothing else of the process runs meanwhile."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What to play. Empty names mean the suite's defaults.

    ``tasks`` are ids, groups or shell patterns. ``limit`` 0 takes all. ``repeats`` is how often
    each task is played, at least 1.
    """

    suite: str
    task_set: str = ""
    world: str = ""
    condition: Mapping[str, str] = field(default_factory=dict)
    tasks: tuple[str, ...] = ()
    limit: int = 0
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class Draft:
    """A selection with every name settled and every task drawn.

    ``digest`` is the task set's, empty for a practice. ``data`` describes each data pack that will
    be read.
    """

    task_set: str
    digest: str
    world: str
    condition: dict[str, str]
    tasks: PackedTasks
    data: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class PackedDraft:
    """A draft on its way from another process. ``draft`` has no tasks: they are in ``chunks``."""

    draft: Draft
    chunks: tuple[bytes, ...]

    @staticmethod
    def of(draft: Draft) -> PackedDraft:
        """Packs a draft."""
        bare = replace(draft, tasks=PackedTasks((), ()))
        starts = range(0, len(draft.tasks), _CHUNK)
        chunks = (pickle.dumps(draft.tasks[start : start + _CHUNK]) for start in starts)
        return PackedDraft(bare, tuple(chunks))

    def unpack(self) -> Draft:
        """The draft. Takes a while for many tasks: call it outside the event loop."""
        # Pickled by a process of this service.
        parts = (pickle.loads(chunk) for chunk in self.chunks)  # noqa: S301
        return replace(self.draft, tasks=PackedTasks.joined(parts))


def draft_run(selection: Selection) -> PackedDraft:
    """Settles what a run plays.

    Raises UnknownNameError and ConditionError for names that do not exist or fit, DataPackError
    where data are missing, SuiteLoadError for a suite that fails or has no tasks, ValueError
    for more tasks or episodes than a run may have.
    """
    suite = load_suite(selection.suite)
    with suite_code(suite):
        return _draft_run(suite, selection)


def _draft_run(suite: Suite, selection: Selection) -> PackedDraft:
    # Before the tasks, which some suites take seconds to draw up.
    condition = settle_condition(suite, selection.condition)
    chosen = pick_tasks(suite, selection.task_set, selection.tasks, selection.limit, condition)
    tasks, name = chosen.tasks, chosen.task_set.name
    if not tasks:
        raise SuiteLoadError(f"suite {suite.name}: task set {name!r} has no tasks")
    _check_size(len(tasks), selection.repeats)
    world = pick_world(suite, name, selection.world)
    check_playable(suite, tasks[0], world, condition)
    packs = require_data(suite, name, world)
    patterns = suite.data(name, world).values()
    data = tuple(pack.describe(*read).to_json() for pack, read in zip(packs, patterns, strict=True))
    digest = chosen.task_set.digest(suite.name, suite.version)
    packed = PackedTasks.of(tasks)
    return PackedDraft.of(Draft(name, digest, world, condition, packed, data))


def draft_practice(selection: Selection, sessions: int) -> PackedDraft:
    """Settles what is practised: one task for each of ``sessions``, the first task without a
    selection. Raises as ``draft_run`` does."""
    suite = load_suite(selection.suite)
    with suite_code(suite):
        return _draft_practice(suite, selection, sessions)


def _draft_practice(suite: Suite, selection: Selection, sessions: int) -> PackedDraft:
    name, patterns = named_first(suite, selection.task_set, selection.tasks)
    task_set = choose_task_set(suite, name, selection.world)
    world = pick_world(suite, task_set.name, selection.world)
    condition = settle_condition(suite, selection.condition)
    require_data(suite, task_set.name, world)
    task_set = suite.under(task_set, condition)
    found = select_tasks(task_set, patterns, 0 if patterns else 1)
    tasks = tuple(itertools.islice(itertools.cycle(found), sessions))
    for task in found[:sessions]:
        check_playable(suite, task, world, condition)
    return PackedDraft.of(Draft(task_set.name, "", world, condition, PackedTasks.of(tasks)))


def choose_task_set(suite: Suite, name: str, world: str) -> TaskSet:
    """The task set of that name; for an empty one the first that can be played in ``world``
    (empty: in any) without data, or the first at all. Raises UnknownNameError."""
    if name:
        return pick_task_set(suite, name)
    names = [each for each in suite.task_sets() if not world or world in suite.worlds_of(each)]
    free = [each for each in names if not suite.data(each, world or suite.worlds_of(each)[0])]
    return pick_task_set(suite, next(iter(free + names), ""))


def _check_size(tasks: int, repeats: int) -> None:
    """Raises ValueError for a run of too many tasks or episodes."""
    if tasks > MOST_TASKS:
        raise ValueError(
            f"The selection has {tasks} tasks; a run may have {MOST_TASKS}. Select fewer tasks, or"
            " set a limit."
        )
    if tasks * repeats > MOST_EPISODES:
        raise ValueError(
            f"{tasks} tasks in {repeats} repeats are {tasks * repeats} episodes; a run may have"
            f" {MOST_EPISODES}. Ask for fewer repeats, or select fewer tasks."
        )


# --- lists


@dataclass(frozen=True, slots=True)
class ListedSet:
    """A task set that can be played, as an operator sees it in a list."""

    name: str
    digest: str
    tasks: int


@dataclass(frozen=True, slots=True)
class ListedSuite:
    """A suite, as an operator sees it in a list. ``settings`` hold the values of each by name."""

    name: str
    version: str
    worlds: tuple[str, ...]
    task_sets: tuple[ListedSet, ...]
    settings: Mapping[str, tuple[str, ...]]


def list_suites(
    names: Collection[str], known: Mapping[str, str]
) -> dict[str, tuple[str, ListedSuite | None]]:
    """Each suite in its present state, with its fingerprint.

    ``known`` holds fingerprints that an earlier call gave. A suite of the same fingerprint has not
    changed and is not listed again: it comes as None.
    """
    found: dict[str, tuple[str, ListedSuite | None]] = {}
    for name in names:
        suite = load_suite(name)
        fingerprint = _fingerprint(suite)
        same = known.get(name) == fingerprint
        found[name] = fingerprint, None if same else _listed(suite)
    return found


def _listed(suite: Suite) -> ListedSuite:
    sets = tuple(
        ListedSet(
            each.name,
            each.task_set.digest(suite.name, suite.version),
            len(each.task_set.tasks),
        )
        for each in find_task_sets(suite)
        if each.task_set is not None
    )
    settings = {setting.name: setting.values for setting in suite.settings}
    return ListedSuite(suite.name, suite.version, suite.worlds, sets, settings)


def _fingerprint(suite: Suite) -> str:
    """Changes when a file of a data pack that the suite reads comes, goes or is written: apart
    from those, a suite of one version has the same task sets in one process."""
    packs: set[str] = set()
    for name in suite.task_sets():
        for world in suite.worlds_of(name):
            packs.update(suite.data(name, world))
    sheet = hashlib.sha256(f"{suite.name}\n{suite.version}\n".encode())
    for pack in sorted(packs):
        for line in _files(pack):
            sheet.update(line.encode("utf-8", "surrogateescape"))
    return sheet.hexdigest()


def _files(pack: str) -> Iterator[str]:
    try:
        root = PackFolder(definition(pack)).path
    except (DataPackError, UnknownNameError) as error:
        yield f"{pack}: {error}\n"
        return
    yield f"{root}\n"
    for folder, inner, files in os.walk(root):
        inner.sort()
        for name in sorted(files):
            yield _state(Path(folder, name))


def _state(path: Path) -> str:
    try:
        found = path.stat()
    except OSError as error:
        return f"{path}: {error}\n"
    return f"{path} {found.st_size} {found.st_mtime_ns} {found.st_ino}\n"
