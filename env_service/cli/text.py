"""Sizes, counts and lists in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

MOST_NAMED = 20
"""Maximum number of items listed in text output; ``--json`` lists all."""


def size_text(size: int) -> str:
    """A number of bytes for readers, such as ``22.2 MB``."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size} B"


def count_text(number: int, noun: str = "file") -> str:
    """``1 file``, ``2 files``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(label: str, items: Iterable[str]) -> Iterator[str]:
    """Yields ``label: item`` for the first MOST_NAMED items, then the number of the others."""
    every = list(items)
    yield from (f"{label}: {item}" for item in every[:MOST_NAMED])
    if len(every) > MOST_NAMED:
        yield f"{label}: {len(every) - MOST_NAMED} more; --json lists all"
