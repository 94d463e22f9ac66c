"""Picking things up and putting them down.

The order of the checks follows AI2-THOR 5.0.0, as far as known: the target exists, is visible
and interactable (`targeting`), then what the action demands: PickupObject asks whether the target
can be picked up, then whether the hand is free; PutObject whether the hand holds something, whether
the target is a receptacle, open, made for this thing and free (special receptacles), compatible by
the placement restrictions (unless forced), and has room. AI2-THOR also refuses to pick up what
would run into something in front of the agent; here the hand is always free to move.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from env_service.worlds.ai2thor_api.object_types import MUST_BE_OPEN_TO_PLACE, Trait, object_types
from env_service.worlds.household.geometry import Transform, Vec3
from env_service.worlds.household.simulation import refusals
from env_service.worlds.household.simulation.action import (
    SECONDS,
    ActionContext,
    Parameter,
    ParameterType,
    Register,
    Result,
)
from env_service.worlds.household.simulation.actions.agent_movement import eye, level_grip
from env_service.worlds.household.simulation.actions.cameras import in_pyramid
from env_service.worlds.household.simulation.actions.hand import (
    camera_frame,
    release,
    take,
)
from env_service.worlds.household.simulation.actions.targeting import TARGET, target
from env_service.worlds.household.simulation.refusals import RefusedError, answering
from env_service.worlds.household.simulation.space.containment import ENCLOSING, moved, put_in
from env_service.worlds.household.simulation.space.crowded_receptacle import crowded_spot
from env_service.worlds.household.simulation.space.object_specific_receptacles import (
    SPECIAL,
    accepts,
    attached,
    is_full,
)
from env_service.worlds.household.simulation.space.placement import (
    Order,
    Search,
    find_spot,
    nearest_to,
)
from env_service.worlds.household.simulation.space.spawn_grid import grid_pose
from env_service.worlds.household.simulation.space.support_surfaces import (
    HOLLOW,
    VESSELS,
    basin_id,
    supports,
)
from env_service.worlds.household.state import HouseholdState, ObjectState

ACTIONS = Register()

BEHIND_WALL = 100.0
"""Metres that a spot behind a receptacle's near wall seems further away: more than any room."""

FURTHER, FURTHER_TRIES = 0.06, 10
"""Metres further from the agent at each try to put a thing where it can be seen, and tries: across
the bottom of a bathtub."""

LIFTED = 0.05
"""Metres above a spot: AI2-THOR asks whether that point is in view for spots lower than the eye."""

OUT_OF_VIEW = 100.0
"""Metres that a spot outside the agent's view seems further away: more than any room."""

ELSEWHERE, REACH_TRIES = 0.12, 8
"""Metres between the spots that are tried for a thing that has to stay in reach, and their number:
a few on each board of a fridge."""


@ACTIONS.action(
    "PickupObject", *TARGET, Parameter("manualInteract", ParameterType.TRUTH, default=False)
)
@answering
def pickup_object(context: ActionContext) -> Result:
    """Takes an object, with its contents, in the hand. With `manualInteract` it stays at its place
    and moves with the agent from then on."""
    item = target(context)
    state = context.state
    if not item.spec.can(Trait.PICKUPABLE):
        raise RefusedError(refusals.not_pickupable(item.id))
    if state.held is not None:
        raise RefusedError(refusals.HAND_FULL)
    if context["manualInteract"]:
        grip = camera_frame(state.agent).inverse() @ item.pose
    else:
        grip = level_grip(state.agent)
    return Result(take(state, item.id, grip), value=item.id, seconds=SECONDS)


