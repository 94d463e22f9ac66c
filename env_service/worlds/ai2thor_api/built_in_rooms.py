"""The built-in rooms as data, for suites that make tasks for them.

A suite names a room, and reads its contents and what is visible from where. It does not import the
world that draws the room.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol, cast

from env_service.worlds.ai2thor_api.geometry import Point
from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.ai2thor_api.world_registry import DEFAULT, load_world

NUMBERS = range(1, 100_000)
"""The numbers of the rooms that built-in tasks are played in, of every kind."""


class Bounds(NamedTuple):
    """A box along the room's axes: ``center`` and full ``size``, metres."""

    center: Point
    size: Point


@dataclass(frozen=True, slots=True)
class RoomObject:
    """One object in its state when the room opens.

    Attributes:
        object_id: AI2-THOR's id.
        name: AI2-THOR's name.
        type: its object type.
        position: of its origin, metres.
        size: of its oriented box along the object's axes x, y (up) and z, metres.
        bounds: its axis-aligned box, as AI2-THOR's metadata gives it.
        traits: what it can do.
        parents: ids of the receptacles that it is in or on.
        contents: ids of what it holds.
        is_open: whether it is open at all.
        is_dirty: whether it is dirty.
        is_toggled: whether it is switched on.
    """

    object_id: str
    name: str
    type: str
    position: Point
    size: Point
    bounds: Bounds
    traits: frozenset[Trait]
    parents: tuple[str, ...]
    contents: tuple[str, ...]
    is_open: bool
    is_dirty: bool
    is_toggled: bool


@dataclass(frozen=True)
class BuiltInRoom:
    """A room by its name, such as household-kitchen-1.

    Attributes:
        name: the scene's name.
        kind: "kitchen", "living-room", "bedroom" or "bathroom".
        start: where the agent stands at first, metres.
        bounds: the free space between walls, floor and ceiling.
        objects: its objects, in the order of the metadata.
    """

    name: str
    kind: str
    start: Point
    bounds: Bounds
    objects: tuple[RoomObject, ...]

    @cached_property
    def by_id(self) -> Mapping[str, RoomObject]:
        """The objects by their ids."""
        return {each.object_id: each for each in self.objects}


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """A camera in a room.

    Attributes:
        position: of the eye, metres.
        yaw: degrees, clockwise seen from above; 0 looks along +z.
        pitch: degrees; positive looks down.
        field_of_view: degrees, vertically.
        width: pixels of the picture.
        height: pixels of the picture.
    """

    position: Point
    yaw: float
    pitch: float
    field_of_view: float
    width: int
    height: int


class RoomView(Protocol):
    """A built-in room to look around in, in its state when it opens."""

    def visible_pixels(self, viewpoint: Viewpoint) -> Mapping[str, int]:
        """How many pixels each visible object fills, by object id. Counts are equal on every
        machine, with or without a graphics card."""
        ...


class RoomWorld(Protocol):
    """A world that describes its built-in rooms without opening them."""

    def built_in_room(self, name: str) -> BuiltInRoom | None:
        """See `built_in_room`."""
        ...

    def built_in_room_view(self, name: str) -> RoomView | None:
        """See `built_in_room_view`."""
        ...


def room_name(kind: str, number: int) -> str:
    """The name of a room of a kind; the number is at least 1."""
    return f"{DEFAULT}-{kind}-{number}"


def built_in_room(name: str) -> BuiltInRoom | None:
    """A room by its name; None if the name names no built-in room. Equal names give equal rooms. It
    takes about 0.1 s of CPU time and opens no world.

    Raises:
        ValueError: no room can be generated for this number.
        PluginError: the world that draws the rooms is not installed, or cannot be loaded.
    """
    return _world().built_in_room(name)


def built_in_room_view(name: str) -> RoomView | None:
    """The view of a room by its name; None if the name names no built-in room. Raises as
    `built_in_room` does."""
    return _world().built_in_room_view(name)


def _world() -> RoomWorld:
    return cast("RoomWorld", load_world(DEFAULT))
