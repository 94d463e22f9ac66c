"""The suite's task sets, read from the data pack when they are asked for."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping

from env_service.datasets.pack import open_pack
from env_service.domain.task import TaskSet
from env_service.suites.asgard.task_sets import PACK, PLANS, load_task_set

_LOG = logging.getLogger(__name__)


class PackTaskSets(Mapping[str, TaskSet]):
    """Task sets by name. The names are always there; the tasks are where the pack is.

    Taking a set out raises DataPackMissingError or DataPackCorruptError where its files are not
    here or not sound.
    """

    def __init__(self) -> None:
        self._read: dict[str, TaskSet] = {}

    def __getitem__(self, name: str) -> TaskSet:
        if name not in PLANS:
            raise KeyError(name)
        if name not in self._read:
            loaded = load_task_set(open_pack(PACK), name)
            for problem in loaded.problems:
                _LOG.warning("left out of task set %s: %s", name, problem)
            self._read[name] = loaded.task_set
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(PLANS)

    def __len__(self) -> int:
        return len(PLANS)

    def __contains__(self, name: object) -> bool:
        return name in PLANS
