"""Removing objects from the scene, bringing them back, and copying an object."""

from dataclasses import replace

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.geometry import Transform, Vec3
from env_service.worlds.household.simulation import refusals
from env_service.worlds.household.simulation.action import (
    ActionContext,
    Parameter,
    ParameterType,
    Register,
    Result,
)
from env_service.worlds.household.simulation.actions.hand import release
from env_service.worlds.household.simulation.actions.targeting import find
from env_service.worlds.household.simulation.refusals import RefusedError, answering
from env_service.worlds.household.simulation.space.containment import innermost, posed, removed
from env_service.worlds.household.simulation.space.rest_position import let_fall
from env_service.worlds.household.state import HouseholdState, ObjectState

ACTIONS = Register()

ID = Parameter("objectId", ParameterType.TEXT)


@ACTIONS.action("DisableObject", ID)
@answering
def disable_object(context: ActionContext) -> Result:
    """Takes an object out of the scene until EnableObject; what it held falls."""
    item = find(context.state, context["objectId"])
    state = gone(context.state, item.id)
    kept = replace(item, held=False, in_hand_of=None)
    return Result(replace(state, disabled={**state.disabled, item.id: kept}))


@ACTIONS.action("EnableObject", ID)
@answering
def enable_object(context: ActionContext) -> Result:
    """Brings a disabled object back to its place; an enabled one does not change."""
    object_id = context["objectId"]
    if object_id in context.state.objects:
        return Result(context.state)
    if object_id not in context.state.disabled:
        raise RefusedError(refusals.unknown_id(object_id))
    return Result(_back(context.state, object_id))


@ACTIONS.action("RemoveFromScene", ID)
@answering
def remove_from_scene(context: ActionContext) -> Result:
    """Takes an object out of the scene for good; what it held falls."""
    return Result(gone(context.state, find(context.state, context["objectId"]).id))


def gone(state: HouseholdState, *object_ids: str) -> HouseholdState:
    """The state without some objects. Their contents fall to the surface below."""
    leaving = frozenset(object_ids)
    if state.held in leaving:
        state = release(state)
    falling = [
        item.id
        for item in state.objects.values()
        if item.id not in leaving and _falls(item) and _lies_in(state, item, leaving)
    ]
    state = removed(state, *object_ids)
    for key in falling:
        state = let_fall(state, key)
    return state


def _lies_in(state: HouseholdState, item: ObjectState, leaving: frozenset[str]) -> bool:
    holder = innermost(state, item)
    return holder is not None and holder.id in leaving


def _falls(item: ObjectState) -> bool:
    return item.spec.can(Trait.PICKUPABLE) and not item.held and not item.replaced


def _back(state: HouseholdState, object_id: str) -> HouseholdState:
    item = state.disabled[object_id]
    parents = tuple(key for key in item.parents or () if key in state.objects) or None
    contents = None if item.contents is None else ()
    item = replace(item, parents=parents, contents=contents)
    holders = [
        replace(holder, contents=(*(holder.contents or ()), object_id))
        for holder in (state.objects[key] for key in parents or ())
    ]
    state = state.having(*holders, item)
    disabled = {key: each for key, each in state.disabled.items() if key != object_id}
    return replace(state, objects=_in_order(state), disabled=disabled)


def _in_order(state: HouseholdState) -> dict[str, ObjectState]:
    """The objects in the scene's order; those made later follow, in the order of making."""
    known = {key: state.objects[key] for key in state.scene.by_id if key in state.objects}
    return {**known, **{key: each for key, each in state.objects.items() if key not in known}}


# --- Copies of an object


def copied(state: HouseholdState, object_id: str, pose: Transform) -> tuple[HouseholdState, str]:
    """The state with a copy of an object, in the same condition, at a pose; and the copy's id,
    which names its place. No receptacle lists the copy, and it holds nothing."""
    item = state.objects[object_id]
    number = state.spawned + 1
    new_id = _fresh_id(state, item.spec.type, pose.position)
    spec = replace(item.spec, object_id=new_id, name=f"{item.spec.name}_copy_{number}")
    copy = replace(
        item,
        spec=spec,
        parents=None,
        contents=None if item.contents is None else (),
        held=False,
        in_hand_of=None,
    )
    state = replace(state.having(posed(copy, pose)), spawned=number)
    return state, new_id


def object_id_at(kind: str, position: Vec3) -> str:
    """AI2-THOR's id of an object that starts at a place: `Mug|+01.46|+00.93|-01.09`."""
    return "|".join((kind, *(_signed(value) for value in position.tuple())))


def _signed(value: float) -> str:
    text = f"{abs(value):05.2f}"
    return f"{'-' if value < 0 and float(text) else '+'}{text}"


def _fresh_id(state: HouseholdState, kind: str, position: Vec3) -> str:
    wanted = fresh = object_id_at(kind, position)
    number = 1
    while fresh in state.objects or fresh in state.disabled:
        number += 1
        fresh = f"{wanted}_{number}"
    return fresh
