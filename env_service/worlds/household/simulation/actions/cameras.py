"""The cameras of a state: the agent's eye, and those that were added to the scene."""

import math
from dataclasses import replace

from env_service.worlds.household.geometry import Rotation, Transform, Vec3
from env_service.worlds.household.render.interface import Camera
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.simulation.action import (
    ActionContext,
    Parameter,
    ParameterType,
    Register,
    Result,
    refuse,
)
from env_service.worlds.household.simulation.actions.agent_movement import eye
from env_service.worlds.household.simulation.settings import FAR, NEAR, Settings
from env_service.worlds.household.state import AgentState, HouseholdState, ThirdPartyCamera

ACTIONS = Register()

SETBACK = 2000.0
"""Metres between an orthographic camera's place and the eye that draws it. From there, lines of
sight to two points 5 m aside differ by 6 mm over the height of a room."""

SMALLEST_SIZE, LARGEST_SIZE = 0.001, 1000.0
"""Metres: the limits of an orthographic size."""

STRAIGHT = 0.01
"""Degrees by which a camera may miss looking straight down."""

DOWN = Vec3(90.0, 0.0, 0.0)
"""The rotation of a camera that looks straight down, north at the top of its picture."""


def agent_camera(agent: AgentState, settings: Settings) -> Camera:
    """What the agent sees with."""
    return Camera(
        position=eye(agent),
        yaw=agent.yaw,
        pitch=agent.horizon,
        field_of_view=settings.field_of_view,
        width=settings.width,
        height=settings.height,
        near=NEAR,
        far=FAR,
    )


def in_pyramid(agent: AgentState, settings: Settings, point: Vec3) -> bool:
    """Whether a point is in the agent's field of view and within the visibility distance, which is
    measured along the floor. It may be hidden."""
    frame = Transform(Rotation.from_euler(Vec3(agent.horizon, agent.yaw, 0.0)), eye(agent))
    seen = frame.inverse().apply(point)
    up = math.tan(math.radians(settings.field_of_view) / 2)
    aside = up * settings.width / settings.height
    if not seen.z > 0.0:
        return False
    level = Vec3(point.x - agent.position.x, 0.0, point.z - agent.position.z)
    near = level.length() <= settings.visibility_distance
    return near and abs(seen.x) <= aside * seen.z and abs(seen.y) <= up * seen.z


def third_party_camera(
    camera: ThirdPartyCamera, settings: Settings, ceiling: float = math.inf
) -> Camera:
    """An added camera; its picture is as large as the agent's.

    A camera that looks straight down from above `ceiling`, metres, does not see what is higher: in
    AI2-THOR, ceilings have no upper side.
    """
    above = 0.0
    if abs(camera.rotation.x - 90.0) < STRAIGHT and camera.position.y > ceiling:
        above = camera.position.y - ceiling
    if camera.orthographic:
        return _orthographic(camera, settings, above)
    return Camera(
        position=camera.position,
        yaw=camera.rotation.y,
        pitch=camera.rotation.x,
        roll=camera.rotation.z,
        field_of_view=camera.field_of_view,
        width=settings.width,
        height=settings.height,
        near=NEAR + above,
        far=FAR + above,
    )


def _orthographic(camera: ThirdPartyCamera, settings: Settings, above: float) -> Camera:
    ahead = Rotation.from_euler(camera.rotation).apply(Vec3(0.0, 0.0, 1.0))
    return Camera(
        position=camera.position - ahead * SETBACK,
        yaw=camera.rotation.y,
        pitch=camera.rotation.x,
        roll=camera.rotation.z,
        field_of_view=math.degrees(2 * math.atan(camera.orthographic_size / SETBACK)),
        width=settings.width,
        height=settings.height,
        near=SETBACK + above + NEAR,
        far=SETBACK + above + FAR,
        setback=SETBACK,
    )


# --- The map: a view of the whole scene from above


def map_camera(scene: SceneSpec) -> ThirdPartyCamera:
    """A view straight down from the ceiling on everything in the scene."""
    whole = scene.scene_bounds
    place = Vec3(whole.center.x, scene.bounds.top, whole.center.z)
    half = max(whole.size.x, whole.size.z) / 2
    return ThirdPartyCamera(place, DOWN, orthographic=True, orthographic_size=half)


