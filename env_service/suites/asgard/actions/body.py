"""The agent's body: what it does in the world, what it perceives there, how near it goes to
what, how it looks at something without leaving its place; and what the released code remembers
of an episode.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from env_service.suites.asgard.action_language import Verb
from env_service.suites.asgard.metadata_view import AsgardView
from env_service.worlds.ai2thor_api.controller import ThorController
from env_service.worlds.ai2thor_api.geometry import Extent, Point
from env_service.worlds.ai2thor_api.metadata_view import AgentPose, ThorObject
from env_service.worlds.ai2thor_api.settling import Settled


@dataclass(frozen=True, slots=True)
class Attempt:
    """The simulator's result for one action; ``error`` is its own text, empty on success."""

    success: bool
    error: str = ""


class Body:
    """One agent in one world. Looks at the world only when asked: what it sees may be costly.

    It plays the Pass steps after an interaction itself (`Settled`), so the controller must not.
    """

    def __init__(self, controller: ThorController, memory: ReleaseMemory) -> None:
        self._world = Settled(controller)
        self._memory = memory
        self._view: AsgardView | None = None

    @property
    def memory(self) -> ReleaseMemory:
        """What it remembers of the episode."""
        return self._memory

    @property
    def view(self) -> AsgardView:
        """The world now."""
        if self._view is None:
            metadata = self._world.last_event.metadata
            self._view = AsgardView(metadata, self._memory.carried)
        return self._view

    @property
    def pose(self) -> AgentPose:
        """Where the agent stands and looks. Cheap."""
        return self.view.agent

    def do(self, action: str, **arguments: Any) -> Attempt:
        """Plays one of AI2-THOR's actions, and lets the world come to rest if the rules say so.

        Raises:
            WorldFault: the world broke.
        """
        self._view = None
        metadata = self._world.step(action, **arguments).metadata
        if metadata["lastActionSuccess"]:
            return Attempt(success=True)
        return Attempt(success=False, error=metadata["errorMessage"] or "")

    def act_on(self, action: str, item: ThorObject, **arguments: Any) -> Attempt:
        """Plays an action on an object; without force unless ``forceAction`` says so."""
        given = {"forceAction": False, **arguments}
        return self.do(action, objectId=item["objectId"], **given)

    def ask(self, action: str, **arguments: Any) -> list[dict[str, Any]]:
        """What a question is answered with; nothing where the world refuses to."""
        metadata = self._world.step(action, **arguments).metadata
        # A query changes nothing, so the view from before it remains valid.
        return list(metadata["actionReturn"] or ()) if metadata["lastActionSuccess"] else []

    def fresh(self, item: ThorObject) -> ThorObject | None:
        """The object's present state; None if it no longer exists."""
        return self.view.by_id(item["objectId"])


# --- Turning, tilting and crouching: the agent looks at something without leaving its place

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
    """Makes the agent stand or crouch, and tilts the camera."""
    if body.pose.standing != posture.standing:
        body.do("Stand" if posture.standing else "Crouch")
    down = posture.horizon - body.pose.horizon
    if abs(down) > _SMALLEST:
        body.do("LookDown" if down > 0 else "LookUp", degrees=abs(down))


def look_at(body: Body, item: ThorObject) -> None:
    """Faces an object, makes the agent stand or crouch for it, and tilts the camera."""
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


# --- How near the agent goes to what, and how it holds itself there (docs/asgard-rules.md,
# "Actions")

NEAREST, FARTHEST = 0.3, 1.5
"""Metres between the agent and the middle of what it acts on."""

_NEAREST = {"Fridge": 1.5, "Television": 1.5}
_FARTHEST = {
    "Fridge": 2.5, "Television": 2.5, "Cabinet": 2.0, "StoveBurner": 1.0, "Pan": 1.0, "Mug": 1.0,
    "Sink": 0.5, "SinkBasin": 0.5,
}  # fmt: skip

CAMERA = 0.675
"""Metres from the agent's middle up to its eye while standing. While crouching, the eye is at the
agent's middle."""

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


def bearing(start: Point, end: Point) -> float:
    """The direction from one point to another: degrees in [0, 360), clockwise from +z."""
    return math.degrees(math.atan2(end.x - start.x, end.z - start.z)) % 360.0


def turn(yaw: float, target: float) -> float:
    """The shortest turn from one direction to another: degrees in [-180, 180), clockwise
    positive."""
    return (target - yaw + 180.0) % 360.0 - 180.0


def should_crouch(item: ThorObject, view: AsgardView) -> bool:
    """Whether the agent crouches for an object: low things, unless they lie in a tub or drawer."""
    if any(each["objectType"] in _NEVER_CROUCH_IN for each in view.parents(item)):
        return False
    limit = _LOW_DOOR if item["objectType"] in ("Drawer", "Cabinet") else _LOW_CENTER
    return item["axisAlignedBoundingBox"]["size"]["y"] < _LOW_HEIGHT and center(item).y < limit


def posture_for(item: ThorObject, view: AsgardView, pose: AgentPose) -> Posture:
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


# --- What the released code remembers from action to action of one episode


@dataclass
class ReleaseMemory:
    """Memory of one episode (docs/asgard-rules.md, "Actions").

    Attributes:
        resolved: object type as the agent named it -> name of the instance last meant by it.
        last_verb: of the action before; None at the start.
        last_opened: object type -> name of the instance opened last.
        carried: id of a container that was picked up -> ids of what was in it then.
        stances: name of an object -> the pose from which it was seen or acted on last.
        sprayed: names of what was sprayed.
    """

    resolved: dict[str, str] = field(default_factory=dict)
    last_verb: Verb | None = None
    last_opened: dict[str, str] = field(default_factory=dict)
    carried: dict[str, Sequence[str]] = field(default_factory=dict)
    stances: dict[str, AgentPose] = field(default_factory=dict)
    sprayed: set[str] = field(default_factory=set)

    def conclude(self, verb: Verb, object_type: str, name: str | None) -> None:
        """Notes the instance that an action came to; None if it came to none.

        FIND notes that too: afterwards nothing is preferred.
        """
        self.last_verb = verb
        if name is not None:
            self.resolved[object_type] = name
        elif verb is Verb.FIND:
            self.resolved.pop(object_type, None)
