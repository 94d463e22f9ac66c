"""How many examples of which type are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

EVEN, ANY = "even", "any"


@dataclass(frozen=True, slots=True)
class Mix:
    """``kind``: EVEN draws as many of each type, ANY from the whole pool whatever the type; any
    other name stands for ``numbers``, the number of examples by type."""

    kind: str = EVEN
    numbers: Mapping[str, int] | None = None

    @classmethod
    def read(cls, text: str) -> Mix:
        """Reads "even", "any", or "TYPE=N,TYPE=N". Raises ValueError."""
        if text in (EVEN, ANY):
            return cls(text)
        numbers: dict[str, int] = {}
        for part in text.split(","):
            name, equals, number = (piece.strip() for piece in part.partition("="))
            if not (name and equals and number.isdecimal()):
                raise ValueError(
                    f"{part.strip()!r} is no TYPE=N; a mix is even, any, or TYPE=N,TYPE=N"
                )
            if name in numbers:
                raise ValueError(f"{name} is given twice")
            numbers[name] = int(number)
        return cls(text, numbers)

    @property
    def total(self) -> int | None:
        """How many examples it makes; None where that is for a count to say."""
        return None if self.numbers is None else sum(self.numbers.values())

    def shares(self, count: int, types: Sequence[str]) -> dict[str, int]:
        """The number of examples of each type, in the order of ``types``; not for ANY.

        What an even mix leaves over goes to the first types, one each.
        """
        if self.numbers is not None:
            return {name: self.numbers[name] for name in types if self.numbers.get(name)}
        each, more = divmod(count, max(1, len(types)))
        found = {name: each + (place < more) for place, name in enumerate(types)}
        return {name: number for name, number in found.items() if number}
