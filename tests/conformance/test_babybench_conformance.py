"""LLM-BabyBench keeps the contract of a suite, with each of its questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from env_service.domain.task import Task
from env_service.suites.babybench.suite import BabyBenchSuite
from env_service.suites.base import Condition, Suite
from env_service.suites.selection import settle_condition
from env_service.testing.suites import SuiteConformance

CONDITIONS: Sequence[Mapping[str, str]] = (
    {},
    {"condition": "paper"},
    {"formatter": "narrative", "prompter": "few-shot", "feedback": "none"},
    {"formatter": "json", "observation": "text+picture", "step_limit": "hidden"},
    {"observation": "picture", "view": "partial", "feedback": "detailed", "scoring": "compat"},
)
"""Each value of each setting is in one of them: the settings do not touch each other."""


class QuestionConformance(SuiteConformance):
    task_set: str
    samples: tuple[str, ...]
    expert_seed = 7

    def make_suite(self) -> Suite:
        return BabyBenchSuite()

    def conditions(self, suite: Suite) -> Sequence[Condition]:
        return [settle_condition(suite, condition) for condition in CONDITIONS]

    def sample_tasks(self, suite: Suite) -> Sequence[Task]:
        tasks = {task.id: task for task in suite.task_sets()[self.task_set].tasks}
        return [tasks[task_id] for task_id in self.samples]

    def expert_tasks(self, suite: Suite) -> Sequence[Task]:
        tasks = suite.task_sets()[self.task_set].tasks
        return [task for task in tasks if task.data["seed"] == self.expert_seed]


class TestPredict(QuestionConformance):
    task_set = "predict"
    samples = ("GoToLocal/2", "Open/3")


class TestPlan(QuestionConformance):
    task_set = "plan"
    samples = ("Small-4Dists/2", "Medium-20Dists/3")


class TestDecompose(QuestionConformance):
    task_set = "decompose"
    samples = ("GoToLocal/2", "Open/3")


class TestInteractive(QuestionConformance):
    task_set = "interactive"
    samples = ("GoToLocal/2",)
    expert_seed = 11


def test_the_conditions_have_every_value_of_every_setting() -> None:
    suite = BabyBenchSuite()
    settled = [settle_condition(suite, condition) for condition in CONDITIONS]
    for setting in suite.settings:
        missing = set(setting.values) - {condition[setting.name] for condition in settled}
        assert missing <= {"zero-shot", "cot"}, setting.name
