"""Which scenes a user means: names, ranges, kinds of rooms, and shell patterns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase

KINDS = {"kitchens": 0, "living-rooms": 200, "bedrooms": 300, "bathrooms": 400}
"""iTHOR's four kinds of floor plans: each has the thirty numbers that follow this one (AI2-THOR
5.0.0, scenes)."""

PER_KIND = 30
ALL = "all"
MOST_IN_RANGE = 100_000
"""Names that one range may stand for; more is a slip of the pen."""

_RANGE = re.compile(r"(?P<head>.*?)(?P<low>\d+)-(?P<high>\d+)(?P<tail>_physics)?")
_NAME = re.compile(r"\w[\w-]*")


def floor_plans(*kinds: str) -> tuple[str, ...]:
    """The full names of iTHOR's floor plans of some kinds, by number."""
    return tuple(
        f"FloorPlan{KINDS[kind] + number}_physics"
        for kind in kinds
        for number in range(1, PER_KIND + 1)
    )


def select_scenes(wanted: Sequence[str], listed: Callable[[], Sequence[str]]) -> tuple[str, ...]:
    """The scenes that some words mean, each once, in the order of the words.

    Args:
        wanted: names (``FloorPlan12`` is short for ``FloorPlan12_physics``), ranges of them
            (``FloorPlan1-30``; numbers that no floor plan has are left out), the words of KINDS,
            ``all`` for all of iTHOR's, and shell patterns.
        listed: gives the world's scenes; called only for a pattern, at most once.

    Raises:
        ValueError: a range that runs backwards, a pattern without a match, a word that cannot name
            a scene.
    """
    known: list[str] = []

    def names() -> Sequence[str]:
        if not known:
            known.extend(listed())
        return known

    found = (name for word in wanted for name in _meant(word, names))
    return tuple(dict.fromkeys(found))


def in_full(name: str) -> str:
    """A scene's full name: AI2-THOR lets one leave ``_physics`` out."""
    return f"{name}_physics" if re.fullmatch(r"FloorPlan\d+", name) else name


def _meant(word: str, names: Callable[[], Sequence[str]]) -> Iterator[str]:
    if word == ALL:
        return iter(floor_plans(*KINDS))
    if word in KINDS:
        return iter(floor_plans(word))
    if re.search(r"[*?\[]", word):
        return iter(matching(word, names()))
    spread = _RANGE.fullmatch(word)
    if spread is not None:
        return iter(_spread(word, spread))
    if not _NAME.fullmatch(word):
        raise ValueError(
            f"{word!r} is not a scene's name; give names, ranges as FloorPlan1-30, patterns as "
            f"FloorPlan2*, or {', '.join((*KINDS, ALL))}"
        )
    return iter([in_full(word)])


def matching(pattern: str, names: Sequence[str]) -> list[str]:
    """The names, with or without `_physics`, that a shell pattern fits.

    Raises:
        ValueError: there is none.
    """
    found = [
        name
        for name in names
        if fnmatchcase(name, pattern) or fnmatchcase(name.removesuffix("_physics"), pattern)
    ]
    if not found:
        some = ", ".join(names[:3])
        raise ValueError(
            f"no scene fits {pattern!r}; there are {len(names)}" + (f": {some}, …" if some else "")
        )
    return found


def numbers_between(word: str, low: str, high: str) -> range:
    """The whole numbers of the range that a word means, both ends included.

    Raises:
        ValueError: it runs backwards, or has more than MOST_IN_RANGE.
    """
    first, last = int(low), int(high)
    if not first <= last < first + MOST_IN_RANGE:
        raise ValueError(
            f"the range {word!r} is from {first} to {last}; it must rise and have at most"
            f" {MOST_IN_RANGE} numbers"
        )
    return range(first, last + 1)


def _spread(word: str, spread: re.Match[str]) -> list[str]:
    numbers = numbers_between(word, spread["low"], spread["high"])
    names = [in_full(f"{spread['head']}{number}{spread['tail'] or ''}") for number in numbers]
    if spread["head"] != "FloorPlan":
        return names
    there = frozenset(floor_plans(*KINDS))
    found = [name for name in names if name in there]
    if not found:
        raise ValueError(
            f"no floor plan has a number of {word!r}; there are 1-30, 201-230, 301-330 and 401-430"
        )
    return found
