"""Opening and closing, turning on and off. What follows from a switch is in `contextual_rules`."""

from dataclasses import replace

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.simulation import refusals
from env_service.worlds.household.simulation.action import (
    SECONDS,
    ActionContext,
    Parameter,
    ParameterType,
    Register,
    Result,
)
from env_service.worlds.household.simulation.actions.targeting import TARGET, target
from env_service.worlds.household.simulation.refusals import RefusedError, answering
from env_service.worlds.household.simulation.space.containment import carried_with, moved
from env_service.worlds.household.simulation.space.support_surfaces import (
    built_model,
    carrying_part,
    part_motion,
)
from env_service.worlds.household.state import HouseholdState, ObjectState

ACTIONS = Register()

MUST_BE_OFF_TO_OPEN = frozenset({"Microwave"})
MUST_BE_CLOSED_TO_TURN_ON = frozenset({"Microwave"})
"""The type's contextual interactions, as AI2-THOR documents them."""


SIMPLIFIED = Parameter("simplifyPhysics", ParameterType.TRUTH, default=False)
"""No effect: contents always move with their drawer or door."""


@ACTIONS.action(
    "OpenObject",
    *TARGET,
    Parameter("openness", ParameterType.NUMBER, 1.0),
    Parameter("moveMagnitude", ParameterType.NUMBER, None),
    SIMPLIFIED,
)
@answering
def open_object(context: ActionContext) -> Result:
    """Opens an object to a share of its way, 0 to 1; it may be open already, if not as far. An
    openness of 0 closes it. `moveMagnitude` is an old name of `openness`, by which 0 opens the
    object wholly."""
    openness = context["openness"]
    if context["moveMagnitude"] is not None:
        openness = context["moveMagnitude"] or 1.0
    if not 0.0 <= openness <= 1.0:
        raise RefusedError(refusals.OPENNESS)
    item = target(context)
    if not item.spec.can(Trait.OPENABLE):
        raise RefusedError(refusals.not_openable(item.id))
    if item.spec.type in MUST_BE_OFF_TO_OPEN and item.toggled:
        raise RefusedError(refusals.IN_USE)
    if item.openness == openness:
        text = refusals.already_open if item.is_open else refusals.already_closed
        raise RefusedError(text(item.id))
    return Result(opened(context.state, item, openness), seconds=SECONDS)


@ACTIONS.action("CloseObject", *TARGET, SIMPLIFIED)
@answering
def close_object(context: ActionContext) -> Result:
    """Closes an object."""
    item = target(context)
    if not item.spec.can(Trait.OPENABLE):
        raise RefusedError(refusals.not_openable(item.id))
    if not item.is_open:
        raise RefusedError(refusals.already_closed(item.id))
    return Result(opened(context.state, item, 0.0), seconds=SECONDS)


def opened(state: HouseholdState, item: ObjectState, openness: float) -> HouseholdState:
    """The state with an object open to a share of its way, its contents moved with their parts."""
    built = built_model(item, state.scene.palette)
    frame = item.pose @ item.spec.asset_frame
    after = state.having(replace(item, openness=openness))
    for content in _direct_contents(state, item):
        part = carrying_part(state.scene, item, content)
        before = part_motion(built, part, item.openness)
        now = part_motion(built, part, openness)
        if before is None or now is None or before == now:
            continue
        motion = frame @ now @ before.inverse() @ frame.inverse()
        after = moved(after, content.id, motion @ content.pose)
    return after


def _direct_contents(state: HouseholdState, item: ObjectState) -> list[ObjectState]:
    """The objects directly in an object, not those in its contents."""
    inside = [
        state.objects[key]
        for key in item.contents or ()
        if key in state.objects and state.objects[key].spec.can(Trait.PICKUPABLE)
    ]
    nested = {each.id for content in inside for each in carried_with(state, content)}
    return [content for content in inside if content.id not in nested]


# --- Turning things on and off. What follows from it is in `contextual_rules`


@ACTIONS.action("ToggleObjectOn", *TARGET)
@answering
def toggle_object_on(context: ActionContext) -> Result:
    """Turns an object on."""
    item = _switchable(context)
    if item.toggled:
        raise RefusedError(refusals.ALREADY_ON)
    if item.broken:
        raise RefusedError(refusals.BROKEN)
    if item.spec.type in MUST_BE_CLOSED_TO_TURN_ON and item.is_open:
        raise RefusedError(refusals.OPEN_WHILE_ON)
    return Result(context.state.having(replace(item, toggled=True)), seconds=SECONDS)


@ACTIONS.action("ToggleObjectOff", *TARGET)
@answering
def toggle_object_off(context: ActionContext) -> Result:
    """Turns an object off."""
    item = _switchable(context)
    if not item.toggled:
        raise RefusedError(refusals.ALREADY_OFF)
    return Result(context.state.having(replace(item, toggled=False)), seconds=SECONDS)


def _switchable(context: ActionContext) -> ObjectState:
    """The target, if it has a switch; a burner is switched by its knob."""
    item = target(context)
    if item.spec.type == "StoveBurner":
        raise RefusedError(refusals.CONTROLLED)
    if not item.spec.can(Trait.TOGGLEABLE):
        raise RefusedError(refusals.NOT_TOGGLEABLE)
    return item
