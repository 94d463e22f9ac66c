"""The twelve actions, and the words for objects that an agent may use (spec sections 2.3, 5.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from env_service.domain.action import ActionSpace, Parameter, Skill
from env_service.suites.asgard.tables import HIDDEN_TYPES, tables
from env_service.suites.asgard.view import HouseView

OBJECT = "object"
"""The parameter of every action."""


class Verb(StrEnum):
    """The twelve actions."""

    FIND = "FIND"
    PICKUP = "PICKUP"
    PUT = "PUT"
    OPEN = "OPEN"
    CLOSE = "CLOSE"
    TOGGLE_ON = "TOGGLE_ON"
    TOGGLE_OFF = "TOGGLE_OFF"
    CLEAN = "CLEAN"
    SLICE = "SLICE"
    EMPTY = "EMPTY"
    DRINK = "DRINK"
    SPRAY = "SPRAY"


DESCRIPTIONS: Mapping[Verb, str] = {
    Verb.FIND: "Walk to the object and look at it. Opens nothing.",
    Verb.PICKUP: "Take the object into the hand.",
    Verb.PUT: "Put what the hand holds into or onto the object.",
    Verb.OPEN: "Open the object.",
    Verb.CLOSE: "Close the object.",
    Verb.TOGGLE_ON: "Switch the object on.",
    Verb.TOGGLE_OFF: "Switch the object off.",
    Verb.CLEAN: "Clean the object: a dish lies in the sink under running water and the hand holds"
    " a sponge; a mirror has been sprayed and the hand holds a cloth.",
    Verb.SLICE: "Slice the food on a surface with the knife in the hand; crack an egg that lies in"
    " a pan.",
    Verb.EMPTY: "Pour out what the object is filled with.",
    Verb.DRINK: "Drink what the object is filled with; the hand holds it.",
    Verb.SPRAY: "Spray the object with the spray bottle in the hand.",
}
"""What each action does, in words for the agent."""


def action_space(available: Iterable[str]) -> ActionSpace:
    """The twelve actions, each on one of these objects."""
    target = Parameter(OBJECT, "The type of object to act on.", tuple(available))
    return ActionSpace(
        skills=tuple(Skill(verb.value, DESCRIPTIONS[verb], (target,)) for verb in Verb)
    )


def available_objects(types: Iterable[str]) -> tuple[str, ...]:
    """The words that the agent is shown for a room with these types: each once, sorted, without
    the hidden ones."""
    return tuple(sorted(set(types) - HIDDEN_TYPES))


def objects_in(view: HouseView) -> tuple[str, ...]:
    """The words for a room as it is: what is there, and what slicing will make of it."""
    slices = tables().slices
    return available_objects(
        (*view.types, *(slices[each] for each in view.types if each in slices))
    )
