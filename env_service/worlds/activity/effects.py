"""What actions change (docs/actplan.md, Judges).

Effects take place whatever precondition is violated, except for what is impossible: carry what
cannot be carried, open what has no lid, put a thing into itself, or do anything to what does not
exist.
"""

from collections.abc import Callable, Mapping

from env_service.worlds.activity import physics
from env_service.worlds.activity.actions import PLACING, ActivityAction, Verb
from env_service.worlds.activity.scene import ActivityScene
from env_service.worlds.activity.state import Change, State

# --- Putting things somewhere (docs/actplan.md, Judges)


def can_put(state: State, action: ActivityAction) -> bool:
    """Whether the item can be carried to its target, and does not carry that itself."""
    scene = state.scene
    return (
        action.item in scene.movable
        and action.item != action.target
        and all(each != action.item for _, each in state.chain(action.target))
        and (action.target in scene.categories or scene.is_room(action.target) or not action.target)
    )


def place_inside(state: State, action: ActivityAction) -> None:
    """Into the target; a floor has no inside."""
    if can_put(state, action):
        relation = "onfloor" if is_ground(state.scene, action.target) else "inside"
        lay(state, action.item, relation, action.target)
        if action.target in state.scene.container - state.scene.lid:
            _rub(state, action.item, action.target)


def place_on_top(state: State, action: ActivityAction) -> None:
    """Onto the target."""
    if can_put(state, action):
        relation = "onfloor" if is_ground(state.scene, action.target) else "ontop"
        lay(state, action.item, relation, action.target)
        _rub(state, action.item, action.target)


def place_next_to(state: State, action: ActivityAction) -> None:
    """Next to the target, in or on the same thing; on the floor if the target is on nothing."""
    if not can_put(state, action):
        return
    if is_ground(state.scene, action.target):
        place_on_floor(state, action)
        return
    link = state.support.get(action.target)
    if link is None:
        _drop(state, action.item, state.room_of(action.target))
    else:
        lay(state, action.item, *link)
    state.relate("nextto", action.item, action.target)
    state.relate("touching", action.item, action.target)


def place_under(state: State, action: ActivityAction) -> None:
    """Under a faucet is in its basin."""
    if not can_put(state, action):
        return
    target = action.target
    if is_ground(state.scene, target):
        place_on_floor(state, action)
        return
    if target in state.scene.faucet or target in state.scene.basin:
        lay(state, action.item, "inside", next(iter(physics.basins_of(state, target)), target))
        return
    link = state.support.get(target)
    if link is None or link[0] == "onfloor":
        _drop(state, action.item, state.room_of(target))
    else:
        lay(state, action.item, *link)
    state.relate("under", action.item, target)


def place_on_floor(state: State, action: ActivityAction) -> None:
    """Onto a floor; of another target at its side; of none where the agent is."""
    if not can_put(state, action):
        return
    scene = state.scene
    if not action.target:
        _drop(state, action.item, state.room)
    elif is_ground(scene, action.target):
        lay(state, action.item, "onfloor", action.target)
    else:
        _drop(state, action.item, state.room_of(action.target))
        state.relate("nextto", action.item, action.target)


def is_ground(scene: ActivityScene, target: str) -> bool:
    """Whether a target is a floor, or a room of which no floor is declared."""
    return target in scene.floor or target not in scene.categories


def _drop(state: State, item: str, room: str) -> None:
    """Onto the floor of a room, or wherever the agent is if the room is unknown."""
    room = room or state.room
    lay(state, item, "onfloor", room)


def lay(state: State, item: str, relation: str, target: str) -> None:
    """Brings an item somewhere, with all that comes of its being there."""
    physics.leave(state, item)
    if relation == "onfloor" and target not in state.scene.categories:
        target = state.scene.floors.get(target, target)
    state.put(item, relation, target)
    physics.arrive(state, item)
    if relation == "onfloor" and state.room_of(state.at) == state.room_of(item):
        state.stand_by(item)
    if not state.at:
        state.at = target if relation != "onfloor" else item


def _rub(state: State, item: str, target: str) -> None:
    """What people mean who know no other verb: a tool put on what is dirty cleans it, a knife put
    on food slices it, water put on a plant waters it. Soap soaps a tool."""
    scene = state.scene
    if item in scene.tool:
        physics.clean_relaxed(state, target)
    if item in scene.knife and target in scene.food:
        state.mark_relaxed("sliced", target)
    if target in scene.absorbent and (item in scene.water or ("filled", item) in state.facts):
        state.mark_relaxed("soaked", target)
    if item in scene.soap and target in scene.tool:
        state.mark("soaped", target)


def apply(state: State, action: ActivityAction) -> None:
    """Changes the state as a complete action does (`actions.complete`)."""
    effect = _EFFECTS.get(action.verb)
    if effect is not None and _applies(state, action):
        effect(state, action)


def _applies(state: State, action: ActivityAction) -> bool:
    """Whether there is what an action is done to; rooms are walked to, and things are put there."""
    if action.target in state.scene.categories:
        return True
    if action.target:
        return action.verb is Verb.WALK_TO or action.verb in PLACING
    return action.verb in (Verb.PLACE_ON_FLOOR, Verb.SOAK, Verb.WAIT)


def _walk_to(state: State, action: ActivityAction) -> None:
    target, scene = action.target, state.scene
    if target in scene.categories:
        if state.is_held(target):
            return
        state.room = state.room_of(target) or state.room
        state.at = target
    elif scene.is_room(target):
        state.room, state.at = target, ""


