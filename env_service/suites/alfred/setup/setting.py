"""Makes a scene into the opening of a task, as LoTa-Bench does (spec section 3.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from env_service.domain.failure import FaultClass, WorldFault
from env_service.suites.alfred.goals.evaluation import evaluate
from env_service.suites.alfred.house import House
from env_service.suites.alfred.setup.aliases import aliases_here, goal_under
from env_service.suites.alfred.setup.feasibility import lacking
from env_service.suites.alfred.setup.looking import concerns, out_of_reach
from env_service.suites.alfred.setup.matching import Placement, matched
from env_service.suites.alfred.setup.posing import misplaced, pose, put_back
from env_service.suites.alfred.setup.prepared import Prepared, Problem, ProblemKind
from env_service.suites.alfred.setup.states import put_in_state
from env_service.suites.alfred.skills.step import Marks
from env_service.suites.alfred.task import AgentStart, AlfredTask, SceneSetup
from env_service.worlds.thor.controller import ThorController
from env_service.worlds.thor.geometry import Point

__all__ = ["Prepared", "Problem", "ProblemKind", "set_up"]

HIGHEST, LOWEST = -30.0, 60.0
"""The horizons, degrees down, that AI2-THOR 5.0.0's agent can have."""


def set_up(world: ThorController, task: AlfredTask, *, look_at_all: bool = False) -> Prepared:
    """Sets up a task in a scene that was just opened (`open_world` with `start.thor_start`): its
    toggles, dirt and liquids, then the objects' poses, then the agent's.

    Only actions of AI2-THOR 5.0.0 are used. What it cannot reproduce of 2.1.0's scene is told in
    `Prepared.problems`. It looks at the posed objects of the goal's types whether the robot can
    see them, or, with ``look_at_all``, at all posed objects.

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
    house = _house(world)
    aliases = aliases_here(house)
    goal = goal_under(task.goal, aliases)
    problems = put_in_state(world, house, setup)
    found = matched(house, setup.poses, aliases)
    problems += found.problems
    if setup.poses:
        pose(world, house, found.placements)
    astray = 0.0 if setup.agent is None else _stand(world, setup.agent)
    problems += _mended(world, setup, found.placements)
    house = _house(world)
    missing = list(lacking(goal, house))
    if missing:
        raise WorldFault(FaultClass.DATA_FAULT, "; ".join(missing))
    if astray:
        reason = f"its pose is not free; it stands {astray:.2f} m off"
        problems.append(Problem(ProblemKind.AGENT, "agent", reason))
    if all(each.met for each in evaluate(goal, house, Marks())):
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
    problems = misplaced(_house(world), placements)
    # A copy need not be in the state of what it is a copy of.
    return [*problems, *put_in_state(world, _house(world), setup)]


def _house(world: ThorController) -> House:
    return House(world.last_event.metadata)


def _stand(world: ThorController, start: AgentStart) -> float:
    """Puts the agent at its pose, or at the nearest reachable position; metres in between.

    Its height is that of the agent in this scene: what 2.1.0 wrote down is a matter of how its
    agent came to rest.
    """
    height = _house(world).position.y
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
