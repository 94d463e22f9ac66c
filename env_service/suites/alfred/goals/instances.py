"""Which objects of a house a goal means (spec section 3.7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from env_service.suites.alfred.house import House, ThorObject
from env_service.suites.alfred.rules import Rules
from env_service.suites.alfred.task import Goal

SLICED = "Sliced"
"""Behind a type's name it makes that of its slices."""


class Instances:
    """The objects that a goal means in a house, each list in the order of the metadata. What was
    sliced, and is listed on though its slices stand for it, is none."""

    def __init__(self, goal: Goal, house: House, rules: Rules) -> None:
        self._house, self._rules = house, rules
        kind = goal.object + SLICED if goal.sliced else goal.object
        self.targets = self._named(kind, "pickupable")
        self.parents = self._named(goal.parent, "receptacle")
        self.movables = self._named(goal.movable, "receptacle")
        self.lamps = self._named(goal.toggle, "toggleable")

    def is_target(self, item: ThorObject | None) -> bool:
        """Whether an object is one of the targets."""
        return item is not None and any(
            each["objectId"] == item["objectId"] for each in self.targets
        )

    def inside(self, container: ThorObject, items: Sequence[ThorObject]) -> Iterator[ThorObject]:
        """Those of some objects that lie directly in or on a container."""
        ids = {each["objectId"] for each in self._house.contents(container)}
        return (each for each in items if each["objectId"] in ids)

    def placed(self) -> Iterator[ThorObject]:
        """Targets in or on a parent, once for each."""
        return (each for parent in self.parents for each in self.inside(parent, self.targets))

    def _named(self, kind: str, able: str) -> Sequence[ThorObject]:
        if not kind:
            return ()
        return [
            each
            for each in self._house.objects
            if each[able] and not each["isSliced"] and self._is(each, kind)
        ]

    def _is(self, item: ThorObject, kind: str) -> bool:
        if self._rules.substring_goals:
            return kind in str(item["objectId"])
        return bool(item["objectType"] == kind)
