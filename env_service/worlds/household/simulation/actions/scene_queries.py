"""Questions about the scene, and which objects answers show and list."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.ai2thor_api.object_types import object_types
from env_service.worlds.household.simulation.action import (
    ActionContext,
    Parameter,
    ParameterType,
    Register,
    Result,
    refuse,
)
from env_service.worlds.household.simulation.actions.targeting import find, known_ids
from env_service.worlds.household.simulation.refusals import RefusedError, answering
from env_service.worlds.household.simulation.space.containment import carried_with
from env_service.worlds.household.simulation.space.occupancy import object_shape, placed_points
from env_service.worlds.household.state import HouseholdState, ObjectState

ACTIONS = Register()

PLACES = 4
"""Decimal places of a hull's metres; points that are closer together count once."""

Points = NDArray[np.float64]

ID = Parameter("objectId", ParameterType.TEXT)


# --- Which objects metadata list, and which pictures show


@ACTIONS.action("SetObjectFilter", Parameter("objectIds", ParameterType.LIST))
@answering
def set_object_filter(context: ActionContext) -> Result:
    """Lets metadata list only these objects, until ResetObjectFilter or a reset. Actions work on
    all objects."""
    return _listing(context.state, frozenset(known_ids(context.state, context["objectIds"])))


@ACTIONS.action("ResetObjectFilter", lenient=True)
def reset_object_filter(context: ActionContext) -> Result:
    """Lets metadata list every object again."""
    return _listing(context.state, None)


def _listing(state: HouseholdState, listed: frozenset[str] | None) -> Result:
    shown = replace(state.presentation, listed=listed)
    return Result(replace(state, presentation=shown))


@ACTIONS.action("HideObject", ID, Parameter("hideContained", ParameterType.TRUTH, default=True))
@answering
def hide_object(context: ActionContext) -> Result:
    """Leaves an object, with its contents, out of every picture; it stays in its place."""
    item = find(context.state, context["objectId"])
    along = carried_with(context.state, item) if context["hideContained"] else ()
    return _hiding(
        context.state, context.state.presentation.hidden | {item.id, *(each.id for each in along)}
    )


@ACTIONS.action("UnhideObject", ID, Parameter("unhideContained", ParameterType.TRUTH, default=True))
@answering
def unhide_object(context: ActionContext) -> Result:
    """Shows a hidden object, with its contents, again."""
    item = find(context.state, context["objectId"])
    along = carried_with(context.state, item) if context["unhideContained"] else ()
    return _hiding(
        context.state, context.state.presentation.hidden - {item.id, *(each.id for each in along)}
    )


@ACTIONS.action("HideAllObjects")
def hide_all_objects(context: ActionContext) -> Result:
    """Leaves every object out of the pictures; walls, floor and ceiling stay."""
    items = context.state.objects.values()
    return _hiding(context.state, frozenset(i.id for i in items if i.spec.type != "Floor"))


@ACTIONS.action("UnhideAllObjects")
def unhide_all_objects(context: ActionContext) -> Result:
    """Shows every object again."""
    return _hiding(context.state, frozenset())


def _hiding(state: HouseholdState, hidden: frozenset[str]) -> Result:
    return Result(replace(state, presentation=replace(state.presentation, hidden=hidden)))


# --- Questions


@ACTIONS.action("ObjectTypeToObjectIds", Parameter("objectType", ParameterType.TEXT))
@answering
def object_type_to_object_ids(context: ActionContext) -> Result:
    """The ids of every object of a type."""
    kind = context["objectType"]
    if kind not in object_types():
        raise RefusedError(f"{kind} is not a valid SimObjType")
    found = [item.id for item in context.state.objects.values() if item.spec.type == kind]
    return Result(context.state, value=found, quick=True)


@ACTIONS.action(
    "GetCoordinateFromRaycast",
    Parameter("x", ParameterType.NUMBER),
    Parameter("y", ParameterType.NUMBER),
)
def get_coordinate_from_raycast(context: ActionContext) -> Result:
    """Where the line of sight through a point of the picture meets a solid surface, as {x, y, z};
    x and y in [0, 1] from the top left."""
    x, y = context["x"], context["y"]
    if not (0 <= x <= 1 and 0 <= y <= 1):
        return refuse(context, f"x and y must be in [0:1] not (x={x}, y={y}).")
    point = context.visibility.point_at(x, y)
    if point is None:
        return refuse(context, f"no surface found at (x: {x}, y: {y})")
    return Result(context.state, value=point.to_json(), quick=True)


@ACTIONS.action(
    "Get2DSemanticHulls",
    Parameter("objectIds", ParameterType.LIST, None),
    Parameter("objectTypes", ParameterType.LIST, None),
)
@answering
def get_semantic_hulls(context: ActionContext) -> Result:
    """Outlines from above: object id -> corners [x, z] of the convex hull of the object's shape,
    counterclockwise. Of all objects, of some, or of some types."""
    ids, kinds = context["objectIds"], context["objectTypes"]
    if ids is not None and kinds is not None:
        raise RefusedError("Only one of objectIds and objectTypes can have a non-null value.")
    state = context.state
    chosen = state.objects if ids is None else known_ids(state, ids)
    items = (state.objects[key] for key in chosen)
    hulls = {
        item.id: hull(state, item)
        for item in items
        if not item.replaced and (kinds is None or item.spec.type in kinds)
    }
    return Result(state, value=hulls, quick=True)


@ACTIONS.action("Get2DSemanticHull", ID)
@answering
def get_semantic_hull(context: ActionContext) -> Result:
    """The outline of one object from above; see Get2DSemanticHulls."""
    item = find(context.state, context["objectId"])
    return Result(context.state, value=hull(context.state, item), quick=True)


def hull(state: HouseholdState, item: ObjectState) -> list[list[float]]:
    """The corners [x, z] of the convex hull of an object's shape from above, counterclockwise with
    x to the right and z up."""
    across = []
    for mesh, place in object_shape(item, state.scene.palette):
        frame = np.frombuffer(place, np.float64).reshape(3, 4)
        x, _, z = placed_points(mesh.points.astype(np.float64), frame)
        across.append(np.stack([x, z], 1))
    if not across:
        return []
    points: Points = np.unique(np.round(np.concatenate(across), PLACES), axis=0)
    return _half_hull(points)[:-1] + _half_hull(points[::-1])[:-1]


def _half_hull(points: Points) -> list[list[float]]:
    """One side of the convex hull of points in the order of x (Andrew's monotone chain)."""
    chain: list[list[float]] = []
    for x, z in points.tolist():
        while len(chain) > 1 and _turn(chain[-2], chain[-1], x, z) <= 0:
            chain.pop()
        chain.append([x, z])
    return chain


def _turn(first: list[float], second: list[float], x: float, z: float) -> float:
    return (second[0] - first[0]) * (z - first[1]) - (second[1] - first[1]) * (x - first[0])
