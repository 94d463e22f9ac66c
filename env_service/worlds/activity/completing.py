"""Makes up for what a deed leaves out, as people would."""

from __future__ import annotations

from dataclasses import replace

from env_service.worlds.activity.deed import Deed, Verb
from env_service.worlds.activity.state import State

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
"""Verbs that are done where the agent stands, unless it is said where."""

_SWITCHES = {Verb.OPEN: Verb.SWITCH_ON, Verb.CLOSE: Verb.SWITCH_OFF}


def complete(state: State, deed: Deed) -> Deed:
    """The deed that is meant: a placing without its item is of what was taken last, one without its
    target, and cleaning, is done where the agent stands; what has a switch and nothing to open, as
    a faucet, is switched when it is opened or closed."""
    verb, target, item = deed.verb, deed.target, deed.item
    if not item and state.held and (verb in PLACING or verb is Verb.POUR):
        item = state.held[-1]
    if not target and verb in _AT_HAND:
        target = state.at
    if verb is not Verb.WALK_TO and target in state.house.floors:
        target = state.house.floors[target]
    if verb in _SWITCHES and target in state.house.switch - state.house.openable:
        verb = _SWITCHES[verb]
    if verb is deed.verb and target == deed.target and item == deed.item:
        return deed
    return replace(deed, verb=verb, target=target, item=item)
