"""Ways through the room: shortest paths, and the next action on a way to an object.

AI2-THOR plans on a navigation mesh for a body of its agent's width. Here, shortest paths cross our
floor plan on a fine grid and are pulled straight; the expert's actions stay on the agent's grid.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.simulation import refusals
from env_service.worlds.household.simulation.action import (
    ActionContext,
    Parameter,
    ParameterType,
    Register,
    Result,
)
from env_service.worlds.household.simulation.actions.agent_movement import (
    HIGHEST_LOOK,
    LOOK_STEP,
    LOWEST_LOOK,
)
from env_service.worlds.household.simulation.actions.interactable_poses import (
    Question,
    interactable_poses,
)
from env_service.worlds.household.simulation.actions.reachable_positions import (
    SMALLEST_GRID,
    Spot,
    Walk,
    reachable,
    too_small,
)
from env_service.worlds.household.simulation.refusals import RefusedError, answering
from env_service.worlds.household.simulation.space.walkable_floor import ORIGIN, Floor, floor_of
from env_service.worlds.household.state import ObjectState

ACTIONS = Register()

FINE = 0.05
"""Metres between the points of the grid on which shortest paths are found."""

ALLOWED_ERROR = 0.0001
"""Metres: AI2-THOR's default of `allowedError`."""

SLACK = 0.15
"""Metres, besides `allowedError`, by which a start or a target may miss the fine grid."""

NO_PATH = "Path to target could not be found"

Floats = NDArray[np.float64]

WAYS: tuple[tuple[int, int, float], ...] = tuple(
    (i, k, math.hypot(i, k)) for i in (-1, 0, 1) for k in (-1, 0, 1) if (i, k) != (0, 0)
)
"""The steps of the fine grid, and their lengths in spacings."""

TARGET = (
    Parameter("objectId", ParameterType.TEXT, None),
    Parameter("objectType", ParameterType.TEXT, None),
)


@ACTIONS.action(
    "GetShortestPath",
    *TARGET,
    Parameter("position", ParameterType.POINT, None),
    Parameter("rotation", ParameterType.POINT, None),
    Parameter("allowedError", ParameterType.NUMBER, ALLOWED_ERROR),
)
@answering
def get_shortest_path(context: ActionContext) -> Result:
    """The corners of the shortest way from a position, by default the agent's, to the reachable
    point nearest to an object from which the agent can interact with it. The object is given by its
    id or type, of which the scene has one."""
    item = _wanted(context)
    start = context["position"] or context.state.agent.position
    for place in _by_distance(context, item):
        question = Question(
            (place,),
            tuple(90.0 * k for k in range(4)),
            (HIGHEST_LOOK, 0.0, -HIGHEST_LOOK, LOWEST_LOOK),
            (context.state.agent.standing,),
            context.settings.visibility_distance,
        )
        if interactable_poses(context.state, context.settings, item, question):
            return _path(context, start, place)
    raise RefusedError(NO_PATH)


@ACTIONS.action(
    "GetShortestPathToPoint",
    Parameter("target", ParameterType.POINT, None),
    Parameter("x", ParameterType.NUMBER, None),
    Parameter("y", ParameterType.NUMBER, None),
    Parameter("z", ParameterType.NUMBER, None),
    Parameter("position", ParameterType.POINT, None),
    Parameter("allowedError", ParameterType.NUMBER, ALLOWED_ERROR),
)
@answering
def get_shortest_path_to_point(context: ActionContext) -> Result:
    """The corners of the shortest way from a position, by default the agent's, to a point:
    `target`, or x, y and z."""
    target = context["target"]
    if target is None:
        axes = [context[axis] for axis in ("x", "y", "z")]
        if None in axes:
            raise RefusedError("Give target, or x, y and z.")
        target = Vec3(*axes)
    return _path(context, context["position"] or context.state.agent.position, target)


def _path(context: ActionContext, start: Vec3, target: Vec3) -> Result:
    error = context["allowedError"]
    if error < 0:
        raise RefusedError(f"allowedError must not be negative. You gave {error}.")
    level = context.state.agent.position.y - ORIGIN
    mesh = _Mesh.of(floor_of(context.state))
    ends = []
    for name, point in (("start", start), ("target", target)):
        found = mesh.nearest(point, error + SLACK)
        if found is None:
            raise RefusedError(f"No point on NavMesh near {name}Position {point.to_json()}.")
        ends.append(found)
    spots = mesh.path(*ends)
    if spots is None:
        raise RefusedError(NO_PATH)
    corners = mesh.pulled([start, *map(mesh.place, spots[1:-1]), target])
    written = [Vec3(round(p.x, 6), round(level, 6), round(p.z, 6)).to_json() for p in corners]
    return Result(context.state, value={"corners": written}, quick=True)


