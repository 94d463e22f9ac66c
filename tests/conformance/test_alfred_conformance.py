"""ALFRED keeps the contract of a suite; played in a built-in room, it needs no data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from env_service.domain.task import TaskSet
from env_service.suites.alfred.suite import AlfredSuite
from env_service.suites.base import Condition, Suite
from env_service.suites.selection import settle_condition
from env_service.testing.suites import SuiteConformance

CONDITIONS: Sequence[Mapping[str, str]] = (
    {},
    {"wording": "K", "play": "steps", "feedback": "detailed"},
    {"wording": "C-without-context", "ask": "on"},
    {"play": "steps", "pictures": "on", "rules": "strict-lota"},
)


class SmallAlfred(AlfredSuite):
    """The suite with one task in a built-in bathroom."""

    def task_sets(self) -> Mapping[str, TaskSet]:
        found = super().task_sets()["builtin-7"]
        task = next(each for each in found.tasks if each.group == "pick_and_place_simple")
        return {"small": TaskSet("small", "A towel to put in the sink.", (task,))}


class TestAlfred(SuiteConformance):
    def make_suite(self) -> Suite:
        return SmallAlfred()

    def conditions(self, suite: Suite) -> Sequence[Condition]:
        return [settle_condition(suite, condition) for condition in CONDITIONS]
