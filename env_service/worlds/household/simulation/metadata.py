"""An event's metadata: AI2-THOR's 42 keys of an object, and the agent's and the frame's part,
in the order in which AI2-THOR 5.0.0 writes them.
"""

from typing import Any
from weakref import ref

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.geometry import Box, Transform, Vec3, box_around
from env_service.worlds.household.simulation.action import ActionResponse, Visibility
from env_service.worlds.household.simulation.actions.agent_movement import eye, level_grip
from env_service.worlds.household.simulation.actions.cameras import map_camera
from env_service.worlds.household.simulation.actions.hand import camera_frame
from env_service.worlds.household.simulation.space.support_surfaces import (
    built_model,
    model_extent,
    part_motion,
)
from env_service.worlds.household.state import AgentState, HouseholdState, ObjectState

Corners = list[list[float]]

AXIS_ALIGNED = tuple((x, y, z) for x in (1, -1) for y in (1, -1) for z in (1, -1))
ORIENTED = tuple((x, y, z) for y in (-1, 1) for x, z in ((1, 1), (-1, 1), (-1, -1), (1, -1)))
"""The order of corners in AI2-THOR's two boxes: signs along the axes."""


def object_metadata(
    item: ObjectState, *, visible: bool, interactable: bool, distance: float, state: HouseholdState
) -> dict[str, Any]:
    """The metadata of one object, every container in it new.

    Args:
        item: the object.
        visible, interactable: what the agent's sight says of it.
        distance: metres from the agent's origin to the object's.
        state: the state that the object is part of.
    """
    facts = _facts(item, state)
    return {
        **facts,
        "position": facts["position"].copy(),
        "rotation": facts["rotation"].copy(),
        "visible": visible,
        "isInteractable": interactable,
        "distance": distance,
        "salientMaterials": _listed(item.spec.materials),
        "receptacleObjectIds": _listed(item.contents),
        "parentReceptacles": _listed(item.parents),
        "controlledObjects": _listed(item.spec.controls),
        "axisAlignedBoundingBox": _fresh_box(facts["axisAlignedBoundingBox"]),
        "objectOrientedBoundingBox": _fresh_corners(facts["objectOrientedBoundingBox"]),
    }


def _listed(keys: tuple[str, ...] | None) -> list[str] | None:
    return None if keys is None else list(keys)


def _fresh_box(box: dict[str, Any]) -> dict[str, Any]:
    return {
        "cornerPoints": [corner.copy() for corner in box["cornerPoints"]],
        "center": box["center"].copy(),
        "size": box["size"].copy(),
    }


def _fresh_corners(box: dict[str, Any] | None) -> dict[str, Any] | None:
    if box is None:
        return None
    return {"cornerPoints": [corner.copy() for corner in box["cornerPoints"]]}


_KNOWN: dict[int, tuple[ref[ObjectState], dict[str, Any]]] = {}
"""What follows from an object's state alone, by the state's identity. An entry lasts as long as its
state."""


def _facts(item: ObjectState, state: HouseholdState) -> dict[str, Any]:
    """All 42 keys in AI2-THOR's order; None under those that depend on more than the object."""
    key = id(item)
    known = _KNOWN.get(key)
    if known is not None and known[0]() is item:
        return known[1]
    facts = _worked_out(item, state)
    _KNOWN[key] = (ref(item, lambda _: _KNOWN.pop(key, None)), facts)
    return facts


def _worked_out(item: ObjectState, state: HouseholdState) -> dict[str, Any]:
    spec, can = item.spec, item.spec.can
    shift = _drawn_out(item, state)
    liquid = item.liquid if can(Trait.FILLABLE) else None
    return {
        "name": spec.name,
        "position": (item.pose.position + shift).to_json(),
        "rotation": item.euler.to_json(),
        "visible": None,
        "isInteractable": None,
        "receptacle": can(Trait.RECEPTACLE),
        "toggleable": can(Trait.TOGGLEABLE),
        "isToggled": can(Trait.TOGGLEABLE) and item.toggled,
        "breakable": can(Trait.BREAKABLE),
        "isBroken": can(Trait.BREAKABLE) and item.broken,
        "canFillWithLiquid": can(Trait.FILLABLE),
        "isFilledWithLiquid": liquid is not None,
        "fillLiquid": liquid or None,
        "dirtyable": can(Trait.DIRTYABLE),
        "isDirty": can(Trait.DIRTYABLE) and item.dirty,
        "canBeUsedUp": can(Trait.USABLE),
        "isUsedUp": can(Trait.USABLE) and item.used_up,
        "cookable": can(Trait.COOKABLE),
        "isCooked": can(Trait.COOKABLE) and item.cooked,
        "temperature": item.temperature.value,
        "isHeatSource": can(Trait.HEAT_SOURCE),
        "isColdSource": can(Trait.COLD_SOURCE),
        "sliceable": can(Trait.SLICEABLE),
        "isSliced": can(Trait.SLICEABLE) and item.sliced,
        "openable": can(Trait.OPENABLE),
        "isOpen": can(Trait.OPENABLE) and item.is_open,
        "openness": float(item.openness) if can(Trait.OPENABLE) else 0.0,
        "pickupable": can(Trait.PICKUPABLE),
        "isPickedUp": item.held,
        "moveable": can(Trait.MOVEABLE),
        "mass": spec.mass,
        "salientMaterials": None,
        "receptacleObjectIds": None,
        "distance": None,
        "objectType": spec.type,
        "objectId": spec.object_id,
        "assetId": spec.asset_id,
        "parentReceptacles": None,
        "controlledObjects": None,
        "isMoving": False,
        "axisAlignedBoundingBox": _axis_aligned(item, shift, state),
        "objectOrientedBoundingBox": _oriented(item),
    }


