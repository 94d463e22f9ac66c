"""What has to be so for an action to make sense, nearness to the agent included (docs/actplan.md,
Judges).
"""

from collections.abc import Callable, Iterable, Mapping

from env_service.worlds.activity import physics
from env_service.worlds.activity.actions import PLACING, ActivityAction, Verb
from env_service.worlds.activity.bddl.wording import thing_in_words
from env_service.worlds.activity.commonsense import CommonsenseProfile, Near, Violation
from env_service.worlds.activity.commonsense import ViolationKind as Kind
from env_service.worlds.activity.state import State

# --- What is near the agent (docs/actplan.md, Judges)


def is_near(state: State, thing: str, profile: CommonsenseProfile) -> bool:
    """Whether the agent reaches a thing.

    A floor is reached from everywhere in its room. What was walked to is near, with what it is in
    or on, other things in that place, and what is next to it or under it. Of a floor that is not
    so: only who walks to the floor itself is near what lies on it.
    """
    scene = state.scene
    if state.is_held(thing):
        return True
    if profile.near is Near.ROOM or thing in scene.floor or scene.is_room(thing):
        room = thing if scene.is_room(thing) else state.room_of(thing)
        return room == state.room or "" in (room, state.room)
    if not state.at:
        return False
    if state.at in scene.floor:
        return any(each == state.at for _, each in state.chain(thing))
    return not _places(state, state.at).isdisjoint(_places(state, thing))


def _places(state: State, thing: str) -> set[str]:
    """A thing, what it is in or on, and what it is next to or under; no floors."""
    lies = {thing, *(target for relation, target in state.chain(thing) if relation != "onfloor")}
    beside = {other for _, one, other in state.relations if one in lies}
    beside.update(one for _, one, other in state.relations if other == thing)
    return (lies | beside) - state.scene.floor


def check(
    state: State, profile: CommonsenseProfile, action: ActivityAction
) -> tuple[Violation, ...]:
    """What is wrong with a complete action (`actions.complete`) where it is done. An action on what
    does not exist, or without what its verb needs, has no other violation."""
    missing = tuple(_missing(state, action))
    if missing:
        return missing
    conditions = _CONDITIONS.get(action.verb)
    return tuple(conditions(state, profile, action)) if conditions is not None else ()


def _missing(state: State, action: ActivityAction) -> Iterable[Violation]:
    scene, verb = state.scene, action.verb
    if verb not in _ARGUMENTLESS and not action.target:
        yield Violation(Kind.INCOMPLETE, f"nothing says what to {_words(verb)}")
    if (verb in PLACING or verb is Verb.POUR) and not action.item:
        yield Violation(Kind.INCOMPLETE, f"nothing says what to {_words(verb)}, and no hand holds")
    for name in (action.target, action.item, *action.tools):
        if (
            name
            and name not in scene.categories
            and not (name == action.target and scene.is_room(name) and verb in _IN_ROOMS)
        ):
            yield Violation(Kind.NO_SUCH_THING, f"there is no {thing_in_words(name)}")


def _grab(state: State, profile: CommonsenseProfile, action: ActivityAction) -> Iterable[Violation]:
    thing = action.target
    if thing in state.held:
        yield Violation(Kind.ALREADY_HELD, f"{thing_in_words(thing)} is held already")
        return
    if thing not in state.scene.movable:
        yield Violation(Kind.NOT_MOVABLE, f"{thing_in_words(thing)} cannot be carried")
        return
    yield from _reach(state, profile, thing)
    if profile.hands is not None and len(state.held) >= profile.hands:
        full = " and ".join(map(thing_in_words, state.held))
        yield Violation(
            Kind.HANDS_FULL, f"no hand is free for {thing_in_words(thing)}: they hold {full}"
        )


def _place(
    state: State, profile: CommonsenseProfile, action: ActivityAction
) -> Iterable[Violation]:
    item, target, scene = action.item, action.target, state.scene
    if item == target or any(each == item for _, each in state.chain(target)):
        yield Violation(
            Kind.INTO_ITSELF, f"{thing_in_words(item)} cannot be put into or onto itself"
        )
        return
    if item not in scene.movable:
        yield Violation(Kind.NOT_MOVABLE, f"{thing_in_words(item)} cannot be carried")
        return
    if item not in state.held:
        yield Violation(Kind.NOT_HELD, f"{thing_in_words(item)} is not held")
    if not target:
        return
    yield from _reach(state, profile, target)
    if action.verb is Verb.PLACE_INSIDE:
        yield from _room_inside(state, profile, target)
    elif action.verb is Verb.PLACE_ON_TOP and not (
        target in scene.surface or scene.is_room(target)
    ):
        yield Violation(Kind.NO_CONTAINER, f"nothing stands on {thing_in_words(target)}")


