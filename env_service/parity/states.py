"""Two states side by side: which quantities of which objects differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from env_service.parity.quantities import (
    CONTINUOUS,
    EXISTS,
    INVENTORY,
    OF_AGENT,
    OF_OBJECTS,
    SIGHT,
    Quantity,
    Thing,
)
from env_service.parity.tolerances import Tolerances

AGENT = "agent"
"""Stands for the id and the type of the agent."""

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
            {**metadata["agent"], INVENTORY: held},
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


def compare(left: Snapshot, right: Snapshot, tolerances: Tolerances) -> StateComparison:
    """Compares all quantities of all objects that either state has, and of the agent.

    Of an object that one state lacks, only that is compared.
    """
    found = StateComparison(())
    differences = list(_of_objects(left, right, tolerances, found))
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


def _of_objects(
    left: Snapshot, right: Snapshot, tolerances: Tolerances, found: StateComparison
) -> Iterable[Difference]:
    comparing = _Comparing(OF_OBJECTS, tolerances, found)
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