def _wanted(context: ActionContext) -> ObjectState:
    """The object of `objectId`, or the only one of `objectType`."""
    objects = context.state.objects
    if context["objectId"] is not None:
        item = objects.get(context["objectId"])
        if item is None:
            raise RefusedError(refusals.unknown_id(context["objectId"]))
        return item
    kind = context["objectType"]
    if kind is None:
        raise RefusedError("Give objectId or objectType.")
    found = [item for item in objects.values() if item.spec.type == kind and not item.replaced]
    if not found:
        raise RefusedError(f"No object of type {kind} exists in the scene.")
    if len(found) > 1:
        raise RefusedError(f"Multiple objects of type {kind} were found, cannot disambiguate!")
    return found[0]


def _by_distance(context: ActionContext, item: ObjectState) -> list[Vec3]:
    """The reachable positions of the agent's grid, those near an object first."""
    size = context.settings.grid_size
    if size < SMALLEST_GRID:
        raise RefusedError(too_small(size))
    points = reachable(context.state, size)
    return sorted(points, key=lambda point: (point - item.pose.position).length())


@dataclass(frozen=True, eq=False)
class _Mesh:
    """Where the body fits on a fine grid of the floor.

    Attributes:
        floor: the floor plan.
        low: x and z of the first point.
        free: bool [x, z].
    """

    floor: Floor
    low: tuple[float, float]
    free: NDArray[np.bool_]

    @staticmethod
    def of(floor: Floor) -> _Mesh:
        """The mesh of a floor plan; floor plans with the same obstacles share it."""
        known = floor.notes.get("mesh")
        if isinstance(known, _Mesh):
            return known
        (left, right), (near, far) = floor.bounds
        shape = (int((right - left) / FINE) + 1, int((far - near) / FINE) + 1)
        i, k = (each.ravel() for each in np.indices(shape))
        places = np.stack([left + i * FINE, near + k * FINE], 1)
        free = floor.untouched(places, places).reshape(shape)
        floor.notes["mesh"] = made = _Mesh(floor, (left, near), free)
        return made

    def place(self, spot: Spot) -> Vec3:
        """A point of the grid, at height 0."""
        return Vec3(self.low[0] + spot[0] * FINE, 0.0, self.low[1] + spot[1] * FINE)

    def nearest(self, point: Vec3, within: float) -> Spot | None:
        """The free point of the grid nearest to a place; None if it is more than a step further
        than `within` metres."""
        i, k = np.nonzero(self.free)
        if not len(i):
            return None
        x, z = self.low[0] + i * FINE - point.x, self.low[1] + k * FINE - point.z
        away = x * x + z * z
        first = int(away.argmin())
        near = math.sqrt(away[first]) <= within + FINE
        return (int(i[first]), int(k[first])) if near else None

    def path(self, start: Spot, target: Spot) -> list[Spot] | None:
        """A shortest way along the grid (A*), with both ends; None if there is none."""
        queue = [(0.0, 0.0, start)]
        best, before = {start: 0.0}, {start: start}
        while queue:
            _, gone, spot = heapq.heappop(queue)
            if spot == target:
                return _traced(before, spot)
            if gone > best[spot]:
                continue
            for following, step in self._around(spot):
                length = gone + step
                if length < best.get(following, math.inf):
                    best[following], before[following] = length, spot
                    left = math.hypot(following[0] - target[0], following[1] - target[1])
                    heapq.heappush(queue, (length + left, length, following))
        return None

    def pulled(self, points: Sequence[Vec3]) -> list[Vec3]:
        """The way with only those corners that obstacles make necessary."""
        flat: Floats = np.array([(point.x, point.z) for point in points])
        corners, here = [points[0]], 0
        while here < len(points) - 1:
            later = np.arange(here + 1, len(points))
            starts = np.repeat(flat[here : here + 1], len(later), 0)
            straight = np.flatnonzero(self.floor.untouched(starts, flat[later]))
            here = int(later[straight[-1]]) if len(straight) else here + 1
            corners.append(points[here])
        return corners

    def _around(self, spot: Spot) -> Iterator[tuple[Spot, float]]:
        for i, k, length in WAYS:
            following = (spot[0] + i, spot[1] + k)
            if self._is_free(following):
                yield following, length

    def _is_free(self, spot: Spot) -> bool:
        inside = 0 <= spot[0] < self.free.shape[0] and 0 <= spot[1] < self.free.shape[1]
        return inside and bool(self.free[spot])


def _traced(before: dict[Spot, Spot], spot: Spot) -> list[Spot]:
    way = [spot]
    while before[spot] != spot:
        spot = before[spot]
        way.append(spot)
    return way[::-1]


