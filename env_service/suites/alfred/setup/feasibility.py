"""Whether a goal can be reached from an opening: what is missing, and what cannot be got at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.rules import EXACT
from env_service.suites.alfred.setup.poses import Placement, Problem, ProblemKind, standing_at
from env_service.suites.alfred.skills.context import RobotBody, RobotMemory, SkillContext
from env_service.suites.alfred.skills.navigation import comes_into_sight
from env_service.suites.alfred.task import Goal, TaskType
from env_service.worlds.ai2thor_api.controller import ThorController
from env_service.worlds.ai2thor_api.metadata_view import ThorObject

_NEEDED = {
    TaskType.HEAT: (("Microwave", "toggleable"),),
    TaskType.COOL: (("Fridge", "openable"),),
    TaskType.CLEAN: (("Faucet", "toggleable"), ("SinkBasin", "receptacle")),
}
"""What a treatment is done with: type, and what it has to be able to do (docs/alfred.md,
"Skills")."""


def lacking(goal: Goal, view: AlfredView) -> Iterator[str]:
    """What the goal asks for and the scene lacks, in words; nothing where it can be reached."""
    twice = goal.type is TaskType.TWO and not goal.sliced
    wanted = [(goal.object, "pickupable", 2 if twice else 1)]
    if goal.sliced:
        wanted.append((goal.object, "sliceable", 1))
    wanted += [
        (goal.parent, "receptacle", 1),
        (goal.movable, "receptacle", 1),
        (goal.movable, "pickupable", 1),
        (goal.toggle, "toggleable", 1),
        *((kind, able, 1) for kind, able in _NEEDED.get(goal.type, ())),
    ]
    for kind, able, least in wanted:
        if not kind:
            continue
        count = sum(bool(each[able]) for each in view.of_type(kind))
        if count < least:
            need = f"{least} of them are needed" if least > 1 else "one is needed"
            yield f"it has {count or 'no'} {able} {kind}, and {need}"


# --- Whether what is set up can be got at: looked at as the robot of the episode will look for
# it

MOST_DOORS = 2
"""Closed things around one object that are opened: a box in a cabinet."""


def concerns(goal: Goal, placement: Placement) -> bool:
    """Whether a goal speaks of the type of a posed object."""
    return placement.type in {goal.object, goal.movable}


def out_of_reach(world: ThorController, placements: Sequence[Placement]) -> list[Problem]:
    """The posed objects that `find` cannot see from anywhere, even with their container open.

    Goes to each object and opens what contains it. Afterwards it closes again whatever was closed,
    and puts the agent back where it started.

    Raises:
        WorldFault: the world broke.
    """
    look = _Look(world)
    start = look.view
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
        self._context = SkillContext(RobotBody(world), RobotMemory(), EXACT, {})

    @property
    def view(self) -> AlfredView:
        """The scene now."""
        return self._context.view

    def sees(self, item: ThorObject) -> bool:
        """Whether an object is seen from somewhere, with all doors around it open."""
        opened: list[str] = []
        now: ThorObject | None = item
        while now is not None and len(opened) < MOST_DOORS:
            door = self.view.closed_parent(now)
            if door is None or not self._do("OpenObject", door["objectId"]):
                break
            opened.append(door["objectId"])
            now = self.view.by_id(item["objectId"])
        seen = now is not None and comes_into_sight(self._context, now)
        for door_id in reversed(opened):
            self._do("CloseObject", door_id)
        return seen

    def back_to(self, start: AlfredView) -> None:
        """Puts the agent back where it stood and looked."""
        pose = start.agent
        self._context.body.do(
            "Teleport",
            position=pose.position._asdict(),
            rotation={"x": 0.0, "y": pose.yaw, "z": 0.0},
            horizon=pose.horizon,
            standing=True,
        )

    def _do(self, action: str, object_id: str) -> bool:
        arguments: dict[str, Any] = {"objectId": object_id, "forceAction": True}
        return bool(self._context.body.do(action, **arguments))
