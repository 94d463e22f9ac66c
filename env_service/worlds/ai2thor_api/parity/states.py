"""Two states side by side: which quantities are compared, which of them differ, and the counts
of what agreed.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from env_service.worlds.ai2thor_api.parity.tolerances import Tolerances

AGENT = "agent"
"""Replaces the id and the type of the agent."""

Place = tuple[str, str]
"""An object's id, or AGENT, and the name of a quantity."""


@dataclass(frozen=True)
class Snapshot:
    """A state as metadata tell it. ``objects`` are by id."""

    objects: Mapping[str, Thing]
    agent: Thing

    @staticmethod
    def of(metadata: Mapping[str, Any]) -> Snapshot:
        """From AI2-THOR's metadata."""
        held = sorted(entry["objectId"] for entry in metadata.get("inventoryObjects") or [])
        return Snapshot(
            {thing["objectId"]: thing for thing in metadata["objects"]},
            {
                **metadata["agent"],
                INVENTORY: held,
                HAND: (metadata.get("heldObjectPose") or {}).get("position"),
                SCENE_BOUNDS: metadata.get("sceneBounds"),
            },
        )


@dataclass(frozen=True, slots=True)
class Difference:
    """One quantity that is not the same in both worlds.

    ``type`` is the object's type, AGENT for the agent; ``left`` and ``right`` are the two values.
    """

    id: str
    type: str
    quantity: str
    left: Any
    right: Any

    @property
    def place(self) -> Place:
        """What differs."""
        return (self.id, self.quantity)

    @property
    def of_sight(self) -> bool:
        """Whether it is about what is seen, not about what is so."""
        return self.quantity in SIGHT


@dataclass(frozen=True)
class StateComparison:
    """What came of comparing two states.

    ``compared`` and ``agreed`` count by type of object and quantity. ``seen`` counts, by quantity
    of sight, pairs of (left, right).
    """

    differences: tuple[Difference, ...]
    compared: Counter[Place] = field(default_factory=Counter)
    agreed: Counter[Place] = field(default_factory=Counter)
    seen: Counter[tuple[str, bool, bool]] = field(default_factory=Counter)

    @property
    def hard(self) -> tuple[Difference, ...]:
        """The differences of the state itself."""
        return tuple(each for each in self.differences if not each.of_sight)


def compare(
    left: Snapshot,
    right: Snapshot,
    tolerances: Tolerances,
    without: frozenset[str] = frozenset(),
) -> StateComparison:
    """Compares all quantities of all objects that either state has, and of the agent, but for
    those in ``without``.

    Of an object that one state lacks, only that is compared.
    """
    found = StateComparison(())
    quantities = tuple(each for each in OF_OBJECTS if each.name not in without)
    of_objects = _Comparing(quantities, tolerances, found)
    differences = list(_of_objects(left, right, of_objects))
    comparing = _Comparing(OF_AGENT, tolerances, found)
    differences += comparing.differences(AGENT, AGENT, (left.agent, right.agent))
    return StateComparison(tuple(differences), found.compared, found.agreed, found.seen)


def changes(before: Snapshot, after: Snapshot, tolerances: Tolerances) -> dict[Place, Any]:
    """What became different from one state to another of the same world: by place the new value,
    None where values are continuous, because two worlds may well move a thing to two places."""
    return {
        each.place: None if each.quantity in CONTINUOUS else each.right
        for each in compare(before, after, tolerances).hard
    }


@dataclass(frozen=True)
class _Comparing:
    quantities: tuple[Quantity, ...]
    tolerances: Tolerances
    found: StateComparison

    def differences(self, id_: str, type_: str, things: tuple[Thing, Thing]) -> list[Difference]:
        """Counts every quantity of a thing that is in both worlds."""
        one, other = things
        different = []
        for quantity in self.quantities:
            if not (quantity.applies(one) or quantity.applies(other)):
                continue
            left, right = quantity.read(one), quantity.read(other)
            self.found.compared[type_, quantity.name] += 1
            # Nearly all values are equal, which is sooner seen than that they are close.
            if left == right or quantity.agree(left, right, self.tolerances):
                self.found.agreed[type_, quantity.name] += 1
            else:
                different.append(Difference(id_, type_, quantity.name, left, right))
        return different