# --- The next action on a way to an object


@dataclass(frozen=True)
class _Pose:
    """A spot of the agent's grid, quarter turns from its yaw, and the horizon, degrees."""

    spot: Spot
    turn: int
    horizon: float


@ACTIONS.action("ObjectNavExpertAction", *TARGET, Parameter("position", ParameterType.POINT, None))
@answering
def object_nav_expert_action(context: ActionContext) -> Result:
    """The next of MoveAhead, RotateLeft, RotateRight, LookUp and LookDown on a shortest way to a
    pose from which an object is interactable, or to the reachable point nearest to a position; None
    at its end.

    Moves are steps of the grid, turns are quarter turns, so the agent has to face along an axis.
    """
    agent, settings = context.state.agent, context.settings
    if settings.rotate_step != 90.0 or agent.yaw % 90.0:
        raise RefusedError("ObjectNavExpertAction needs quarter turns along the axes.")
    if settings.grid_size < SMALLEST_GRID:
        raise RefusedError(too_small(settings.grid_size))
    walk = Walk(floor_of(context.state), agent.position, settings.grid_size)
    arrived = _arrival(context, walk)
    action = _first_action(walk, round(agent.yaw / 90.0), agent.horizon, arrived)
    if action is None:
        raise RefusedError(NO_PATH)
    return Result(context.state, value=action or None, quick=True)


def _arrival(context: ActionContext, walk: Walk) -> Callable[[_Pose], bool]:
    """Whether a pose is where the way may end."""
    if context["objectId"] is None and context["objectType"] is None:
        goal = context["position"]
        if goal is None:
            raise RefusedError("Give objectId, objectType or position.")
        every = (_moved(walk.home, each) for each in walk.spots())
        nearest = min(every, key=lambda spot: math.dist(walk.place(spot), (goal.x, goal.z)))
        return lambda pose: pose.spot == nearest
    item, agent = _wanted(context), context.state.agent
    here = _Pose(walk.home, round(agent.yaw / 90.0) % 4, agent.horizon)
    spots = sorted(_moved(walk.home, each) for each in walk.spots())
    places = [walk.place(spot) for spot in spots]
    question = Question(
        tuple(Vec3(x, agent.position.y, z) for x, z in places),
        tuple(90.0 * k for k in range(4)),
        _horizons(agent.horizon),
        (agent.standing,),
        context.settings.visibility_distance,
    )
    by_place = dict(zip(places, spots, strict=True))
    found = {
        _Pose(by_place[pose["x"], pose["z"]], round(pose["rotation"] / 90.0), pose["horizon"])
        for pose in interactable_poses(context.state, context.settings, item, question)
    } - {here}
    if context.visibility.interactable(item.id):
        found.add(here)
    return lambda pose: pose in found


def _moved(home: Spot, step: Spot) -> Spot:
    return (home[0] + step[0], home[1] + step[1])


def _horizons(now: float) -> tuple[float, ...]:
    """The horizons that LookUp and LookDown lead to, the present one first."""
    others = (now + LOOK_STEP * k for k in range(-6, 7) if k)
    return (now, *(each for each in others if HIGHEST_LOOK <= each <= LOWEST_LOOK))


def _first_action(
    walk: Walk, turn: int, horizon: float, arrived: Callable[[_Pose], bool]
) -> str | None:
    """The first action of a shortest way, "" where it has ended; None where there is none."""
    start = _Pose(walk.home, turn % 4, horizon)
    if arrived(start):
        return ""
    first: dict[_Pose, str] = {start: ""}
    queue = deque([start])
    while queue:
        pose = queue.popleft()
        for action, following in _following(walk, pose):
            if following in first:
                continue
            first[following] = first[pose] or action
            if arrived(following):
                return first[following]
            queue.append(following)
    return None


def _following(walk: Walk, pose: _Pose) -> Iterator[tuple[str, _Pose]]:
    i, k = ((0, 1), (1, 0), (0, -1), (-1, 0))[pose.turn]
    ahead = (pose.spot[0] + i, pose.spot[1] + k)
    if ahead in walk.steps_from(pose.spot):
        yield "MoveAhead", replace(pose, spot=ahead)
    yield "RotateRight", replace(pose, turn=(pose.turn + 1) % 4)
    yield "RotateLeft", replace(pose, turn=(pose.turn - 1) % 4)
    for action, side in (("LookUp", -1), ("LookDown", 1)):
        horizon = pose.horizon + side * LOOK_STEP
        if HIGHEST_LOOK <= horizon <= LOWEST_LOOK:
            yield action, replace(pose, horizon=horizon)
