"""The base class of suites whose tasks are generated levels of a grid world."""

from __future__ import annotations

from collections.abc import Mapping

from env_service.domain.observation import LOSSLESS, Channel, ObservationOffer
from env_service.domain.outcome import Disclosure, FeedbackMode
from env_service.domain.task import Task
from env_service.suites.base import Condition, PlainSuite, StepFacts


class GridLevelsSuite(PlainSuite):
    """The part of a Suite (see suites.base) that follows from its world being a generated grid,
    and from the settings ``observation``, ``feedback`` and ``step_limit``, which it has to have."""

    def data(self, task_set: str, world: str) -> Mapping[str, tuple[str, ...]]:
        """None: levels are generated."""
        del task_set, world
        return {}

    def episodes_per_worker(self, world: str) -> int:
        """A grid is a few kilobytes: many share a worker."""
        del world
        return 64

    def step_facts(self, task: Task, world: str, condition: Condition) -> StepFacts:
        """The prompt has all earlier turns. A level's step limit shows when it opens."""
        del task, world
        return StepFacts(None, 8_500 + (2_000 if "picture" in condition["observation"] else 0))

    def disclosure(self, condition: Condition) -> Disclosure:
        """Follows the settings ``feedback`` and ``step_limit``."""
        return Disclosure(
            feedback=FeedbackMode(condition["feedback"]),
            step_limit=condition["step_limit"] == "told",
        )

    def offer(self, condition: Condition) -> ObservationOffer:
        """Follows the setting ``observation``; pictures come with the frame before."""
        pictures = "picture" in condition["observation"]
        return ObservationOffer(
            channels=((Channel.RGB, LOSSLESS),) if pictures else (),
            text="text" in condition["observation"],
            previous_frame=pictures,
        )
