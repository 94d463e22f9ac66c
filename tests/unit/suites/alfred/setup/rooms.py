"""A built-in kitchen to set tasks up in, and tasks that leave it as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from env_service.suites.alfred.ai2thor_start import INITIALIZATION
from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.task import AlfredTask, Goal, ObjectPose, SceneSetup, TaskType
from env_service.worlds.ai2thor_api.geometry import Point
from env_service.worlds.ai2thor_api.metadata_view import ThorObject
from env_service.worlds.household.controller import HouseholdController

SCENE = "household-kitchen-1"


class Kitchen(HouseholdController):
    """A world that notes what is asked of it, and refuses what it is told to refuse."""

    def __init__(self, *, refuse: str = "") -> None:
        self.calls: list[str] = []
        self._refused = refuse
        super().__init__(SCENE, renderer="none", **INITIALIZATION)

    def step(self, action: str | Mapping[str, Any], **arguments: Any) -> Any:
        self.calls.append(str(action))
        if action == self._refused:
            return super().step("PickupObject", objectId="nothing")
        return super().step(action, **arguments)

    @property
    def view(self) -> AlfredView:
        return AlfredView(self.last_event.metadata)


def carried(house: AlfredView) -> list[ThorObject]:
    return [each for each in house.objects if each["pickupable"]]


def pose(item: ThorObject, number: int, **moved: float) -> ObjectPose:
    """Where an object is, under a name of another version."""
    name = f"{item['objectType']}_{number:08x}"
    position = Point.read({**item["position"], **moved})
    return ObjectPose(name, position, Point.read(item["rotation"]))


def poses(house: AlfredView) -> tuple[ObjectPose, ...]:
    """Of all that can be carried, where it is."""
    return tuple(pose(each, k) for k, each in enumerate(carried(house)))


def task(given: Sequence[ObjectPose] = (), **setup: Any) -> AlfredTask:
    goal = Goal(TaskType.SIMPLE, "Mug", "Fridge")
    return AlfredTask("a_task", goal, SceneSetup(SCENE, tuple(given), **setup))


def with_goal(given: AlfredTask, goal: Goal) -> AlfredTask:
    return replace(given, goal=goal)
