"""What a thing's front is told from: the room, its free floor, the things around."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from env_service.worlds.household.scene.floor_map import FloorMap
from env_service.worlds.household.scene.rectangle import DIRECTIONS, YAWS, Rectangle
from env_service.worlds.household.scene.room_shape import RoomShape
from env_service.worlds.household.scene.thor_records import ThorRecord


@dataclass(frozen=True)
class Hinge:
    """How a cabinet opens: the yaw of its front and the side of its hinge, as seen from the
    front: "left", "right", "top", "bottom", or "double" for two doors."""

    yaw: float
    side: str


@dataclass(frozen=True)
class Surroundings:
    """What tells a front: the room, its free floor, and the objects by type."""

    shape: RoomShape
    floor: FloorMap
    by_type: Mapping[str, Sequence[ThorRecord]]
    slants: dict[str, float | None] = field(default_factory=dict, compare=False)
    hinges: dict[str, Hinge] = field(default_factory=dict, compare=False)
    holders: dict[str, ThorRecord | None] = field(default_factory=dict, compare=False)
    """What `slanted_yaw`, `cabinet_front` and `holder_of` found so far, by object id."""

    def of(self, *types: str) -> list[ThorRecord]:
        """The objects of some types, in the order of the types."""
        return [record for name in types for record in self.by_type.get(name, ())]


def open_front(record: ThorRecord, around: Surroundings, options: Sequence[float] = YAWS) -> float:
    """The side with the most free floor before it and the least behind it."""
    spot = record.spot
    return max(options, key=lambda yaw: openness(spot, yaw, around))


def openness(spot: Rectangle, yaw: float, around: Surroundings) -> float:
    """How much a side looks like a front: free floor before it less free floor behind it."""
    behind = (yaw + 180.0) % 360.0
    return around.floor.ahead(spot, yaw, 1.2) - around.floor.ahead(spot, behind, 1.2)


def nearest_yaw(degrees: float) -> float:
    """The nearest of the four directions."""
    return round(degrees / 90.0) % 4 * 90.0


def gap(a: ThorRecord, b: ThorRecord) -> float:
    """The level distance between the middles of two objects."""
    offset = a.bounds.center - b.bounds.center
    return math.hypot(offset.x, offset.z)


def wall_gap(inside: Rectangle, spot: Rectangle, yaw: float) -> float:
    """How far the wall is behind a rectangle that faces a direction, metres."""
    back = (yaw + 180.0) % 360.0
    return inside.side(back) - spot.side(back)


def along(yaw: float, x: float, z: float) -> float:
    """The part of (x, z) along a direction."""
    a, b = DIRECTIONS[yaw]
    return a * x + b * z
