"""The narrative form: one paragraph."""

from __future__ import annotations

from env_service.suites.babybench.facts import Facts
from env_service.worlds.babyai.state import Position, Thing

_ONE_ROOM = (
    "The environment is one square room of {size}x{size} cells counting its walls, so that "
    "{inner}x{inner} cells are left to move in."
)
_MANY_ROOMS = (
    "The environment is a grid of {height}x{width} cells with {rooms}x{rooms} square rooms of one "
    "size. Each room measures {size}x{size} cells counting its walls, so that {inner}x{inner} "
    "cells of it are left to move in. Neighbouring rooms share a wall, which cannot be crossed "
    "but through a door. Doors can be opened and closed, and a locked door opens only for an "
    "agent that carries a key of the door's colour."
)
_CELLS = (
    "Cells are written (x, y), where x counts columns from the left and y counts rows from the "
    "top, and the top-left cell of the grid is (0, 0)."
)


def format_narrative(facts: Facts) -> str:
    """The paragraph; it ends with a space. There is one wording for a room, one for a maze."""
    start, size = facts.start, facts.room_size
    opening = (_ONE_ROOM if facts.rooms == 1 else _MANY_ROOMS).format(
        size=size, inner=size - 2, rooms=facts.rooms, height=start.height, width=start.width
    )
    placement = (
        f"The agent starts at position {start.agent} and faces {start.heading.name.lower()}, "
        f"toward {start.ahead}."
    )
    mission = f"The agent's mission is: '{facts.mission}'."
    return " ".join([opening, _CELLS, placement, _objects(facts.objects), mission, ""])


def _objects(objects: list[tuple[Position, Thing]]) -> str:
    if not objects:
        return "There is no object in the environment."
    *first, last = [_object(*found) for found in objects]
    listed = ", ".join([*first, f"and {last}"]) if first else last
    return f"There is {listed}."


def _object(position: Position, thing: Thing) -> str:
    # Published for every object: "a" also before a vowel, except for an unlocked door.
    if thing.kind != "door":
        return f"a {thing.color} {thing.kind} at position {position}"
    lock = "a locked" if thing.state == "locked" else "an unlocked"
    return f"{lock} {thing.color} {thing.kind} at position {position}"