def own_view(state: HouseholdState, settings: Settings) -> Camera:
    """The camera of the agent's pictures: its eye, or the map."""
    if state.presentation.map_view:
        return third_party_camera(map_camera(state.scene), settings)
    return agent_camera(state.agent, settings)


@ACTIONS.action("GetMapViewCameraProperties")
def get_map_view_camera_properties(context: ActionContext) -> Result:
    """The arguments with which AddThirdPartyCamera adds a map of the whole scene."""
    camera = map_camera(context.state.scene)
    properties = {
        "position": camera.position.to_json(),
        "rotation": camera.rotation.to_json(),
        "orthographicSize": camera.orthographic_size,
        "orthographic": True,
    }
    return Result(context.state, value=properties, quick=True)


@ACTIONS.action("ToggleMapView")
def toggle_map_view(context: ActionContext) -> Result:
    """Switches the agent's pictures between its eye and the map. It changes nothing about what the
    agent sees or reaches."""
    shown = context.state.presentation
    shown = replace(shown, map_view=not shown.map_view)
    return Result(replace(context.state, presentation=shown))


# --- Adding cameras and changing them


@ACTIONS.action(
    "AddThirdPartyCamera",
    Parameter("position", ParameterType.POINT),
    Parameter("rotation", ParameterType.POINT),
    Parameter("fieldOfView", ParameterType.NUMBER, 90.0),
    Parameter("skyboxColor", ParameterType.TEXT, None),
    Parameter("orthographic", ParameterType.TRUTH, default=False),
    Parameter("orthographicSize", ParameterType.NUMBER, 5.0),
)
def add_third_party_camera(context: ActionContext) -> Result:
    """Adds a camera; every event from now on has its picture."""
    added = ThirdPartyCamera(
        context["position"],
        context["rotation"],
        context["fieldOfView"],
        context["orthographic"],
        context["orthographicSize"],
    )
    return _with(context, (*context.state.cameras, added), added)


@ACTIONS.action(
    "UpdateThirdPartyCamera",
    Parameter("thirdPartyCameraId", ParameterType.WHOLE, 0),
    Parameter("position", ParameterType.PARTIAL_POINT, None),
    Parameter("rotation", ParameterType.PARTIAL_POINT, None),
    Parameter("fieldOfView", ParameterType.NUMBER, None),
    Parameter("skyboxColor", ParameterType.TEXT, None),
    Parameter("orthographic", ParameterType.TRUTH, default=None),
    Parameter("orthographicSize", ParameterType.NUMBER, None),
)
def update_third_party_camera(context: ActionContext) -> Result:
    """Changes an added camera; what is not given does not change, nor does a coordinate that is
    not given."""
    cameras, number = list(context.state.cameras), context["thirdPartyCameraId"]
    if not 0 <= number < len(cameras):
        error = (
            f"thirdPartyCameraId: {number} (int: default=0) must in 0 <= thirdPartyCameraId < "
            f"len(thirdPartyCameras)={len(cameras)}."
        )
        return refuse(context, error)
    before = cameras[number]
    given = {
        field: context[name]
        for field, name in (
            ("field_of_view", "fieldOfView"),
            ("orthographic", "orthographic"),
            ("orthographic_size", "orthographicSize"),
        )
        if context[name] is not None
    }
    cameras[number] = replace(
        before,
        position=replace(before.position, **(context["position"] or {})),
        rotation=replace(before.rotation, **(context["rotation"] or {})),
        **given,
    )
    return _with(context, tuple(cameras), cameras[number])


def _with(
    context: ActionContext, cameras: tuple[ThirdPartyCamera, ...], changed: ThirdPartyCamera
) -> Result:
    """The state with these cameras, or a refusal if the changed one is impossible."""
    angle, size = changed.field_of_view, changed.orthographic_size
    if not 0 < angle < 180:
        return refuse(context, f"fieldOfView: {angle} must be in 0 < fieldOfView < 180.")
    if not SMALLEST_SIZE <= size <= LARGEST_SIZE:
        limits = f"[{SMALLEST_SIZE:g}:{LARGEST_SIZE:g}]"
        return refuse(context, f"orthographicSize must be in {limits}. You gave {size}.")
    return Result(replace(context.state, cameras=cameras))
