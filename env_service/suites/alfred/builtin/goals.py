"""The goals that a room allows: not met as it opens, and within reach of LoTa-Bench's skills."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from env_service.suites.alfred.builtin.fits import Room, fits
from env_service.suites.alfred.builtin.rooms import Inventory, Thing
from env_service.suites.alfred.builtin.tables import (
    CLEANABLE,
    COOLABLE,
    HEATABLE,
    LAMPS,
    MOVABLES,
    PARENTS,
    THROWN_AWAY,
    base_of,
    carried,
    may_hold,
)
from env_service.suites.alfred.task import Goal, TaskType

_CHANGED: Mapping[TaskType, tuple[frozenset[str], str]] = {
    TaskType.CLEAN: (CLEANABLE, "SinkBasin"),
    TaskType.HEAT: (HEATABLE, "Microwave"),
    TaskType.COOL: (COOLABLE, "Fridge"),
}
"""What can be changed so, and where that is done. It is brought elsewhere then."""

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
        if form == base_of(form) and _at_hand(inventory, form):
            for lamp in LAMPS:
                if lamp in inventory.types:
                    yield Goal(TaskType.LOOK, form, toggle=lamp)


def _places(kind: TaskType, inventory: Inventory) -> Iterator[Goal]:
    changed, station = _CHANGED.get(kind, (None, ""))
    needed = 2 if kind is TaskType.TWO else 1
    if station and station not in inventory.types:
        return
    for form in carried():
        base = base_of(form)
        sliced = form != base
        if sliced and kind is TaskType.SIMPLE:
            continue
        things = _at_hand(inventory, base)
        if len(things) < (1 if sliced else needed) or (changed and form not in changed):
            continue
        if station and not fits(inventory, Room(_carried(things[0], sliced=sliced)), station):
            continue
        for parent in _parents(inventory, things[0], needed, sliced=sliced):
            there = any(parent in each.within for each in inventory.things[base])
            if parent == station or (there and not station and not sliced):
                continue
            if parent == "GarbageCan" and (station or sliced or base not in THROWN_AWAY):
                continue
            yield Goal(kind, base, parent, sliced=sliced)


def _movables(inventory: Inventory) -> Iterator[Goal]:
    for movable in MOVABLES:
        vessels = _at_hand(inventory, movable)
        if not vessels:
            continue
        for form in carried():
            base = base_of(form)
            if base in MOVABLES or movable not in may_hold(base):
                continue
            things = _at_hand(inventory, base)
            inside = any(movable in each.within for each in inventory.things.get(base, ()))
            if not things or inside or not _goes_in(things[0], vessels[0], sliced=form != base):
                continue
            for parent in _parents(inventory, vessels[0], 1, sliced=False):
                if parent not in ("GarbageCan", "CoffeeMachine", "Microwave"):
                    yield Goal(TaskType.MOVABLE, base, parent, movable, sliced=form != base)


def _goes_in(thing: Thing, vessel: Thing, *, sliced: bool) -> bool:
    length, width, height = _carried(thing, sliced=sliced).size
    long, wide, high = vessel.size
    if vessel.type in ("Mug", "Cup"):
        return width <= 0.05 and height <= 0.05
    if vessel.type == "Box" and height > 0.1:
        return False
    flat = vessel.type in ("Plate", "Pan")
    return length <= (1.2 if flat else 0.8) * long and width <= 0.7 * wide and height <= 0.15 + high


def _parents(inventory: Inventory, thing: Thing, count: int, *, sliced: bool) -> Iterator[str]:
    need = Room(_carried(thing, sliced=sliced), count)
    for parent in PARENTS:
        if parent in may_hold(thing.type) and fits(inventory, need, parent):
            yield parent


def _carried(thing: Thing, *, sliced: bool) -> Thing:
    return replace(thing, size=_SLICE) if sliced else thing


def _at_hand(inventory: Inventory, kind: str) -> tuple[Thing, ...]:
    return tuple(each for each in inventory.things.get(kind, ()) if each.at_hand)
