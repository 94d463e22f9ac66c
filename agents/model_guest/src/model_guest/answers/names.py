"""Finds what a model meant by a name that it spelt its own way."""

from __future__ import annotations

from collections.abc import Iterable


def plain(name: str) -> str:
    """A name without case, spaces and punctuation: "Pick_Up" and "pickup" are one."""
    return "".join(filter(str.isalnum, name.casefold()))


def match(name: str, known: Iterable[str]) -> str | None:
    """The one of ``known`` that ``name`` spells; None when none does, or several do."""
    listed = tuple(known)
    if name in listed:
        return name
    wanted = plain(name)
    found = {each for each in listed if plain(each) == wanted} if wanted else set()
    return found.pop() if len(found) == 1 else None
