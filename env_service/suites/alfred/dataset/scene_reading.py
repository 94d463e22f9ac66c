"""How a trajectory's scene is opened (spec: alfred.md section 6.1)."""

from __future__ import annotations

import re

from env_service.suites.alfred.dataset.node import Node
from env_service.suites.alfred.task import AgentStart, ObjectPose, SceneSetup
from env_service.worlds.thor.geometry import Point

_FLOOR_PLAN = re.compile(r"FloorPlan[1-9]\d*")
_POSE_NAME = re.compile(r"\S+_\S+")


def read_scene(scene: Node) -> SceneSetup:
    """The opening that a trajectory's ``scene`` describes. Raises the node's error."""
    return SceneSetup(
        scene=_floor_plan(scene),
        poses=tuple(_pose(each) for each in scene["object_poses"].items()),
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


def _pose(pose: Node) -> ObjectPose:
    node = pose["objectName"]
    name = node.text()
    if not _POSE_NAME.fullmatch(name):
        raise node.error(f"is {name!r:.60}; it has to be TYPE_ID, as Mug_291e6e8a")
    return ObjectPose(name, _point(pose["position"]), _point(pose["rotation"]))


def _toggle(toggle: Node) -> tuple[str, bool]:
    return toggle["objectType"].text(), toggle["isOn"].flag()


def _start(action: Node) -> AgentStart:
    return AgentStart(_point(action), action["rotation"].number(), action["horizon"].number())


def _point(node: Node) -> Point:
    return Point(node["x"].number(), node["y"].number(), node["z"].number())
