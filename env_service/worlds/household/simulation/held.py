"""Turning and shifting what the agent holds, without putting it down."""

from __future__ import annotations

from dataclasses import replace

from env_service.worlds.household.geometry import Rotation, Transform, Vec3
from env_service.worlds.household.simulation import refusals
from env_service.worlds.household.simulation.action import (
    Handler,
    Kind,
    Parameter,
    Register,
    Result,
    Turn,
)
from env_service.worlds.household.simulation.hand import camera_frame, follow
from env_service.worlds.household.simulation.obstacles import free, obstacles
from env_service.worlds.household.simulation.placement import box_at
from env_service.worlds.household.simulation.refusals import RefusedError, answering
from env_service.worlds.household.simulation.timing import SECONDS
from env_service.worlds.household.state import HouseState

ACTIONS = Register()

VISIBLE = Parameter("forceVisible", Kind.TRUTH, default=False)


@ACTIONS.action(
    "RotateHeldObject",
    Parameter("rotation", Kind.POINT, None),
    Parameter("pitch", Kind.NUMBER, 0.0),
    Parameter("yaw", Kind.NUMBER, 0.0),
    Parameter("roll", Kind.NUMBER, 0.0),
)
@answering
def rotate_held_object(turn: Turn) -> Result:
    """Turns the held object about its origin: to `rotation`, Euler degrees against the camera, or
    by pitch, yaw and roll about the agent's axes."""
    state = turn.state
    if state.held is None:
        raise RefusedError(refusals.HAND_EMPTY_TURN)
    if turn["rotation"] is not None:
        turned = Rotation.from_euler(turn["rotation"])
    else:
        tilt = Rotation.from_euler(Vec3(turn["pitch"], turn["yaw"], turn["roll"]))
        camera = camera_frame(state.agent).rotation
        level = Rotation.yaw(state.agent.yaw)
        in_room = level @ tilt @ level.inverse() @ camera @ state.grip.rotation
        turned = camera.inverse() @ in_room
    grip = Transform(turned, state.grip.position)
    return Result(follow(replace(state, grip=grip)), seconds=SECONDS)


@ACTIONS.action(
    "MoveHeldObject",
    Parameter("ahead", Kind.NUMBER, 0.0),
    Parameter("right", Kind.NUMBER, 0.0),
    Parameter("up", Kind.NUMBER, 0.0),
    VISIBLE,
)
@answering
def move_held_object(turn: Turn) -> Result:
    """Shifts the held object along the agent's axes, metres."""
    return _shifted(turn, Vec3(turn["right"], turn["up"], turn["ahead"]))


def _towards(direction: Vec3) -> Handler:
    @answering
    def handler(turn: Turn) -> Result:
        return _shifted(turn, direction * turn["moveMagnitude"])

    return handler


for _name, _direction in (
    ("Ahead", Vec3(0.0, 0.0, 1.0)),
    ("Back", Vec3(0.0, 0.0, -1.0)),
    ("Right", Vec3(1.0, 0.0, 0.0)),
    ("Left", Vec3(-1.0, 0.0, 0.0)),
    ("Up", Vec3(0.0, 1.0, 0.0)),
    ("Down", Vec3(0.0, -1.0, 0.0)),
):
    ACTIONS.action(f"MoveHeldObject{_name}", Parameter("moveMagnitude", Kind.NUMBER), VISIBLE)(
        _towards(_direction)
    )


def _shifted(turn: Turn, shift: Vec3) -> Result:
    """The held object shifted in the agent's frame; it keeps within the visibility distance of
    the camera and runs into nothing. AI2-THOR's `forceVisible` is taken and has no effect."""
    state = turn.state
    if state.held is None:
        raise RefusedError(refusals.HAND_EMPTY_MOVE)
    camera = camera_frame(state.agent)
    step = Rotation.yaw(state.agent.yaw).apply(shift)
    held = camera @ state.grip
    pose = Transform(held.rotation, held.position + step)
    grip = camera.inverse() @ pose
    if grip.position.length() > turn.settings.visibility_distance or _blocked(state, pose):
        raise RefusedError(refusals.HAND_HITS)
    return Result(follow(replace(state, grip=grip)), seconds=SECONDS)


def _blocked(state: HouseState, pose: Transform) -> bool:
    """Whether the held object would run into something that it does not touch already."""
    item = state.objects[state.held or ""]
    after = box_at(item, pose @ item.spec.asset_frame)
    around = obstacles(state, item, None, airy=False)
    return any(not free(after, [each]) and free(item.body, [each]) for each in around)