@ACTIONS.action(
    "PutObject",
    *TARGET,
    Parameter("placeStationary", ParameterType.TRUTH, default=False),
    Parameter("putNearXY", ParameterType.TRUTH, default=False),
)
@answering
def put_object(context: ActionContext) -> Result:
    """Puts the held object on or in a receptacle: by force on the first free spot of AI2-THOR's
    grid, else on the one nearest to the agent, or with `putNearXY` to what it sees at the point
    x, y of its picture; in a basin or bin, on one where the agent sees it, if there is one; behind
    a door or lid, on one where the agent can take it again."""
    receptacle = target(context)
    state = context.state
    if state.held is None:
        raise RefusedError(refusals.HAND_EMPTY_PUT)
    item = state.objects[state.held]
    check_placeable(item, receptacle, forced=context["forceAction"])
    receptacle = receiving(state, receptacle)
    by_grid = context["forceAction"] and not context["putNearXY"]
    pose = _forced_down(context, item, receptacle) if by_grid else None
    if pose is None:
        pose = _put_down(context, item, receptacle)
    return Result(placed(state, item.id, receptacle.id, pose), seconds=SECONDS)


def _forced_down(
    context: ActionContext, item: ObjectState, receptacle: ObjectState
) -> Transform | None:
    """The first free spot of AI2-THOR's grid; None for none. An agent that looks into a basin or
    bin does not lose sight of what it puts there, whose walls are ours: None then, too."""
    if receptacle.spec.type in SPECIAL:
        return None
    pose = grid_pose(context.state, item, receptacle)
    if pose is None or receptacle.spec.type not in HOLLOW - VESSELS:
        return pose
    if not context.visibility.visible(receptacle.id):
        return pose
    after = placed(context.state, item.id, receptacle.id, pose)
    return pose if context.visibility.after(after).visible(item.id) else None


def _put_down(context: ActionContext, item: ObjectState, receptacle: ObjectState) -> Transform:
    """Where a hand puts the item; unlike randomly spawned objects, it is squeezed in if
    necessary."""
    state = context.state
    search = Search(_pointed_at(context) or _in_view(state, item, receptacle))
    try:
        pose = resting_place(state, item, receptacle, search)
    except RefusedError:
        squeezed = None
        if receptacle.spec.type not in SPECIAL:
            squeezed = crowded_spot(state, item, receptacle, search)
        if squeezed is None:
            raise
        return squeezed
    if receptacle.spec.type in HOLLOW - VESSELS:
        return _in_sight(context, receptacle, search, pose)
    if receptacle.spec.type in ENCLOSING:
        return _within_reach(context, receptacle, pose)
    return pose


def _pointed_at(context: ActionContext) -> Order | None:
    """Prefers spots near what the agent sees at a point, if the caller asks for it."""
    x, y = context["x"], context["y"]
    if not context["putNearXY"] or x is None or y is None:
        return None
    if not (0.0 <= x <= 1.0 and 0.0 <= y <= 1.0):
        raise RefusedError(refusals.OFF_PICTURE)
    point = context.visibility.point_at(x, y)
    return None if point is None else nearest_to(point)


def _within_reach(context: ActionContext, receptacle: ObjectState, first: Transform) -> Transform:
    """The first pose, or, if the agent could not take the item out again from its pose, another one
    in the receptacle from which it can; AI2-THOR takes only spots in the agent's view
    (docs/household.md, Differences from AI2-THOR)."""
    state = context.state
    item = state.objects[state.held or ""]
    near = nearest_to(state.agent.position)

    def order(spot: Vec3) -> float:
        above = spot + Vec3(0.0, LIFTED, 0.0)
        seen = any(in_pyramid(state.agent, context.settings, point) for point in (spot, above))
        return near(spot) + (0.0 if seen else OUT_OF_VIEW)

    pose, tried = first, list[Vec3]()
    for _ in range(REACH_TRIES):
        after = placed(state, item.id, receptacle.id, pose)
        if context.visibility.after(after).interactable(item.id):
            return pose
        low, high = after.objects[item.id].extent
        tried.append(Vec3((low.x + high.x) / 2, low.y, (low.z + high.z) / 2))
        other = find_spot(state, item, receptacle, Search(order, only=partial(_apart, tried)))
        if other is None:
            break
        pose = other
    return first


def _apart(tried: Sequence[Vec3], spot: Vec3) -> bool:
    return all((spot - each).length() >= ELSEWHERE for each in tried)


