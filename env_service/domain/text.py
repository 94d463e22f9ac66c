"""Words in messages: counts, articles, and texts from elsewhere made fit to be shown."""

from __future__ import annotations

import re

_AN = re.compile(r"[aefhilmnorsx](?![a-z])|[aeio]|u(?!ni|s[aeiu]|til|r[aeiou])|hour|honest", re.I)
"""The beginning of a word that takes "an": a vowel that is heard ("an apple", but "a unit" and
"a user"), or a single letter whose name begins with one ("an F")."""
_ONE = re.compile(r"one\b|once\b|eu", re.I)
"""Words that begin with a vowel's letter and are heard without one."""


def counted(number: int, noun: str, several: str = "") -> str:
    """``1 file``, ``0 files``.

    Args:
        several: the plural, where it is not the noun with an "s".
    """
    return f"{number} {noun if number == 1 else several or f'{noun}s'}"


def with_article(words: str) -> str:
    """``an apple``, ``a plate``: words after the indefinite article."""
    vowel = _AN.match(words) and not _ONE.match(words)
    return f"{'an' if vowel else 'a'} {words}"


# --- Texts from elsewhere, fit for a terminal, a log or a page


def safe(text: str) -> str:
    """The text on one line, with nothing in it that a terminal or XML cannot take: a tab is shown
    as spaces, any other such character as one of replacement."""
    plain = text.expandtabs(4)
    if plain.isprintable():
        return plain
    shown = (char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in plain)
    return "".join(shown)