def _room_inside(state: State, profile: CommonsenseProfile, target: str) -> Iterable[Violation]:
    if target not in state.scene.container:
        yield Violation(Kind.NO_CONTAINER, f"nothing can be put inside {thing_in_words(target)}")
    elif state.is_shut(target) and not profile.auto_open:
        yield Violation(Kind.CLOSED, f"{thing_in_words(target)} is closed")


def _open(state: State, profile: CommonsenseProfile, action: ActivityAction) -> Iterable[Violation]:
    thing = action.target
    if thing not in state.scene.openable:
        yield Violation(Kind.NOT_OPENABLE, f"{thing_in_words(thing)} cannot be opened or closed")
        return
    yield from _reach(state, profile, thing)
    if action.verb is Verb.OPEN and ("open", thing) in state.facts:
        yield Violation(Kind.ALREADY_OPEN, f"{thing_in_words(thing)} is open already")
    if action.verb is Verb.CLOSE and state.is_shut(thing):
        yield Violation(Kind.ALREADY_CLOSED, f"{thing_in_words(thing)} is closed already")


def _switch(
    state: State, profile: CommonsenseProfile, action: ActivityAction
) -> Iterable[Violation]:
    thing = action.target
    if thing not in state.scene.switch:
        yield Violation(Kind.NOT_SWITCHABLE, f"{thing_in_words(thing)} has no switch")
        return
    yield from _reach(state, profile, thing)
    is_on = ("toggled_on", thing) in state.facts
    if action.verb is Verb.SWITCH_ON and is_on:
        yield Violation(Kind.ALREADY_ON, f"{thing_in_words(thing)} is on already")
    if action.verb is Verb.SWITCH_OFF and not is_on:
        yield Violation(Kind.ALREADY_OFF, f"{thing_in_words(thing)} is off already")


def _clean(
    state: State, profile: CommonsenseProfile, action: ActivityAction
) -> Iterable[Violation]:
    target, scene = action.target, state.scene
    yield from _reach(state, profile, target)
    yield from _wielded(state, action)
    used = _used(state, action)
    helps = scene.tool | scene.soap | scene.water | scene.basin | scene.faucet
    if target not in scene.tool and not (
        any(each in helps for each in used) or _water_runs(state, target)
    ):
        yield Violation(
            Kind.NO_TOOL, f"there is nothing at hand to clean {thing_in_words(target)} with"
        )
    elif profile.wet_tools and _is_stained(state, target) and not _is_wet(state, target, used):
        yield Violation(
            Kind.DRY_TOOL,
            f"a stain on {thing_in_words(target)} is wiped with neither water nor soap",
        )


def _is_stained(state: State, thing: str) -> bool:
    return state.relaxed.get(("stained", thing), ("stained", thing) in state.facts)


def _is_wet(state: State, target: str, used: Iterable[str]) -> bool:
    scene, facts = state.scene, state.facts
    sources = scene.soap | scene.water | scene.basin | scene.faucet
    return any(
        each in sources
        or state.is_wet(each)
        or ("soaped", each) in facts
        or ("filled", each) in facts
        for each in (target, *used)
        if each != target or each not in sources
    ) or _water_runs(state, target)


def _water_runs(state: State, target: str) -> bool:
    """Over the target, or where the agent is."""
    return physics.running_around(state, target) or any(
        physics.is_running(state, each) for each in physics.here(state)
    )


def _soak(state: State, profile: CommonsenseProfile, action: ActivityAction) -> Iterable[Violation]:
    if action.target:
        yield from _reach(state, profile, action.target)
    scene = state.scene
    wet = scene.basin | scene.faucet | scene.water
    used = (action.target, *_used(state, action), *physics.here(state))
    around = [each for _, each in state.chain(action.target)]
    at_hand = any(each in wet or ("filled", each) in state.facts for each in (*used, *around))
    if not at_hand:
        what = thing_in_words(action.target) if action.target else "anything"
        yield Violation(Kind.NO_WATER, f"there is no water at hand to soak {what}")


