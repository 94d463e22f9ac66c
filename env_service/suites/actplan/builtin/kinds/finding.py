"""What kinds of activities look for in a room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from env_service.suites.actplan.builtin.rooms import Room, Thing
from env_service.suites.actplan.builtin.scenario import Scenario

Kind = Callable[[Room, Random], Scenario]
"""Sets an activity in a room. Raises UnsuitableError where the room lacks what it takes."""

DISHES = ("Plate", "Bowl", "Cup", "Mug", "Pot", "Pan")
CUTLERY = ("Fork", "ButterKnife", "Spoon")
FRESH = ("Apple", "Egg", "Lettuce", "Potato", "Tomato")
VESSELS = ("WateringCan", "Kettle", "Bottle", "Cup", "Mug", "Bowl")
"""What water can be carried in, the usual thing first."""
WIPES = ("DishSponge", "Cloth", "ScrubBrush", "HandTowel", "PaperTowelRoll", "TissueBox", "Towel")
"""What can be cleaned with, the usual thing first."""


class UnsuitableError(Exception):
    """A room lacks what an activity, or a circumstance, takes."""


def loose(room: Room, *kinds: str) -> tuple[Thing, ...]:
    """The things of these types that can be picked up, type by type."""
    return tuple(each for each in room.of(*kinds) if each.movable and each.holder)


def beyond(things: Sequence[Thing], *places: Thing) -> tuple[Thing, ...]:
    """Those that are in or on none of the places."""
    ids = {each.id for each in places}
    return tuple(each for each in things if each.holder not in ids)


def one(things: Sequence[Thing], draw: Random) -> Thing:
    """One of them, drawn. Raises UnsuitableError where there is none."""
    if not things:
        raise UnsuitableError
    return draw.choice(things)


def first(room: Room, *kinds: str) -> Thing:
    """The first thing of the first of these types that the room has.

    Raises UnsuitableError where it has none.
    """
    found = room.of(*kinds)
    if not found:
        raise UnsuitableError
    return found[0]


def some(things: Sequence[Thing], least: int, most: int, draw: Random) -> tuple[Thing, ...]:
    """From ``least`` to ``most`` of them, drawn, in their order.

    Raises UnsuitableError where there are fewer.
    """
    if len(things) < least:
        raise UnsuitableError
    count = draw.randint(least, min(most, len(things)))
    chosen = draw.sample(range(len(things)), count)
    return tuple(things[number] for number in sorted(chosen))


def different(things: Sequence[Thing], draw: Random) -> tuple[Thing, ...]:
    """One of each type, drawn."""
    kinds = dict.fromkeys(each.kind for each in things)
    return tuple(draw.choice([each for each in things if each.kind == kind]) for kind in kinds)
