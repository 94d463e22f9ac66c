"""How a trajectory's scene is opened (spec: alfred.md section 6.1)."""

from __future__ import annotations

import re

from env_service.suites.alfred.task import AgentStart, ObjectPose, SceneSetup
from env_service.suites.json_node import Node
from env_service.worlds.thor.geometry import Point

_FLOOR_PLAN = re.compile(r"FloorPlan[1-9]\d*")
_POSE_NAME = re.compile(r"\S+_\S+")

MOST_POSES = 1000
"""Poses of one scene. ALFRED's have 11 to 66 (spec section 6.1), and a world takes minutes for many
thousands."""

FARTHEST, MOST_DEGREES = 1000.0, 36_000.0
"""Metres from the origin and degrees up to which a pose is one; a floor plan measures some 10 m."""


def read_scene(scene: Node) -> SceneSetup:
    """The opening that a trajectory's ``scene`` describes. Raises the node's error."""
    return SceneSetup(
        scene=_floor_plan(scene),
        poses=_poses(scene["object_poses"]),
        toggles=tuple(_toggle(each) for each in scene["object_toggles"].items()),
        dirty_and_empty=scene["dirty_and_empty"].flag(),
        agent=_start(scene["init_action"]),
    )


def _floor_plan(scene: Node) -> str:
    node = scene["floor_plan"]
    name = node.text()
    if not _FLOOR_PLAN.fullmatch(name):
        raise node.error(f"is {name!r:.60}; it has to be a floor plan, as FloorPlan10")
    number = scene.optional("scene_num")
    if number is not None and f"FloorPlan{number.whole()}" != name:
        raise number.error(f"is {number.value}, but scene.floor_plan is {name}")
    return name


def _poses(node: Node) -> tuple[ObjectPose, ...]:
    items = node.items()
    if len(items) > MOST_POSES:
        raise node.error(f"has {len(items)} poses; there may be {MOST_POSES} at most")
    return tuple(map(_pose, items))


def _pose(pose: Node) -> ObjectPose:
    node = pose["objectName"]
    name = node.text()
    if not _POSE_NAME.fullmatch(name):
        raise node.error(f"is {name!r:.60}; it has to be TYPE_ID, as Mug_291e6e8a")
    return ObjectPose(name, _place(pose["position"]), _turn(pose["rotation"]))


def _toggle(toggle: Node) -> tuple[str, bool]:
    return toggle["objectType"].text(), toggle["isOn"].flag()


def _start(action: Node) -> AgentStart:
    return AgentStart(_place(action), _degrees(action["rotation"]), _degrees(action["horizon"]))


def _place(node: Node) -> Point:
    return Point(*(_within(node[axis], FARTHEST, "m") for axis in "xyz"))


def _turn(node: Node) -> Point:
    return Point(*(_degrees(node[axis]) for axis in "xyz"))


def _degrees(node: Node) -> float:
    return _within(node, MOST_DEGREES, "degrees")


def _within(node: Node, most: float, unit: str) -> float:
    number = node.number()
    if abs(number) > most:
        raise node.error(f"is {number:.6g} {unit}; it has to be from {-most:g} to {most:g}")
    return number
