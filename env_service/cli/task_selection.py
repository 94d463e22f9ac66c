"""Turns the selection options of a command into tasks and episode orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from env_service.domain.observation import ObservationRequest
from env_service.domain.schedule import Assignment
from env_service.domain.task import Task, TaskSet
from env_service.suites.base import EpisodeOrder, Suite
from env_service.suites.registry import SuiteLoadError, load_suite, suite_code
from env_service.suites.selection import (
    check_playable,
    pick_tasks,
    pick_world,
    require_data,
    settle_condition,
)


def load_named_suite(name: str) -> Suite:
    """Loads a suite by its name or its ``module:class`` path.

    Raises UnknownNameError for an unknown name, and click.BadParameter for a path that is not a
    complete suite.
    """
    try:
        return load_suite(name)
    except SuiteLoadError as error:
        raise click.BadParameter(f"{error}.", param_hint="--suite") from error


@dataclass(frozen=True, slots=True)
class TaskSelection:
    """A suite, one of its task sets, and the selected tasks of that set."""

    suite: Suite
    task_set: TaskSet
    tasks: tuple[Task, ...]

    @staticmethod
    def read(given: Mapping[str, Any]) -> TaskSelection:
        """Reads the parameters of ``task_options``; a "condition" among them can change the tasks.

        Raises UnknownNameError, ConditionError for a condition that does not exist, and
        SuiteLoadError for a suite that fails.
        """
        suite = load_named_suite(given["suite"])
        names = (given["task_set"], given["tasks"], given["limit"])
        with suite_code(suite):
            condition = settle_condition(suite, given.get("condition", {}))
            found = pick_tasks(suite, *names, condition)
        return TaskSelection(suite, found.task_set, found.tasks)

    @property
    def digest(self) -> str:
        """Digest of the task set and of the suite's rules version."""
        return self.task_set.digest(self.suite.name, self.suite.version)

    def orders(self, given: Mapping[str, Any], seed: int) -> list[EpisodeOrder]:
        """One order per task: the first repeat in a run with this seed.

        ``given`` are the parameters of ``selection_options``. The orders request every observation
        that the condition offers. Raises UnknownNameError, ConditionError if the world does not
        support the condition, DataPackError if data that the world reads is missing, and
        SuiteLoadError for a suite that fails.
        """
        with suite_code(self.suite):
            condition = settle_condition(self.suite, given["condition"])
            world = pick_world(self.suite, self.task_set.name, given["world"])
            require_data(self.suite, self.task_set.name, world)
            if self.tasks:
                check_playable(self.suite, self.tasks[0], world, condition)
            request = self.suite.offer(condition).grant(ObservationRequest())
        return [
            EpisodeOrder(task, world, condition, request, Assignment(task, 0).seed(seed))
            for task in self.tasks
        ]
