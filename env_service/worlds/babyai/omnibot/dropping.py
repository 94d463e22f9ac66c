"""Where a thing can be put down without blocking a way."""

from __future__ import annotations

from env_service.worlds.babyai.omnibot.search import EMPTY, OPEN, WALL, Floor, Search
from env_service.worlds.babyai.state import Position

_RING = ((-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0))
"""The eight neighbours of a cell, in the order of walking round it."""

_FREE, _DEAD, _FULL = range(3)


def find_drop_position(
    floor: Floor, search: Search, agent: Position, reserved: Position | None
) -> Position | None:
    """The first free cell of ``search`` by minigrid's preferences; None if there is none.

    Preferred is a cell that cuts nothing off when it is filled, then any; and then the same
    behind things and closed doors. The agent's own cell never counts, nor does ``reserved``,
    which is also taken for filled.
    """

    def is_empty(position: Position) -> bool:
        if position in (agent, reserved):
            return False
        return floor.codes[floor.number(position)] == EMPTY

    def is_harmless(position: Position) -> bool:
        return is_empty(position) and _leaves_ways(_ring(floor, position, agent, reserved))

    for around in (True, False):
        for accept in (is_harmless, is_empty):
            found = search.first(accept, around=around)
            if found is not None:
                return found
    return None


def _ring(floor: Floor, center: Position, agent: Position, reserved: Position | None) -> list[int]:
    kinds = []
    for dx, dy in _RING:
        position = (center[0] + dx, center[1] + dy)
        code = floor.codes[floor.number(position)]
        if code == WALL:
            kinds.append(_DEAD)
        elif (code in (EMPTY, OPEN) or position == agent) and position != reserved:
            kinds.append(_FREE)
        else:
            kinds.append(_FULL)
    return kinds


def _leaves_ways(ring: list[int]) -> bool:
    """Whether the free cells of a ring hang together, and each full one lies beside one."""
    pairs = list(zip(ring, ring[1:] + ring[:1], strict=True))
    if sum((first == _FREE) != (second == _FREE) for first, second in pairs) > 2:
        return False
    return all(
        _FREE in (ring[index - 1], ring[(index + 1) % 8])
        for index in range(8)
        if ring[index] == _FULL
    )
