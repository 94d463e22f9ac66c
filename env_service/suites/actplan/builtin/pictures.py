"""The pictures of built-in activities: taken in the household world, when an episode begins."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from env_service.domain.failure import FaultClass, WorldFault
from env_service.domain.observation import Channel, Frame, ImageRole
from env_service.suites.actplan.builtin.rooms import scene_of
from env_service.suites.actplan.builtin.scenario import Scenario
from env_service.suites.actplan.task import CameraView, Pictures
from env_service.worlds.ai2thor_api.controller import ThorController, ThorStart
from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.ai2thor_api.world_registry import open_world

WORLD = "household"

WIDTH, HEIGHT = 512, 640
"""Pixels, as published pictures have them (docs/actplan.md, Tasks)."""

DIRTY, ON, OFF, GONE = "DirtyObject", "ToggleObjectOn", "ToggleObjectOff", "RemoveFromScene"


def pictures_of(scenario: Scenario, views: tuple[CameraView, ...]) -> Pictures:
    """The pictures to take for a scenario. What is dirty, switched on or not there at the opening
    is so in the pictures, as far as the household world can show it: it shows neither dust nor
    frost nor rot, and stains on dishes, beds, mirrors and cloths alone."""
    changes = tuple(_changes(scenario))
    return Pictures(room=scenario.room.scene, views=views, changes=changes)


def take_pictures(pictures: Pictures) -> tuple[Frame, ...]:
    """Takes the pictures: RGB, WIDTH x HEIGHT, in their order; by their names as views.

    Raises:
        WorldFault: DATA_FAULT where a change cannot be made in the room.
        WorldUnavailableError: pictures cannot be drawn on this machine.
    """
    controller = open_world(WORLD, pictures.room, ThorStart(WIDTH, HEIGHT))
    try:
        for action, thing in pictures.changes:
            _change(controller, action, thing)
        return tuple(
            _picture(controller, number, view) for number, view in enumerate(pictures.views)
        )
    finally:
        controller.stop()


def _change(controller: ThorController, action: str, thing: str) -> None:
    more = {"forceAction": True} if action != GONE else {}
    event = controller.step(action, objectId=thing, **more)
    if not event:
        message = event.metadata["errorMessage"]
        raise WorldFault(FaultClass.DATA_FAULT, f"{action} of {thing} was refused: {message}")


def _picture(controller: ThorController, number: int, view: CameraView) -> Frame:
    x, y, z = view.position
    where = {
        "position": {"x": x, "y": y, "z": z},
        "rotation": {"x": view.pitch, "y": view.yaw, "z": 0.0},
        "fieldOfView": view.field,
    }
    if number == 0:
        event = controller.step("AddThirdPartyCamera", **where)
    else:
        event = controller.step("UpdateThirdPartyCamera", thirdPartyCameraId=0, **where)
    pixels = np.ascontiguousarray(event.third_party_camera_frames[0])
    return Frame(Channel.RGB, pixels, ImageRole.VIEW, view.name)


def _changes(scenario: Scenario) -> Iterator[tuple[str, str]]:
    for thing in scenario.gone:
        yield from ((GONE, each) for each in thing.ids)
    for fact in scenario.facts:
        item = scene_of(scenario.room.scene).by_id[fact.thing.id]
        dirty, toggled = fact.state == "stained", fact.state == "toggled_on"
        if dirty and Trait.DIRTYABLE in item.traits and not item.is_dirty:
            yield DIRTY, item.object_id
        if toggled and Trait.TOGGLEABLE in item.traits and item.is_toggled != fact.positive:
            yield ON if fact.positive else OFF, item.object_id
