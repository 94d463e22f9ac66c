"""Chooses the built-in room for a task, and lists what the room contains."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from env_service.suites.asgard.action_language import available_objects
from env_service.suites.asgard.builtin.plan_parts import target_types
from env_service.suites.asgard.builtin.rounds import Variation, draw_for
from env_service.suites.asgard.object_types import object_tables
from env_service.suites.asgard.plan import Family
from env_service.worlds.ai2thor_api.built_in_rooms import NUMBERS, built_in_room, room_name
from env_service.worlds.ai2thor_api.geometry import Point

ROOMS: Mapping[str, int] = {"kitchen": 34, "bathroom": 3, "living-room": 3}
"""Rooms of each kind in a round: three tasks share a kitchen, each other task has a room to
itself. (In the official set four or five tasks share a kitchen.)"""

SPARE = 20
"""Rooms of each kind that stand in for those that will not do."""

KEPT = 2048
"""Rooms of which the inventory is kept: those of 50 rounds."""

_KINDS: dict[Family, str] = {Family.CLEAN_MIRROR: "bathroom", Family.TURN_ON_TV: "living-room"}

_USED: dict[Family, tuple[str, ...]] = {
    Family.COFFEE: ("CoffeeMachine", "Cabinet"),
    Family.MICROWAVE_POTATO: ("Microwave",),
    Family.COOK_EGG: ("StoveBurner", "StoveKnob"),
    Family.MAKE_TOAST: ("Toaster",),
    Family.FRY_POTATO_SLICE: ("StoveBurner", "StoveKnob"),
    Family.PUT_AWAY_FOOD: ("Fridge",),
    Family.PUT_AWAY_DISHES: ("Cabinet",),
    Family.PUT_AWAY_SILVERWARE: ("Drawer",),
    Family.SLICE_AND_DISTRIBUTE: (),
    Family.SET_TABLE: ("CoffeeMachine", "Toaster", "DiningTable"),
    Family.CLEAN_MIRROR: ("Mirror",),
    Family.TURN_ON_TV: ("Television",),
}
"""What a task uses in addition to its targets."""

_KITCHEN = (
    "CoffeeMachine", "Toaster", "StoveKnob", "Microwave", "Fridge", "Faucet", "SinkBasin",
    "CounterTop",
)  # fmt: skip
"""What every kitchen has: goals ask how it is left, and things are washed and laid down."""

_ONE_ONLY: dict[Family, str] = {Family.SET_TABLE: "DiningTable", Family.CLEAN_MIRROR: "Mirror"}
"""Where there were two, nothing would tell the agent which one is meant (the release's generator
sets tables in rooms with one alone, docs/asgard-rules.md, "An episode")."""


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a task needs to know about a room.

    Attributes:
        counts: the number of objects of each type.
        names: AI2-THOR's name of the first object of each type, the one that the start-up leaves
            in the room (`setup.duplicates`).
        start: where the agent stands, metres.
    """

    counts: Mapping[str, int]
    names: Mapping[str, str]
    start: Point

    @property
    def words(self) -> tuple[str, ...]:
        """The words that the agent sees: the room's types, and what slicing makes of them
        (docs/asgard.md, "Conditions")."""
        slices = object_tables().slices
        return available_objects((*self.counts, *(slices[t] for t in slices if t in self.counts)))


def room_for(variation: Variation, seed: int, number: int, place: int) -> str:
    """The room of the task that comes at a place (from 0) among those of a round that are played
    in the same kind of room; a spare one where that will not do.

    Raises:
        RuntimeError: none of the round's rooms will do.
    """
    for room in _candidates(kind_of(variation), seed, number, place):
        if will_do(variation, room):
            return room
    raise RuntimeError(f"no room of round {number} of seed {seed} will do for {variation}")


def kind_of(variation: Variation) -> str:
    """The kind of room, as the rooms' names spell it."""
    return _KINDS.get(variation.family, "kitchen")


def will_do(variation: Variation, room: str) -> bool:
    """Whether a room can be built and has what a task asks for."""
    try:
        counts = inventory(room).counts
    except ValueError:
        return False
    family = variation.family
    kitchen = _KITCHEN if kind_of(variation) == "kitchen" else ()
    needed = chain(target_types(variation), _USED[family], kitchen)
    alone = _ONE_ONLY.get(family)
    return all(each in counts for each in needed) and (alone is None or counts[alone] == 1)


@lru_cache(maxsize=KEPT)
def inventory(room: str) -> Inventory:
    """What a built-in room contains.

    Raises:
        ValueError: no such room exists.
    """
    scene = built_in_room(room)
    if scene is None:
        raise ValueError(f"{room!r} is not a built-in room")
    names: dict[str, str] = {}
    for spec in scene.objects:
        names.setdefault(spec.type, spec.name)
    return Inventory(Counter(spec.type for spec in scene.objects), names, scene.start)


def _candidates(kind: str, seed: int, number: int, place: int) -> Iterator[str]:
    """The room that belongs to the place, then the spare ones of its round.

    Whenever all rooms have had their turn they are shuffled: otherwise a room would get the same
    type of task again, as types return at equal distances.
    """
    draw = draw_for("rooms", kind, seed, number)
    drawn = draw.sample(NUMBERS, ROOMS[kind] + SPARE)
    own, spare = drawn[: ROOMS[kind]], drawn[ROOMS[kind] :]
    turn, at = divmod(place, len(own))
    for _ in range(turn):
        draw.shuffle(own)
    start = place % SPARE
    for each in (own[at], *spare[start:], *spare[:start]):
        yield room_name(kind, each)
