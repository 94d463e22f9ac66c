"""What deeds change (spec: actplan.md section 3.1).

Effects take place whatever precondition is violated, except for what nobody can do at all: carry
what cannot be carried, open what has no lid, put a thing into itself, or do anything to what does
not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from env_service.worlds.activity import physics, placement
from env_service.worlds.activity.actions import PLACING, ActivityAction, Verb
from env_service.worlds.activity.state import Change, State


def apply(state: State, deed: ActivityAction) -> None:
    """Changes the state as a complete action does (`actions.complete`)."""
    effect = _EFFECTS.get(deed.verb)
    if effect is not None and _applies(state, deed):
        effect(state, deed)


def _applies(state: State, deed: ActivityAction) -> bool:
    """Whether there is what a deed is done to; rooms are walked to, and things are put there."""
    if deed.target in state.house.categories:
        return True
    if deed.target:
        return deed.verb is Verb.WALK_TO or deed.verb in PLACING
    return deed.verb in (Verb.PLACE_ON_FLOOR, Verb.SOAK, Verb.WAIT)


def _walk_to(state: State, deed: ActivityAction) -> None:
    target, house = deed.target, state.house
    if target in house.categories:
        if state.is_held(target):
            return
        state.room = state.room_of(target) or state.room
        state.at = target
    elif house.is_room(target):
        state.room, state.at = target, ""


def _grab(state: State, deed: ActivityAction) -> None:
    thing = deed.target
    if thing not in state.house.movable or thing in state.held:
        return
    if state.at == thing or thing in (each for _, each in state.chain(state.at)):
        state.at = _stand_after(state, thing)
    physics.leave(state, thing)
    state.lift(thing)
    state.held.append(thing)
    state.tell(Change(holds=True, predicate="held", terms=(thing,)))


def _stand_after(state: State, thing: str) -> str:
    """Where the agent stands that took what it stood at: at what the thing was in or on, or next
    to; on a floor nowhere in particular."""
    link = state.support.get(thing)
    if link is not None and link[0] != "onfloor":
        return link[1]
    for _, one, other in sorted(state.relations):
        if thing in (one, other):
            return other if thing == one else one
    return ""


def _open(state: State, deed: ActivityAction) -> None:
    thing = deed.target
    if thing in state.house.openable:
        state.shut.discard(thing)
        state.seen.add(thing)
        state.mark("open", thing)


def _close(state: State, deed: ActivityAction) -> None:
    thing = deed.target
    if thing in state.house.openable:
        state.unmark("open", thing)
        state.shut.add(thing)


def _switch_on(state: State, deed: ActivityAction) -> None:
    thing, house = deed.target, state.house
    if thing not in house.switch:
        return
    state.mark("toggled_on", thing)
    if thing in house.basin or thing in house.faucet:
        for basin in physics.basins_of(state, thing):
            state.mark("toggled_on", basin)
            physics.run_water(state, basin)
    if thing in house.heat:
        physics.cook(state, state.below(thing))
    if thing in house.washer:
        physics.wash(state, state.below(thing))
    if thing in house.dryer:
        for each in state.below(thing):
            state.unmark("soaked", each)


def _switch_off(state: State, deed: ActivityAction) -> None:
    thing, house = deed.target, state.house
    if thing not in house.switch:
        return
    state.unmark("toggled_on", thing)
    if thing in house.faucet:
        for basin in physics.basins_of(state, thing):
            state.unmark("toggled_on", basin)


def _clean(state: State, deed: ActivityAction) -> None:
    target, house = deed.target, state.house
    physics.clean(state, target)
    if any(each in house.soap for each in deed.tools):
        state.mark("soaped", target)
    if target in house.absorbent and _water_is_here(state):
        state.mark("soaked", target)


def _water_is_here(state: State) -> bool:
    return any(physics.is_running(state, each) for each in physics.here(state))


def _soak(state: State, deed: ActivityAction) -> None:
    """Whatever is no source of water itself gets wet, and clean as people read it; a vessel fills,
    and so does a basin."""
    house = state.house
    sources = house.basin | house.faucet | house.water
    named = [each for each in (deed.target, deed.item) if each in house.categories]
    named += [each for each in deed.tools if each in house.absorbent]
    things = [each for each in named if each not in sources]
    if not things:
        things = [each for each in state.held if each in house.absorbent or each in house.vessel]
    physics.drench(state, things)
    for thing in things:
        physics.ease_clean(state, thing)
        if thing in house.vessel:
            physics.drench(state, state.below(thing))
        else:
            state.mark("soaked", thing)
    if deed.target in house.basin:
        state.mark("filled", deed.target)
        physics.drench(state, state.below(deed.target))


def _dry(state: State, deed: ActivityAction) -> None:
    state.unmark("soaked", deed.target)


def _slice(state: State, deed: ActivityAction) -> None:
    state.mark("sliced", deed.target)


def _cook(state: State, deed: ActivityAction) -> None:
    target = deed.target
    physics.cook(state, (target, *state.below(target)))


def _defrost(state: State, deed: ActivityAction) -> None:
    state.unmark("frozen", deed.target)
    if deed.target not in state.house.cold:
        for each in state.below(deed.target):
            state.unmark("frozen", each)


def _pour(state: State, deed: ActivityAction) -> None:
    """Soap soaps, water wets, and their bottles stay in hand, as those of other liquids do; other
    food goes into or onto the target; of a vessel all that is in it."""
    item, target, house = deed.item, deed.target, state.house
    if not placement.can_put(state, deed):
        return
    if item in house.soap:
        state.mark("soaped", target)
    elif item in house.water:
        _wet(state, target)
    elif item in house.liquid:
        state.relate("poured", item, target)
    else:
        _empty(state, item, target)


def _empty(state: State, item: str, target: str) -> None:
    house = state.house
    edible = house.liquid | house.food
    poured = (item,) if item in edible else tuple(x for x in state.below(item) if x in edible)
    relation = "inside" if target in house.container else "ontop"
    for each in poured:
        placement.lay(
            state, each, "onfloor" if placement.is_ground(house, target) else relation, target
        )
    if ("filled", item) in state.facts or not poured:
        _wet(state, target)
    state.unmark("filled", item)


def _wet(state: State, target: str) -> None:
    house = state.house
    if target in house.absorbent:
        state.mark("soaked", target)
    if target in house.vessel:
        state.mark("filled", target)
    physics.drench(state, state.below(target))


_EFFECTS: Mapping[Verb, Callable[[State, ActivityAction], None]] = {
    Verb.WALK_TO: _walk_to,
    Verb.GRAB: _grab,
    Verb.PLACE_INSIDE: placement.place_inside,
    Verb.PLACE_ON_TOP: placement.place_on_top,
    Verb.PLACE_NEXT_TO: placement.place_next_to,
    Verb.PLACE_UNDER: placement.place_under,
    Verb.PLACE_ON_FLOOR: placement.place_on_floor,
    Verb.OPEN: _open,
    Verb.CLOSE: _close,
    Verb.SWITCH_ON: _switch_on,
    Verb.SWITCH_OFF: _switch_off,
    Verb.CLEAN: _clean,
    Verb.SOAK: _soak,
    Verb.DRY: _dry,
    Verb.SLICE: _slice,
    Verb.COOK: _cook,
    Verb.DEFROST: _defrost,
    Verb.POUR: _pour,
    Verb.WAIT: lambda state, _: physics.thaw(state),
}
"""OTHER changes nothing."""
