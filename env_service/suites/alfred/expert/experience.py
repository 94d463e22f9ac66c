"""What one play of a task teaches the next."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Experience:
    """A play adds to it as it goes.

    Attributes:
        refused: (type of what was held, id of a receptacle that did not take it).
        crowded: ids of receptacles that took something only after others were carried away.
        out_of_reach: ids of objects that could not be picked up where they lie.
        badly_put: how often something of a type was put into a receptacle, by its id, and could
            not be picked up again: so many ways to stand before it are left out.
    """

    refused: set[tuple[str, str]] = field(default_factory=set)
    crowded: set[str] = field(default_factory=set)
    out_of_reach: set[str] = field(default_factory=set)

    badly_put: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def size(self) -> int:
        """How much was learned."""
        return (
            len(self.refused) + len(self.crowded) + len(self.out_of_reach) + self.badly_put.total()
        )
