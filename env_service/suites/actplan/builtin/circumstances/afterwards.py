"""Where a thing that was used goes in the end. A circumstance that changes what a job is done with
changes nothing of what comes of it; where that thing is left makes its goal another one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from env_service.suites.actplan.builtin.circumstances.changing import require
from env_service.suites.actplan.builtin.jobs import INSIDE, put, relation_to
from env_service.suites.actplan.builtin.rooms import Thing
from env_service.suites.actplan.builtin.scenario import Scenario

_WET = ("Sink", "Bathtub")
_LAUNDRY = ("LaundryHamper", *_WET)
_STORES = ("Cabinet", "Drawer", "Shelf")
_TABLES = ("CounterTop", "DiningTable", "Desk", "Dresser", "SideTable", "CoffeeTable", "TVStand")

_PLACES: Mapping[str, tuple[str, ...]] = {
    "Cloth": _LAUNDRY,
    "HandTowel": _LAUNDRY,
    "Towel": _LAUNDRY,
    **dict.fromkeys(("PaperTowelRoll", "TissueBox", "WateringCan"), _STORES),
    **dict.fromkeys(("SoapBottle", "SprayBottle", "SoapBar"), _STORES),
}
"""The types of places that a used thing goes to, the usual one first; all others go to the sink,
and where there is none of these, onto something."""


def left_afterwards(scenario: Scenario, used: Thing) -> tuple[Scenario, str]:
    """A scenario whose goal also says where a thing that is used is at the end, and the place in
    words: "in the sink".

    Raises UnsuitableError where the room has no such place, or the thing is there already.
    """
    kinds = (*_PLACES.get(used.kind, _WET), *_TABLES)
    place = require([each for each in scenario.room.of(*kinds) if _serves(scenario, used, each)])
    taking = replace(scenario, jobs=(*scenario.jobs, put((used,), place)))
    preposition = "in" if relation_to(place) == INSIDE else "on"
    return taking, f"{preposition} the {place.named.word}"


def _serves(scenario: Scenario, used: Thing, place: Thing) -> bool:
    """Whether a thing would be elsewhere there than it is now, and the place stays as it is."""
    room = scenario.room
    held = room.holder(used)
    there = held is not None and held.category == place.category
    return not (there or place.movable or place in scenario.gone or scenario.state_of(place))
