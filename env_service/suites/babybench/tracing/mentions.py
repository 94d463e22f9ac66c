"""Finds places and states that a text speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from env_service.worlds.babyai.state import Position

_PLACE = r"\(\s{0,3}(\d{1,3})\s{0,3},\s{0,3}(\d{1,3})\s{0,3}\)"
_MENTION = re.compile(rf"\(\s{{0,3}}{_PLACE}\s{{0,3}},\s{{0,3}}([0-3])\s{{0,3}}\)|{_PLACE}")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text. ``place`` is the cell that it names, ``heading`` the number with it."""

    text: str
    place: Position | None = None
    heading: int | None = None


def pieces(text: str, side: int) -> Iterator[Piece]:
    """The whole text in pieces: ``((3, 4), 1)`` and ``(3, 4)`` in a grid of ``side`` cells, and
    what is between."""
    end = 0
    for found in _MENTION.finditer(text):
        x, y, heading, bare_x, bare_y = found.groups()
        place = (int(x or bare_x), int(y or bare_y))
        if max(place) >= side:
            continue
        if found.start() > end:
            yield Piece(text[end : found.start()])
        yield Piece(found[0], place, int(heading) if heading else None)
        end = found.end()
    if end < len(text):
        yield Piece(text[end:])
