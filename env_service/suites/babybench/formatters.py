"""Descriptions of a level in the three forms of LLM-BabyBench."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from env_service.domain.names import UnknownNameError
from env_service.suites.babybench.tasks import Facts
from env_service.worlds.babyai.state import Position, Thing

# --- The paragraph that describes what all levels share

HEADER = (
    "The environment is a grid of cells, divided into square rooms of one size. Doors join "
    "neighbouring rooms, and a door that is locked opens only for an agent that carries a key of "
    "the door's colour. An agent in it has six actions: left (turn 90 degrees to the left on the "
    "spot), right (turn 90 degrees to the right on the spot), forward (move one cell in the "
    "direction it faces), pickup (take the object in the cell it faces), drop (put the object it "
    "carries into the cell it faces) and toggle (open or close the door, or open the box, in the "
    "cell it faces). Going forward is the only way to move: the agent never steps sideways or "
    "backwards, and it cannot enter a cell that holds a wall, an object or a door that is not "
    "open. Cells are written (x, y), where x counts columns from the left and y counts rows from "
    "the top, so that the top-left cell of the whole grid is (0, 0). With these conventions,\n\n"
)
"""The first part of the structured description and the JSON's ``context``, byte for byte the same.
"""


# --- The narrative form: one paragraph

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
    """The paragraph; it ends with a space. A room and a maze have different wordings."""
    start, size = facts.start, facts.room_size
    opening = (_ONE_ROOM if facts.rooms == 1 else _MANY_ROOMS).format(
        size=size, inner=size - 2, rooms=facts.rooms, height=start.height, width=start.width
    )
    placement = (
        f"The agent starts at position {start.agent} and faces {start.heading.name.lower()}, "
        f"toward {start.ahead}."
    )
    mission = f"The agent's mission is: '{facts.mission}'."
    return " ".join([opening, _CELLS, placement, _narrated_objects(facts.objects), mission, ""])


def _narrated_objects(objects: list[tuple[Position, Thing]]) -> str:
    if not objects:
        return "There is no object in the environment."
    *first, last = [_narrated_object(*found) for found in objects]
    listed = ", ".join([*first, f"and {last}"]) if first else last
    return f"There is {listed}."


def _narrated_object(position: Position, thing: Thing) -> str:
    # Published for every object: "a" also before a vowel, except for an unlocked door.
    if thing.kind != "door":
        return f"a {thing.color} {thing.kind} at position {position}"
    lock = "a locked" if thing.state == "locked" else "an unlocked"
    return f"{lock} {thing.color} {thing.kind} at position {position}"


# --- The structured form: the header, and a list of facts

_ANNOUNCEMENT = "this particular environment is as follows:\n\n"


def format_structured(facts: Facts) -> str:
    """Header, announcement and bullets, without a line break at the end."""
    return HEADER + _ANNOUNCEMENT + format_bullets(facts)


def format_bullets(facts: Facts) -> str:
    """The published bullets, with sizes as height x width.

    Which of them are published: docs/babybench.md, "Observation".
    """
    start, rooms, size = facts.start, facts.rooms, facts.room_size
    return "\n".join(
        [
            f"- Number of rooms: {'1' if rooms == 1 else f'{rooms}x{rooms}'}",
            f"- Size of each room (including walls): {size}x{size}",
            f"- Effective room size (excluding walls): {size - 2}x{size - 2}",
            f"- Total grid size: {start.height}x{start.width}",
            f"- Agent initial position: {start.agent}",
            f"- Agent facing direction: {start.heading.name.lower()} (toward {start.ahead})",
            *_listed_objects(facts.objects),
            f"- Mission: '{facts.mission}'",
        ]
    )


def _listed_objects(objects: list[tuple[Position, Thing]]) -> list[str]:
    if not objects:
        return ["- Objects in environment: none"]
    return ["- Objects in environment:", *(_listed_object(*found) for found in objects)]


def _listed_object(position: Position, thing: Thing) -> str:
    line = f"  - {thing.kind}, color={thing.color}, position={position}"
    return f"{line}, locked={thing.state == 'locked'}" if thing.kind == "door" else line


# --- The JSON form: the header as ``context``, the facts as ``config``


def format_json(facts: Facts) -> str:
    """``{"context": …, "config": {…}}``, indented by two."""
    return json.dumps({"context": HEADER, "config": config_of(facts)}, indent=2)


def config_of(facts: Facts) -> dict[str, Any]:
    """The facts under the published keys and in their order (docs/babybench.md,
    "Observation").

    Sizes are [height, width], rooms [rows, columns] or 1, places [x, y].
    """
    start, rooms, size = facts.start, facts.rooms, facts.room_size
    return {
        "num_rooms": 1 if rooms == 1 else [rooms, rooms],
        "room_size_incl_walls": [size, size],
        "room_size_excl_walls": [size - 2, size - 2],
        "grid_size": [start.height, start.width],
        "agent_initial_pos": list(start.agent),
        "agent_front_pos": list(start.ahead),
        "agent_direction": {"index": int(start.heading), "name": start.heading.name.lower()},
        "objects": [_json_object(*found) for found in facts.objects],
        "mission": facts.mission,
    }


def _json_object(position: Position, thing: Thing) -> dict[str, Any]:
    plain = {"type": thing.kind, "color": thing.color, "position": list(position)}
    return {**plain, "locked": thing.state == "locked"} if thing.kind == "door" else plain


FORMATTERS: Mapping[str, Callable[[Facts], str]] = {
    "structured": format_structured,
    "narrative": format_narrative,
    "json": format_json,
}
"""By name; the first is the default, and the one behind the paper's main results."""


def describe(facts: Facts, form: str) -> str:
    """The level in words. ``form`` is a key of FORMATTERS; raises UnknownNameError otherwise."""
    if form not in FORMATTERS:
        raise UnknownNameError("formatter of babybench", form, FORMATTERS)
    return FORMATTERS[form](facts)
