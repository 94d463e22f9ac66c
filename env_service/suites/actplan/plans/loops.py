"""How often a loop is to be gone through, where its words say so."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_NUMBERS = {
    "once": 1,
    "one": 1,
    "twice": 2,
    "two": 2,
    "thrice": 3,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_COUNT = r"(?:(\d{1,4}|" + "|".join(_NUMBERS) + r") (?:more )?times?|(once|twice|thrice)\b)"
_TIMES = re.compile(_COUNT)
_STEPS = re.compile(r"\bsteps? *(\d{1,4}) *(?:-|–|—|to|through|and) *(?:steps? *)?(\d{1,4})")
_ONE_STEP = re.compile(r"\bsteps? *(\d{1,4})\b")
_LOOP = re.compile(r"\b(?:repeat|for (?:each|every|all)|while|until|do the same|again for)\b")


@dataclass(frozen=True, slots=True)
class Loop:
    """Steps ``first`` to ``last`` (from 1) once more, ``times`` times; None: it does not say, or
    not which."""

    first: int
    last: int
    times: int | None


def read_loop(words: str, steps: int) -> Loop | None:
    """The loop that words speak of, after so many steps; None: they speak of none.

    "repeat steps 7-10 twice" is plain; "repeat steps 7-10 for all remaining books" is not.
    """
    lower = words.lower()
    if not _LOOP.search(lower):
        return None
    span = _STEPS.search(lower) or _ONE_STEP.search(lower)
    count = _TIMES.search(lower)
    if span is None or count is None:
        return Loop(0, 0, None)
    first, last = int(span[1]), int(span[span.re.groups])
    if not 1 <= first <= last <= steps:
        return Loop(0, 0, None)
    return Loop(first, last, _number(count[1] or count[2]))


def times_of(texts: Iterable[str]) -> int | None:
    """How often, by the arguments of a loop that are no steps: 3 of ("3",) and ("3 times",)."""
    for text in texts:
        bare = re.sub(r"^\w+ *[=:] *", "", text.strip().lower())
        if re.fullmatch(r"\d{1,4}", bare) or bare in _NUMBERS:
            return _number(bare)
        count = _TIMES.search(bare)
        if count:
            return _number(count[1] or count[2])
    return None


def _number(word: str) -> int:
    return _NUMBERS[word] if word in _NUMBERS else int(word)
