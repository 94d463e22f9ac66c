"""The agent's hand: it holds one thing in front of the camera, and turns or shifts it."""

from __future__ import annotations

from dataclasses import replace

from env_service.worlds.household.geometry import Rotation, Transform, Vec3
from env_service.worlds.household.simulation import refusals
from env_service.worlds.household.simulation.action import (
    SECONDS,
    ActionContext,
    Handler,
    Parameter,
    ParameterType,
    Register,
    Result,
)
from env_service.worlds.household.simulation.actions.agent_movement import eye
from env_service.worlds.household.simulation.refusals import RefusedError, answering
from env_service.worlds.household.simulation.space.collisions import free, obstacles
from env_service.worlds.household.simulation.space.containment import (
    carried_with,
    moved,
    taken_out,
)
from env_service.worlds.household.simulation.space.placement import box_at
from env_service.worlds.household.state import AgentState, HouseholdState


def camera_frame(agent: AgentState) -> Transform:
    """The frame of the agent's camera: x to its right, y up, z ahead."""
    return Transform(Rotation.from_euler(Vec3(agent.horizon, agent.yaw, 0.0)), eye(agent))


def take(state: HouseholdState, object_id: str, grip: Transform) -> HouseholdState:
    """The object moves from its receptacles into the empty hand, with its contents."""
    state = taken_out(state, object_id)
    item = state.objects[object_id]
    along = [replace(each, in_hand_of=object_id) for each in carried_with(state, item)]
    state = state.having(replace(item, held=True, parents=None), *along)
    return follow(replace(state, held=object_id, grip=grip))


def release(state: HouseholdState) -> HouseholdState:
    """The held object and its contents leave the hand, where they are."""
    if state.held is None:
        return state
    held = state.held
    free = [
        replace(item, held=False, in_hand_of=None)
        for item in state.objects.values()
        if item.held or item.in_hand_of == held
    ]
    return replace(state.having(*free), held=None, grip=Transform())


def follow(state: HouseholdState) -> HouseholdState:
    """The held object and its contents, where the camera and the grip put them."""
    if state.held is None:
        return state
    held = state.objects[state.held]
    return moved(state, held.id, camera_frame(state.agent) @ state.grip)


# --- Turning and shifting what the agent holds, without putting it down

ACTIONS = Register()

VISIBLE = Parameter("forceVisible", ParameterType.TRUTH, default=False)


@ACTIONS.action(
    "RotateHeldObject",
    Parameter("rotation", ParameterType.POINT, None),
    Parameter("pitch", ParameterType.NUMBER, 0.0),
    Parameter("yaw", ParameterType.NUMBER, 0.0),
    Parameter("roll", ParameterType.NUMBER, 0.0),
)
@answering
def rotate_held_object(context: ActionContext) -> Result:
    """Turns the held object about its origin: to `rotation`, Euler degrees against the camera, or
    by pitch, yaw and roll about the agent's axes."""
    state = context.state
    if state.held is None:
        raise RefusedError(refusals.HAND_EMPTY_TURN)
    if context["rotation"] is not None:
        turned = Rotation.from_euler(context["rotation"])
    else:
        tilt = Rotation.from_euler(Vec3(context["pitch"], context["yaw"], context["roll"]))
        camera = camera_frame(state.agent).rotation
        level = Rotation.yaw(state.agent.yaw)
        in_room = level @ tilt @ level.inverse() @ camera @ state.grip.rotation
        turned = camera.inverse() @ in_room
    grip = Transform(turned, state.grip.position)
    return Result(follow(replace(state, grip=grip)), seconds=SECONDS)


@ACTIONS.action(
    "MoveHeldObject",
    Parameter("ahead", ParameterType.NUMBER, 0.0),
    Parameter("right", ParameterType.NUMBER, 0.0),
    Parameter("up", ParameterType.NUMBER, 0.0),
    VISIBLE,
)
@answering
def move_held_object(context: ActionContext) -> Result:
    """Shifts the held object along the agent's axes, metres."""
    return _shifted(context, Vec3(context["right"], context["up"], context["ahead"]))


def _towards(direction: Vec3) -> Handler:
    @answering
    def handler(context: ActionContext) -> Result:
        return _shifted(context, direction * context["moveMagnitude"])

    return handler


for _name, _direction in (
    ("Ahead", Vec3(0.0, 0.0, 1.0)),
    ("Back", Vec3(0.0, 0.0, -1.0)),
    ("Right", Vec3(1.0, 0.0, 0.0)),
    ("Left", Vec3(-1.0, 0.0, 0.0)),
    ("Up", Vec3(0.0, 1.0, 0.0)),
    ("Down", Vec3(0.0, -1.0, 0.0)),
):
    ACTIONS.action(
        f"MoveHeldObject{_name}", Parameter("moveMagnitude", ParameterType.NUMBER), VISIBLE
    )(_towards(_direction))


def _shifted(context: ActionContext, shift: Vec3) -> Result:
    """The held object shifted in the agent's frame; it keeps within the visibility distance of
    the camera and runs into nothing. AI2-THOR's `forceVisible` is taken and has no effect."""
    state = context.state
    if state.held is None:
        raise RefusedError(refusals.HAND_EMPTY_MOVE)
    camera = camera_frame(state.agent)
    step = Rotation.yaw(state.agent.yaw).apply(shift)
    held = camera @ state.grip
    pose = Transform(held.rotation, held.position + step)
    grip = camera.inverse() @ pose
    if grip.position.length() > context.settings.visibility_distance or _blocked(state, pose):
        raise RefusedError(refusals.HAND_HITS)
    return Result(follow(replace(state, grip=grip)), seconds=SECONDS)


def _blocked(state: HouseholdState, pose: Transform) -> bool:
    """Whether the held object would run into something that it does not touch already."""
    item = state.objects[state.held or ""]
    after = box_at(item, pose @ item.spec.asset_frame)
    around = obstacles(state, item, None, airy=False)
    return any(not free(after, [each]) and free(item.body, [each]) for each in around)
