"""The contextual rules that AI2-THOR documents for its object types.

`settle` is applied after every action, once simulated time has passed. It is a pure function, and
applying it twice changes nothing more. Rules, in this order:

1. The held thing follows the hand.
2. A stove knob lights its burner; light switches rule the room's own lights.
3. A running tap fills its basin with water. Water fills what is empty, upright and unbroken and can
   be filled, washes what can be dirty, and puts candles out. A thing is under water if it is in the
   basin below a running tap, directly or in another object, or if the stream itself meets it.
   (AI2-THOR asks for the stream alone; its basins are so small that it makes little difference.)
4. A vessel that is tilted spills.
5. A coffee machine that is on fills the empty mug in it with hot coffee.
6. Objects on a lit burner or in a running microwave or toaster get hot, with their contents, and
   some of them are cooked. A fridge makes cold.
7. A candle that touches a flame is lit.
8. Hot and cold things come back to room temperature.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.assets.model import Liquid
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.spec import Temperature
from env_service.worlds.household.simulation.actions.cooking_and_cleaning import (
    decayed,
    filled,
    with_temperature,
)
from env_service.worlds.household.simulation.actions.hand import follow
from env_service.worlds.household.simulation.space.containment import carried_with
from env_service.worlds.household.simulation.water import Flow, flows
from env_service.worlds.household.state import HouseholdState, ObjectState

SPILLING = 0.02
"""Cosine of the tilt at which a vessel is empty: AI2-THOR spills beyond 90 degrees, this world
from 89, so that a quarter turn empties."""

FLAME_REACH = 0.06
"""Metres around a flame in which a wick catches fire."""


@dataclass(frozen=True)
class Stove:
    """An appliance that heats what is in or on it while it is on.

    Attributes:
        cooks: types that it cooks.
    """

    cooks: frozenset[str]


STOVES: Mapping[str, Stove] = {
    "StoveBurner": Stove(frozenset({"BreadSliced", "EggCracked", "Potato", "PotatoSliced"})),
    "Microwave": Stove(frozenset({"EggCracked", "Potato", "PotatoSliced"})),
    "Toaster": Stove(frozenset({"BreadSliced"})),
}
"""By type, as the types' contextual interactions have it."""


def settle(state: HouseholdState) -> HouseholdState:
    """The state after all contextual rules."""
    for rule in (follow, _switched, _watered, _spilled, _brewed, _heated, _lit, _cooled):
        state = rule(state)
    return state


def _switched(state: HouseholdState) -> HouseholdState:
    lit: dict[str, bool] = {}
    switches = []
    for item in state.objects.values():
        if item.spec.type == "StoveKnob":
            for key in item.spec.controls or ():
                lit[key] = lit.get(key, False) or item.toggled
        elif item.spec.type == "LightSwitch":
            switches.append(item.toggled)
    changed = [
        replace(state.objects[key], toggled=on)
        for key, on in lit.items()
        if key in state.objects and state.objects[key].toggled != on
    ]
    ceiling = any(switches) if switches else state.ceiling_on
    return replace(_having(state, changed), ceiling_on=ceiling)


def _watered(state: HouseholdState) -> HouseholdState:
    running: list[Flow] = []
    still: list[Flow] = []
    for flow in flows(state):
        (running if flow.running else still).append(flow)
    wet = {basin.id for flow in running for basin in flow.basins}
    dry = {basin.id for flow in still for basin in flow.basins} - wet
    water = Liquid.WATER.value
    basins = [
        replace(state.objects[key], liquid=water)
        for key in wet
        if state.objects[key].liquid is None
    ] + [
        replace(state.objects[key], liquid=None)
        for key in dry
        if state.objects[key].liquid is not None
    ]
    state = _having(state, basins)
    under: dict[str, None] = {}
    for flow in running:
        under.update(dict.fromkeys(_under(state, flow)))
    changed = []
    for key in under:
        item = state.objects[key]
        washed = _washed(state, item)
        if washed is not item:
            changed.append(washed)
    return _having(state, changed)


