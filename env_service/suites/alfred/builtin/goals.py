"""The goals that a room allows: not met as it opens, and within reach of LoTa-Bench's skills;
and which objects they are about.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from env_service.suites.alfred.builtin.rooms import Inventory, Need, Thing, fits
from env_service.suites.alfred.object_words import PICKABLE, RECEPTACLES, SLICEABLE
from env_service.suites.alfred.task import Goal, TaskType
from env_service.worlds.ai2thor_api.object_types import object_types

# --- Which objects built-in tasks are about, and where they may go


def _listed(names: str) -> frozenset[str]:
    return frozenset(names.split())


HEATABLE = _listed(
    "Apple AppleSliced Bread BreadSliced Cup Egg Mug Plate Potato PotatoSliced Tomato TomatoSliced"
)
"""ALFRED's gen/constants (docs/alfred.md, "Task"): 12 types."""

COOLABLE = _listed(
    """
    Apple AppleSliced Bowl Bread BreadSliced Cup Egg Lettuce LettuceSliced Mug Pan Plate Pot Potato
    PotatoSliced Tomato TomatoSliced WineBottle
    """
)
"""The same: 18 types."""

CLEANABLE = _listed(
    """
    Apple AppleSliced Bowl ButterKnife Cloth Cup DishSponge Egg Fork Kettle Knife Ladle Lettuce
    LettuceSliced Mug Pan Plate Pot Potato PotatoSliced SoapBar Spatula Spoon Tomato TomatoSliced
    """
)
"""The same: 25 types."""

SLICED = "Sliced"
"""What follows a type's name where its slices are meant."""

MOVABLES = ("Bowl", "Box", "Cup", "Mug", "Pan", "Plate", "Pot")
"""Receptacles that are carried together with their contents (the same; the movable receptacles of
ALFRED's task names)."""

LAMPS = ("DeskLamp", "FloorLamp")
"""ALFRED's two toggle targets (docs/alfred.md, "Task")."""

PARENTS = tuple(
    each
    for each in (*RECEPTACLES, "SinkBasin", "BathtubBasin")
    if each not in (*MOVABLES, "Sink", "Bathtub", "StoveBurner")
)
"""Where things are brought. Goals name basins by the part; in our rooms burners stand too close
for a second pot or pan."""

THROWN_AWAY = _listed(
    """
    Apple Bread Egg Lettuce Potato Tomato Newspaper TissueBox ToiletPaper SoapBar SprayBottle
    SoapBottle DishSponge Cloth Pen Pencil WineBottle CD
    """
)
"""What somebody may want in the garbage can."""

_MORE: Mapping[str, frozenset[str]] = {"HandTowel": _listed("SinkBasin BathtubBasin CounterTop")}
"""The engine lets a hand towel hang on its holder alone; ALFRED's tasks bring it elsewhere."""


@cache
def may_hold(object_type: str) -> frozenset[str]:
    """The receptacles that a type belongs in by the engine's table, without regard to room."""
    known = object_types().get(object_type)
    return (known.receptacles if known else frozenset()) | _MORE.get(object_type, frozenset())


def base_of(object_type: str) -> str:
    """The whole that slices come from; a whole itself."""
    return object_type.removesuffix(SLICED)


def carried() -> tuple[str, ...]:
    """The types that tasks are about, whole and, where they can be sliced, as slices."""
    return tuple(form for each in PICKABLE for form in _forms(each))


def _forms(kind: str) -> tuple[str, ...]:
    return (kind, kind + SLICED) if kind in SLICEABLE else (kind,)


_CHANGED: Mapping[TaskType, tuple[frozenset[str], str]] = {
    TaskType.CLEAN: (CLEANABLE, "SinkBasin"),
    TaskType.HEAT: (HEATABLE, "Microwave"),
    TaskType.COOL: (COOLABLE, "Fridge"),
}
"""What can be changed so, and where that is done. It is brought elsewhere then."""

_NOT_WITH_CONTENTS = ("GarbageCan", "CoffeeMachine", "Microwave")
"""Receptacles that never get an object with contents."""

HIDING = 0.8
"""Metres: from this size on what is held may hide the lamp that has to be in view."""

_SLICE = (0.12, 0.10, 0.06)
"""Metres: no slice is larger."""


def possible_goals(kind: TaskType, inventory: Inventory) -> tuple[Goal, ...]:
    """Every goal of a type that can be set in a room, in a fixed order."""
    if kind is TaskType.LOOK:
        return tuple(_looks(inventory))
    if kind is TaskType.MOVABLE:
        return tuple(_movables(inventory))
    return tuple(_places(kind, inventory))


