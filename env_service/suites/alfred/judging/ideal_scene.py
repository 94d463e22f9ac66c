"""A scene of facts alone: which objects are where, open, on, sliced, held; and such a scene built
from a log.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from env_service.suites.alfred.judging.command_reader import types_of_words
from env_service.suites.alfred.judging.english_words import PLACES
from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.object_words import (
    BASINS,
    OPENABLE,
    PICKABLE,
    RECEPTACLES,
    SLICEABLE,
    SWITCHABLE,
)
from env_service.suites.alfred.skills.steps import Cause, StepRecord
from env_service.suites.alfred.task import Goal, TaskType
from env_service.worlds.ai2thor_api.metadata_view import ThorObject

SLICES = 4
"""Pieces that slicing makes: more than any goal asks for. AI2-THOR makes 2 to 8 by type
(docs/alfred-rules.md, "Skills")."""

_RELATED = {"Faucet": frozenset({"Sink", "SinkBasin", "Bathtub", "BathtubBasin"})}
"""Objects that belong to another without being in or on it."""


class IdealScene:
    """The state of a replay. Objects are known by id; metadata of the opening is never changed.

    Attributes:
        things: metadata of every object at the opening, pieces included, by id.
        contents: what is directly in or on a receptacle, by its id.
        opened, running: ids of what is open, and on.
        sliced: ids of objects that exist only as pieces.
        unsure: ids of openable things that may be open or closed.
        held: id of what is in the hand; empty for nothing.
        here: id of what the robot went to last; empty at the start.
    """

    def __init__(self, opening: AlfredView, unsure: frozenset[str] = frozenset()) -> None:
        self.things: dict[str, ThorObject] = {each["objectId"]: each for each in opening.objects}
        self.contents = {
            name: list(each.get("receptacleObjectIds") or ()) for name, each in self.things.items()
        }
        self._listed_parents = {
            name: set(each.get("parentReceptacles") or ()) & self.things.keys()
            for name, each in self.things.items()
        }
        self.opened = {name for name, each in self.things.items() if each.get("isOpen")}
        self.running = {name for name, each in self.things.items() if each.get("isToggled")}
        self.sliced = {name for name, each in self.things.items() if each.get("isSliced")}
        self.unsure = set(unsure)
        self.held = "" if opening.held is None else opening.held["objectId"]
        self.here = ""
        self._metadata = opening.metadata

    def type_of(self, name: str) -> str:
        """The type of an object."""
        found: str = self.things[name]["objectType"]
        return found

    def parents(self, name: str) -> Iterator[str]:
        """The objects that contain or support an object: by the receptacles' lists, and by the
        object's list until it is moved. The two do not always agree."""
        listed = self._listed_parents.get(name, set())
        yield from listed
        for outer, inner in self.contents.items():
            if name in inner and outer not in listed:
                yield outer

    def is_shut(self, name: str) -> bool:
        """Whether something that skills can open is closed for sure. The lid of a toilet they
        cannot, and things stand on it."""
        known = bool(self.things[name].get("openable")) and self.type_of(name) in OPENABLE
        return known and name not in self.opened and name not in self.unsure

    def shut_in(self, name: str) -> bool:
        """Whether an object is in something that is closed."""
        return bool(self.door_of(name))

    def door_of(self, name: str) -> str:
        """The closed container of an object; empty for none. Furniture has none: the simulator
        lists furniture that only touches other furniture, such as the cabinet next to a fridge."""
        if not self.things[name].get("pickupable"):
            return ""
        return next((each for each in self.parents(name) if self.is_shut(each)), "")

    def by_me(self, name: str) -> bool:
        """Whether an object is where the robot went last: the object that it went to, what contains
        or supports it, what it contains, what shares its place, or the tap of a sink."""
        if not self.here:
            return False
        here = {self.here, *self._all_parents(self.here)}
        there = {name, *self._all_parents(name)}
        related = _RELATED.get(self.type_of(name), frozenset())
        at_tap = _RELATED.get(self.type_of(self.here), frozenset())
        return (
            bool(here & there)
            or any(each.startswith(f"{other}|") for each in there for other in here)
            or any(each.startswith(f"{other}|") for each in here for other in there)
            or bool(related & {self.type_of(each) for each in here})
            or bool(at_tap & {self.type_of(each) for each in there})
        )

    def distance(self, name: str) -> float:
        """Metres between where the robot went last and an object, by the opening; 0 where either
        is unknown."""
        place = self.things[name].get("position")
        here = self.things[self.here].get("position") if self.here else None
        if not place or not here:
            return 0.0
        return math.dist([place[axis] for axis in "xyz"], [here[axis] for axis in "xyz"])

    def take(self, name: str) -> None:
        """Puts an object in the hand, with what is in it."""
        self._leave(name)
        self.held = name

    def put(self, receptacle: str) -> None:
        """Puts what is held somewhere; nowhere, on the floor, for an empty name."""
        if receptacle:
            self.contents.setdefault(receptacle, []).append(self.held)
        self.held = ""

    def cut(self, name: str) -> None:
        """Makes pieces of an object, where it is."""
        whole = self.things[name]
        outer = list(self.parents(name))
        direct = [each for each, inner in self.contents.items() if name in inner]
        self._leave(name)
        self.sliced.add(name)
        kind = f"{whole['objectType']}Sliced"
        for number in range(1, SLICES + 1):
            piece = f"{name}|{kind}_{number}"
            self.things[piece] = {
                **whole,
                "objectId": piece,
                "objectType": kind,
                "sliceable": False,
                "isSliced": False,
                "receptacle": False,
            }
            self.contents[piece] = []
            self._listed_parents[piece] = set(outer)
            for each in direct:
                self.contents[each].append(piece)

    def snapshot(self) -> AlfredView:
        """The view on which goals are evaluated. Every object counts as visible, unless shut in."""
        objects = [self._as_metadata(name) for name in self.things]
        held = [{"objectId": self.held, "objectType": self.type_of(self.held)}] if self.held else []
        return AlfredView({**self._metadata, "objects": objects, "inventoryObjects": held})

    def _as_metadata(self, name: str) -> Mapping[str, Any]:
        return {
            **self.things[name],
            "isOpen": name in self.opened,
            "isToggled": name in self.running,
            "isSliced": name in self.sliced,
            "isPickedUp": name == self.held,
            "visible": not self.shut_in(name) and name not in self.sliced,
            "receptacleObjectIds": list(self.contents[name]),
            "parentReceptacles": list(self.parents(name)),
        }

    def _leave(self, name: str) -> None:
        self._listed_parents.pop(name, None)
        for inner in self.contents.values():
            if name in inner:
                inner.remove(name)

    def _all_parents(self, name: str) -> Iterator[str]:
        seen: set[str] = set()
        open_ends = [name]
        while open_ends:
            for outer in self.parents(open_ends.pop()):
                if outer not in seen:
                    seen.add(outer)
                    open_ends.append(outer)
                    yield outer