def _under(state: HouseholdState, flow: Flow) -> Iterator[str]:
    """Ids of the objects that a flow wets."""
    for basin in flow.basins:
        yield from (each.id for each in carried_with(state, state.objects[basin.id]))
        tub = state.objects.get(basin.id.rsplit("|", 1)[0])
        if tub is not None:  # a sink lists some of its basin's contents
            yield from (each.id for each in carried_with(state, tub) if flow.above(each))
    for item in state.objects.values():
        if item.spec.can(Trait.PICKUPABLE) and not item.replaced and flow.meets(item):
            yield item.id


def _washed(state: HouseholdState, item: ObjectState) -> ObjectState:
    if item.dirty and item.spec.can(Trait.DIRTYABLE):
        item = replace(item, dirty=False)
    if item.toggled and item.spec.type == "Candle":
        item = replace(item, toggled=False)
    fillable = item.spec.can(Trait.FILLABLE) and not item.broken and not _tilted(item)
    if fillable and item.liquid is None:
        item = filled(state, item, Liquid.WATER.value)
    return item


def _spilled(state: HouseholdState) -> HouseholdState:
    changed = [
        replace(item, liquid=None)
        for item in state.objects.values()
        if item.liquid is not None and item.spec.can(Trait.FILLABLE) and _tilted(item)
    ]
    return _having(state, changed)


def _tilted(item: ObjectState) -> bool:
    if not item.displaced:
        return False
    return (item.pose @ item.spec.asset_frame).rotation.rows[1][1] < SPILLING


def _brewed(state: HouseholdState) -> HouseholdState:
    changed = []
    for machine in state.objects.values():
        if machine.spec.type != "CoffeeMachine" or not machine.toggled:
            continue
        for item in carried_with(state, machine):
            empty = item.liquid is None and not item.broken
            if item.spec.type == "Mug" and empty and item.spec.can(Trait.FILLABLE):
                changed.append(filled(state, item, Liquid.COFFEE.value))
    return _having(state, changed)


def _heated(state: HouseholdState) -> HouseholdState:
    changed: dict[str, ObjectState] = {}
    for source in state.objects.values():
        stove = STOVES.get(source.spec.type)
        if stove is not None and source.toggled:
            for item in carried_with(state, source):
                hot = with_temperature(state, item, Temperature.HOT)
                cooks = item.spec.type in stove.cooks and item.spec.can(Trait.COOKABLE)
                changed[item.id] = replace(hot, cooked=item.cooked or cooks)
        elif source.spec.can(Trait.COLD_SOURCE):
            for item in carried_with(state, source):
                changed[item.id] = with_temperature(state, item, Temperature.COLD)
    return _having(state, [new for key, new in changed.items() if new != state.objects[key]])


def _lit(state: HouseholdState) -> HouseholdState:
    candles = [item for item in state.objects.values() if item.spec.type == "Candle"]
    unlit = [item for item in candles if not item.toggled and not item.broken]
    if not unlit:
        return state
    flames = [_wick(item) for item in candles if item.toggled]
    burners = [
        item for item in state.objects.values() if item.spec.type == "StoveBurner" and item.toggled
    ]
    wet = {key for flow in flows(state) if flow.running for key in _under(state, flow)}
    changed = []
    for item in unlit:
        wick = _wick(item)
        near = any((flame - wick).length() <= FLAME_REACH for flame in flames)
        near = near or any(burner.body.contains(wick, FLAME_REACH) for burner in burners)
        if near and item.id not in wet:
            changed.append(replace(item, toggled=True))
    return _having(state, changed)


def _wick(candle: ObjectState) -> Vec3:
    top = Vec3(0.0, candle.spec.body.size.y, 0.0)
    return (candle.pose @ candle.spec.asset_frame).apply(top)


def _cooled(state: HouseholdState) -> HouseholdState:
    changed = [
        cooler
        for item in state.objects.values()
        if item.temperature is not Temperature.ROOM and (cooler := decayed(state, item)) is not item
    ]
    return _having(state, changed)


def _having(state: HouseholdState, changed: list[ObjectState]) -> HouseholdState:
    return state.having(*changed) if changed else state