def _of_objects(left: Snapshot, right: Snapshot, comparing: _Comparing) -> Iterable[Difference]:
    found = comparing.found
    for id_ in dict.fromkeys((*left.objects, *right.objects)):
        one, other = left.objects.get(id_), right.objects.get(id_)
        type_ = str((one or other or {}).get("objectType", ""))
        found.compared[type_, EXISTS] += 1
        if one is None or other is None:
            yield Difference(id_, type_, EXISTS, one is not None, other is not None)
            continue
        found.agreed[type_, EXISTS] += 1
        for name in SIGHT:
            found.seen[name, bool(one[name]), bool(other[name])] += 1
        yield from comparing.differences(id_, type_, (one, other))


# --- Distances, and turns between orientations that AI2-THOR gives as Euler angles

Point = Mapping[str, Any]
"""{x, y, z}: metres, or degrees."""

Quaternion = tuple[float, float, float, float]
"""w, x, y, z."""


def distance(a: Point, b: Point) -> float:
    """Between two points."""
    return math.dist(*((float(p["x"]), float(p["y"]), float(p["z"])) for p in (a, b)))


def turn(a: Point, b: Point) -> float:
    """Degrees, 0 to 180, of the one turn that brings one orientation to the other.

    Euler angles of one orientation are not unique, so they are not compared one by one.
    """
    same = abs(sum(p * q for p, q in zip(_quaternion(a), _quaternion(b), strict=True)))
    return math.degrees(2.0 * math.acos(min(1.0, same)))


def turn_about_axis(a: float, b: float) -> float:
    """Degrees, 0 to 180, between two angles."""
    return abs((a - b + 180.0) % 360.0 - 180.0)


def _quaternion(euler: Point) -> Quaternion:
    """Unity turns about z first, then x, then y."""
    half = {axis: math.radians(float(euler[axis])) / 2.0 for axis in "xyz"}
    x = (math.cos(half["x"]), math.sin(half["x"]), 0.0, 0.0)
    y = (math.cos(half["y"]), 0.0, math.sin(half["y"]), 0.0)
    z = (math.cos(half["z"]), 0.0, 0.0, math.sin(half["z"]))
    return _times(y, _times(x, z))


def _times(p: Quaternion, q: Quaternion) -> Quaternion:
    (a, b, c, d), (e, f, g, h) = p, q
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


# --- What of a world's state is compared: of each object, and of the agent

Thing = Mapping[str, Any]
"""The metadata of one object, or of the agent."""

TRAITS = (
    "pickupable",
    "moveable",
    "receptacle",
    "openable",
    "toggleable",
    "breakable",
    "canFillWithLiquid",
    "dirtyable",
    "canBeUsedUp",
    "cookable",
    "sliceable",
    "isHeatSource",
    "isColdSource",
)

FLAGS = {
    "isOpen": "openable",
    "isToggled": "toggleable",
    "isDirty": "dirtyable",
    "isFilledWithLiquid": "canFillWithLiquid",
    "fillLiquid": "canFillWithLiquid",
    "isSliced": "sliceable",
    "isCooked": "cookable",
    "isBroken": "breakable",
    "isUsedUp": "canBeUsedUp",
    "isPickedUp": "pickupable",
}
"""What an object is, and the trait that it has to have for that to mean anything: what cannot be
opened would only water the rate of isOpen down."""

