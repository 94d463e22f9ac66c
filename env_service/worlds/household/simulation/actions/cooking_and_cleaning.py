"""Dirt, liquids, cooking, heat, using up: actions that change what an object is like, and how
long heat lasts.
"""

from dataclasses import replace

from env_service.worlds.ai2thor_api.object_types import Trait, object_types
from env_service.worlds.household.assets.model import Liquid
from env_service.worlds.household.scene.spec import Temperature
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
from env_service.worlds.household.state import HouseholdState, ObjectState

ACTIONS = Register()

LIQUIDS = frozenset(liquid.value for liquid in Liquid)


@ACTIONS.action("DirtyObject", *TARGET)
@answering
def dirty_object(context: ActionContext) -> Result:
    """Makes an object dirty."""
    item = _with(context, Trait.DIRTYABLE)
    if item.dirty:
        raise RefusedError(refusals.already(item.id, "dirty"))
    return _changed(context, replace(item, dirty=True))


@ACTIONS.action("CleanObject", *TARGET)
@answering
def clean_object(context: ActionContext) -> Result:
    """Makes an object clean."""
    item = _with(context, Trait.DIRTYABLE)
    if not item.dirty:
        raise RefusedError(refusals.already(item.id, "clean"))
    return _changed(context, replace(item, dirty=False))


@ACTIONS.action("FillObjectWithLiquid", *TARGET, Parameter("fillLiquid", ParameterType.TEXT))
@answering
def fill_object_with_liquid(context: ActionContext) -> Result:
    """Fills an empty vessel with "water", "coffee" or "wine". Coffee makes it hot."""
    item = _with(context, Trait.FILLABLE)
    liquid = context["fillLiquid"]
    if liquid not in LIQUIDS:
        raise RefusedError(f"{liquid} is not a valid Liquid Type")
    if item.liquid is not None:
        raise RefusedError(refusals.already(item.id, "filled"))
    if item.broken:
        raise RefusedError(refusals.already(item.id, "broken"))
    return _changed(context, filled(context.state, item, liquid))


@ACTIONS.action("EmptyLiquidFromObject", *TARGET)
@answering
def empty_liquid_from_object(context: ActionContext) -> Result:
    """Empties a vessel."""
    item = _with(context, Trait.FILLABLE)
    if item.liquid is None:
        raise RefusedError(refusals.already(item.id, "empty"))
    return _changed(context, replace(item, liquid=None))


@ACTIONS.action("CookObject", *TARGET)
@answering
def cook_object(context: ActionContext) -> Result:
    """Cooks an object where it is."""
    item = _with(context, Trait.COOKABLE)
    if item.cooked:
        raise RefusedError(refusals.already(item.id, "cooked"))
    return _changed(context, replace(item, cooked=True))


@ACTIONS.action("UseUpObject", *TARGET)
@answering
def use_up_object(context: ActionContext) -> Result:
    """Uses an object up: an empty roll of paper, an empty bottle of soap."""
    item = _with(context, Trait.USABLE)
    if item.used_up:
        raise RefusedError(refusals.already(item.id, "used up"))
    return _changed(context, replace(item, used_up=True))


def filled(state: HouseholdState, item: ObjectState, liquid: str) -> ObjectState:
    """A vessel with a liquid in it."""
    full = replace(item, liquid=liquid)
    if liquid == Liquid.COFFEE.value:
        return with_temperature(state, full, Temperature.HOT)
    return full


def _with(context: ActionContext, trait: Trait) -> ObjectState:
    item = target(context)
    if not item.spec.can(trait):
        raise RefusedError(refusals.lacks(item.id, trait.value))
    return item


def _changed(context: ActionContext, item: ObjectState) -> Result:
    return Result(context.state.having(item), seconds=SECONDS)


# --- Hot, cold, room temperature: how long heat and cold last, and the actions that change this

NEGATIVE = "TimeUntilRoomTemp must not be negative"


@ACTIONS.action(
    "SetRoomTempDecayTimeForType",
    Parameter("objectType", ParameterType.TEXT),
    Parameter("TimeUntilRoomTemp", ParameterType.NUMBER, 0.0),
)
@answering
def set_decay_time_for_type(context: ActionContext) -> Result:
    """Sets for one type how many simulated seconds it keeps its temperature."""
    kind, seconds = context["objectType"], context["TimeUntilRoomTemp"]
    if kind not in object_types():
        raise RefusedError(f"{kind} is not a valid SimObjType")
    if seconds < 0:
        raise RefusedError(NEGATIVE)
    cooling = context.state.cooling
    others = tuple(pair for pair in cooling.by_type if pair[0] != kind)
    cooling = replace(cooling, by_type=(*others, (kind, seconds)))
    return Result(replace(context.state, cooling=cooling))


@ACTIONS.action(
    "SetGlobalRoomTempDecayTime", Parameter("TimeUntilRoomTemp", ParameterType.NUMBER, 0.0)
)
@answering
def set_decay_time(context: ActionContext) -> Result:
    """Sets for all types how many simulated seconds they keep their temperature."""
    if context["TimeUntilRoomTemp"] < 0:
        raise RefusedError(NEGATIVE)
    cooling = replace(context.state.cooling, seconds=context["TimeUntilRoomTemp"], by_type=())
    return Result(replace(context.state, cooling=cooling))


@ACTIONS.action(
    "SetDecayTemperatureBool", Parameter("allowDecayTemperature", ParameterType.TRUTH, default=True)
)
def set_decay(context: ActionContext) -> Result:
    """Starts or stops the decay of temperatures."""
    cooling = replace(context.state.cooling, stopped=not context["allowDecayTemperature"])
    return Result(replace(context.state, cooling=cooling))


def with_temperature(
    state: HouseholdState, item: ObjectState, temperature: Temperature
) -> ObjectState:
    """An object heated or cooled at this moment."""
    lasts = dict(state.cooling.by_type).get(item.spec.type, state.cooling.seconds)
    return replace(item, temperature=temperature, warm_until=state.seconds + lasts)


def decayed(state: HouseholdState, item: ObjectState) -> ObjectState:
    """The object at room temperature, if its time has passed and nothing heats or cools it."""
    if item.temperature is Temperature.ROOM or state.cooling.stopped:
        return item
    if not item.spec.can(Trait.PICKUPABLE):  # a floor that is dumped as cold lies by a fridge
        return item
    if state.seconds < item.warm_until:
        return item
    return replace(item, temperature=Temperature.ROOM)