# --- A scene built from a log: it contains what the goal and the steps name, except what could not
# be found

_ALWAYS = ("CounterTop", "Sink", "Faucet")


def imagined_view(goal: Goal, records: Sequence[StepRecord]) -> tuple[AlfredView, frozenset[str]]:
    """The scene, and the ids of objects that may be open or closed."""
    wanted = [goal.object, goal.parent, goal.movable, goal.toggle]
    kinds = {each.removesuffix("Basin") for each in wanted if each}
    kinds |= set(_ALWAYS) | set(_named(records)) - set(_missed(records, kinds))
    twice = goal.object if goal.type is TaskType.TWO and not goal.sliced else ""
    objects = [
        each for kind in sorted(kinds) for each in _instances(kind, 2 if kind == twice else 1)
    ]
    unsure = frozenset(each["objectId"] for each in objects if each["openable"])
    return AlfredView({"objects": objects, "inventoryObjects": []}), unsure


def _named(records: Sequence[StepRecord]) -> Iterator[str]:
    for each in records:
        if each.step is not None and each.step.object:
            yield each.step.object
        elif each.step is None:
            known = types_of_words(each.said) & {*PICKABLE, *RECEPTACLES, *PLACES}
            yield from (kind.removesuffix("Basin") for kind in known if kind in RECEPTACLES)


def _missed(records: Sequence[StepRecord], wanted: set[str]) -> Iterator[str]:
    """Objects that a step searched for by name and that are missing. What the goal wants is always
    present, whatever a log says."""
    for each in records:
        absent = each.result.cause is Cause.NO_SUCH_OBJECT and each.step is not None
        if absent and each.step is not None and each.step.object not in wanted:
            yield each.step.object


def _instances(kind: str, count: int) -> Iterator[Mapping[str, Any]]:
    for number in range(count):
        name = f"{kind}|{number}"
        yield _object(name, kind)
        if kind in BASINS:
            yield _object(f"{name}|{BASINS[kind]}", BASINS[kind])


def _object(name: str, kind: str) -> Mapping[str, Any]:
    whole = kind.removesuffix("Basin")
    return {
        "objectId": name,
        "objectType": kind,
        "pickupable": kind in PICKABLE,
        "receptacle": kind not in BASINS and whole in RECEPTACLES,
        "openable": kind in OPENABLE,
        "isOpen": False,
        "toggleable": kind in SWITCHABLE,
        "isToggled": False,
        "sliceable": kind in SLICEABLE,
        "isSliced": False,
        "visible": True,
        "receptacleObjectIds": [],
        "parentReceptacles": [],
    }
