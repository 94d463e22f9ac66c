"""What breaks, and when.

AI2-THOR breaks a breakable object on enough impulse, by the engine's physics. Here it breaks when
it falls further than BREAKING_FALL, or hits something faster than BREAKING_SPEED.
"""

from dataclasses import replace

from env_service.worlds.ai2thor_api.object_types import Trait, object_types
from env_service.worlds.household.simulation import refusals
from env_service.worlds.household.simulation.action import (
    SECONDS,
    ActionContext,
    Parameter,
    ParameterType,
    Register,
    Result,
)
from env_service.worlds.household.simulation.actions.hand import release
from env_service.worlds.household.simulation.actions.slicing import crack
from env_service.worlds.household.simulation.actions.targeting import TARGET, target
from env_service.worlds.household.simulation.refusals import RefusedError, answering
from env_service.worlds.household.simulation.space.rest_position import let_fall
from env_service.worlds.household.state import HouseholdState, ObjectState

ACTIONS = Register()

BREAKING_FALL = 0.6
"""Metres: from the hand to the floor breaks a mug, onto a counter does not. Ours."""

BREAKING_SPEED = 3.0
"""Metres a second; what a fall of 0.46 m gives. Ours."""

SCREENS = frozenset({"CellPhone", "Desktop", "Laptop", "Television"})
"""Types that only crack: they stay in one piece, and switch off for good."""


@ACTIONS.action("BreakObject", *TARGET)
@answering
def break_object(context: ActionContext) -> Result:
    """Breaks an object where it is."""
    item = target(context)
    if not item.spec.can(Trait.BREAKABLE):
        raise RefusedError(refusals.lacks(item.id, Trait.BREAKABLE.value))
    if item.broken:
        raise RefusedError(refusals.already(item.id, "broken"))
    if not can_break(context.state, item):
        raise RefusedError(f"{item.id} was made unbreakable")
    return Result(broken(context.state, item.id), seconds=SECONDS)


@ACTIONS.action("MakeAllObjectsUnbreakable")
def make_all_objects_unbreakable(context: ActionContext) -> Result:
    """Makes every object unbreakable from now on."""
    return Result(_unbreakable(context.state, *object_types()))


@ACTIONS.action("MakeObjectsOfTypeUnbreakable", Parameter("objectType", ParameterType.TEXT))
@answering
def make_objects_of_type_unbreakable(context: ActionContext) -> Result:
    """Makes every object of a type unbreakable from now on."""
    if context["objectType"] not in object_types():
        raise RefusedError(f"{context['objectType']} is not a valid SimObjType")
    return Result(_unbreakable(context.state, context["objectType"]))


def can_break(state: HouseholdState, item: ObjectState) -> bool:
    """Whether enough force would break an object."""
    whole = item.spec.can(Trait.BREAKABLE) and not item.broken
    return whole and state.unbreakable.isdisjoint((item.spec.type, item.id))


def hit(
    state: HouseholdState, object_id: str, *, fall: float, speed: float = 0.0
) -> HouseholdState:
    """The object after it fell `fall` metres or ran into something at `speed` metres a second."""
    hard = fall > BREAKING_FALL or speed > BREAKING_SPEED
    if hard and can_break(state, state.objects[object_id]):
        return broken(state, object_id)
    return state


def broken(state: HouseholdState, object_id: str) -> HouseholdState:
    """The object broken: an egg leaves its insides, a screen goes dark, a vessel spills and lets
    go what it held."""
    item = state.objects[object_id]
    if item.spec.type == "Egg":
        return crack(release(state) if item.held else state, object_id)
    state = state.having(replace(item, broken=True, toggled=False, liquid=None))
    if item.spec.type in SCREENS:
        return state
    for key in item.contents or ():
        content = state.objects.get(key)
        if content is not None and content.spec.can(Trait.PICKUPABLE) and not content.replaced:
            state = state.having(replace(content, in_hand_of=None))
            state = let_fall(state, key)
    return state


def _unbreakable(state: HouseholdState, *types: str) -> HouseholdState:
    return replace(state, unbreakable=state.unbreakable | frozenset(types))
