"""The cameras of a state: the agent's eye, and those that were added to the scene."""

import math
from dataclasses import replace

from env_service.worlds.household.geometry import Rotation, Transform, Vec3
from env_service.worlds.household.render.interface import Camera
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
from env_service.worlds.household.state import AgentState, ThirdPartyCamera

ACTIONS = Register()

BAD_ANGLE = "fov must be in (0, 180) noninclusive."


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


def third_party_camera(camera: ThirdPartyCamera, settings: Settings) -> Camera:
    """An added camera; its picture is as large as the agent's."""
    return Camera(
        position=camera.position,
        yaw=camera.rotation.y,
        pitch=camera.rotation.x,
        roll=camera.rotation.z,
        field_of_view=camera.field_of_view,
        width=settings.width,
        height=settings.height,
        near=NEAR,
        far=FAR,
    )


@ACTIONS.action(
    "AddThirdPartyCamera",
    Parameter("position", ParameterType.POINT),
    Parameter("rotation", ParameterType.POINT),
    Parameter("fieldOfView", ParameterType.NUMBER, 90.0),
    Parameter("skyboxColor", ParameterType.TEXT, None),
    Parameter("orthographic", ParameterType.TRUTH, default=False),
)
def add_third_party_camera(context: ActionContext) -> Result:
    """Adds a camera; every event from now on has its picture."""
    if context["orthographic"]:
        return refuse(context, "orthographic cameras are not supported in this world.")
    if not 0 < context["fieldOfView"] < 180:
        return refuse(context, BAD_ANGLE)
    added = ThirdPartyCamera(context["position"], context["rotation"], context["fieldOfView"])
    return Result(replace(context.state, cameras=(*context.state.cameras, added)))


@ACTIONS.action(
    "UpdateThirdPartyCamera",
    Parameter("thirdPartyCameraId", ParameterType.WHOLE, 0),
    Parameter("position", ParameterType.POINT, None),
    Parameter("rotation", ParameterType.POINT, None),
    Parameter("fieldOfView", ParameterType.NUMBER, None),
    Parameter("skyboxColor", ParameterType.TEXT, None),
)
def update_third_party_camera(context: ActionContext) -> Result:
    """Moves an added camera; what is not given does not change."""
    cameras, number = list(context.state.cameras), context["thirdPartyCameraId"]
    if not 0 <= number < len(cameras):
        return refuse(context, f"Third party camera with id {number} does not exist.")
    before = cameras[number]
    angle = before.field_of_view if context["fieldOfView"] is None else context["fieldOfView"]
    if not 0 < angle < 180:
        return refuse(context, BAD_ANGLE)
    position: Vec3 = context["position"] or before.position
    rotation: Vec3 = context["rotation"] or before.rotation
    cameras[number] = ThirdPartyCamera(position, rotation, angle)
    return Result(replace(context.state, cameras=tuple(cameras)))
