"""The built-in rooms that tasks are played in, and what is there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from env_service.suites.alfred.builtin.draws import draw_for
from env_service.suites.alfred.builtin.rounds import (
    BATHROOM,
    BEDROOM,
    KITCHEN,
    LIVING_ROOM,
    Slot,
)
from env_service.worlds.household.scene.rooms.source import BuiltInRooms
from env_service.worlds.household.scene.spec import ObjectSpec, SceneSpec
from env_service.worlds.thor.object_types import Trait

NUMBERS = range(1, 100_000)
"""Numbers of the rooms that tasks are played in."""

ROOMS: Mapping[str, int] = {KITCHEN: 14, LIVING_ROOM: 5, BEDROOM: 5, BATHROOM: 4}
"""Rooms of each kind in a round: two or three tasks share one, as in valid_seen."""

SPARE = 12
"""Rooms of each kind that stand in for those in which a type of task cannot be set."""

EYE_LEVEL = 1.0
"""Metres above the floor from which on what is in a fridge or wardrobe can be seen and taken by who
stands before it: lower things may be hidden by the door or a board."""

KEPT = 1024
"""Rooms of which the inventory is kept."""


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that can be carried.

    Attributes:
        type: its type.
        size: its sides along x and z, the longer one first, and its height, metres.
        within: the types of what it lies in or on.
        shut_in: the type of something closed that it lies in or on; empty if there is none.
        at_hand: whether LoTa-Bench's skills come to it by the names of types alone: it is in
            nothing closed; or in the one closed thing of that type in the room, high enough to
            be seen when that is opened.
    """

    type: str
    size: tuple[float, float, float]
    within: frozenset[str]
    shut_in: str
    at_hand: bool


@dataclass(frozen=True, slots=True)
class Place:
    """A receptacle: sides along x and z, the longer one first, height; and the square metres that
    what it holds takes of it."""

    size: tuple[float, float, float]
    taken: float


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a task needs to know of a room."""

    scene: str
    kind: str
    things: Mapping[str, tuple[Thing, ...]]
    places: Mapping[str, tuple[Place, ...]]
    types: frozenset[str]


def rooms_for(slot: Slot, seed: int) -> Iterator[str]:
    """The room that belongs to a task's place, then the spare ones of its round."""
    own = ROOMS[slot.kind]
    draw = draw_for("rooms", slot.kind, seed, slot.round)
    drawn = draw.sample(NUMBERS, own + SPARE)
    start = slot.place % SPARE
    spare = [*drawn[own + start :], *drawn[own : own + start]]
    for number in (drawn[slot.place % own], *spare):
        yield f"household-{slot.kind}-{number}"


@lru_cache(maxsize=KEPT)
def inventory(room: str) -> Inventory | None:
    """What is in a built-in room; None where the room cannot be drawn up."""
    try:
        scene = BuiltInRooms().load(room)
    except ValueError:
        return None
    return None if scene is None else _counted(scene)


def _counted(scene: SceneSpec) -> Inventory:
    things: defaultdict[str, list[Thing]] = defaultdict(list)
    places: defaultdict[str, list[Place]] = defaultdict(list)
    for spec in scene.objects:
        if spec.can(Trait.PICKUPABLE):
            things[spec.type].append(_thing(scene, spec))
        if spec.can(Trait.RECEPTACLE):
            places[spec.type].append(Place(_sides(spec), _taken(scene, spec)))
    return Inventory(
        scene=scene.name,
        kind=scene.room.value.replace("_", "-"),
        things={kind: tuple(found) for kind, found in things.items()},
        places={kind: tuple(found) for kind, found in places.items()},
        types=frozenset(spec.type for spec in scene.objects),
    )


def _thing(scene: SceneSpec, spec: ObjectSpec) -> Thing:
    holders = [scene.by_id[each] for each in spec.parents or ()]
    shut = next((each.type for each in holders if _shut(each)), "")
    alone = sum(each.type == shut for each in scene.objects) == 1
    within = frozenset(each.type for each in holders)
    at_hand = not shut or (alone and spec.position.y >= EYE_LEVEL)
    return Thing(spec.type, _sides(spec), within, shut, at_hand)


def _shut(spec: ObjectSpec) -> bool:
    return spec.can(Trait.OPENABLE) and spec.start.openness == 0


def _sides(spec: ObjectSpec) -> tuple[float, float, float]:
    size = spec.body.size
    return max(size.x, size.z), min(size.x, size.z), size.y


def _taken(scene: SceneSpec, spec: ObjectSpec) -> float:
    inner: Sequence[ObjectSpec] = [scene.by_id[each] for each in spec.contents or ()]
    return sum(each.body.size.x * each.body.size.z for each in inner)
