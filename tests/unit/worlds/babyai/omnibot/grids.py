"""Grids drawn in characters, so that a test can show what it searches."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from env_service.worlds.babyai.omnibot.search import Floor, Search
from env_service.worlds.babyai.state import Position

_CELLS: dict[str, dict[str, Any] | None] = {
    ".": None,
    "#": {"type": "wall"},
    "o": {"type": "ball", "color": "red"},
    "O": {"type": "door", "is_open": True, "is_locked": False, "color": "red"},
    "D": {"type": "door", "is_open": False, "is_locked": False, "color": "red"},
    "L": {"type": "door", "is_open": False, "is_locked": True, "color": "blue"},
}


@dataclass
class Drawn:
    """A floor, and where the agent stands on it."""

    floor: Floor
    agent: Position

    def search(self, heading: int = 0, impassable: frozenset[int] = frozenset()) -> Search:
        """Ways from where the agent stands, looking east unless told otherwise."""
        return Search(self.floor, self.floor.number(self.agent), heading, impassable)

    def way(self, target: Position, heading: int = 0) -> list[Position] | None:
        """The cells of the way to ``target``."""
        found = self.search(heading).way_to(self.floor.number(target))
        return None if found is None else [self.floor.position(cell) for cell in found]


def draw(*rows: str) -> Drawn:
    """A grid from its rows; "@" is the agent on a free cell.

    "." is free, "#" wall, "o" a ball, "O", "D", "L" an open, a closed and a locked door.
    """
    text = "".join(rows)
    kinds = [_CELLS["." if char == "@" else char] for char in text]
    cells = [None if kind is None else SimpleNamespace(**kind) for kind in kinds]
    grid = SimpleNamespace(width=len(rows[0]), height=len(rows), grid=cells)
    y, x = divmod(text.index("@"), len(rows[0]))
    return Drawn(Floor(grid), (x, y))
