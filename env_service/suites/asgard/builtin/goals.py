"""The goals of a built-in task, in the published schema (spec: asgard.md sections 1.2 and 3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from env_service.suites.asgard.builtin.variations import Variation
from env_service.suites.asgard.plan import Deed, Family, State
from env_service.suites.asgard.tables import tables

Entry = dict[str, Any]

_OFF = ("CoffeeMachine", "Toaster", "StoveKnob")
_SHUT = ("Microwave", "Fridge")

_COOKED: dict[Family, tuple[str, str, str]] = {
    Family.MICROWAVE_POTATO: ("Potato", "Potato", "Bowl"),
    Family.COOK_EGG: ("Egg", "EggCracked", "Plate"),
    Family.MAKE_TOAST: ("Bread", "BreadSliced", "Plate"),
    Family.FRY_POTATO_SLICE: ("PotatoSliced", "PotatoSliced", "Plate"),
}
"""What has to be cooked, what is served then, on what."""


def goals_for(variation: Variation, away: Iterable[str]) -> Entry:
    """The value of the plan's key "goal"; ``away`` are the types to put away."""
    family = variation.family
    goal: Entry = {
        "location_goals": _locations(variation),
        "state_goals": [*_shared(family), *_states(variation)],
        "put_away_goals": [_entry(object_type=each) for each in away],
        "action_goals": {},
        "contents_goals": [],
    }
    if family is Family.COFFEE:
        goal["put_away_goals"] = [_entry(object_type="Mug")]
        goal["action_goals"] = {Deed.DRINK_COFFEE.value: True}
    elif family is Family.CLEAN_MIRROR:
        goal["action_goals"] = {Deed.SPRAY_MIRROR.value: True}
    elif family is Family.SET_TABLE:
        contents = ["Mug", "Plate", "BreadSliced"]
        goal["contents_goals"] = [_entry(container_type="DiningTable", contents=contents)]
    return goal


def _entry(**told: Any) -> Entry:
    # What every published goal says, though it is left over from making the plan.
    return {**told, "outcome": "success"}


def _state(object_type: str, state: State, *, value: bool) -> Entry:
    return _entry(object_type=object_type, state=state.value, value=value)


def _location(object_type: str, destination: str) -> Entry:
    return _entry(object_type=object_type, destination_type=destination)


def _shared(family: Family) -> list[Entry]:
    """How a kitchen is to be left."""
    if family in (Family.CLEAN_MIRROR, Family.TURN_ON_TV):
        return []
    return [
        *(_state(each, State.TOGGLED, value=False) for each in _OFF),
        *(_state(each, State.OPEN, value=False) for each in _SHUT),
        _state("Faucet", State.TOGGLED, value=False),
    ]


def _locations(variation: Variation) -> list[Entry]:
    if variation.family in _COOKED:
        _, served, dish = _COOKED[variation.family]
        return [_location(served, dish)]
    if variation.family is Family.SET_TABLE:
        return [_location("BreadSliced", "Plate")]
    return [_location(tables().slices[variation.food], dish) for dish in variation.dishes]


def _states(variation: Variation) -> list[Entry]:
    family = variation.family
    found: list[Entry] = []
    if family in _COOKED:
        found.append(_state(_COOKED[family][0], State.COOKED, value=True))
    if family is Family.SET_TABLE:
        found.append(_state("Mug", State.FILLED, value=True))
    if family is Family.TURN_ON_TV:
        found.append(_state("Television", State.TOGGLED, value=True))
    # The mug is drunk from, and dirty then, whatever it was at the start.
    clean = ("Mug",) if family is Family.COFFEE else variation.dirty
    found += [_state(each, State.DIRTY, value=False) for each in clean]
    if family is Family.COFFEE:
        found.append(_state("Mug", State.FILLED, value=False))
    return found