def _looks(inventory: Inventory) -> Iterator[Goal]:
    for form in carried():
        things = _at_hand(inventory, form)
        if things and max(max(each.size) for each in things) < HIDING:
            for lamp in LAMPS:
                if lamp in inventory.types:
                    yield Goal(TaskType.LOOK, form, toggle=lamp)


def _places(kind: TaskType, inventory: Inventory) -> Iterator[Goal]:
    count = 2 if kind is TaskType.TWO else 1
    for form in carried():
        base = base_of(form)
        sliced = form != base
        things = _wanted(kind, inventory, form)
        if not things:
            continue
        for parent in _parents(inventory, _need(things, count, sliced=sliced)):
            goal = Goal(kind, base, parent, sliced=sliced)
            if _makes_sense(goal, inventory):
                yield goal


def _wanted(kind: TaskType, inventory: Inventory, form: str) -> tuple[Thing, ...]:
    """The things that a goal of a type may be about in this form; none if it may not."""
    base = base_of(form)
    sliced = form != base
    things = _at_hand(inventory, base)
    if kind in _CHANGED:
        able, station = _CHANGED[kind]
        known = form in able and bool(things)
        return things if known and fits(inventory, _need(things, 1, sliced=sliced), station) else ()
    if kind is TaskType.TWO and not sliced:
        things = tuple(each for each in things if not each.shut_in)
        return things if len(things) > 1 else ()
    return () if kind is TaskType.SIMPLE and sliced else things


def _makes_sense(goal: Goal, inventory: Inventory) -> bool:
    """Whether somebody may want that, and it is not so from the beginning."""
    if goal.type in _CHANGED:
        return goal.parent not in (_CHANGED[goal.type][1], "GarbageCan")
    if goal.type is TaskType.TWO and len(inventory.places[goal.parent]) > 1:
        return False  # Both have to come into the same one, and no command says which it is.
    if any(goal.parent in each.within for each in inventory.things[goal.object]):
        return False
    return goal.parent != "GarbageCan" or (goal.object in THROWN_AWAY and not goal.sliced)


def _movables(inventory: Inventory) -> Iterator[Goal]:
    for movable in MOVABLES:
        vessels = [each for each in _at_hand(inventory, movable) if not each.shut_in]
        if not vessels:
            continue
        parents = [
            each
            for each in _parents(inventory, _need(vessels, 1, sliced=False))
            if each not in _NOT_WITH_CONTENTS
        ]
        for form in carried():
            base = base_of(form)
            if _goes_along(inventory, form, vessels[0]):
                for parent in parents:
                    yield Goal(TaskType.MOVABLE, base, parent, movable, sliced=form != base)


def _goes_along(inventory: Inventory, form: str, vessel: Thing) -> bool:
    base = base_of(form)
    things = _at_hand(inventory, base)
    if not things or base in MOVABLES or vessel.type not in may_hold(base):
        return False
    if any(vessel.type in each.within for each in inventory.things[base]):
        return False
    return _goes_in(things[0], vessel, sliced=form != base)


def _goes_in(thing: Thing, vessel: Thing, *, sliced: bool) -> bool:
    length, width, height = _SLICE if sliced else thing.size
    long, wide, high = vessel.size
    if vessel.type in ("Mug", "Cup"):
        return width <= 0.05 and height <= 0.05
    if vessel.type == "Box" and height > 0.1:
        return False
    flat = vessel.type in ("Plate", "Pan")
    return length <= (1.2 if flat else 0.8) * long and width <= 0.7 * wide and height <= 0.15 + high


def _parents(inventory: Inventory, need: Need) -> Iterator[str]:
    for parent in PARENTS:
        if parent in may_hold(need.thing.type) and fits(inventory, need, parent):
            yield parent


def _need(things: Sequence[Thing], count: int, *, sliced: bool) -> Need:
    """Room for any of some things of one type: books stand slim on shelves, and lie elsewhere."""
    length, width, height = (max(sides) for sides in zip(*(t.size for t in things), strict=True))
    size = _SLICE if sliced else (length, width, height)
    return Need(replace(things[0], size=size), count)


def _at_hand(inventory: Inventory, kind: str) -> tuple[Thing, ...]:
    return tuple(each for each in inventory.things.get(kind, ()) if each.at_hand)
