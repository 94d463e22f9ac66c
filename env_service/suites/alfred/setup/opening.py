"""Makes a scene into the opening of a task, as LoTa-Bench does: toggles, dirt, liquids, and
AI2-THOR 5.0.0's names for types that 2.1.0 names otherwise. Checks whether the goal can be reached.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from env_service.domain.failure import FaultClass, WorldFault
from env_service.suites.alfred.goals import evaluate
from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.rules import EXACT
from env_service.suites.alfred.setup.poses import (
    Placement,
    Prepared,
    Problem,
    ProblemKind,
    matched,
    misplaced,
    pose,
    put_back,
    standing_at,
)
from env_service.suites.alfred.skills.context import RobotBody, RobotMemory, SkillContext
from env_service.suites.alfred.skills.navigation import comes_into_sight
from env_service.suites.alfred.skills.steps import Marks
from env_service.suites.alfred.task import AgentStart, AlfredTask, Goal, SceneSetup, TaskType
from env_service.worlds.ai2thor_api.controller import ThorController
from env_service.worlds.ai2thor_api.geometry import Point
from env_service.worlds.ai2thor_api.metadata_view import ThorObject

__all__ = ["Prepared", "Problem", "ProblemKind", "set_up"]

HIGHEST, LOWEST = -30.0, 60.0
"""The horizons, degrees down, that AI2-THOR 5.0.0's agent can have."""


def set_up(world: ThorController, task: AlfredTask, *, look_at_all: bool = False) -> Prepared:
    """Sets up a task in a newly opened scene (`open_world` with `thor_start`): first its toggles,
    dirt and liquids, then the objects' poses, then the agent's.

    It uses only actions of AI2-THOR 5.0.0, and reports what they cannot reproduce of 2.1.0's scene
    in `Prepared.problems`. It checks whether the robot can see the posed objects of the goal's
    types or, with ``look_at_all``, all posed objects.

    Raises:
        WorldFault: the world broke; or (DATA_FAULT) the goal cannot be reached in this scene, the
            poses are refused, or the agent cannot be put anywhere. The detail names the task.
    """
    try:
        return _set_up(world, task, look_at_all=look_at_all)
    except WorldFault as fault:
        if fault.fault is not FaultClass.DATA_FAULT:
            raise
        detail = f"{task.id} cannot be set up in {task.setup.scene}: {fault.detail}"
        raise WorldFault(FaultClass.DATA_FAULT, detail) from fault


def _set_up(world: ThorController, task: AlfredTask, *, look_at_all: bool) -> Prepared:
    setup = task.setup
    view = _view(world)
    aliases = aliases_here(view)
    goal = goal_under(task.goal, aliases)
    problems = put_in_state(world, view, setup)
    found = matched(view, setup.poses, aliases)
    problems += found.problems
    if setup.poses:
        pose(world, view, found.placements)
    astray = 0.0 if setup.agent is None else _stand(world, setup.agent)
    problems += _mended(world, setup, found.placements)
    view = _view(world)
    missing = list(lacking(goal, view))
    if missing:
        raise WorldFault(FaultClass.DATA_FAULT, "; ".join(missing))
    if astray:
        reason = f"its pose is not free; it starts {astray:.2f} m away"
        problems.append(Problem(ProblemKind.AGENT, "agent", reason))
    if all(each.met for each in evaluate(goal, view, Marks())):
        problems.append(Problem(ProblemKind.MET, "goal", "it is met before anything is done"))
    looked_at = [each for each in found.placements if look_at_all or concerns(goal, each)]
    if looked_at:
        problems += out_of_reach(world, looked_at)
    return Prepared(goal, aliases, tuple(problems), astray)


def _mended(
    world: ThorController, setup: SceneSetup, placements: Sequence[Placement]
) -> list[Problem]:
    """Looks where everything is, and mends what can be; what is wrong then."""
    put_back(world, placements)
    problems = misplaced(_view(world), placements)
    # A copy need not be in the state of what it is a copy of.
    return [*problems, *put_in_state(world, _view(world), setup)]


def _view(world: ThorController) -> AlfredView:
    return AlfredView(world.last_event.metadata)


def _stand(world: ThorController, start: AgentStart) -> float:
    """Puts the agent at its pose, or at the nearest reachable position; metres in between.

    Its height is that of the agent in this scene: what 2.1.0 wrote down is a matter of how its
    agent came to rest.
    """
    height = _view(world).agent.position.y
    wanted = Point(start.position.x, height, start.position.z)
    if _teleport(world, wanted, start):
        return 0.0
    refusal = world.last_event.metadata["errorMessage"]
    reachable = world.step("GetReachablePositions").metadata["actionReturn"] or ()
    places = [Point.read(each) for each in reachable]
    for place in sorted(places, key=lambda each: math.dist(each, wanted)):
        if _teleport(world, place, start):
            return math.hypot(place.x - wanted.x, place.z - wanted.z)
    detail = f"the agent cannot be put anywhere: {refusal}"
    raise WorldFault(FaultClass.DATA_FAULT, detail)


