"""States of many objects at once, and properties of single ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from env_service.worlds.ai2thor_api.object_types import Trait, object_types
from env_service.worlds.household.assets.model import Liquid
from env_service.worlds.household.simulation import refusals
from env_service.worlds.household.simulation.action import (
    SECONDS,
    ActionContext,
    Parameter,
    ParameterType,
    Register,
    Result,
)
from env_service.worlds.household.simulation.actions.breakage import broken
from env_service.worlds.household.simulation.actions.cooking_and_cleaning import filled
from env_service.worlds.household.simulation.actions.hand import release
from env_service.worlds.household.simulation.actions.openings_and_switches import opened
from env_service.worlds.household.simulation.actions.slicing import sliced
from env_service.worlds.household.simulation.actions.targeting import find
from env_service.worlds.household.simulation.refusals import RefusedError, answering
from env_service.worlds.household.state import HouseholdState, ObjectState

ACTIONS = Register()

HEAVIEST = 1e6
"""kg: SetMassProperties refuses more."""

Change = Callable[[HouseholdState, ObjectState, bool], HouseholdState]


@dataclass(frozen=True)
class _Property:
    """A property by its name in AI2-THOR.

    Attributes:
        trait: what has it.
        key: the argument that gives the wanted value.
        value: the value now.
        change: brings an object to a value that it does not have.
        one_way: whether no change leads back from true to false.
    """

    trait: Trait
    key: str
    value: Callable[[ObjectState], bool]
    change: Change
    one_way: bool = False


def _replacing(field: str) -> Change:
    def change(state: HouseholdState, item: ObjectState, wanted: bool) -> HouseholdState:  # noqa: FBT001 - a Change
        value: dict[str, Any] = {field: wanted}
        return state.having(replace(item, **value))

    return change


def _filled_or_empty(state: HouseholdState, item: ObjectState, wanted: bool) -> HouseholdState:  # noqa: FBT001 - a Change
    with_it = filled(state, item, Liquid.WATER.value) if wanted else replace(item, liquid=None)
    return state.having(with_it)


PROPERTIES: Mapping[str, _Property] = {
    "toggleable": _Property(
        Trait.TOGGLEABLE, "isToggled", lambda item: item.toggled, _replacing("toggled")
    ),
    "openable": _Property(
        Trait.OPENABLE,
        "isOpen",
        lambda item: item.is_open,
        lambda state, item, wanted: opened(state, item, float(wanted)),
    ),
    "breakable": _Property(
        Trait.BREAKABLE,
        "isBroken",
        lambda item: item.broken,
        lambda state, item, _: broken(state, item.id),
        one_way=True,
    ),
    "canFillWithLiquid": _Property(
        Trait.FILLABLE,
        "isFilledWithLiquid",
        lambda item: item.liquid is not None,
        _filled_or_empty,
    ),
    "dirtyable": _Property(
        Trait.DIRTYABLE, "isDirty", lambda item: item.dirty, _replacing("dirty")
    ),
    "cookable": _Property(
        Trait.COOKABLE,
        "isCooked",
        lambda item: item.cooked,
        _replacing("cooked"),
        one_way=True,
    ),
    "canBeUsedUp": _Property(
        Trait.USABLE, "isUsedUp", lambda item: item.used_up, _replacing("used_up"), one_way=True
    ),
    "sliceable": _Property(
        Trait.SLICEABLE,
        "isSliced",
        lambda item: item.sliced,
        lambda state, item, _: sliced(release(state) if item.held else state, item.id),
        one_way=True,
    ),
}
"""The values of `stateChange`."""

OLD_NAMES: Mapping[str, str] = {
    "CanOpen": "openable",
    "CanToggleOnOff": "toggleable",
    "CanBeBroken": "breakable",
    "CanBreak": "breakable",
    "CanBeFilled": "canFillWithLiquid",
    "CanBeDirty": "dirtyable",
    "CanBeCooked": "cookable",
    "CanBeUsedUp": "canBeUsedUp",
    "CanBeSliced": "sliceable",
}
"""The values of `StateChange` in SetStateOfAllObjects."""


@ACTIONS.action("SetObjectToggles", Parameter("objectToggles", ParameterType.LIST))
@answering
def set_object_toggles(context: ActionContext) -> Result:
    """Switches every object of some types: a list of {objectType, isOn}. Types without a switch
    are ignored, and burners, which their knobs switch."""
    state = context.state
    for entry in context["objectToggles"]:
        if not isinstance(entry, Mapping) or not isinstance(entry.get("isOn"), bool):
            raise RefusedError("objectToggles must be a list of {objectType, isOn}")
        for item in _of_type(state, Trait.TOGGLEABLE, entry.get("objectType")):
            state = _brought(state, item, PROPERTIES["toggleable"], wanted=entry["isOn"])
    return Result(state, seconds=SECONDS)


@ACTIONS.action("SetObjectStates", Parameter("SetObjectStates", ParameterType.MAPPING))
@answering
def set_object_states(context: ActionContext) -> Result:
    """Brings every object of a type, or with a property, into a state: {objectType, stateChange,
    isToggled or isOpen or ...}.

    `stateChange` is one of PROPERTIES, whose argument has to be given. Without `objectType`, all
    objects with the property change. What is broken, cooked, used up or sliced stays so.
    """
    given = context["SetObjectStates"]
    name, kind = given.get("stateChange"), given.get("objectType")
    found = PROPERTIES.get(name) if isinstance(name, str) else None
    if found is None:
        raise RefusedError(
            f"SetObjectStates.stateChange must be one of {', '.join(PROPERTIES)}. You gave {name}."
        )
    if kind is not None and kind not in object_types():
        raise RefusedError(f"{kind} is not a valid SimObjType")
    wanted = given.get(found.key)
    if not isinstance(wanted, bool):
        raise RefusedError(f"SetObjectStates.{found.key} must be true or false. You gave {wanted}.")
    return Result(_all_brought(context.state, found, kind, wanted=wanted), seconds=SECONDS)


@ACTIONS.action(
    "SetStateOfAllObjects",
    Parameter("StateChange", ParameterType.TEXT),
    Parameter("forceAction", ParameterType.TRUTH, default=False),
)
@answering
def set_state_of_all_objects(context: ActionContext) -> Result:
    """Brings every object with a property, one of OLD_NAMES, into its state; `forceAction` says
    into which."""
    name = context["StateChange"]
    if name not in OLD_NAMES:
        raise RefusedError(f"StateChange must be one of {', '.join(OLD_NAMES)}. You gave {name}.")
    found = PROPERTIES[OLD_NAMES[name]]
    state = _all_brought(context.state, found, None, wanted=context["forceAction"])
    return Result(state, seconds=SECONDS)


def _all_brought(
    state: HouseholdState, found: _Property, kind: object, *, wanted: bool
) -> HouseholdState:
    for item in _of_type(state, found.trait, kind):
        state = _brought(state, item, found, wanted=wanted)
    return state


def _of_type(state: HouseholdState, trait: Trait, kind: object) -> Iterator[ObjectState]:
    for item in tuple(state.objects.values()):
        right = kind is None or item.spec.type == kind
        if right and item.spec.can(trait) and not item.replaced and item.spec.type != "StoveBurner":
            yield item


def _brought(
    state: HouseholdState, item: ObjectState, found: _Property, *, wanted: bool
) -> HouseholdState:
    """The state with an object's property at a value, as far as it can change; an earlier change
    may have altered the object or taken it away."""
    now = state.objects.get(item.id)
    if now is None or now.replaced or found.value(now) == wanted or (found.one_way and not wanted):
        return state
    return found.change(state, now, wanted)


# --- Properties of bodies


@ACTIONS.action(
    "SetMassProperties",
    Parameter("objectId", ParameterType.TEXT),
    Parameter("mass", ParameterType.NUMBER),
    Parameter("drag", ParameterType.NUMBER),
    Parameter("angularDrag", ParameterType.NUMBER),
)
@answering
def set_mass_properties(context: ActionContext) -> Result:
    """Sets the mass of an object that can be moved, kg. Drag has no effect without physics."""
    item = find(context.state, context["objectId"])
    if not (item.spec.can(Trait.PICKUPABLE) or item.spec.can(Trait.MOVEABLE)):
        raise RefusedError(refusals.NOT_MOVEABLE)
    for name in ("mass", "drag", "angularDrag"):
        if not 0.0 <= context[name] <= HEAVIEST or (name == "mass" and context[name] == 0.0):
            raise RefusedError(f"{name} must be positive, at most {HEAVIEST:g}.")
    changed = replace(item, spec=replace(item.spec, mass=context["mass"]))
    return Result(context.state.having(changed))


@ACTIONS.action("MakeAllObjectsMoveable")
def make_all_objects_moveable(context: ActionContext) -> Result:
    """Lets go of everything that lies still: it rests already, so nothing changes."""
    return Result(context.state, seconds=SECONDS)