EXISTS = "exists"
INVENTORY = "inventory"
HAND, SCENE_BOUNDS = "hand", "sceneBounds"
BOUNDS = "axisAlignedBoundingBox"
VISIBLE, INTERACTABLE = "visible", "isInteractable"
SIGHT = (VISIBLE, INTERACTABLE)
"""What depends on the picture. It has separate rates, and does not count as a state divergence."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """One comparable part of an object or of the agent.

    ``applies`` says of which things it is compared: of those of which it holds in either world.
    ``exact`` is false where values count as equal within a tolerance.
    """

    name: str
    read: Callable[[Thing], Any]
    applies: Callable[[Thing], bool]
    agree: Callable[[Any, Any, Tolerances], bool]
    exact: bool = True


def _always(thing: Thing) -> bool:
    del thing
    return True


def _loose(thing: Thing) -> bool:
    return bool(thing.get("pickupable") or thing.get("moveable"))


def _fixed(thing: Thing) -> bool:
    return not _loose(thing)


def _equal(left: Any, right: Any, _: Tolerances) -> bool:
    return bool(left == right)


def _near(left: Any, right: Any, tolerances: Tolerances) -> bool:
    return distance(left, right) <= tolerances.position


def _boxed_alike(left: Any, right: Any, tolerances: Tolerances) -> bool:
    return all(_near(left[key], right[key], tolerances) for key in ("center", "size"))


def _turned_alike(left: Any, right: Any, tolerances: Tolerances) -> bool:
    return turn(left, right) <= tolerances.rotation


def _if_both(
    agree: Callable[[Any, Any, Tolerances], bool],
) -> Callable[[Any, Any, Tolerances], bool]:
    """What one of two things lacks differs."""
    return lambda left, right, tolerances: (
        left is not None and right is not None and agree(left, right, tolerances)
    )


def _close(tolerance: str) -> Callable[[Any, Any, Tolerances], bool]:
    return lambda left, right, tolerances: abs(left - right) <= getattr(tolerances, tolerance)


def _key(name: str) -> Callable[[Thing], Any]:
    return lambda thing: thing.get(name)


def _flag(name: str, trait: str) -> Quantity:
    return Quantity(name, _key(name), lambda thing: bool(thing.get(trait)), _equal)


def _traits(thing: Thing) -> list[str]:
    return [trait for trait in TRAITS if thing.get(trait)]


def _parents(thing: Thing) -> list[str]:
    return sorted(thing.get("parentReceptacles") or [])


def _has(name: str) -> Callable[[Thing], bool]:
    return lambda thing: thing.get(name) is not None


def _yaw(thing: Thing) -> float:
    return float(thing["rotation"]["y"])


OF_OBJECTS = (
    Quantity("traits", _traits, _always, _equal),
    *(_flag(name, trait) for name, trait in FLAGS.items()),
    Quantity("temperature", _key("temperature"), _always, _equal),
    Quantity("openness", _key("openness"), lambda thing: bool(thing.get("openable")),
             _close("openness"), exact=False),
    Quantity("parentReceptacles", _parents, _always, _equal),
    Quantity("position", _key("position"), _loose, _near, exact=False),
    Quantity("rotation", _key("rotation"), _loose, _turned_alike, exact=False),
    Quantity("fixture position", _key("position"), _fixed, _near, exact=False),
    Quantity("fixture rotation", _key("rotation"), _fixed, _turned_alike, exact=False),
    Quantity("bounds", _key(BOUNDS), _has(BOUNDS), _if_both(_boxed_alike), exact=False),
    Quantity(VISIBLE, _key(VISIBLE), _always, _equal),
    Quantity(INTERACTABLE, _key(INTERACTABLE), _always, _equal),
)  # fmt: skip

OF_AGENT = (
    Quantity("agent position", _key("position"), _always, _near, exact=False),
    Quantity(
        "agent rotation", _yaw, _always,
        lambda left, right, tolerances: turn_about_axis(left, right) <= tolerances.rotation,
        exact=False,
    ),
    Quantity("agent horizon", _key("cameraHorizon"), _always, _close("horizon"), exact=False),
    Quantity("agent standing", _key("isStanding"), _always, _equal),
    Quantity(INVENTORY, _key(INVENTORY), _always, _equal),
    Quantity("hand position", _key(HAND), _has(HAND), _if_both(_near), exact=False),
    Quantity("scene bounds", _key(SCENE_BOUNDS), _has(SCENE_BOUNDS), _if_both(_boxed_alike),
             exact=False),
)  # fmt: skip

CONTINUOUS = frozenset(each.name for each in (*OF_OBJECTS, *OF_AGENT) if not each.exact)
NAMES = (EXISTS, *(each.name for each in (*OF_OBJECTS, *OF_AGENT)))
"""Every quantity, in the order in which reports list them."""


# --- Counts of what was compared and what agreed, which add up over scripts

Section = dict[str, dict[str, list[int]]]
"""By two names: [agreed, compared]."""

QUANTITIES, ACTIONS, TYPES, EPISODES, PICTURES = (
    "quantities",
    "actions",
    "object_types",
    "episodes",
    "pictures",
)
"""The sections. ``quantities`` and ``object_types`` hold object-states: each object counts once
after each action. ``actions`` holds actions by name, ``episodes`` the texts that agents get and
their scores, ``pictures`` masks and colours."""

SIGHT_COUNTS = "sight"
"""By quantity of sight: counts by "both", "left", "right" and "neither" world that has it."""

ALL = "all"


class Tallies:
    """Counts in sections; see QUANTITIES and SIGHT."""

    def __init__(self) -> None:
        self._sections: dict[str, Section] = {}
        self._sight: dict[str, dict[str, int]] = {}

    @staticmethod
    def sum(parts: Iterable[Mapping[str, Any]]) -> Tallies:
        """Adds up what `to_json` gave."""
        total = Tallies()
        for part in parts:
            for section, rows in part.items():
                for row, cells in rows.items():
                    for name, value in cells.items():
                        if section == SIGHT_COUNTS:
                            total._add_sight(row, name, value)
                        else:
                            total._add(section, row, name, *value)
        return total

    def count(self, section: str, row: str, name: str, *, agreed: bool) -> None:
        """Adds one comparison."""
        self._add(section, row, name, int(agreed), 1)

    def state(self, comparison: StateComparison) -> None:
        """Adds a comparison of two states."""
        for (type_, quantity), compared in comparison.compared.items():
            agreed = comparison.agreed[type_, quantity]
            self._add(QUANTITIES, ALL, quantity, agreed, compared)
            self._add(TYPES, type_, quantity, agreed, compared)
        names = {
            (True, True): "both",
            (True, False): "left",
            (False, True): "right",
            (False, False): "neither",
        }
        for (quantity, left, right), number in comparison.seen.items():
            self._add_sight(quantity, names[left, right], number)

    def section(self, name: str) -> Section:
        """By row and name, [agreed, compared]."""
        return self._sections.get(name, {})

    def sight(self) -> Mapping[str, Mapping[str, int]]:
        """See SIGHT; the mapping has every count."""
        return self._sight

    def to_json(self) -> dict[str, Any]:
        """All counts."""
        return {**self._sections, SIGHT_COUNTS: self._sight}

    def _add(self, section: str, row: str, name: str, agreed: int, compared: int) -> None:
        cell = self._sections.setdefault(section, {}).setdefault(row, {}).setdefault(name, [0, 0])
        cell[0] += agreed
        cell[1] += compared

    def _add_sight(self, quantity: str, name: str, number: int) -> None:
        empty = {"both": 0, "left": 0, "right": 0, "neither": 0}
        self._sight.setdefault(quantity, empty)[name] += number


def by_quantity(section: Section) -> dict[str, list[int]]:
    """A section's counts by name, over all its rows."""
    total: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for cells in section.values():
        for name, (agreed, compared) in cells.items():
            total[name][0] += agreed
            total[name][1] += compared
    return dict(total)
