"""How near the agent goes to what, and how it holds itself there (spec section 2.4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from env_service.suites.asgard.view import AgentPose, HouseView, ThorObject
from env_service.worlds.thor.geometry import Point

NEAREST, FARTHEST = 0.3, 1.5
"""Metres between the agent and the middle of what it acts on."""

_NEAREST = {"Fridge": 1.5, "Television": 1.5}
_FARTHEST = {
    "Fridge": 2.5, "Television": 2.5, "Cabinet": 2.0, "StoveBurner": 1.0, "Pan": 1.0, "Mug": 1.0,
    "Sink": 0.5, "SinkBasin": 0.5,
}  # fmt: skip

CAMERA = 0.675
"""Metres from the agent's middle up to its eye as it stands. Crouching, the eye is there itself."""

HIGHEST, LOWEST = -30.0, 60.0
"""Degrees: limits of the camera's tilt, downwards positive."""

LOOK_STEP = 30.0
LEVEL_ENOUGH = 20.0
"""Degrees: the camera is tilted in such steps until what it looks at is so near its middle."""

TURN_STEP = 5.0
"""Degrees of one turn."""

_LOW_HEIGHT, _LOW_CENTER, _LOW_DOOR = 0.5, 0.60, 0.40
_NEVER_CROUCH_IN = frozenset({"Bathtub", "BathtubBasin", "Drawer"})


@dataclass(frozen=True, slots=True)
class Range:
    """From how far something is acted on, metres."""

    nearest: float
    farthest: float

    def excess(self, distance: float) -> float:
        """How far a distance lies outside, 0 if it is within."""
        return max(self.nearest - distance, distance - self.farthest, 0.0)


@dataclass(frozen=True, slots=True)
class Posture:
    """How the agent holds itself. ``horizon``: degrees downwards."""

    standing: bool
    horizon: float


def range_of(object_type: str) -> Range:
    """From how far an object of a type is acted on."""
    return Range(_NEAREST.get(object_type, NEAREST), _FARTHEST.get(object_type, FARTHEST))


def center(item: ThorObject) -> Point:
    """The middle of an object."""
    return Point.read(item["axisAlignedBoundingBox"]["center"])


def distance(a: Point, b: Point) -> float:
    """Metres."""
    return math.dist(a, b)


def bearing(start: Point, end: Point) -> float:
    """The direction from one point to another: degrees in [0, 360), clockwise from +z."""
    return math.degrees(math.atan2(end.x - start.x, end.z - start.z)) % 360.0


def turn(yaw: float, target: float) -> float:
    """The shortest turn from one direction to another: degrees in [-180, 180), clockwise
    positive."""
    return (target - yaw + 180.0) % 360.0 - 180.0


def should_crouch(item: ThorObject, view: HouseView) -> bool:
    """Whether the agent crouches for an object: low things, unless they lie in a tub or drawer."""
    if any(each["objectType"] in _NEVER_CROUCH_IN for each in view.parents(item)):
        return False
    limit = _LOW_DOOR if item["objectType"] in ("Drawer", "Cabinet") else _LOW_CENTER
    return item["axisAlignedBoundingBox"]["size"]["y"] < _LOW_HEIGHT and center(item).y < limit


def posture_for(item: ThorObject, view: HouseView, pose: AgentPose) -> Posture:
    """How the agent would hold itself to look at an object from where it is."""
    standing = not should_crouch(item, view)
    eye = pose.position.y + (CAMERA if standing else 0.0)
    middle = center(item)
    level = math.dist((middle.x, middle.z), (pose.position.x, pose.position.z))
    down = math.degrees(math.atan2(eye - middle.y, level))
    return Posture(standing, _tilted(pose.horizon, down))


def _tilted(horizon: float, wanted: float) -> float:
    """The tilt after as many whole steps as it takes to be level enough, or as can be made."""
    while abs(wanted - horizon) > LEVEL_ENOUGH:
        step = math.copysign(LOOK_STEP, wanted - horizon)
        after = min(max(horizon + step, HIGHEST), LOWEST)
        if abs(wanted - after) >= abs(wanted - horizon):
            break
        horizon = after
    return horizon