def _in_sight(
    context: ActionContext, receptacle: ObjectState, search: Search, first: Transform
) -> Transform:
    """The first pose, or, if the agent does not see what it puts down there, one further behind
    the near wall from which it does; AI2-THOR takes only spots that the agent sees."""
    state = context.state
    item = state.objects[state.held or ""]
    pose = first
    near = _away(state.agent.position, first.position)
    for step in range(1, FURTHER_TRIES + 1):
        if context.visibility.after(placed(state, item.id, receptacle.id, pose)).visible(item.id):
            return pose
        least = near + step * FURTHER
        if least > context.settings.visibility_distance:
            break
        only = partial(_beyond, state.agent.position, least)
        other = find_spot(state, item, receptacle, replace(search, only=only))
        if other is None:
            break
        pose = other
    return first


def _beyond(agent: Vec3, least: float, spot: Vec3) -> bool:
    return _away(agent, spot) >= least


def _away(agent: Vec3, spot: Vec3) -> float:
    """Metres from the agent's axis."""
    return math.hypot(spot.x - agent.x, spot.z - agent.z)


def _in_view(state: HouseholdState, item: ObjectState, receptacle: ObjectState) -> Order:
    """Prefers spots near the agent; in a basin or bin, those over whose near wall it sees the
    item, as AI2-THOR takes no others."""
    near, height = nearest_to(state.agent.position), item.spec.body.size.y / 2
    if receptacle.spec.type not in HOLLOW - VESSELS:
        return near
    above = eye(state.agent)
    low, high = receptacle.extent

    def order(spot: Vec3) -> float:
        middle = spot + Vec3(0.0, height, 0.0)
        way = above - middle
        shares = [
            (edge - start) / length
            for start, length, first, last in (
                (middle.x, way.x, low.x, high.x),
                (middle.z, way.z, low.z, high.z),
            )
            if abs(length) > 1e-6
            for edge in (first, last)
            if (edge - start) / length > 0
        ]
        over = middle.y + way.y * min(shares, default=1.0)
        return near(spot) + (BEHIND_WALL if over < high.y else 0.0)

    return order


def receiving(state: HouseholdState, receptacle: ObjectState) -> ObjectState:
    """The receptacle that holds what is put into this one: for a sink without a surface, its
    basin."""
    if supports(state.scene, receptacle):
        return receptacle
    return state.objects.get(basin_id(state.scene, receptacle) or "", receptacle)


def check_placeable(item: ObjectState, receptacle: ObjectState, *, forced: bool) -> None:
    """Whether a thing may be put on or in a receptacle, apart from the question of room.

    Raises:
        RefusedError: it may not.
    """
    if receptacle.held or receptacle.in_hand_of == item.id:
        raise RefusedError(refusals.INTO_ITSELF)
    kind = receptacle.spec.type
    if not receptacle.spec.can(Trait.RECEPTACLE) or receptacle.broken:
        raise RefusedError(refusals.NOT_RECEPTACLE)
    if kind in MUST_BE_OPEN_TO_PLACE and not receptacle.is_open:
        raise RefusedError(refusals.CLOSED)
    names = item.spec.name, receptacle.spec.name
    if kind in SPECIAL:
        if not accepts(receptacle, item):
            raise RefusedError(refusals.wrong_type(*names))
    elif not forced and kind not in object_types()[item.spec.type].receptacles:
        raise RefusedError(refusals.incompatible(*names))


def resting_place(
    state: HouseholdState, item: ObjectState, receptacle: ObjectState, search: Search
) -> Transform:
    """A pose for the item's local frame on or in a receptacle.

    Raises:
        RefusedError: the receptacle is full.
    """
    if receptacle.spec.type in SPECIAL:
        if is_full(state, receptacle):
            raise RefusedError(refusals.full(receptacle.spec.name))
        pose = attached(state, item, receptacle, search.order)
    else:
        pose = find_spot(state, item, receptacle, search)
    if pose is None:
        raise RefusedError(refusals.NO_ROOM)
    return pose


def placed(
    state: HouseholdState, object_id: str, receptacle_id: str, pose: Transform
) -> HouseholdState:
    """The held object, with its contents, at a pose in a receptacle."""
    return put_in(moved(release(state), object_id, pose), object_id, receptacle_id)
