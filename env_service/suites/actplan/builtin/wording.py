"""Things in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from env_service.suites.actplan.builtin.rooms import Thing

COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def told(things: Sequence[Thing], *, article: str = "the") -> str:
    """Things in a sentence: "the cup and the two plates". With the article "a": "an egg and two
    plates"."""
    parts = []
    for kind in dict.fromkeys(each.named for each in things):
        count = sum(each.named == kind for each in things)
        if count > 1:
            many = f"{COUNTS[count]} {kind.plural}"
            parts.append(f"the {many}" if article == "the" else many)
        else:
            parts.append(f"{_fitting(article, kind.word)} {kind.word}")
    return listed(parts)


def listed(parts: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def sentence(text: str) -> str:
    """With a capital letter and a full stop."""
    return f"{text[0].upper()}{text[1:]}."


def _fitting(article: str, word: str) -> str:
    return "an" if article == "a" and word[0] in "aeiou" else article
