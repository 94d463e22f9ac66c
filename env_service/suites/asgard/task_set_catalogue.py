"""The suite's task sets, made when they are asked for."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping

from env_service.datasets.pack import open_pack
from env_service.domain.task import TaskSet
from env_service.suites import builtin_sets as builtin
from env_service.suites.asgard.recorded import task_set as recorded
from env_service.suites.asgard.task_sets import PACK, PLANS, PackTasks, load_task_set

_LISTED = (*PLANS, builtin.NAME, recorded.NAME)
_LOG = logging.getLogger(__name__)


class AsgardTaskSets(Mapping[str, TaskSet]):
    """Task sets by name. The names are always listed; the tasks of the official and recorded sets
    need their data packs. Built-in sets of other sizes and seeds also exist, but are not listed.

    Taking a set out raises DataPackMissingError or DataPackCorruptError if its files are missing or
    damaged, ValueError for a malformed name of a built-in set.
    """

    def __init__(self) -> None:
        self._made: dict[str, TaskSet] = {}

    def __getitem__(self, name: str) -> TaskSet:
        if name not in self._made:
            self._made[name] = _make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_LISTED)

    def __len__(self) -> int:
        return len(_LISTED)

    def __contains__(self, name: object) -> bool:
        return name in _LISTED or (isinstance(name, str) and builtin.is_builtin(name))


def _make(name: str) -> TaskSet:
    if name in PLANS:
        return _sound(load_task_set(open_pack(PACK), name))
    if name == recorded.NAME:
        return _sound(recorded.load_recorded())
    from env_service.suites.asgard.builtin.task_set import (  # noqa: PLC0415 - a list of suites costs no engine
        builtin_task_set,
    )

    made = builtin_task_set(name)
    if made is None:
        raise KeyError(name)
    return made


def _sound(loaded: PackTasks) -> TaskSet:
    for problem in loaded.problems:
        _LOG.warning("left out of task set %s: %s", loaded.task_set.name, problem)
    return loaded.task_set
