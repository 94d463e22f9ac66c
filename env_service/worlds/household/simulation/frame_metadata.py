"""The agent's and the frame's part of an event's metadata (spec: ai2thor.md section 5.2)."""

from __future__ import annotations

from typing import Any

from env_service.worlds.household.geometry import Box, Transform
from env_service.worlds.household.simulation.action import Sight
from env_service.worlds.household.simulation.agent_motion import eye
from env_service.worlds.household.simulation.answer import Answer
from env_service.worlds.household.simulation.hand import HAND, camera_frame
from env_service.worlds.household.simulation.object_metadata import object_metadata
from env_service.worlds.household.state import AgentState, HouseState


def frame_metadata(answer: Answer, colors: list[dict[str, Any]] | None) -> dict[str, Any]:
    """Every key of a real event's metadata but "objects"."""
    state, settings = answer.state, answer.settings
    return {
        "isSceneAtRest": True,
        "agent": agent_metadata(state.agent),
        "heldObjectPose": _held_pose(state),
        "arm": None,
        "fov": settings.field_of_view,
        "cameraPosition": eye(state.agent).to_json(),
        "cameraOrthSize": 0.0 if answer.action == "Initialize" else -1.0,
        "thirdPartyCameras": [
            {
                "thirdPartyCameraId": number,
                "position": camera.position.to_json(),
                "rotation": camera.rotation.to_json(),
                "fieldOfView": camera.field_of_view,
            }
            for number, camera in enumerate(state.cameras)
        ],
        "collided": bool(answer.collided),
        "collidedObjects": list(answer.collided),
        "inventoryObjects": _inventory(state),
        "sceneName": state.scene.name,
        "lastAction": answer.action,
        "errorMessage": answer.error,
        "errorCode": answer.code.value if answer.code else None,
        "lastActionSuccess": answer.success,
        "screenWidth": settings.width,
        "screenHeight": settings.height,
        "agentId": 0,
        "depthFormat": "Meters",
        "colors": colors,
        "flatSurfacesOnGrid": [],
        "distances": [],
        "normals": [],
        "isOpenableGrid": [],
        "segmentedObjectIds": [],
        "objectIdsInBox": [],
        "actionIntReturn": 0,
        "actionFloatReturn": 0.0,
        "actionStringsReturn": [],
        "actionFloatsReturn": [],
        "actionVector3sReturn": [],
        "visibleRange": None,
        "currentTime": state.seconds,
        "sceneBounds": _box(state.scene.scene_bounds),
        "actionReturn": answer.value,
    }


def objects_metadata(state: HouseState, sight: Sight) -> list[dict[str, Any]]:
    """The 42 keys of every object, in the state's order."""
    return [
        object_metadata(
            item,
            visible=sight.visible(item.id),
            interactable=sight.interactable(item.id),
            distance=(item.pose.position - state.agent.position).length(),
            state=state,
        )
        for item in state.objects.values()
    ]


def agent_metadata(agent: AgentState) -> dict[str, Any]:
    """The key "agent"."""
    return {
        "name": "agent",
        "position": agent.position.to_json(),
        "rotation": {"x": 0.0, "y": agent.yaw, "z": 0.0},
        "cameraHorizon": agent.horizon,
        "isStanding": agent.standing,
        "inHighFrictionArea": False,
    }


def _held_pose(state: HouseState) -> dict[str, Any]:
    """Where the held object is, in the room and in the camera's frame; of the empty hand, if
    nothing is held."""
    camera = camera_frame(state.agent)
    local = state.grip if state.held is not None else Transform(position=HAND)
    there = camera @ local
    return {
        "position": there.position.to_json(),
        "rotation": there.rotation.to_euler().to_json(),
        "localPosition": local.position.to_json(),
        "localRotation": local.rotation.to_euler().to_json(),
    }


def _inventory(state: HouseState) -> list[dict[str, str]]:
    """What the agent holds, then what that carries."""
    in_hand = [item for item in state.objects.values() if item.held]
    carried = [item for item in state.objects.values() if item.in_hand_of is not None]
    return [{"objectId": item.id, "objectType": item.spec.type} for item in (*in_hand, *carried)]


def _box(box: Box) -> dict[str, Any]:
    """An axis-aligned box, its corners in AI2-THOR's order: from the greatest to the least."""
    half = box.size * 0.5
    corners = [
        [box.center.x + sx * half.x, box.center.y + sy * half.y, box.center.z + sz * half.z]
        for sx in (1, -1)
        for sy in (1, -1)
        for sz in (1, -1)
    ]
    return {"cornerPoints": corners, "center": box.center.to_json(), "size": box.size.to_json()}
