"""The built-in rooms as data, for suites that make tasks for them.

A suite knows a room by its name and what is in it, and nothing of the world that draws it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, cast

from env_service.worlds.ai2thor_api.geometry import Point
from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.ai2thor_api.world_registry import DEFAULT, load_world

NUMBERS = range(1, 100_000)
"""The numbers of the rooms that built-in tasks are played in, of every kind."""


@dataclass(frozen=True, slots=True)
class RoomObject:
    """One object as it stands when the room is opened.

    Attributes:
        object_id: AI2-THOR's id.
        name: AI2-THOR's name.
        type: its object type.
        position: of its origin, metres.
        size: of its oriented box along its own axes x, y (up) and z, metres.
        traits: what it can do.
        parents: ids of the receptacles that it is in or on.
        contents: ids of what it holds.
        is_open: whether it is open at all.
    """

    object_id: str
    name: str
    type: str
    position: Point
    size: Point
    traits: frozenset[Trait]
    parents: tuple[str, ...]
    contents: tuple[str, ...]
    is_open: bool


@dataclass(frozen=True)
class BuiltInRoom:
    """A room by its name, such as household-kitchen-1.

    Attributes:
        name: the scene's name.
        kind: "kitchen", "living-room", "bedroom" or "bathroom".
        start: where the agent stands at first, metres.
        objects: all that is in it, in the order of the metadata.
    """

    name: str
    kind: str
    start: Point
    objects: tuple[RoomObject, ...]

    @cached_property
    def by_id(self) -> Mapping[str, RoomObject]:
        """The objects by their ids."""
        return {each.object_id: each for each in self.objects}


class RoomWorld(Protocol):
    """A world that can say what is in its built-in rooms without opening them."""

    def built_in_room(self, name: str) -> BuiltInRoom | None:
        """See `built_in_room`."""
        ...


def room_name(kind: str, number: int) -> str:
    """The name of a room of a kind; the number is at least 1."""
    return f"{DEFAULT}-{kind}-{number}"


def built_in_room(name: str) -> BuiltInRoom | None:
    """A room by its name; None where it is no name of one. Equal names give equal rooms. It takes
    about 0.1 s of CPU time and opens no world.

    Raises:
        ValueError: no room can be drawn up for this number.
        PluginError: the world that draws the rooms is not installed, or cannot be loaded.
    """
    return cast("RoomWorld", load_world(DEFAULT)).built_in_room(name)
