"""Breadth-first search over cells, in minigrid's order, on a grid of plain integers.

It repeats minigrid's search in every detail that decides between equally short ways: it tries
neighbours straight ahead first, and a second pass, which ignores things in the way, starts from
every cell that the first pass looked at. (minigrid's bot is in its module utils.baby_ai_bot.) Doors
block ways as for LLM-BabyBench's expert, which walks to a locked door as if it were open, and
relies on fetching the key.
"""

from collections.abc import Callable
from typing import Any

from env_service.worlds.babyai.state import Heading, Position

EMPTY, OPEN, LOCKED, CLOSED, THING, WALL = range(6)
"""What a cell holds: OPEN, LOCKED and CLOSED are doors, THING is a key, ball or box."""

_AROUND = (True, True, True, False, False, False)
_THROUGH = (True, True, True, True, True, False)
"""Whether ways lead through a cell, by its content: in the first pass, and in the second."""

_VECTORS = tuple(heading.vector for heading in Heading)

# The order in which minigrid's search tries headings, by the heading of arrival: straight on, the
# same with x and y exchanged, the opposite of that, back.
_TURNS = ((0, 1, 3, 2), (1, 0, 2, 3), (2, 3, 1, 0), (3, 2, 0, 1))

_NOT_SEEN = -2
_START = -1


class Floor:
    """A minigrid grid in the form that the search needs. The number of a cell is y × width + x."""

    def __init__(self, grid: Any) -> None:
        """Reads the grid; ``refresh`` reads one cell again."""
        self._grid = grid
        self.width: int = grid.width
        self.height: int = grid.height
        self.codes = [_classify(cell) for cell in grid.grid]
        self.steps = [dx + dy * self.width for dx, dy in _VECTORS]
        """By heading: the difference to the number of the neighbouring cell."""
        self.turns = [tuple((self.steps[way], way) for way in ways) for ways in _TURNS]
        """By heading of arrival: the difference to each neighbour, and its heading."""

    def refresh(self, position: Position) -> None:
        """Reads one cell again."""
        cell = self.number(position)
        self.codes[cell] = _classify(self._grid.grid[cell])

    def number(self, position: Position) -> int:
        """The number of a cell, or -1 for one outside the grid."""
        x, y = position
        inside = 0 <= x < self.width and 0 <= y < self.height
        return y * self.width + x if inside else -1

    def is_taken(self, position: Position) -> bool:
        """Whether the cell holds a thing or a door, in any state."""
        cell = self.number(position)
        return cell >= 0 and self.codes[cell] not in (EMPTY, WALL)

    def at(self, cell: int) -> Any:
        """The minigrid object in a cell, or None."""
        return self._grid.grid[cell]

    def position(self, cell: int) -> Position:
        """The cell of that number."""
        y, x = divmod(cell, self.width)
        return x, y

    def locked_doors(self, color: str) -> frozenset[int]:
        """The cells of all locked doors of that colour."""
        return frozenset(
            cell
            for cell, code in enumerate(self.codes)
            if code == LOCKED and self._grid.grid[cell].color == color
        )


def _classify(cell: Any) -> int:
    if cell is None:
        return EMPTY
    if cell.type == "wall":
        return WALL
    if cell.type != "door":
        return THING
    return OPEN if cell.is_open else LOCKED if cell.is_locked else CLOSED


class Search:
    """Ways from one pose in one state of the grid; invalid after either changed.

    The end of a search does not affect the ways found before: it grows one tree of ways, for any
    target. So one tree serves all targets, and grows no further than needed.
    """

    def __init__(
        self, floor: Floor, start: int, heading: int, impassable: frozenset[int] = frozenset()
    ) -> None:
        """``impassable`` are cells that no way leads through, though one may end there."""
        self._floor = floor
        self._impassable = impassable
        self._parents = [_NOT_SEEN] * len(floor.codes)
        self._parents[start] = _START
        # Each entry is a cell × 4 + the heading of arrival. Walls are found, but not queued.
        self._first = [start * 4 + heading]
        self._second: list[int] | None = None
        self._heads = [0, 0]

    def way_to(self, target: int) -> list[int] | None:
        """The cells that lead to ``target``, without the start, with the target last.

        Ways around things and closed doors come before ways through them, at any length. None: no
        way leads there, or the target is -1, a cell outside the grid.
        """
        if target < 0:
            return None
        parents = self._parents
        if parents[target] == _NOT_SEEN:
            self._grow_first(target)
        if parents[target] == _NOT_SEEN:
            self._grow_second(target)
        if parents[target] == _NOT_SEEN:
            return None
        way = []
        while parents[target] != _START:
            way.append(target)
            target = parents[target]
        way.reverse()
        return way

    def is_blocked(self, way: list[int]) -> bool:
        """Whether things or closed doors block the way to the last cell."""
        codes = self._floor.codes
        return any(not _AROUND[codes[cell]] for cell in way[:-1])

    def first(self, accept: Callable[[Position], bool], *, around: bool) -> Position | None:
        """The first acceptable cell that the search finds, except walls; None if there is none.

        ``around`` is whether only ways around things and closed doors count.
        """
        self._grow_first(None)
        found = self._first
        if not around:
            self._grow_second(None)
            found = found + (self._second or [])
        for entry in found:
            position = self._floor.position(entry >> 2)
            if accept(position):
                return position
        return None

    def _grow_first(self, target: int | None) -> None:
        self._heads[0] = self._grow(self._first, self._heads[0], _AROUND, target)

    def _grow_second(self, target: int | None) -> None:
        if self._second is None:
            # The cells of the first pass give nothing new. The heading of arrival is reset to 0
            # (east), as in minigrid.
            codes = self._floor.codes
            self._second = [entry & ~3 for entry in self._first if not _AROUND[codes[entry >> 2]]]
        self._heads[1] = self._grow(self._second, self._heads[1], _THROUGH, target)

    def _grow(
        self, queue: list[int], head: int, passable: tuple[bool, ...], target: int | None
    ) -> int:
        """Works through the queue until it finds ``target``, and keeps its progress."""
        parents, codes, turns = self._parents, self._floor.codes, self._floor.turns
        while head < len(queue):
            if target is not None and parents[target] != _NOT_SEEN:
                break
            entry = queue[head]
            head += 1
            cell = entry >> 2
            if not passable[codes[cell]] or cell in self._impassable:
                continue
            for step, way in turns[entry & 3]:
                neighbor = cell + step
                if parents[neighbor] == _NOT_SEEN:
                    parents[neighbor] = cell
                    if codes[neighbor] != WALL:
                        queue.append(neighbor * 4 + way)
        return head