def _teleport(world: ThorController, place: Point, start: AgentStart) -> bool:
    event = world.step(
        "Teleport",
        position=place._asdict(),
        rotation={"x": 0.0, "y": start.yaw % 360.0, "z": 0.0},
        horizon=min(max(start.horizon, HIGHEST), LOWEST),
        standing=True,
    )
    return bool(event)


# --- Toggles, dirt and liquids at a task's opening

_Deed = tuple[ProblemKind, str]
"""What it belongs to, and the action."""


def put_in_state(world: ThorController, view: AlfredView, setup: SceneSetup) -> list[Problem]:
    """Switches objects by type; makes all that can be dirty dirty, and empties all that is filled,
    where the task says so. What is so already is left alone, so it can be called again.
    ``view`` is what the world shows now.

    AI2-THOR 5.0.0 has no SetObjectToggles (docs/alfred-rules.md, "The world"): each object is
    switched by itself.

    Returns:
        What the world refuses. Raises WorldFault if it breaks.
    """
    problems = []
    for item, (kind, action) in _wanted(view, setup):
        event = world.step(action, objectId=item["objectId"], forceAction=True)
        if not event:
            reason = f"{action}: {event.metadata['errorMessage']}"
            problems.append(Problem(kind, str(item["objectId"]), reason))
    return problems


def _wanted(view: AlfredView, setup: SceneSetup) -> Iterator[tuple[ThorObject, _Deed]]:
    for kind, on in setup.toggles:
        action = "ToggleObjectOn" if on else "ToggleObjectOff"
        for item in view.of_type(kind):
            if item["toggleable"] and bool(item["isToggled"]) is not on:
                yield item, (ProblemKind.TOGGLE, action)
    if not setup.dirty_and_empty:
        return
    for item in view.objects:
        if item["dirtyable"] and not item["isDirty"]:
            yield item, (ProblemKind.STATE, "DirtyObject")
        if item["canFillWithLiquid"] and item["isFilledWithLiquid"]:
            yield item, (ProblemKind.STATE, "EmptyLiquidFromObject")


# --- What AI2-THOR 5.0.0 calls the things that 2.1.0 had under another type


@dataclass(frozen=True, slots=True)
class Alias:
    """A type of 2.1.0 is another one in 5.0.0: in these scenes, None for all."""

    old: str
    new: str
    scenes: frozenset[str] | None = None


ALIASES: tuple[Alias, ...] = (
    # 5.0.0 has no Glassbottle. Every room of which the split file or object_poses name one
    # (FloorPlan1, 10, 16, 17 and 23 among them) holds exactly one Bottle.
    Alias("Glassbottle", "Bottle"),
    # 5.0.0 has no Cart. The trajectories' one in FloorPlan401 stands 4 cm from a SideTable whose
    # asset, Side_Table_401_1, is also in FloorPlan430: the only other room of the split file with
    # a Cart.
    Alias("Cart", "SideTable", frozenset({"FloorPlan401", "FloorPlan430"})),
    # The trajectories' Dressers stand 4 cm (305) and 3 cm (327) from a SideTable. That of
    # FloorPlan314 has an asset which 5.0.0 itself lists as a Dresser in FloorPlan311.
    Alias("Dresser", "SideTable", frozenset({"FloorPlan305", "FloorPlan314", "FloorPlan327"})),
    # The trajectories' DiningTables stand 1 to 2 cm from a Desk.
    Alias("DiningTable", "Desk", frozenset({"FloorPlan311", "FloorPlan326", "FloorPlan329"})),
    # The trajectories' Shelves are the tops of SideTables, 5 cm away from their middles.
    Alias("Shelf", "SideTable", frozenset({"FloorPlan429"})),
)
"""Found by position: the receptacles that plans of valid_seen name (their coordinates are in the
data, docs/alfred-rules.md, "The world") compared with 5.0.0's metadata of the same rooms; and the
types
that the split file names for each room. An alias applies if the scene has none of the old type."""


def aliases_here(view: AlfredView) -> Mapping[str, str]:
    """Old type to new type, of those that have a new one in this house. To be asked before
    anything is taken out of the scene."""
    scene = str(view.metadata.get("sceneName", "")).removesuffix("_physics")
    return {
        each.old: each.new
        for each in ALIASES
        if (each.scenes is None or scene in each.scenes)
        and view.of_type(each.new)
        and not view.of_type(each.old)
    }


def goal_under(goal: Goal, aliases: Mapping[str, str]) -> Goal:
    """The goal with its types as they are called here."""
    return replace(
        goal,
        object=aliases.get(goal.object, goal.object),
        parent=aliases.get(goal.parent, goal.parent),
        movable=aliases.get(goal.movable, goal.movable),
        toggle=aliases.get(goal.toggle, goal.toggle),
    )


# --- Whether a goal can be reached from an opening: what is missing, and what is out of reach

_NEEDED = {
    TaskType.HEAT: (("Microwave", "toggleable"),),
    TaskType.COOL: (("Fridge", "openable"),),
    TaskType.CLEAN: (("Faucet", "toggleable"), ("SinkBasin", "receptacle")),
}
"""What a treatment is done with: type, and what it has to be able to do (docs/alfred-rules.md,
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
