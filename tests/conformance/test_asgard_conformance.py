"""AsgardBench keeps the contract of a suite; played in a built-in room, it needs no data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from env_service.domain.observation import ObservationRequest
from env_service.domain.task import TaskSet
from env_service.suites.asgard.suite import AsgardSuite
from env_service.suites.base import Condition, EpisodeOrder, Suite
from env_service.suites.selection import settle_condition
from env_service.testing.suites import SuiteConformance
from tests.support.asgard import SMALL, TEXT_ONLY, mirror_task

CONDITIONS: Sequence[Mapping[str, str]] = (
    SMALL,
    {
        **SMALL,
        **{"previous_image": "grayscale", "hand": "0", "feedback": "detailed", "rules": "upstream"},
    },
    TEXT_ONLY | {"feedback": "none"},
)


class SmallAsgard(AsgardSuite):
    """The suite with one task in a built-in room."""

    def task_sets(self) -> Mapping[str, TaskSet]:
        return {"small": TaskSet("small", "A mirror to clean.", (mirror_task(),))}


class TestAsgard(SuiteConformance):
    def make_suite(self) -> Suite:
        return SmallAsgard()

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