def _drawn_out(item: ObjectState, state: HouseholdState) -> Vec3:
    """How far an open drawer has come: in AI2-THOR a drawer is its moving part."""
    nowhere = Vec3(0.0, 0.0, 0.0)
    if item.spec.type != "Drawer" or not item.is_open:
        return nowhere
    built = built_model(item, state.scene.palette)
    moving = [part.name for part in built.parts if part.motion] if built else []
    motion = part_motion(built, moving[0], item.openness) if moving else None
    if motion is None:
        return nowhere
    return (item.pose @ item.spec.asset_frame).rotation.apply(motion.position)


def _axis_aligned(item: ObjectState, shift: Vec3, state: HouseholdState) -> dict[str, Any]:
    box = _bounds(item, state)
    center = box.center + shift
    return {
        "cornerPoints": _corners(Box(center, box.size), AXIS_ALIGNED),
        "center": center.to_json(),
        "size": box.size.to_json(),
    }


def _opened(item: ObjectState, state: HouseholdState) -> Box | None:
    """The measured bounds, changed by how far doors and lids have moved since the start; None if
    nothing has, or for a drawer, which moves whole."""
    start = item.spec.start.openness
    if item.openness == start or item.spec.type == "Drawer" or not item.spec.can(Trait.OPENABLE):
        return None
    built = built_model(item, state.scene.palette)
    if built is None:
        return None
    frame = item.pose @ item.spec.asset_frame
    (low, high), (low_then, high_then) = (
        model_extent(built, frame, openness) for openness in (item.openness, start)
    )
    center = item.spec.bounds.center + _shift(item)
    half = item.spec.bounds.size * 0.5
    return box_around((center - half + (low - low_then), center + half + (high - high_then)))


def _bounds(item: ObjectState, state: HouseholdState) -> Box:
    """As it was measured, shifted, or around the measured oriented box, turned."""
    grown = _opened(item, state)
    if grown is not None:
        return grown
    if not item.displaced:
        return item.spec.bounds
    motion = _motion(item)
    if _unturned(motion):
        return Box(item.spec.bounds.center + _shift(item), item.spec.bounds.size)
    return (item.spec.oriented or item.spec.body).moved(motion).bounds()


def _oriented(item: ObjectState) -> dict[str, Any] | None:
    box = item.spec.oriented
    if box is None:
        return None
    if item.displaced:
        box = box.moved(_motion(item))
    return {"cornerPoints": _corners(box, ORIENTED)}


def _motion(item: ObjectState) -> Transform:
    return item.pose @ item.spec.pose.inverse()


def _unturned(motion: Transform) -> bool:
    """Whether a motion turns nothing by more than rounding."""
    return all(abs(motion.rotation.rows[i][i] - 1.0) < 1e-9 for i in range(3))


def _shift(item: ObjectState) -> Vec3:
    return item.pose.position - item.spec.pose.position


def _corners(box: Box, order: tuple[tuple[int, int, int], ...]) -> Corners:
    half, center = box.size * 0.5, box.center
    found = []
    for sx, sy, sz in order:
        corner = box.rotation.apply(Vec3(sx * half.x, sy * half.y, sz * half.z))
        found.append([center.x + corner.x, center.y + corner.y, center.z + corner.z])
    return found


# --- The agent's and the frame's part of an event's metadata


def frame_metadata(answer: ActionResponse, colors: list[dict[str, Any]] | None) -> dict[str, Any]:
    """Every key of a real event's metadata but "objects"."""
    state, settings = answer.state, answer.settings
    return {
        "isSceneAtRest": True,
        "agent": agent_metadata(state.agent),
        "heldObjectPose": _held_pose(state),
        "arm": None,
        "fov": settings.field_of_view,
        **_camera(answer),
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


def _camera(answer: ActionResponse) -> dict[str, Any]:
    """Where the camera of the agent's pictures is, and its orthographic size: -1 for the eye."""
    if answer.state.presentation.map_view:
        camera = map_camera(answer.state.scene)
        place, size = camera.position, camera.orthographic_size
    else:
        place, size = eye(answer.state.agent), 0.0 if answer.action == "Initialize" else -1.0
    return {"cameraPosition": place.to_json(), "cameraOrthSize": size}


def objects_metadata(state: HouseholdState, sight: Visibility) -> list[dict[str, Any]]:
    """The 42 keys of every object that SetObjectFilter left, in the state's order."""
    listed = state.presentation.listed
    return [
        object_metadata(
            item,
            visible=sight.visible(item.id),
            interactable=sight.interactable(item.id),
            distance=(item.pose.position - state.agent.position).length(),
            state=state,
        )
        for item in state.objects.values()
        if listed is None or item.id in listed
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


def _held_pose(state: HouseholdState) -> dict[str, Any]:
    """Where the held object is, in the room and in the camera's frame; of the empty hand, if
    nothing is held."""
    camera = camera_frame(state.agent)
    local = state.grip if state.held is not None else level_grip(state.agent)
    there = camera @ local
    return {
        "position": there.position.to_json(),
        "rotation": there.rotation.to_euler().to_json(),
        "localPosition": local.position.to_json(),
        "localRotation": local.rotation.to_euler().to_json(),
    }


def _inventory(state: HouseholdState) -> list[dict[str, str]]:
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