def _grab(state: State, action: ActivityAction) -> None:
    thing = action.target
    if thing not in state.scene.movable or thing in state.held:
        return
    if state.at == thing or thing in (each for _, each in state.chain(state.at)):
        state.at = _stand_after(state, thing)
    physics.leave(state, thing)
    state.lift(thing)
    state.held.append(thing)
    state.record_change(Change(holds=True, predicate="held", terms=(thing,)))


def _stand_after(state: State, thing: str) -> str:
    """Where the agent is after it took the thing that it was at: at what the thing was in or on, or
    next to; on a floor nowhere in particular."""
    link = state.support.get(thing)
    if link is not None and link[0] != "onfloor":
        return link[1]
    for _, one, other in sorted(state.relations):
        if thing in (one, other):
            return other if thing == one else one
    return ""


def _open(state: State, action: ActivityAction) -> None:
    thing = action.target
    if thing in state.scene.openable:
        state.shut.discard(thing)
        state.seen.add(thing)
        state.mark("open", thing)


def _close(state: State, action: ActivityAction) -> None:
    thing = action.target
    if thing in state.scene.openable:
        state.unmark("open", thing)
        state.shut.add(thing)


def _switch_on(state: State, action: ActivityAction) -> None:
    thing, scene = action.target, state.scene
    if thing not in scene.switch:
        return
    state.mark("toggled_on", thing)
    if thing in scene.basin or thing in scene.faucet:
        for basin in physics.basins_of(state, thing):
            state.mark("toggled_on", basin)
            physics.run_water(state, basin)
    if thing in scene.heat:
        physics.cook(state, state.below(thing))
    if thing in scene.washer:
        physics.wash(state, state.below(thing))
    if thing in scene.dryer:
        for each in state.below(thing):
            state.unmark("soaked", each)


def _switch_off(state: State, action: ActivityAction) -> None:
    thing, scene = action.target, state.scene
    if thing not in scene.switch:
        return
    state.unmark("toggled_on", thing)
    if thing in scene.faucet:
        for basin in physics.basins_of(state, thing):
            state.unmark("toggled_on", basin)


def _clean(state: State, action: ActivityAction) -> None:
    target, scene = action.target, state.scene
    physics.clean(state, target)
    if any(each in scene.soap for each in action.tools):
        state.mark("soaped", target)
    if target in scene.absorbent and _water_is_here(state):
        state.mark("soaked", target)


def _water_is_here(state: State) -> bool:
    return any(physics.is_running(state, each) for each in physics.here(state))


def _soak(state: State, action: ActivityAction) -> None:
    """Whatever is not a source of water gets wet, and clean as people read it; a vessel fills, and
    so does a basin."""
    scene = state.scene
    sources = scene.basin | scene.faucet | scene.water
    named = [each for each in (action.target, action.item) if each in scene.categories]
    named += [each for each in action.tools if each in scene.absorbent]
    things = [each for each in named if each not in sources]
    if not things:
        things = [each for each in state.held if each in scene.absorbent or each in scene.vessel]
    physics.drench(state, things)
    for thing in things:
        physics.clean_relaxed(state, thing)
        if thing in scene.vessel:
            physics.drench(state, state.below(thing))
        else:
            state.mark("soaked", thing)
    if action.target in scene.basin:
        state.mark("filled", action.target)
        physics.drench(state, state.below(action.target))


def _dry(state: State, action: ActivityAction) -> None:
    state.unmark("soaked", action.target)


def _slice(state: State, action: ActivityAction) -> None:
    state.mark("sliced", action.target)


def _cook(state: State, action: ActivityAction) -> None:
    target = action.target
    physics.cook(state, (target, *state.below(target)))


def _defrost(state: State, action: ActivityAction) -> None:
    state.unmark("frozen", action.target)
    if action.target not in state.scene.cold:
        for each in state.below(action.target):
            state.unmark("frozen", each)


def _pour(state: State, action: ActivityAction) -> None:
    """Soap soaps, water wets, and their bottles stay in hand, as those of other liquids do; other
    food goes into or onto the target; of a vessel all that is in it."""
    item, target, scene = action.item, action.target, state.scene
    if not can_put(state, action):
        return
    if item in scene.soap:
        state.mark("soaped", target)
    elif item in scene.water:
        _wet(state, target)
    elif item in scene.liquid:
        state.relate("poured", item, target)
    else:
        _empty(state, item, target)


def _empty(state: State, item: str, target: str) -> None:
    scene = state.scene
    edible = scene.liquid | scene.food
    poured = (item,) if item in edible else tuple(x for x in state.below(item) if x in edible)
    relation = "inside" if target in scene.container else "ontop"
    for each in poured:
        lay(state, each, "onfloor" if is_ground(scene, target) else relation, target)
    if ("filled", item) in state.facts or not poured:
        _wet(state, target)
    state.unmark("filled", item)


def _wet(state: State, target: str) -> None:
    scene = state.scene
    if target in scene.absorbent:
        state.mark("soaked", target)
    if target in scene.vessel:
        state.mark("filled", target)
    physics.drench(state, state.below(target))


_EFFECTS: Mapping[Verb, Callable[[State, ActivityAction], None]] = {
    Verb.WALK_TO: _walk_to,
    Verb.GRAB: _grab,
    Verb.PLACE_INSIDE: place_inside,
    Verb.PLACE_ON_TOP: place_on_top,
    Verb.PLACE_NEXT_TO: place_next_to,
    Verb.PLACE_UNDER: place_under,
    Verb.PLACE_ON_FLOOR: place_on_floor,
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
