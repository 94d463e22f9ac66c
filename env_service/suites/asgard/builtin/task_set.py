"""The built-in task sets by name, and each task made from its name."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from random import Random
from typing import Any

from env_service.domain.task import Task, TaskSet
from env_service.domain.text import counted
from env_service.suites.asgard.action_language import available_objects
from env_service.suites.asgard.builtin.plan_parts import (
    AWAY_CLASSES,
    goals_for,
    object_setup,
    setup_actions,
    step_count,
    target_types,
)
from env_service.suites.asgard.builtin.rounds import Variation, draw_for, first
from env_service.suites.asgard.object_types import object_tables
from env_service.suites.asgard.plan import Family
from env_service.suites.builtin_sets import BuiltinName, is_builtin, named_task_set
from env_service.worlds.ai2thor_api.built_in_rooms import NUMBERS, built_in_room, room_name
from env_service.worlds.ai2thor_api.geometry import Point

# --- The room for a task, and what it contains

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


# --- The task sets

__all__ = ["builtin_task_set", "is_builtin"]

COUNT = 108
"""Of the set that says no number: as many tasks as the official set."""


def builtin_task_set(name: str) -> TaskSet | None:
    """The task set ``builtin``, ``builtin-COUNT`` or ``builtin-COUNT-SEED``: the first COUNT tasks
    of a seed. None if the name names no built-in set (`is_builtin`).

    The task at a position is the same for every COUNT. 108 tasks have the official set's
    proportions of types and variations; smaller sets come close to them. Each call generates the
    set's rooms (about 40 for 108 tasks, at 0.1 s of CPU time each) unless this process already has.

    Raises:
        MalformedNameError: the name is malformed; the message gives the correct form.
    """
    return named_task_set(name, COUNT, _description, _tasks)


def _description(asked: BuiltinName) -> str:
    tasks = counted(asked.count, "task")
    return f"{tasks} of AsgardBench's twelve types, in built-in rooms, drawn by seed {asked.seed}."


def _tasks(asked: BuiltinName) -> Iterator[Task]:
    places: Counter[tuple[int, str]] = Counter()
    versions: Counter[str] = Counter()
    for index, (number, variation) in enumerate(first(asked.seed, asked.count)):
        kind = kind_of(variation)
        room = room_for(variation, asked.seed, number, places[number, kind])
        places[number, kind] += 1
        away = away_types(variation, draw_for("away", asked.seed, index))
        unnumbered = name_of(variation, room, away, 0)
        versions[unnumbered] += 1
        yield make_task(variation, room, away, versions[unnumbered])


# --- A built-in task, made from its name: a plan in the published schema, and the words to show

SEEDS = 10_000
"""Seeds of start-ups are below that, as in the release (docs/asgard-rules.md, "An episode")."""

_HEADS: dict[Family, tuple[str, str]] = {
    Family.COFFEE: ("coffee", ""),
    Family.MICROWAVE_POTATO: ("cook", "Potato"),
    Family.COOK_EGG: ("cook", "Egg"),
    Family.MAKE_TOAST: ("cook", "Bread"),
    Family.FRY_POTATO_SLICE: ("cook", "PotatoSliced"),
    Family.PUT_AWAY_FOOD: ("putaway", "Food"),
    Family.PUT_AWAY_DISHES: ("putaway", "Dishes"),
    Family.PUT_AWAY_SILVERWARE: ("putaway", "Silverware"),
    Family.SLICE_AND_DISTRIBUTE: ("distribute", ""),
    Family.SET_TABLE: ("settable", ""),
    Family.CLEAN_MIRROR: ("clean_mirror", ""),
    Family.TURN_ON_TV: ("turn_on_tv", ""),
}
"""The text before "__", and the subject of the task where the whole family shares it."""


def away_types(variation: Variation, draw: Random) -> tuple[str, ...]:
    """Types to put away, drawn, in the order of their class: what is dirty, and others. Empty in a
    family that puts nothing away."""
    if not variation.away:
        return ()
    listed = object_tables().classes[AWAY_CLASSES[variation.family]]
    others = [each for each in listed if each not in variation.dirty]
    chosen = {*variation.dirty, *draw.sample(others, variation.away - len(variation.dirty))}
    return tuple(each for each in listed if each in chosen)


def name_of(variation: Variation, room: str, away: Sequence[str], version: int) -> str:
    """The task's name, by the published grammar (docs/asgard.md, "Task")."""
    head, subject = _HEADS[variation.family]
    middle = "_".join(filter(None, (subject, *_conditions(variation), room)))
    tail = f"-{' '.join(away)}" if away else ""
    return f"{head}__{middle}_V{version}{tail}"


