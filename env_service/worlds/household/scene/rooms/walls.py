"""The shell of a rectangular room, and how things stand along its walls.

The floor's middle is the origin, the floor lies at y = 0. A wall is seen from inside: `left` is
its left end, positions along it count metres from there to the right.
"""

from __future__ import annotations

from dataclasses import dataclass

from env_service.worlds.household.geometry import Vec3

THICKNESS = 0.10
"""Metres of a wall."""


@dataclass(frozen=True)
class Wall:
    """One wall.

    Attributes:
        name: "north" (at +z), "east" (+x), "south" or "west".
        left: its left end on the floor, seen from inside.
        along: unit vector to the right.
        inward: unit vector into the room.
        length: metres.
        yaw: of what stands with its back to the wall, degrees.
    """

    name: str
    left: Vec3
    along: Vec3
    inward: Vec3
    length: float
    yaw: float

    def spot(self, right: float, out: float, height: float = 0.0) -> Vec3:
        """The point so far to the right, so far into the room, so high."""
        return self.left + self.along * right + self.inward * out + Vec3(0.0, height, 0.0)


def walls_of(width: float, depth: float) -> tuple[Wall, Wall, Wall, Wall]:
    """North, east, south, west of a room `width` along x and `depth` along z: clockwise from
    above, so that a wall's right end is the left end of the next one."""
    x, z = width / 2, depth / 2
    return (
        Wall("north", Vec3(-x, 0, z), Vec3(1, 0, 0), Vec3(0, 0, -1), width, 180.0),
        Wall("east", Vec3(x, 0, z), Vec3(0, 0, -1), Vec3(-1, 0, 0), depth, 270.0),
        Wall("south", Vec3(x, 0, -z), Vec3(-1, 0, 0), Vec3(0, 0, 1), width, 0.0),
        Wall("west", Vec3(-x, 0, -z), Vec3(0, 0, 1), Vec3(1, 0, 0), depth, 90.0),
    )


@dataclass
class Ledger:
    """Which stretches of a wall are taken, by what height they take."""

    taken: list[tuple[float, float, float, float]]

    def free(self, start: float, end: float, low: float = 0.0, high: float = 9.0) -> bool:
        """Whether nothing is between two positions and two heights."""
        return all(
            end <= a or start >= b or high <= bottom or low >= top
            for a, b, bottom, top in self.taken
        )

    def take(self, start: float, end: float, low: float = 0.0, high: float = 9.0) -> None:
        """Notes a stretch as taken."""
        self.taken.append((start, end, low, high))
