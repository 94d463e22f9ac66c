"""The JSON form: the header as ``context``, the facts as ``config``."""

from __future__ import annotations

import json
from typing import Any

from env_service.suites.babybench.facts import Facts
from env_service.suites.babybench.formatters.header import HEADER
from env_service.worlds.babyai.state import Position, Thing


def format_json(facts: Facts) -> str:
    """``{"context": …, "config": {…}}``, indented by two."""
    return json.dumps({"context": HEADER, "config": config_of(facts)}, indent=2)


def config_of(facts: Facts) -> dict[str, Any]:
    """The facts under the published keys and in their order (spec section 4).

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
        "objects": [_object(*found) for found in facts.objects],
        "mission": facts.mission,
    }


def _object(position: Position, thing: Thing) -> dict[str, Any]:
    plain = {"type": thing.kind, "color": thing.color, "position": list(position)}
    return {**plain, "locked": thing.state == "locked"} if thing.kind == "door" else plain
