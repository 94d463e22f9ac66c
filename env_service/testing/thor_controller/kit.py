"""What the tests of `ThorController` share: the reset, the names of all keys, and short walks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from env_service.worlds.ai2thor_api.controller import ThorController, ThorEvent

SCENE = "household-kitchen-1"
"""A built-in room, which needs no data."""

OTHER_SCENE = "household-bathroom-1"

START: Mapping[str, Any] = {
    "width": 120,
    "height": 90,
    "gridSize": 0.25,
    "snapToGrid": True,
    "rotateStepDegrees": 90,
    "visibilityDistance": 1.5,
    "fieldOfView": 90,
    "renderInstanceSegmentation": True,
    "renderSemanticSegmentation": True,
    "renderDepthImage": True,
    "renderNormalsImage": False,
    "renderImage": True,
}
"""Everything that a reset sets, so that no test depends on an earlier one."""

UNSEEN: Mapping[str, Any] = {
    **START,
    "renderInstanceSegmentation": False,
    "renderSemanticSegmentation": False,
    "renderDepthImage": False,
    "renderImage": False,
}
"""The same for tests that look at no picture: a player draws after each action, which takes most
of its time."""


class ThorTests:
    """Tests of one subject; they use the fixture ``thor``, a controller that was just reset to
    ``scene`` with ``parameters``."""

    scene = SCENE
    """A kitchen."""
    other_scene = OTHER_SCENE
    """Another scene than ``scene``."""
    parameters: Mapping[str, Any] = START
    """The parameters of the reset before each test."""


OBJECT_KEYS = frozenset(
    [
        "name",
        "position",
        "rotation",
        "visible",
        "isInteractable",
        "receptacle",
        "toggleable",
        "isToggled",
        "breakable",
        "isBroken",
        "canFillWithLiquid",
        "isFilledWithLiquid",
        "fillLiquid",
        "dirtyable",
        "isDirty",
        "canBeUsedUp",
        "isUsedUp",
        "cookable",
        "isCooked",
        "temperature",
        "isHeatSource",
        "isColdSource",
        "sliceable",
        "isSliced",
        "openable",
        "isOpen",
        "openness",
        "pickupable",
        "isPickedUp",
        "moveable",
        "mass",
        "salientMaterials",
        "receptacleObjectIds",
        "distance",
        "objectType",
        "objectId",
        "assetId",
        "parentReceptacles",
        "controlledObjects",
        "isMoving",
        "axisAlignedBoundingBox",
        "objectOrientedBoundingBox",
    ]
)

FRAME_KEYS = frozenset(
    [
        "objects",
        "isSceneAtRest",
        "agent",
        "heldObjectPose",
        "arm",
        "fov",
        "cameraPosition",
        "cameraOrthSize",
        "thirdPartyCameras",
        "collided",
        "collidedObjects",
        "inventoryObjects",
        "sceneName",
        "lastAction",
        "errorMessage",
        "errorCode",
        "lastActionSuccess",
        "screenWidth",
        "screenHeight",
        "agentId",
        "depthFormat",
        "colors",
        "flatSurfacesOnGrid",
        "distances",
        "normals",
        "isOpenableGrid",
        "segmentedObjectIds",
        "objectIdsInBox",
        "actionIntReturn",
        "actionFloatReturn",
        "actionStringsReturn",
        "actionFloatsReturn",
        "actionVector3sReturn",
        "visibleRange",
        "currentTime",
        "sceneBounds",
        "actionReturn",
    ]
)


def answer(thor: ThorController, action: str, **arguments: Any) -> Any:
    """The actionReturn of an action, which must succeed."""
    event = thor.step(action, **arguments)
    assert event, f"{action}: {event.metadata['errorMessage']}"
    return event.metadata["actionReturn"]


def state_of(event: ThorEvent) -> dict[str, Any]:
    """Everything in an event's metadata that an action without effect leaves unchanged."""
    changing = {
        "lastAction",
        "lastActionSuccess",
        "errorMessage",
        "errorCode",
        "actionReturn",
        "collided",
        "collidedObjects",
        "cameraOrthSize",
        "currentTime",
    }
    return {key: value for key, value in event.metadata.items() if key not in changing}


def objects(event: ThorEvent, flag: str) -> Iterator[Mapping[str, Any]]:
    """The objects for which a flag of the metadata is true."""
    return (each for each in event.metadata["objects"] if each[flag])


def go_to(thor: ThorController, object_id: str) -> bool:
    """Goes to where an object is visible and can be touched; false if no such place is found."""
    poses = answer(thor, "GetInteractablePoses", objectId=object_id, horizons=[0, 30])
    for pose in poses[:: max(len(poses) // 8, 1)]:
        where = {"x": pose["x"], "y": pose["y"], "z": pose["z"]}
        thor.step(
            "Teleport",
            position=where,
            rotation=pose["rotation"],
            horizon=pose["horizon"],
            standing=pose["standing"],
        )
        found = thor.last_event.get_object(object_id)
        if thor.last_event and found and found["isInteractable"]:
            return True
    return False


def reach(thor: ThorController, flag: str, *types: str) -> str:
    """Goes to the first object with a flag, of one of the types if any are named, and returns its
    id."""
    candidates = [
        each["objectId"]
        for each in objects(thor.last_event, flag)
        if not types or each["objectType"] in types
    ]
    for object_id in candidates:
        if go_to(thor, object_id):
            return str(object_id)
    raise AssertionError(f"nothing that is {flag} can be reached")


def picture(event: ThorEvent) -> np.ndarray:
    """The frame, in any byte order."""
    assert event.frame is not None
    return np.ascontiguousarray(event.frame)
