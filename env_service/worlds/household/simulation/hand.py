"""The agent's hand: it holds one thing in front of the camera.

The hand hangs at a fixed place in the camera's frame (AI2-THOR's default: 0.16 m below the view's
axis, 0.38 m ahead) and turns with the view, so a held thing moves rigidly with the camera. What
lies in a held receptacle goes with it.
"""

from __future__ import annotations

from dataclasses import replace

from env_service.worlds.household.geometry import Rotation, Transform, Vec3
from env_service.worlds.household.simulation.agent_motion import eye
from env_service.worlds.household.simulation.containment import carried_with, taken_out
from env_service.worlds.household.state import AgentState, HouseState, ObjectState

HAND = Vec3(0.0, -0.16, 0.38)
"""Where the hand is in the camera's frame, metres."""

NEAREST = 0.28
"""Metres between the eye and the near side of what is held; large things are held further away,
so that one can see past them. Ours: AI2-THOR lets them fill the view."""


def camera_frame(agent: AgentState) -> Transform:
    """The frame of the agent's camera: x to its right, y up, z ahead."""
    return Transform(Rotation.from_euler(Vec3(agent.horizon, agent.yaw, 0.0)), eye(agent))


def default_grip(agent: AgentState, item: ObjectState) -> Transform:
    """How a thing is held at first: upright in the room, its front to the agent, its middle at
    the hand."""
    camera = camera_frame(agent)
    size = item.spec.body.size
    ahead = max(HAND.z, NEAREST + size.z / 2)
    middle = camera.apply(Vec3(HAND.x, HAND.y, ahead))
    facing = Rotation.yaw(agent.yaw + 180.0)
    stands = Transform(facing, middle - Vec3(0.0, size.y / 2, 0.0))
    return camera.inverse() @ stands @ item.spec.asset_frame.inverse()


def take(state: HouseState, object_id: str, grip: Transform) -> HouseState:
    """The object comes into the empty hand, out of all receptacles, with what lies in it."""
    state = taken_out(state, object_id)
    item = state.objects[object_id]
    along = [replace(each, in_hand_of=object_id) for each in carried_with(state, item)]
    state = state.having(replace(item, held=True, parents=None), *along)
    return follow(replace(state, held=object_id, grip=grip))


def release(state: HouseState) -> HouseState:
    """The held object and what lies in it leave the hand, where they are."""
    if state.held is None:
        return state
    held = state.held
    free = [
        replace(item, held=False, in_hand_of=None)
        for item in state.objects.values()
        if item.held or item.in_hand_of == held
    ]
    return replace(state.having(*free), held=None, grip=Transform())


def follow(state: HouseState) -> HouseState:
    """The held object and what lies in it where the camera and the grip put them."""
    if state.held is None:
        return state
    held = state.objects[state.held]
    return moved(state, held.id, camera_frame(state.agent) @ state.grip)


def moved(state: HouseState, object_id: str, pose: Transform) -> HouseState:
    """The object at a new pose; what it carries moves rigidly with it. Who holds what stays."""
    item = state.objects[object_id]
    if item.pose == pose:
        return state
    motion = pose @ item.pose.inverse()
    along = [posed(each, motion @ each.pose) for each in carried_with(state, item)]
    return state.having(posed(item, pose), *along)


def posed(item: ObjectState, pose: Transform) -> ObjectState:
    """The object alone at a new pose."""
    pose = Transform(pose.rotation.straightened(), pose.position)
    return replace(item, pose=pose, euler=pose.rotation.to_euler())
