"""How things are done where there are several ways."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from env_service.worlds.activity.world import ActivityWorld


@dataclass(frozen=True, slots=True)
class Manner:
    """Preferences.

    Attributes:
        preferred: categories of what is used before anything else.
        machines: whether machines wash, where there are any.
        soap: whether soap is taken before water.
        closes: whether what was opened is closed in the end.
    """

    preferred: tuple[str, ...] = ()
    machines: bool = False
    soap: bool = False
    closes: bool = True

    def ordered(
        self, world: ActivityWorld, things: Iterable[str], *better: Collection[str]
    ) -> tuple[str, ...]:
        """Things as they are to be tried: preferred ones first, then those in the first of the
        ``better`` sets, and so on; otherwise in the order of their declaration."""
        house, given = world.house, frozenset(things)
        named = [each for each in house.categories if each in given]
        return tuple(
            sorted(named, key=lambda each: self._rank(house.categories[each], each, better))
        )

    def _rank(
        self, category: str, thing: str, better: Sequence[Collection[str]]
    ) -> tuple[bool, tuple[bool, ...]]:
        return category not in self.preferred, tuple(thing not in each for each in better)
