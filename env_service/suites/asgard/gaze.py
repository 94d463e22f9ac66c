"""Turning, tilting and crouching: the agent looks at something without leaving its place."""

from __future__ import annotations

from env_service.suites.asgard.body import Body
from env_service.suites.asgard.ranges import (
    TURN_STEP,
    Posture,
    bearing,
    center,
    posture_for,
    turn,
)
from env_service.suites.asgard.view import ThorObject
from env_service.worlds.thor.geometry import Extent, Point

_SMALLEST = 0.01
"""Degrees: smaller differences are none."""


def face(body: Body, target: Point) -> None:
    """Turns towards a point, in whole steps."""
    degrees = turn(body.pose.yaw, bearing(body.pose.position, target))
    steps = round(degrees / TURN_STEP)
    if steps:
        action = "RotateRight" if steps > 0 else "RotateLeft"
        body.do(action, degrees=abs(steps) * TURN_STEP)


def take(body: Body, posture: Posture) -> None:
    """Stands or crouches, and tilts the camera."""
    if body.pose.standing != posture.standing:
        body.do("Stand" if posture.standing else "Crouch")
    down = posture.horizon - body.pose.horizon
    if abs(down) > _SMALLEST:
        body.do("LookDown" if down > 0 else "LookUp", degrees=abs(down))


def look_at(body: Body, item: ThorObject) -> None:
    """Turns to an object, and stands or crouches and tilts the camera for it."""
    face(body, center(item))
    take(body, posture_for(item, body.view, body.pose))


def glance(body: Body, item: ThorObject) -> bool:
    """Whether an object is visible, if need be after standing up, crouching or tilting towards it,
    but without turning. What did not help is undone."""
    if body.view.visible(item):
        return True
    pose = body.pose
    before = Posture(pose.standing, pose.horizon)
    wanted = posture_for(item, body.view, pose)
    if wanted == before or _behind(body, item):
        return False
    take(body, wanted)
    now = body.fresh(item)
    if now is not None and body.view.visible(now):
        return True
    take(body, before)
    return False


def _behind(body: Body, item: ThorObject) -> bool:
    """Whether all of an object and of what it contains is behind the agent, where no tilt shows
    it."""
    pose = body.pose
    things = (item, *body.view.contents(item))
    corners = [corner for each in things for corner in Extent(each).corners]
    return bool(corners) and all(
        abs(turn(pose.yaw, bearing(pose.position, corner))) > 90.0 for corner in corners
    )
