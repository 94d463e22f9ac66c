"""How far two judges of the same failures agree, type by type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Agreement:
    """On one type: how many failures have it by both, by the first or the second alone, by neither.

    Attributes:
        type: 1, 2 or 3.
    """

    type: int
    both: int
    first: int
    second: int
    neither: int

    @property
    def count(self) -> int:
        """All failures."""
        return self.both + self.first + self.second + self.neither

    @property
    def rate(self) -> float:
        """The share on which they agree, 0 … 1."""
        return (self.both + self.neither) / self.count

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa: agreement beyond chance, 1 at most; None where both always say the same
        one thing, so that chance alone agrees fully."""
        n = self.count
        ours, theirs = (self.both + self.first) / n, (self.both + self.second) / n
        chance = ours * theirs + (1 - ours) * (1 - theirs)
        return None if chance == 1.0 else (self.rate - chance) / (1 - chance)


def agreement(
    first: Sequence[tuple[int, ...]], second: Sequence[tuple[int, ...]]
) -> tuple[Agreement, ...]:
    """The agreement on each type, of two judges' types for the same failures in the same order.

    Raises:
        ValueError: there are none, or not equally many.
    """
    if not first or len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} analyses cannot be compared")
    return tuple(_on(kind, first, second) for kind in (1, 2, 3))


def _on(
    kind: int, first: Sequence[tuple[int, ...]], second: Sequence[tuple[int, ...]]
) -> Agreement:
    pairs = [(kind in a, kind in b) for a, b in zip(first, second, strict=True)]
    return Agreement(
        type=kind,
        both=pairs.count((True, True)),
        first=pairs.count((True, False)),
        second=pairs.count((False, True)),
        neither=pairs.count((False, False)),
    )
