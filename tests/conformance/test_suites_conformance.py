"""Every built-in suite keeps the contract of a suite."""

from __future__ import annotations

from collections.abc import Sequence

from env_service.domain.task import Task
from env_service.suites.babyai.suite import BabyAiSuite
from env_service.suites.base import Suite
from env_service.testing.suites import SuiteConformance


class TestBabyAi(SuiteConformance):
    def make_suite(self) -> Suite:
        return BabyAiSuite()

    def sample_tasks(self, suite: Suite) -> Sequence[Task]:
        return named(suite, "GoToLocal/2", "Open/3")

    def expert_tasks(self, suite: Suite) -> Sequence[Task]:
        return [task for task in suite.task_sets()["evaluation"].tasks if task.data["seed"] == 7]


def named(suite: Suite, *ids: str) -> list[Task]:
    """The tasks of those ids in the suite's default set."""
    tasks = {task.id: task for task in next(iter(suite.task_sets().values())).tasks}
    return [tasks[task_id] for task_id in ids]
