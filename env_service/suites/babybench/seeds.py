"""Seeds as users write them: ``1-500``, ``0,7,20-29``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LAST_SEED = 2**31 - 1
"""The largest seed that is taken: more than anybody plays, and an integer in any file format."""

_SPAN = re.compile(r"(\d{1,20})(?:-(\d{1,20}))?")


class SeedsError(ValueError):
    """A text that names no seeds; the message says what would."""


@dataclass(frozen=True, slots=True)
class Seeds:
    """Seeds in ascending order, each once: spans (first, last) that neither touch nor overlap."""

    spans: tuple[tuple[int, int], ...]

    @staticmethod
    def read(text: str) -> Seeds:
        """Reads seeds and spans, joined by commas, in any order. Raises SeedsError."""
        merged: list[tuple[int, int]] = []
        for first, last in sorted(_read_span(part.strip()) for part in text.split(",")):
            if merged and first <= merged[-1][1] + 1:
                merged[-1] = merged[-1][0], max(merged[-1][1], last)
            else:
                merged.append((first, last))
        return Seeds(tuple(merged))

    def __iter__(self) -> Iterator[int]:
        for first, last in self.spans:
            yield from range(first, last + 1)

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.spans)

    def __contains__(self, seed: object) -> bool:
        return isinstance(seed, int) and any(first <= seed <= last for first, last in self.spans)

    def __str__(self) -> str:
        return ",".join(
            str(first) if first == last else f"{first}-{last}" for first, last in self.spans
        )


def _read_span(text: str) -> tuple[int, int]:
    found = _SPAN.fullmatch(text)
    if found is None:
        raise SeedsError(
            f"{text!r} names no seeds. Give whole numbers from 0 to {LAST_SEED} and spans of"
            " them, joined by commas, such as 1-500 or 0,7,20-29."
        )
    first, last = int(found[1]), int(found[2] or found[1])
    if last < first:
        raise SeedsError(f"{text!r} runs backwards: write {last}-{first}.")
    if last > LAST_SEED:
        raise SeedsError(f"seed {last} is too large: the valid ones are 0 to {LAST_SEED}.")
    return first, last
