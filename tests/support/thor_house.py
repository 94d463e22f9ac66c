"""A ProcTHOR house of two rooms, made by hand, and the objects that AI2-THOR would list of it.

A kitchen (x from 0 to 4) and a bedroom (4 to 7), both with z from 0 to 4; a door between them, a
window in the kitchen's west wall.
"""

from __future__ import annotations

from typing import Any

from tests.support.thor_objects import thor_object, xyz

AGENT = (1.0, 0.901, 1.0)
HEIGHT = 2.6


def _corners(x0: float, x1: float, z0: float, z1: float) -> list[dict[str, float]]:
    return [xyz((x, 0.0, z)) for x, z in ((x0, z0), (x0, z1), (x1, z1), (x1, z0))]


def _wall(name: str, start: tuple[float, float], end: tuple[float, float]) -> dict[str, Any]:
    (x0, z0), (x1, z1) = start, end
    points = ((x0, 0.0, z0), (x1, 0.0, z1), (x1, HEIGHT, z1), (x0, HEIGHT, z0))
    return {"id": name, "polygon": [xyz(point) for point in points]}


def _around(number: int, x0: float, x1: float) -> list[dict[str, Any]]:
    """The four walls of a room, from its inside."""
    ends = [(x0, 0.0), (x0, 4.0), (x1, 4.0), (x1, 0.0), (x0, 0.0)]
    sides = zip("wnes", ends, ends[1:], strict=False)
    return [_wall(f"wall|{number}|{side}", start, end) for side, start, end in sides]


def house(**changes: Any) -> dict[str, Any]:
    """The house's description; other keys as they should read."""
    agent = {
        "position": xyz(AGENT),
        "rotation": xyz((0.0, 90.0, 0.0)),
        "horizon": 30,
        "standing": True,
    }
    made = {
        "rooms": [
            {"id": "room|1", "roomType": "Kitchen", "floorPolygon": _corners(0, 4, 0, 4)},
            {"id": "room|2", "roomType": "Bedroom", "floorPolygon": _corners(4, 7, 0, 4)},
        ],
        "walls": [*_around(1, 0.0, 4.0), *_around(2, 4.0, 7.0)],
        "doors": [{"id": "door|1|2", "wall0": "wall|1|e", "wall1": "wall|2|w"}],
        "windows": [{"id": "window|1", "wall0": "wall|1|w", "wall1": "wall|1|w"}],
        "objects": [],
        "metadata": {"agent": agent, "schema": "1.0.0"},
    }
    return {**made, **changes}


def house_objects() -> list[dict[str, Any]]:
    """What AI2-THOR lists of the built house: parts of the building among the objects."""

    def item(kind: str, center: Any, size: Any, name: str, **changes: Any) -> dict[str, Any]:
        return thor_object(kind, center, size, agent=AGENT, objectId=name, **changes)

    return [
        item("Floor", (2.0, -0.05, 2.0), (4.0, 0.1, 4.0), "room|1", receptacle=True,
             receptacleObjectIds=["Fridge|1|0", "wall|1|e"]),
        item("Floor", (5.5, -0.05, 2.0), (3.0, 0.1, 4.0), "room|2", receptacle=True),
        item("Wall", (4.0, 1.3, 2.0), (0.0, 2.6, 4.0), "wall|1|e"),
        # the door stands open into the bedroom
        item("Doorway", (4.4, 1.05, 2.0), (0.9, 2.1, 1.0), "door|1|2", openable=True, isOpen=True),
        item("Window", (0.0, 1.5, 2.0), (0.1, 1.0, 1.2), "window|1"),
        item("Fridge", (3.5, 0.9, 0.5), (0.8, 1.8, 0.8), "Fridge|1|0", openable=True,
             receptacle=True, assetId="Fridge_2", parentReceptacles=["room|1", "wall|1|e"]),
        item("DiningTable", (2.0, 0.4, 3.0), (1.2, 0.8, 0.8), "DiningTable|1|1",
             receptacle=True, assetId="Dining_Table_1"),
        item("Bed", (6.2, 0.4, 3.0), (1.4, 0.8, 1.9), "Bed|2|0", assetId="Bed_1",
             receptacle=True),
    ]  # fmt: skip
