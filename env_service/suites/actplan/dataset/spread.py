"""How numbers are spread."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean, median


@dataclass(frozen=True, slots=True)
class Spread:
    """Of ``count`` numbers; all 0 of none."""

    count: int = 0
    least: float = 0.0
    median: float = 0.0
    mean: float = 0.0
    most: float = 0.0


def spread(numbers: Iterable[float]) -> Spread:
    """The spread of some numbers."""
    found = sorted(numbers)
    if not found:
        return Spread()
    return Spread(len(found), found[0], median(found), fmean(found), found[-1])
