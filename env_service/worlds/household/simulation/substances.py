"""Dirt, liquids, cooking, using up: actions that change what an object is like.

AI2-THOR's texts for refusing them are not known for this version; the cases are: the object has
not the property, or is already as the action would make it.
"""

from __future__ import annotations

from dataclasses import replace

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.assets.model import Liquid
from env_service.worlds.household.scene.spec import Temperature
from env_service.worlds.household.simulation import refusals
from env_service.worlds.household.simulation.action import Kind, Parameter, Register, Result, Turn
from env_service.worlds.household.simulation.refusals import RefusedError, answering
from env_service.worlds.household.simulation.targeting import TARGET, target
from env_service.worlds.household.simulation.temperature import with_temperature
from env_service.worlds.household.simulation.timing import SECONDS
from env_service.worlds.household.state import HouseState, ObjectState

ACTIONS = Register()

LIQUIDS = frozenset(liquid.value for liquid in Liquid)


@ACTIONS.action("DirtyObject", *TARGET)
@answering
def dirty_object(turn: Turn) -> Result:
    """Makes an object dirty."""
    item = _with(turn, Trait.DIRTYABLE)
    if item.dirty:
        raise RefusedError(refusals.already(item.id, "dirty"))
    return _changed(turn, replace(item, dirty=True))


@ACTIONS.action("CleanObject", *TARGET)
@answering
def clean_object(turn: Turn) -> Result:
    """Makes an object clean."""
    item = _with(turn, Trait.DIRTYABLE)
    if not item.dirty:
        raise RefusedError(refusals.already(item.id, "clean"))
    return _changed(turn, replace(item, dirty=False))


@ACTIONS.action("FillObjectWithLiquid", *TARGET, Parameter("fillLiquid", Kind.TEXT))
@answering
def fill_object_with_liquid(turn: Turn) -> Result:
    """Fills an empty vessel with "water", "coffee" or "wine". Coffee makes it hot."""
    item = _with(turn, Trait.FILLABLE)
    liquid = turn["fillLiquid"]
    if liquid not in LIQUIDS:
        raise RefusedError(f"{liquid} is not a valid Liquid Type")
    if item.liquid is not None:
        raise RefusedError(refusals.already(item.id, "filled"))
    if item.broken:
        raise RefusedError(refusals.already(item.id, "broken"))
    return _changed(turn, filled(turn.state, item, liquid))


@ACTIONS.action("EmptyLiquidFromObject", *TARGET)
@answering
def empty_liquid_from_object(turn: Turn) -> Result:
    """Empties a vessel."""
    item = _with(turn, Trait.FILLABLE)
    if item.liquid is None:
        raise RefusedError(refusals.already(item.id, "empty"))
    return _changed(turn, replace(item, liquid=None))


@ACTIONS.action("CookObject", *TARGET)
@answering
def cook_object(turn: Turn) -> Result:
    """Cooks an object where it is."""
    item = _with(turn, Trait.COOKABLE)
    if item.cooked:
        raise RefusedError(refusals.already(item.id, "cooked"))
    return _changed(turn, replace(item, cooked=True))


@ACTIONS.action("UseUpObject", *TARGET)
@answering
def use_up_object(turn: Turn) -> Result:
    """Uses an object up: an empty roll of paper, an empty bottle of soap."""
    item = _with(turn, Trait.USABLE)
    if item.used_up:
        raise RefusedError(refusals.already(item.id, "used up"))
    return _changed(turn, replace(item, used_up=True))


def filled(state: HouseState, item: ObjectState, liquid: str) -> ObjectState:
    """A vessel with a liquid in it."""
    full = replace(item, liquid=liquid)
    if liquid == Liquid.COFFEE.value:
        return with_temperature(state, full, Temperature.HOT)
    return full


def _with(turn: Turn, trait: Trait) -> ObjectState:
    item = target(turn)
    if not item.spec.can(trait):
        raise RefusedError(refusals.lacks(item.id, trait.value))
    return item


def _changed(turn: Turn, item: ObjectState) -> Result:
    return Result(turn.state.having(item), seconds=SECONDS)
