"""Counts of what was compared and what agreed, which add up over scripts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from env_service.parity.states import StateComparison

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
after each action. ``actions`` holds actions by name, ``episodes`` what agents are told and how they
are scored, ``pictures`` masks and colours."""

SIGHT = "sight"
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
                        if section == SIGHT:
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
        """See SIGHT; every count is there."""
        return self._sight

    def to_json(self) -> dict[str, Any]:
        """All counts."""
        return {**self._sections, SIGHT: self._sight}

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
