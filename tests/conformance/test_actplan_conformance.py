"""ActPlan-1K keeps the contract of a suite; on an activity of our own, it needs no data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from env_service.domain.observation import ObservationRequest
from env_service.domain.task import TaskSet
from env_service.suites.actplan.suite import ActPlanSuite
from env_service.suites.actplan.task import make_task, read_task
from env_service.suites.base import Condition, EpisodeOrder, Suite
from env_service.suites.selection import settle_condition
from env_service.testing.suites import SuiteConformance

CONDITIONS: Sequence[Mapping[str, str]] = (
    {},
    {"play": "steps", "feedback": "detailed", "pictures": "off"},
    {"play": "steps", "feedback": "simple", "pictures": "off", "commonsense": "one-hand"},
    {"pictures": "off", "commonsense": "lenient", "corrections": "off"},
)
TEXT_ONLY: Mapping[str, str] = {"pictures": "off"}


class SmallActPlan(ActPlanSuite):
    """The suite with one activity in a built-in room, of which one picture is taken."""

    def task_sets(self) -> Mapping[str, TaskSet]:
        found = read_task(super().task_sets()["builtin-2"].tasks[0])
        pictures = replace(found.pictures, views=found.pictures.views[:1])
        task = make_task(replace(found, pictures=pictures))
        return {"small": TaskSet("small", "One activity.", (task,))}


class TestActPlan(SuiteConformance):
    def make_suite(self) -> Suite:
        return SmallActPlan()

    def order(
        self,
        suite: Suite,
        condition: Condition | None = None,
        request: ObservationRequest | None = None,
    ) -> EpisodeOrder:
        """Without pictures, which cost the most, where a test names no condition."""
        return super().order(suite, condition or settle_condition(suite, TEXT_ONLY), request)

    def conditions(self, suite: Suite) -> Sequence[Condition]:
        return [settle_condition(suite, condition) for condition in CONDITIONS]
