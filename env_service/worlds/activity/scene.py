"""What never changes while an activity is carried out: which things there are, and what each is
good for."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from env_service.worlds.activity.bddl.expressions import (
    Atom,
    Bound,
    Exists,
    ForAll,
    ForN,
    ForNPairs,
    ForPairs,
    within,
)
from env_service.worlds.activity.bddl.problem import AGENT, Problem
from env_service.worlds.activity.categories import Trait, traits_of

Phantom = tuple[str, str, str]
"""A fixture that the definition does not list: instance, category, and room, which is empty if
unknown."""

ROOMS = frozenset(
    {
        "balcony",
        "bathroom",
        "bedroom",
        "childs_room",
        "closet",
        "corridor",
        "dining_room",
        "empty_room",
        "exercise_room",
        "garage",
        "garden",
        "hallway",
        "home_office",
        "kitchen",
        "laundry_room",
        "living_room",
        "lobby",
        "pantry_room",
        "playroom",
        "staircase",
        "storage_room",
        "television_room",
        "utility_room",
    }
)
"""Rooms of homes. A plan may name one in which the definition has nothing."""

_PLACINGS = frozenset({"inside", "ontop", "onfloor", "under"})


@dataclass(frozen=True, slots=True)
class ActivityScene:
    """The things of an activity, the agent and phantoms included.

    Attributes:
        categories: instance to category.
        rooms: of what the definition puts into a room. Everything else is where it lies.
        room_names: the rooms that the definition, or a phantom, names.
        floors: room to the floor in it; the first where there are several.
        agent: the instance that acts; empty where none is declared.
        freezable: what becomes frozen in the cold: what the opening or the goal calls frozen or not
            frozen. Other things never count as frozen.
        floor, …, vessel: the instances of each trait. What can be moved, opened, switched or soaked
            is also what the definition speaks of so.
    """

    categories: Mapping[str, str]
    rooms: Mapping[str, str]
    room_names: frozenset[str]
    floors: Mapping[str, str]
    agent: str
    freezable: frozenset[str]
    floor: frozenset[str]
    surface: frozenset[str]
    container: frozenset[str]
    movable: frozenset[str]
    lid: frozenset[str]
    openable: frozenset[str]
    switch: frozenset[str]
    basin: frozenset[str]
    faucet: frozenset[str]
    heat: frozenset[str]
    cold: frozenset[str]
    washer: frozenset[str]
    dryer: frozenset[str]
    knife: frozenset[str]
    tool: frozenset[str]
    soap: frozenset[str]
    water: frozenset[str]
    liquid: frozenset[str]
    food: frozenset[str]
    absorbent: frozenset[str]
    vessel: frozenset[str]

    def is_room(self, name: str) -> bool:
        """Whether a name is a room's: one that the definition names, or of `ROOMS`."""
        return name in self.room_names or name in ROOMS


def build_scene(problem: Problem, phantoms: Sequence[Phantom] = ()) -> ActivityScene:
    """The house of an activity. What its opening or goal calls open, switched on or moved somewhere
    can be opened, switched or moved, whatever its category is."""
    categories = {**problem.objects, **{name: kind for name, kind, _ in phantoms}}
    rooms = {
        each.atom.terms[0]: each.atom.terms[1]
        for each in problem.init
        if each.atom.predicate == "inroom" and each.positive
    } | {name: room for name, _, room in phantoms if room}
    kinds = _kinds(categories)
    floors: dict[str, str] = {}
    for name in categories:
        if name in kinds[Trait.FLOOR] and name in rooms:
            floors.setdefault(rooms[name], name)
    mentions = _Mentions(problem)
    fixed = kinds[Trait.FLOOR]
    return ActivityScene(
        categories=categories,
        rooms=rooms,
        room_names=frozenset(rooms.values()),
        floors=floors,
        agent=next((name for name, kind in categories.items() if kind == AGENT), ""),
        freezable=mentions.of({"frozen"}),
        floor=kinds[Trait.FLOOR],
        surface=kinds[Trait.SURFACE],
        container=kinds[Trait.CONTAINER],
        movable=(kinds[Trait.MOVABLE] | mentions.of(_PLACINGS, goal_only=True)) - fixed,
        lid=kinds[Trait.LID],
        openable=kinds[Trait.LID]
        | kinds[Trait.FLAP]
        | kinds[Trait.OPENABLE]
        | mentions.of({"open"}),
        switch=kinds[Trait.SWITCH] | mentions.of({"toggled_on"}),
        basin=kinds[Trait.BASIN],
        faucet=kinds[Trait.FAUCET],
        heat=kinds[Trait.HEAT],
        cold=kinds[Trait.COLD],
        washer=kinds[Trait.WASHER],
        dryer=kinds[Trait.DRYER],
        knife=kinds[Trait.KNIFE],
        tool=kinds[Trait.TOOL],
        soap=kinds[Trait.SOAP],
        water=kinds[Trait.WATER],
        liquid=kinds[Trait.LIQUID],
        food=kinds[Trait.FOOD],
        absorbent=kinds[Trait.ABSORBENT] | mentions.of({"soaked"}),
        vessel=kinds[Trait.VESSEL],
    )


def _kinds(categories: Mapping[str, str]) -> Mapping[Trait, frozenset[str]]:
    found: dict[Trait, set[str]] = {trait: set() for trait in Trait}
    for name, category in categories.items():
        if category == AGENT:
            continue
        for trait in traits_of(category):
            found[trait].add(name)
    return {trait: frozenset(names) for trait, names in found.items()}


class _Mentions:
    """Of which things a definition's opening and goal say something, by predicate."""

    def __init__(self, problem: Problem) -> None:
        self._objects = problem.objects
        self._opening = tuple(each.atom for each in problem.init)
        self._goal: list[Atom] = []
        self._kinds: dict[str, set[str]] = {}
        for each in (part for goal in (problem.goal, *problem.dropped) for part in within(goal)):
            if isinstance(each, Atom):
                self._goal.append(each)
            elif isinstance(each, ForPairs | ForNPairs):
                self._bind(each.first)
                self._bind(each.second)
            elif isinstance(each, ForAll | Exists | ForN):
                self._bind(each.bound)

    def _bind(self, bound: Bound) -> None:
        self._kinds.setdefault(bound.variable, set()).add(bound.category)

    def of(self, predicates: Collection[str], *, goal_only: bool = False) -> frozenset[str]:
        """The things that come first in a fact of one of these predicates; a variable means all
        things of its category."""
        atoms = self._goal if goal_only else (*self._goal, *self._opening)
        first = {each.terms[0] for each in atoms if each.terms and each.predicate in predicates}
        kinds = {kind for name in first for kind in self._kinds.get(name, ())}
        return frozenset(
            name for name, kind in self._objects.items() if name in first or kind in kinds
        )
