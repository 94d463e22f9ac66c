"""Whether a receptacle surely has room for something: rules of thumb on the safe side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from env_service.suites.alfred.builtin.rooms import Inventory, Place, Thing

_CLEARANCE: Mapping[str, float] = {
    "Cabinet": 0.24,
    "Fridge": 0.24,
    "Microwave": 0.20,
    "Safe": 0.24,
    "Shelf": 0.26,
}
"""Metres: how high a thing may be in receptacles with a board or a lid above."""

_OF_HEIGHT: Mapping[str, float] = {"Drawer": 0.6}
"""The same where it is a share of the receptacle's own height."""

_USABLE: Mapping[str, float] = {
    "ArmChair": 0.3,
    "CoffeeTable": 0.75,
    "CounterTop": 0.7,
    "Desk": 0.75,
    "Dresser": 0.75,
    "Microwave": 0.5,
    "Shelf": 0.75,
    "SideTable": 0.7,
    "Sofa": 0.4,
    "Toilet": 0.2,
}
"""The share of a receptacle's outline that things lie on, where it is not nearly all."""

_MADE_FOR = frozenset({"CoffeeMachine", "ToiletPaperHanger"})
"""Receptacles with one place, made for what goes there."""

_HOLLOW = frozenset({"SinkBasin", "BathtubBasin", "GarbageCan"})
"""Receptacles in which things pile up."""

FULL = 0.8
"""The share of such a receptacle's outline that things may take side by side."""

SPACING = 2.5
"""How often a thing's own outline has to go into the free surface."""

BULKY = 0.28
"""Metres: from this length on it has to be twice that, as few gaps are wide enough."""

SCATTERED = 1.8
"""How much more of the surface than their outlines those things take that lie there."""


@dataclass(frozen=True, slots=True)
class Need:
    """What has to be found room for: a thing, and how many of its kind."""

    thing: Thing
    count: int = 1


def fits(inventory: Inventory, need: Need, parent: str) -> bool:
    """Whether every receptacle of a type has room for so many things; False if there is none. It
    has to be every one, since the skills name a type and come to whichever is nearest."""
    places = inventory.places.get(parent, ())
    return bool(places) and all(_fits(place, need, parent) for place in places)


def _fits(place: Place, need: Need, parent: str) -> bool:
    if parent in _MADE_FOR:
        return not place.taken and need.count == 1
    (length, width, height), (long, wide, high) = need.thing.size, place.size
    if height > _CLEARANCE.get(parent, _OF_HEIGHT.get(parent, 9.0) * high):
        return False
    if length > 0.9 * long or width > 0.9 * wide:
        return False
    if parent in _HOLLOW:
        return need.count * length * width <= FULL * long * wide
    free = long * wide * _USABLE.get(parent, 0.9) - SCATTERED * place.taken
    spacing = SPACING * (2 if length >= BULKY else 1)
    return free >= spacing * length * width * need.count
