"""Rates of agreement, and which of them are too low."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from env_service.domain.names import UnknownNameError
from env_service.results.statistics.intervals import wilson_interval
from env_service.worlds.ai2thor_api.parity import answers, comparison, task_play
from env_service.worlds.ai2thor_api.parity.states import (
    ACTIONS,
    EPISODES,
    NAMES,
    PICTURES,
    QUANTITIES,
    Tallies,
    by_quantity,
)

PARTS: Mapping[str, tuple[str, ...]] = {
    ACTIONS: (*answers.PARTS, comparison.EFFECTS, comparison.STATE),
    QUANTITIES: NAMES,
    EPISODES: (*task_play.DISCLOSED, task_play.CALLS, task_play.DIGEST),
    PICTURES: (comparison.MASKS, comparison.COLOUR),
}
"""What has a rate, by section of the tallies; no name is in two of them."""

INFORMATIVE = (answers.MESSAGE, task_play.DIGEST)
"""Rates that are reported but by default not judged: wording, and fingerprints of a whole state,
may differ without a difference that matters."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something agreed, with its 95 % Wilson interval. ``row`` is "" for all together,
    else an action or a type of object."""

    section: str
    row: str
    name: str
    agreed: int
    compared: int

    @property
    def value(self) -> float:
        """0 to 1."""
        return self.agreed / self.compared

    @property
    def interval(self) -> tuple[float, float]:
        """Low and high end."""
        return wilson_interval(self.agreed, self.compared)

    def to_json(self) -> dict[str, Any]:
        """For a report."""
        low, high = (round(end, 6) for end in self.interval)
        return {
            "section": self.section,
            "row": self.row,
            "name": self.name,
            "agreed": self.agreed,
            "compared": self.compared,
            "rate": round(self.value, 6),
            "low": low,
            "high": high,
        }


@dataclass(frozen=True, slots=True)
class AgreementLimits:
    """The least rates that count as agreement, 0 to 1: ``all``, and others by name."""

    all: float = 1.0
    by_name: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [name for section in PARTS.values() for name in section]
        for name, least in (("all", self.all), *self.by_name.items()):
            if name not in ("all", *names):
                raise UnknownNameError("rate", name, names)
            if not 0 <= least <= 1:
                raise ValueError(f"the least rate of {name} is {least}; it has to be from 0 to 1")

    def of(self, name: str) -> float:
        """The least rate of a name."""
        return self.by_name.get(name, 0.0 if name in INFORMATIVE else self.all)


def overall(tallies: Tallies) -> list[Rate]:
    """One rate for each of PARTS of which anything was compared."""
    rates = []
    for section, names in PARTS.items():
        counted = by_quantity(tallies.section(section))
        rates += [Rate(section, "", name, *counted[name]) for name in names if name in counted]
    return rates


def detailed(tallies: Tallies, section: str) -> list[Rate]:
    """A rate for each row and name of a section, in alphabetical order of rows."""
    return [
        Rate(section, row, name, *cell)
        for row, cells in sorted(tallies.section(section).items())
        for name, cell in cells.items()
    ]


def too_low(tallies: Tallies, limits: AgreementLimits) -> list[Rate]:
    """The rates of all together that miss their limit."""
    return [rate for rate in overall(tallies) if rate.value < limits.of(rate.name)]


def sight(tallies: Tallies) -> list[dict[str, Any]]:
    """What the left world says of sight against the right one: precision, recall and counts;
    a ratio without anything to count is None."""
    lines = []
    for quantity, n in tallies.sight().items():
        lines.append(
            {
                "quantity": quantity,
                **n,
                "precision": _ratio(n["both"], n["left"]),
                "recall": _ratio(n["both"], n["right"]),
            }
        )
    return lines


def _ratio(both: int, alone: int) -> dict[str, Any] | None:
    n = both + alone
    if not n:
        return None
    low, high = wilson_interval(both, n)
    return {"rate": round(both / n, 6), "low": round(low, 6), "high": round(high, 6), "n": n}
