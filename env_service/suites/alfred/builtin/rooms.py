"""The built-in rooms of a set's tasks: which they are, what they contain, and whether a receptacle
surely has room for something.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from env_service.suites.alfred.builtin.rounds import (
    BATHROOM,
    BEDROOM,
    KITCHEN,
    LIVING_ROOM,
    Slot,
    draw_for,
)
from env_service.worlds.ai2thor_api.built_in_rooms import (
    NUMBERS,
    BuiltInRoom,
    RoomObject,
    built_in_room,
    room_name,
)
from env_service.worlds.ai2thor_api.object_types import Trait

ROOMS: Mapping[str, int] = {KITCHEN: 14, LIVING_ROOM: 5, BEDROOM: 5, BATHROOM: 4}
"""Rooms of each kind in a round: two or three tasks share one, as in valid_seen."""

SPARE = 12
"""Rooms of each kind that stand in for those in which a type of task cannot be set."""

EYE_LEVEL = 1.0
"""Metres above the floor. From this height on the robot can see and take what is in a fridge or
wardrobe; the door or a board may hide lower things."""

KEPT = 1024
"""Rooms of which the inventory is kept."""


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that can be carried.

    Attributes:
        type: its type.
        size: its sides along x and z, the longer one first, and its height, metres.
        within: the types of what it is in or on.
        shut_in: the type of the closed thing that it is in; empty for none.
        at_hand: whether LoTa-Bench's skills reach it by the names of types alone: it is in nothing
            closed; or in the only closed thing of that type in the room, high enough to be seen
            when that is opened.
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
        yield room_name(slot.kind, number)


@lru_cache(maxsize=KEPT)
def inventory(room: str) -> Inventory | None:
    """What is in a built-in room; None where the room cannot be drawn up."""
    try:
        scene = built_in_room(room)
    except ValueError:
        return None
    return None if scene is None else _counted(scene)


def _counted(scene: BuiltInRoom) -> Inventory:
    things: defaultdict[str, list[Thing]] = defaultdict(list)
    places: defaultdict[str, list[Place]] = defaultdict(list)
    for spec in scene.objects:
        if Trait.PICKUPABLE in spec.traits:
            things[spec.type].append(_thing(scene, spec))
        if Trait.RECEPTACLE in spec.traits:
            places[spec.type].append(Place(_sides(spec), _taken(scene, spec)))
    return Inventory(
        scene=scene.name,
        kind=scene.kind,
        things={kind: tuple(found) for kind, found in things.items()},
        places={kind: tuple(found) for kind, found in places.items()},
        types=frozenset(spec.type for spec in scene.objects),
    )


def _thing(scene: BuiltInRoom, spec: RoomObject) -> Thing:
    holders = [scene.by_id[each] for each in spec.parents]
    shut = next((each.type for each in holders if _shut(each)), "")
    alone = sum(each.type == shut for each in scene.objects) == 1
    within = frozenset(each.type for each in holders)
    at_hand = not shut or (alone and spec.position.y >= EYE_LEVEL)
    return Thing(spec.type, _sides(spec), within, shut, at_hand)


def _shut(spec: RoomObject) -> bool:
    return Trait.OPENABLE in spec.traits and not spec.is_open


def _sides(spec: RoomObject) -> tuple[float, float, float]:
    size = spec.size
    return max(size.x, size.z), min(size.x, size.z), size.y


def _taken(scene: BuiltInRoom, spec: RoomObject) -> float:
    inner: Sequence[RoomObject] = [scene.by_id[each] for each in spec.contents]
    return sum(each.size.x * each.size.z for each in inner)


# --- Whether a receptacle surely has room for something: rules of thumb on the safe side

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