def _touch(
    state: State, profile: CommonsenseProfile, action: ActivityAction
) -> Iterable[Violation]:
    yield from _reach(state, profile, action.target)
    yield from _wielded(state, action)


def _slice(
    state: State, profile: CommonsenseProfile, action: ActivityAction
) -> Iterable[Violation]:
    yield from _touch(state, profile, action)
    if not any(each in state.scene.knife for each in _used(state, action)):
        yield Violation(
            Kind.NO_TOOL, f"there is no knife at hand to slice {thing_in_words(action.target)}"
        )


def _cook(state: State, profile: CommonsenseProfile, action: ActivityAction) -> Iterable[Violation]:
    yield from _reach(state, profile, action.target)
    target = action.target
    around = [target, *(each for _, each in state.chain(target)), *action.tools]
    if not state.scene.heat.intersection((*around, *physics.here(state))):
        yield Violation(
            Kind.NO_HEAT, f"{thing_in_words(target)} is neither in nor on anything that cooks"
        )


def _pour(state: State, profile: CommonsenseProfile, action: ActivityAction) -> Iterable[Violation]:
    item, scene = action.item, state.scene
    if item == action.target or any(each == item for _, each in state.chain(action.target)):
        yield Violation(Kind.INTO_ITSELF, f"{thing_in_words(item)} cannot be poured onto itself")
        return
    if not state.is_held(item):
        yield Violation(Kind.NOT_HELD, f"{thing_in_words(item)} is not held")
    yield from _reach(state, profile, action.target)
    empty = ("filled", item) not in state.facts and not state.below(item)
    if item in scene.vessel and empty:
        yield Violation(Kind.NO_WATER, f"{thing_in_words(item)} is empty")


def _reach(state: State, profile: CommonsenseProfile, thing: str) -> Iterable[Violation]:
    """A thing has to be near, and in nothing that is closed."""
    if not is_near(state, thing, profile):
        yield Violation(Kind.NOT_NEAR, f"{thing_in_words(thing)} is out of reach")
    if profile.auto_open:
        return
    around = state.shut_around(thing)
    if around:
        yield Violation(
            Kind.CLOSED,
            f"{thing_in_words(thing)} is inside {thing_in_words(around)}, which is closed",
        )


def _used(state: State, action: ActivityAction) -> tuple[str, ...]:
    """What an action is done with: its tools, and what is held or in what is held."""
    if not state.held:
        return action.tools
    carried = [each for name in state.held for each in (name, *state.below(name))]
    return (*action.tools, *carried)


def _wielded(state: State, action: ActivityAction) -> Iterable[Violation]:
    """A tool that is named is held, or lies at the target."""
    for tool in action.tools:
        if tool not in state.scene.movable or state.is_held(tool) or tool == action.target:
            continue
        if all(each != action.target for _, each in state.chain(tool)):
            yield Violation(Kind.NOT_HELD, f"{thing_in_words(tool)} is not held")


def _words(verb: Verb) -> str:
    return verb.value.replace("_", " ")


_CONDITIONS: Mapping[
    Verb, Callable[[State, CommonsenseProfile, ActivityAction], Iterable[Violation]]
] = {
    Verb.GRAB: _grab,
    **dict.fromkeys(PLACING, _place),
    Verb.OPEN: _open,
    Verb.CLOSE: _open,
    Verb.SWITCH_ON: _switch,
    Verb.SWITCH_OFF: _switch,
    Verb.CLEAN: _clean,
    Verb.SOAK: _soak,
    Verb.DRY: _touch,
    Verb.SLICE: _slice,
    Verb.COOK: _cook,
    Verb.DEFROST: _touch,
    Verb.POUR: _pour,
}
_ARGUMENTLESS = frozenset({Verb.PLACE_ON_FLOOR, Verb.SOAK, Verb.WAIT, Verb.OTHER})
_IN_ROOMS = frozenset({Verb.WALK_TO, *PLACING, Verb.CLEAN, Verb.WAIT, Verb.OTHER})
"""Verbs that may be done to a whole room."""
