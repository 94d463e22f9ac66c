"""What an agent does in the world: a verb and the things that it is done to; what an action
leaves out; actions in words.
"""

from dataclasses import dataclass, replace
from enum import Enum

from env_service.worlds.activity.bddl.wording import thing_in_words
from env_service.worlds.activity.state import State


class Verb(Enum):
    """What can be done. Other words of plans are folded into these (docs/actplan-parsing.md)."""

    WALK_TO = "walk_to"
    GRAB = "grab"
    PLACE_INSIDE = "place_inside"
    PLACE_ON_TOP = "place_on_top"
    PLACE_NEXT_TO = "place_next_to"
    PLACE_UNDER = "place_under"
    PLACE_ON_FLOOR = "place_on_floor"
    OPEN = "open"
    CLOSE = "close"
    SWITCH_ON = "switch_on"
    SWITCH_OFF = "switch_off"
    CLEAN = "clean"
    SOAK = "soak"
    DRY = "dry"
    SLICE = "slice"
    COOK = "cook"
    DEFROST = "defrost"
    POUR = "pour"
    WAIT = "wait"
    OTHER = "other"
    """Is known, and changes nothing that a goal speaks of: fold, iron, tag."""


@dataclass(frozen=True, slots=True)
class ActivityAction:
    """One step on instances.

    Attributes:
        verb: what is done.
        target: the instance it is done to or at; of the placing verbs where the item goes, of
            WALK_TO also a room ("kitchen"). Empty where the verb needs none.
        item: of the placing verbs and POUR what is put there; empty: whatever is held.
        tools: what it is done with, besides what is held.
    """

    verb: Verb
    target: str = ""
    item: str = ""
    tools: tuple[str, ...] = ()


# --- Makes up for what an action leaves out, as people would

PLACING = frozenset(
    {
        Verb.PLACE_INSIDE,
        Verb.PLACE_ON_TOP,
        Verb.PLACE_NEXT_TO,
        Verb.PLACE_UNDER,
        Verb.PLACE_ON_FLOOR,
    }
)
_AT_HAND = PLACING - {Verb.PLACE_ON_FLOOR} | {Verb.POUR, Verb.CLEAN, Verb.DRY}
"""Verbs that act where the agent is, unless the action names a place."""

_SWITCHES = {Verb.OPEN: Verb.SWITCH_ON, Verb.CLOSE: Verb.SWITCH_OFF}


def complete(state: State, action: ActivityAction) -> ActivityAction:
    """The action that is meant: a placing without its item is of what was taken last, one without
    its target, and cleaning, acts where the agent is; what has a switch and nothing to open, like a
    faucet, is switched when it is opened or closed."""
    verb, target, item = action.verb, action.target, action.item
    if not item and state.held and (verb in PLACING or verb is Verb.POUR):
        item = state.held[-1]
    if not target and verb in _AT_HAND:
        target = state.at
    if verb is not Verb.WALK_TO and target in state.scene.floors:
        target = state.scene.floors[target]
    if verb in _SWITCHES and target in state.scene.switch - state.scene.openable:
        verb = _SWITCHES[verb]
    if verb is action.verb and target == action.target and item == action.item:
        return action
    return replace(action, verb=verb, target=target, item=item)


# --- Actions in words, for people

_WORDS = {
    Verb.WALK_TO: "walk to",
    Verb.GRAB: "take",
    Verb.SWITCH_ON: "switch on",
    Verb.SWITCH_OFF: "switch off",
    Verb.OTHER: "do something with",
}
_ALONE = {Verb.WAIT: "wait", Verb.OTHER: "do something else"}
"""Actions that need no object."""
_WHERE = {
    Verb.PLACE_INSIDE: "into",
    Verb.PLACE_ON_TOP: "onto",
    Verb.PLACE_NEXT_TO: "next to",
    Verb.PLACE_UNDER: "under",
}


def action_text(action: ActivityAction) -> str:
    """An action as people say it: "put candle 1 into basket 1", "clean table 1 with rag 2"."""
    target, item = thing_in_words(action.target), thing_in_words(action.item) or "what is held"
    if action.verb in _WHERE:
        text = f"put {item} {_WHERE[action.verb]} {target or 'what is at hand'}"
    elif action.verb is Verb.PLACE_ON_FLOOR:
        text = f"put {item} on the floor" + (f" at {target}" if target else "")
    elif action.verb is Verb.POUR:
        text = f"pour {item} into {target or 'what is at hand'}"
    elif action.verb in _ALONE and not target:
        text = _ALONE[action.verb]
    else:
        text = f"{_WORDS.get(action.verb, action.verb.value)} {target}".strip()
        if action.item:
            text += f" and {thing_in_words(action.item)}"
    tools = " and ".join(map(thing_in_words, action.tools))
    return f"{text} with {tools}" if tools else text
