"""Built-in rooms for suites, without opening them: their objects as data, and what a camera would
show. See `worlds.ai2thor_api.built_in_rooms`.
"""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from env_service.worlds.ai2thor_api.built_in_rooms import (
    Bounds,
    BuiltInRoom,
    RoomObject,
    RoomView,
    Viewpoint,
)
from env_service.worlds.ai2thor_api.geometry import Point
from env_service.worlds.household.geometry import Box, Vec3
from env_service.worlds.household.render.interface import Camera, Channel
from env_service.worlds.household.render.selection import BlindRenderer
from env_service.worlds.household.scene.rooms.built_in_rooms import BuiltInRooms
from env_service.worlds.household.scene.spec import ObjectSpec, SceneSpec
from env_service.worlds.household.scene_graph_builder import SceneGraphBuilder
from env_service.worlds.household.state import HouseholdState

NEAR = 0.05
"""Metres from the eye to the nearest visible point."""

SCENES_KEPT = 32
"""Rooms in memory, so that a room's data and its view are drawn up once."""


def room_as_data(name: str) -> BuiltInRoom | None:
    """See `worlds.ai2thor_api.built_in_rooms.built_in_room`."""
    scene = _scene(name)
    if scene is None:
        return None
    return BuiltInRoom(
        name=scene.name,
        kind=scene.room.value.replace("_", "-"),
        start=_point(scene.agent.position),
        bounds=_bounds(scene.bounds),
        objects=tuple(map(_object, scene.objects)),
    )


def room_view(name: str) -> RoomView | None:
    """See `worlds.ai2thor_api.built_in_rooms.built_in_room_view`."""
    scene = _scene(name)
    return None if scene is None else _View(scene)


class _View:
    """A `RoomView`; the software renderer counts the pixels, so that every machine agrees."""

    def __init__(self, scene: SceneSpec) -> None:
        self._graphs = SceneGraphBuilder(scene)
        self._graph = self._graphs.graph(HouseholdState.at_start(scene))
        self._renderer = BlindRenderer()

    def visible_pixels(self, viewpoint: Viewpoint) -> Mapping[str, int]:
        """See `RoomView`."""
        camera = Camera(
            Vec3(*viewpoint.position),
            viewpoint.yaw,
            viewpoint.pitch,
            viewpoint.field_of_view,
            viewpoint.width,
            viewpoint.height,
            near=NEAR,
        )
        instances = self._renderer.render(self._graph, camera, Channel.INSTANCES).instances
        if instances is None:
            raise RuntimeError("the renderer makes no pictures of instances")
        numbers, counts = np.unique(instances, return_counts=True)
        named = (
            (self._graphs.object_of(int(number)), int(count))
            for number, count in zip(numbers, counts, strict=True)
        )
        return {name: count for name, count in named if name}


@lru_cache(maxsize=SCENES_KEPT)
def _scene(name: str) -> SceneSpec | None:
    return BuiltInRooms().load(name)


def _object(spec: ObjectSpec) -> RoomObject:
    return RoomObject(
        object_id=spec.object_id,
        name=spec.name,
        type=spec.type,
        position=_point(spec.position),
        size=_point(spec.body.size),
        bounds=_bounds(spec.bounds),
        traits=frozenset(spec.traits),
        parents=tuple(spec.parents or ()),
        contents=tuple(spec.contents or ()),
        is_open=spec.start.openness != 0,
        is_dirty=spec.start.dirty,
        is_toggled=spec.start.toggled,
    )


def _bounds(box: Box) -> Bounds:
    return Bounds(_point(box.center), _point(box.size))


def _point(vector: Vec3) -> Point:
    return Point(*vector.tuple())
