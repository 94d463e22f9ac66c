"""The walls and rooms of a ProcTHOR house, from the house's own description.

Keys are those of ProcTHOR's house schema: `rooms` with `floorPolygon` and `roomType`, `walls` with
`polygon`, `doors` and `windows` with the walls (`wall0`, `wall1`) that they are in. Holes are cut
where the captured boxes of doors and windows are.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from env_service.worlds.ai2thor_api.object_types import object_types
from env_service.worlds.household.assets.model import Detail
from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.footprints import Rectangle
from env_service.worlds.household.scene.room_colors import ceiling_lights
from env_service.worlds.household.scene.room_shape import RoomShape
from env_service.worlds.household.scene.spec import CeilingLight, Room, StructureSpec
from env_service.worlds.household.scene.thor_records import read_point
from env_service.worlds.household.scene.walls import THICKNESS, look_of, outside, walls_of

Objects = Mapping[str, Mapping[str, Any]] | Sequence[Mapping[str, Any]]
Span = tuple[float, float, float, float]

PARTS = frozenset({"Ceiling", "Door", "Doorframe", "Doorway", "Room", "Wall"})
"""AI2-THOR's types of building parts; here they are structure, not objects."""

HOLES = frozenset({"Door", "Doorframe", "Doorway", "Window"})
"""Types in holes of walls."""

THIN = 0.06
"""Metres of a wall inside a house: AI2-THOR's have no thickness."""

FURNITURE = {"Cart": "ShelvingUnit", "ClothesDryer": "Dishwasher", "WashingMachine": "Dishwasher"}
"""ProcTHOR's types that no iTHOR scene has, and what is built in their place."""

ANY_FURNITURE = "Dresser"

_NEAR, _LEAST = 0.3, 0.1
_STEP, _EDGE = 0.15, 0.02
_REFERENCES = ("parentReceptacles", "receptacleObjectIds", "controlledObjects")
_ROOMS = {
    "Kitchen": Room.KITCHEN,
    "LivingRoom": Room.LIVING_ROOM,
    "Bedroom": Room.BEDROOM,
    "Bathroom": Room.BATHROOM,
}


@dataclass(frozen=True)
class WallLine:
    """A wall seen from above, from one end to the other, (x, z), and its heights, metres."""

    start: tuple[float, float]
    end: tuple[float, float]
    low: float
    high: float


@dataclass(frozen=True)
class Hole:
    """The box of a door or a window, and the walls that it is in; None where the house does not
    say."""

    box: Box
    walls: frozenset[WallLine] | None


@dataclass(frozen=True)
class ProcthorPlan:
    """A house: the kind and the extent of each room, its walls, the doors and windows in them, and
    furniture that is not an object."""

    rooms: tuple[tuple[Room, Rectangle], ...]
    walls: tuple[WallLine, ...]
    holes: tuple[Hole, ...]
    furniture: tuple[StructureSpec, ...]
    floor: float

    @property
    def ceiling(self) -> float:
        """Height of the ceiling, metres."""
        return max(wall.high for wall in self.walls)

    def shape(self) -> RoomShape:
        """The rectangle around all rooms; the walls inside are structure."""
        spots = [spot for _, spot in self.rooms]
        inside = Rectangle(
            min(spot.west for spot in spots),
            max(spot.east for spot in spots),
            min(spot.south for spot in spots),
            max(spot.north for spot in spots),
        )
        return RoomShape(inside, (), self.floor)

    def lights(self) -> tuple[CeilingLight, ...]:
        """Ceiling lights in each room."""
        return tuple(
            light for kind, spot in self.rooms for light in ceiling_lights(spot, self.ceiling, kind)
        )

    def enclosure(self, name: str) -> list[StructureSpec]:
        """Walls with their holes, the ceiling, and the view behind the windows."""
        look, shape = look_of(name), self.shape()
        parts = [
            self._wall(f"Wall_{number}", wall, look)
            for number, wall in enumerate(self.walls, start=1)
        ]
        slab = shape.inside.grown(THICKNESS).box(self.ceiling, self.ceiling + 0.1)
        parts.append(StructureSpec("Ceiling", "Ceiling", slab, look))
        for wall in walls_of(shape):
            view = outside(wall, THICKNESS, wall.span, (self.floor, self.ceiling))
            sky = wall.name.replace("Wall", "Sky")
            parts.append(StructureSpec(sky, "Sky", view, look, (), solid=False))
        return [*parts, *self.furniture]

    def _wall(self, name: str, wall: WallLine, look: int) -> StructureSpec:
        (x0, z0), (x1, z1) = wall.start, wall.end
        turn = Rotation.yaw(math.degrees(math.atan2(-(z1 - z0), x1 - x0)))
        size = Vec3(math.hypot(x1 - x0, z1 - z0), wall.high - wall.low, THIN)
        middle = Vec3((x0 + x1) / 2, (wall.low + wall.high) / 2, (z0 + z1) / 2)
        body = Box(middle, size, turn)
        rows = tuple(_merged(_through(wall, body, hole) for hole in self.holes))
        details: tuple[tuple[str, Detail], ...] = (("openings", rows),) if rows else ()
        return StructureSpec(name, "Wall", body, look, details)


