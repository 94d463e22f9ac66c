"""What the measurements of the household world share: rows of the table, and the scenes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

KITCHENS = ("FloorPlan1", "FloorPlan5", "FloorPlan12", "FloorPlan20")
ROOMS = tuple(f"household-kitchen-{number}" for number in (1, 2, 3, 4))
SIDE = 300
"""Pixels of pictures where nothing else is said."""


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        what: what was measured.
        aim: the bound, None where there is none.
        value: the number that is held against it.
        unit: of both.
        more: other numbers, in words.
    """

    what: str
    aim: float | None
    value: float
    unit: str
    more: str = ""


def row(what: str, aim: float | None, samples: Sequence[float], unit: str = "ms") -> Row:
    """A row of the median, with least, 95 % and worst; samples are in the unit."""
    ordered = sorted(samples)
    late = ordered[min(int(len(ordered) * 0.95), len(ordered) - 1)]
    more = f"least {ordered[0]:.3g}, 95 % {late:.3g}, worst {ordered[-1]:.3g}, n {len(ordered)}"
    return Row(what, aim, statistics.median(ordered), unit, more)


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of this process, all threads."""
    started = time.process_time()
    work()
    return time.process_time() - started
