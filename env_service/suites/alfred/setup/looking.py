"""Whether what is set up can be got at: looked at as the robot of the episode will look for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from env_service.suites.alfred.house import House, ThorObject
from env_service.suites.alfred.rules import EXACT
from env_service.suites.alfred.setup.matching import Placement
from env_service.suites.alfred.setup.posing import standing_at
from env_service.suites.alfred.setup.prepared import Problem, ProblemKind
from env_service.suites.alfred.skills.bench import Bench, Body, Memory
from env_service.suites.alfred.skills.finding import comes_into_sight
from env_service.suites.alfred.task import Goal
from env_service.worlds.thor.controller import ThorController

MOST_DOORS = 2
"""Closed things around one object that are opened: a box in a cabinet."""


def concerns(goal: Goal, placement: Placement) -> bool:
    """Whether a goal speaks of the type of a posed object."""
    return placement.type in {goal.object, goal.movable}


def out_of_reach(world: ThorController, placements: Sequence[Placement]) -> list[Problem]:
    """The posed objects that `find` sees from nowhere, not even with the door open behind which
    they lie.

    It goes to each object and opens what the object lies in. Afterwards all is closed again that
    was closed, and the agent stands where it stood.

    Raises:
        WorldFault: the world broke.
    """
    look = _Look(world)
    start = look.house
    problems = []
    for placement, item in standing_at(start, placements):
        if item is not None and not look.sees(item):
            outer = " and ".join(str(each["objectType"]) for each in start.parents(item))
            reason = f"it is seen from nowhere, in or on {outer or 'nothing'}"
            problems.append(Problem(ProblemKind.OUT_OF_REACH, placement.pose.name, reason))
    look.back_to(start)
    return problems


class _Look:
    """A robot that only looks."""

    def __init__(self, world: ThorController) -> None:
        self._bench = Bench(Body(world), Memory(), EXACT, {})

    @property
    def house(self) -> House:
        """The house now."""
        return self._bench.house

    def sees(self, item: ThorObject) -> bool:
        """Whether an object is seen from somewhere, with all doors around it open."""
        opened: list[str] = []
        now: ThorObject | None = item
        while now is not None and len(opened) < MOST_DOORS:
            door = self.house.closed_parent(now)
            if door is None or not self._do("OpenObject", door["objectId"]):
                break
            opened.append(door["objectId"])
            now = self.house.by_id(item["objectId"])
        seen = now is not None and comes_into_sight(self._bench, now)
        for door_id in reversed(opened):
            self._do("CloseObject", door_id)
        return seen

    def back_to(self, start: House) -> None:
        """The agent stands and looks as it did."""
        self._bench.body.do(
            "Teleport",
            position=start.position._asdict(),
            rotation={"x": 0.0, "y": start.yaw, "z": 0.0},
            horizon=start.horizon,
            standing=True,
        )

    def _do(self, action: str, object_id: str) -> bool:
        arguments: dict[str, Any] = {"objectId": object_id, "forceAction": True}
        return bool(self._bench.body.do(action, **arguments))