def _conditions(variation: Variation) -> tuple[str, ...]:
    if variation.family is Family.CLEAN_MIRROR:
        return ()
    if variation.dishes:
        return (variation.food, *(_marked(each, variation) for each in variation.dishes))
    return (variation.mug, *(_marked(each, variation) for each in variation.dirty))


def _marked(kind: str, variation: Variation) -> str:
    return f"{kind}(d)" if kind in variation.dirty else kind


def make_task(variation: Variation, room: str, away: Sequence[str], version: int) -> Task:
    """The task of a name. All that is drawn for it is drawn by that name, so that tasks of one
    name are the same in every set."""
    name = name_of(variation, room, away, version)
    return Task(
        id=name,
        group=variation.family.value,
        cluster=room,
        data={
            "plan": _plan(variation, name, room, away),
            "objects": list(inventory(room).words),
        },
    )


def _plan(variation: Variation, name: str, room: str, away: Sequence[str]) -> dict[str, Any]:
    """plan.json (docs/asgard.md, "Task")."""
    seed = draw_for("seed", name).randrange(SEEDS)
    return {
        "name": name,
        "task_description": instruction(variation, away),
        "scene": room,
        "plan_type": "generated",
        "task_failed": False,
        "setup_actions": setup_actions(variation, inventory(room).names),
        "object_setup": object_setup(variation),
        "goal": goals_for(variation, away),
        "randomization": {"seed": seed, "error_injection": None, "fail_action": None},
        "step_count": step_count(variation),
        "initial_pose": _pose(room, seed),
    }


def _pose(room: str, seed: int) -> dict[str, Any]:
    """Where the room's own start is, turned as the start-up turns the agent (`setup`): so 92 of
    the 108 official tasks begin, the others where their maker happened to stand."""
    import numpy as np  # noqa: PLC0415 - lists of suites do without it

    yaw = int(np.random.RandomState(seed).randint(0, 360))
    x, y, z = inventory(room).start
    return {
        "position": {"x": x, "y": y, "z": z},
        "rotation": float(yaw),
        "isStanding": True,
        "horizon": 0.0,
    }


# --- The instruction of a built-in task. Where the benchmark's own short texts are known
# (docs/asgard.md, "Task"), it uses their words

_TEXTS: dict[Family, str] = {
    Family.MICROWAVE_POTATO: "Cook a potato in the microwave and serve it in a bowl.",
    Family.COOK_EGG: "Fry an egg in a pan and serve it on a plate.",
    Family.MAKE_TOAST: "Toast a slice of bread and serve it on a plate.",
    Family.FRY_POTATO_SLICE: "Fry a slice of potato in a pan and serve it on a plate.",
    Family.SET_TABLE: "Clear the dining table, then set it with a mug of coffee and a slice of"
    " toast on a plate.",
    Family.CLEAN_MIRROR: "Clean the mirror.",
    Family.TURN_ON_TV: "Turn on the television.",
}


def instruction(variation: Variation, away: Sequence[str]) -> str:
    """One sentence; ``away`` are the types to put away."""
    if variation.family in _TEXTS:
        return _TEXTS[variation.family]
    if variation.family is Family.COFFEE:
        if variation.mug == "has_coffee":
            return "Consume coffee from a mug, then wash and store the mug"
        return "Prepare a mug of coffee, drink it, then wash and store the mug."
    if away:
        return f"Put away the {_listed(away)}"
    return f"Slice the {variation.food} and put a piece in the {_listed(variation.dishes)}"


def _listed(words: Sequence[str]) -> str:
    """A, B and C."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