def read_house(
    name: str, house: Mapping[str, Any], objects: Objects
) -> tuple[ProcthorPlan, list[Mapping[str, Any]]]:
    """A house, and those of its objects that are objects here too. Parts of the building are not;
    objects of types that iTHOR's scenes lack become furniture.

    Raises:
        ValueError: the house has no rooms or walls, or invalid ones.
    """
    items = list(objects.values()) if isinstance(objects, Mapping) else list(objects)
    try:
        rooms = tuple(_room(each) for each in house["rooms"])
        lines = {each["id"]: line for each in house["walls"] for line in _walls(each)}
        walls = tuple(dict.fromkeys(lines.values()))
        floor = min(read_point(p).y for each in house["rooms"] for p in each["floorPolygon"])
        parted = {
            each["id"]: frozenset(
                lines[each[k]] for k in ("wall0", "wall1") if each.get(k) in lines
            )
            for each in (*house.get("doors", ()), *house.get("windows", ()))
        }
        holes = tuple(
            Hole(_box(item), parted.get(item.get("objectId")))
            for item in items
            if item.get("objectType") in HOLES
        )
        furniture = tuple(piece for item in items for piece in _furniture(item))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"{name}: the captured house's rooms or walls are invalid "
            f"({type(error).__name__}: {error}); capture the scene again"
        ) from error
    if not rooms or not walls:
        raise ValueError(f"{name}: the captured house has no rooms or no walls; capture it again")
    return ProcthorPlan(rooms, walls, holes, furniture, floor), _objects(items)


def _objects(items: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The objects of known types, without references to the omitted ones."""
    known = object_types()
    gone = {item.get("objectId") for item in items if item.get("objectType") not in known}
    kept: list[Mapping[str, Any]] = []
    for item in items:
        if item.get("objectId") in gone:
            continue
        changed = {
            key: [each for each in item[key] if each not in gone]
            for key in _REFERENCES
            if isinstance(item.get(key), list)
        }
        kept.append({**item, **changed})
    return kept


def _furniture(item: Mapping[str, Any]) -> Iterator[StructureSpec]:
    """The furniture for an object whose type is neither known nor a part of the building."""
    kind, name = item["objectType"], item["objectId"]
    if kind in PARTS or kind in object_types():
        return
    yaw = round(read_point(item["rotation"]).y / 90.0) % 4 * 90.0
    box = _box(item)
    x, y, z = box.size.tuple()
    size = Vec3(x, y, z) if yaw in (0.0, 180.0) else Vec3(z, y, x)
    if min(size.tuple()) > 0.0:
        body = Box(box.center, size, Rotation.yaw(yaw))
        yield StructureSpec(name, FURNITURE.get(kind, ANY_FURNITURE), body)


def _room(room: Mapping[str, Any]) -> tuple[Room, Rectangle]:
    points = [read_point(point) for point in room["floorPolygon"]]
    spot = Rectangle(
        min(p.x for p in points),
        max(p.x for p in points),
        min(p.z for p in points),
        max(p.z for p in points),
    )
    return _ROOMS.get(room.get("roomType", ""), Room.LIVING_ROOM), spot


def _walls(wall: Mapping[str, Any]) -> Iterator[WallLine]:
    """The wall as a line, the same from both of its sides; none for one that only parts two rooms
    in name."""
    points = [read_point(point) for point in wall["polygon"]]
    ends = sorted({(round(p.x, 3), round(p.z, 3)) for p in points})
    low, high = min(p.y for p in points), max(p.y for p in points)
    if len(ends) > 1 and high > low and not wall.get("empty"):
        yield WallLine(ends[0], ends[-1], round(low, 3), round(high, 3))


def _box(item: Mapping[str, Any]) -> Box:
    bounds = item["axisAlignedBoundingBox"]
    return Box(read_point(bounds["center"]), read_point(bounds["size"]))


def _through(line: WallLine, wall: Box, hole: Hole) -> Span | None:
    """The part of a wall that a door or window takes, in the wall's own x and y, from the middle
    and from the floor; None if it is in another wall."""
    back = wall.rotation.inverse()
    corners = [back.apply(corner - wall.center) for corner in hole.box.corners()]
    across, through = (
        max(sides) - min(sides) for sides in ([c.x for c in corners], [c.z for c in corners])
    )
    apart = abs(back.apply(hole.box.center - wall.center).z)
    if (apart > _NEAR or through > across) if hole.walls is None else line not in hole.walls:
        return None
    edge, half = wall.size.x / 2 - _EDGE, wall.size.y / 2
    left = max(min(c.x for c in corners), -edge)
    right = min(max(c.x for c in corners), edge)
    low = max(min(c.y for c in corners) + half, 0.0)
    high = min(max(c.y for c in corners) + half, wall.size.y - _EDGE)
    if right - left < _LEAST or high - low < _LEAST:
        return None
    low = 0.0 if low < _STEP else low
    return (round(left, 3), round(low, 3), round(right, 3), round(high, 3))


def _merged(spans: Iterable[Span | None]) -> list[Span]:
    """Spans of which no two overlap: those that do, as the one around them."""
    found: list[Span] = []
    for span in spans:
        if span is None:
            continue
        joined = span
        for other in [each for each in found if _overlap(each, joined)]:
            found.remove(other)
            joined = (
                min(joined[0], other[0]),
                min(joined[1], other[1]),
                max(joined[2], other[2]),
                max(joined[3], other[3]),
            )
        found.append(joined)
    return sorted(found)


def _overlap(a: Span, b: Span) -> bool:
    return a[0] <= b[2] and b[0] <= a[2] and a[1] <= b[3] and b[1] <= a[3]
