"""Puts all objects that can be carried where the task has them: which object takes which pose, how
it comes to rest there, and the results of the set-up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from env_service.domain.failure import FaultClass, WorldFault
from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.object_words import OPENABLE
from env_service.suites.alfred.task import Goal, ObjectPose
from env_service.worlds.ai2thor_api.controller import ThorController, ThorEvent
from env_service.worlds.ai2thor_api.geometry import Extent, Point
from env_service.worlds.ai2thor_api.metadata_view import ThorObject

LEAST_PASSES, MOST_PASSES = 2, 50
"""Steps of Pass to wait until all is at rest. In AI2-THOR what was posed has not begun to fall in
the first frame, which calls the scene at rest (docs/ai2thor.md); a fall from a
counter takes half a second, many frames."""

TOLERANCE = 0.1
"""Metres from its pose up to which an object counts as there: furniture of the two versions differs
in height by that much, and things stand on it."""

FALLEN = 0.25
"""Metres below its pose from which an object has fallen off."""

ASIDE = 0.5
"""Metres that a fallen object may be moved away from its pose, back onto what it fell off."""

WALL = 0.01
"""Metres from the sides of a piece of furniture within which a pose does not count as inside."""

TRIES = 24
"""Points that are tried for it."""

SPACING = 0.08
"""Metres between points that are tried: where one is taken, so are those around it."""


def pose(world: ThorController, view: AlfredView, placements: Sequence[Placement]) -> None:
    """Puts the objects at their poses and lets them come to rest. What can be carried and has no
    pose leaves the scene, as in AI2-THOR's SetObjectPoses; furniture stays.

    Raises:
        WorldFault: the world broke, or refuses the poses (DATA_FAULT).
    """
    entries = [
        _entry(each.name, each.pose.position._asdict(), each.pose.rotation._asdict())
        for each in placements
    ]
    entries += [
        _entry(each["name"], each["position"], each["rotation"])
        for each in view.objects
        if each["moveable"] and not each["pickupable"]
    ]
    event = world.step("SetObjectPoses", objectPoses=entries, placeStationary=False)
    if not event:
        detail = f"the poses are refused: {event.metadata['errorMessage']}"
        raise WorldFault(FaultClass.DATA_FAULT, detail)
    _come_to_rest(world)


def _come_to_rest(world: ThorController) -> None:
    for count in range(MOST_PASSES):
        if count >= LEAST_PASSES and world.last_event.metadata.get("isSceneAtRest", True):
            return
        world.step("Pass")


def _entry(
    name: str, position: Mapping[str, float], rotation: Mapping[str, float]
) -> dict[str, Any]:
    return {"objectName": name, "position": dict(position), "rotation": dict(rotation)}


def put_back(world: ThorController, placements: Sequence[Placement]) -> bool:
    """Puts what fell off furniture that is elsewhere in this world back on it. Returns whether
    there was anything to put back. Raises WorldFault if the world breaks."""
    fallen = [
        (placement, item)
        for placement, item in standing_at(AlfredView(world.last_event.metadata), placements)
        if item is not None and _depth(placement, item) > FALLEN
    ]
    if not fallen:
        return False
    for placement, item in fallen:
        _pick_up_from_floor(world, placement, item)
    _come_to_rest(world)
    return True


def misplaced(view: AlfredView, placements: Sequence[Placement]) -> list[Problem]:
    """What is not there, not at its pose, or in or on nothing."""
    problems = []
    for placement, item in standing_at(view, placements):
        name = placement.pose.name
        if item is None:
            problems.append(Problem(ProblemKind.ABSENT, name, "it is not there once all is posed"))
            continue
        door = _left_out_of(view, placement, item)
        if door is not None:
            outer = _holders(view, item)
            reason = f"its pose is inside {door['objectId']}; it is in or on {outer}"
            problems.append(Problem(ProblemKind.OUTSIDE, name, reason))
            continue
        apart = math.dist(Point.read(item["position"]), placement.pose.position)
        outer = _holders(view, item)
        if apart > TOLERANCE:
            reason = f"it is {apart:.2f} m off, in or on {outer}"
            problems.append(Problem(ProblemKind.MOVED, name, reason))
        elif outer == "nothing":
            problems.append(Problem(ProblemKind.UNSUPPORTED, name, "it is in or on nothing"))
    return problems


def _holders(view: AlfredView, item: ThorObject) -> str:
    return " and ".join(str(each["objectType"]) for each in view.parents(item)) or "nothing"


def _left_out_of(view: AlfredView, placement: Placement, item: ThorObject) -> ThorObject | None:
    """What has a door or lid and is around an object's pose, if none of these holds the object;
    the first of them in the metadata. None where one of them holds it, or none is around it."""
    around = [
        each
        for each in view.objects
        if each["openable"]
        and each["receptacle"]
        and each["objectType"] in OPENABLE
        and each["objectId"] != item["objectId"]
        and _box_holds(each, placement.pose.position)
    ]
    inside = {each["objectId"] for each in view.parents(item)}
    if any(each["objectId"] in inside for each in around):
        return None
    return next(iter(around), None)


def _box_holds(item: ThorObject, point: Point) -> bool:
    """Whether a point is in an object's box, `WALL` from its sides, bottom and top."""
    corners = Extent(item).corners
    return bool(corners) and all(
        min(values) + WALL < at < max(values) - WALL
        for values, at in zip(zip(*corners, strict=True), point, strict=True)
    )


def standing_at(
    view: AlfredView, placements: Sequence[Placement]
) -> list[tuple[Placement, ThorObject | None]]:
    """The object at each placement: copies have new names, so it is the nearest of its type."""
    found: dict[int, ThorObject | None] = {}
    for kind in dict.fromkeys(each.type for each in placements):
        numbers = [i for i, each in enumerate(placements) if each.type == kind]
        points = [placements[i].pose.position for i in numbers]
        taken = nearest(view.of_type(kind), points)
        for k, i in enumerate(numbers):
            found[i] = taken[k][0] if k in taken else None
    return [(each, found[i]) for i, each in enumerate(placements)]


def _depth(placement: Placement, item: ThorObject) -> float:
    return placement.pose.position.y - float(item["position"]["y"])


def _pick_up_from_floor(world: ThorController, placement: Placement, item: ThorObject) -> None:
    """Puts a fallen object on the nearest point of a surface at its pose's height, if there is a
    free one. What leans on a wall has no such point, and lies where it fell."""
    pose = placement.pose.position
    sole = pose.y - (float(item["position"]["y"]) - _bottom(item))
    foot = Point(pose.x, sole, pose.z)
    for point in _spaced(_surface_points(world, foot))[:TRIES]:
        if _tried(world, "PlaceObjectAtPoint", item, position=point._asdict()):
            return


def _spaced(points: Sequence[Point]) -> list[Point]:
    chosen: list[Point] = []
    for each in points:
        if all(math.dist(each, other) >= SPACING for other in chosen):
            chosen.append(each)
    return chosen


def _bottom(item: ThorObject) -> float:
    levels = [corner.y for corner in Extent(item).corners]
    return min(levels, default=float(item["position"]["y"]))


def _surface_points(world: ThorController, foot: Point) -> list[Point]:
    points: list[Point] = []
    for each in AlfredView(world.last_event.metadata).objects:
        if not each["receptacle"] or each["pickupable"] or not _may_reach(each, foot):
            continue
        event = _tried(world, "GetSpawnCoordinatesAboveReceptacle", each, anywhere=True)
        if event:
            points += map(Point.read, event.metadata["actionReturn"] or ())
    near = [
        each for each in points if _aside(each, foot) <= ASIDE and abs(each.y - foot.y) <= FALLEN
    ]
    return sorted(near, key=lambda each: _aside(each, foot))


def _tried(
    world: ThorController, action: str, item: ThorObject, **arguments: Any
) -> ThorEvent | None:
    """Takes an action whose parameters in AI2-THOR 5.0.0 are uncertain (docs/ai2thor.md). Gives
    None if it has others: then fallen objects stay on the floor, and the problems list them."""
    try:
        return world.step(action, objectId=item["objectId"], **arguments)
    except ValueError:
        return None


def _may_reach(item: ThorObject, foot: Point) -> bool:
    corners = Extent(item).corners
    if not corners:
        return False
    x, y, z = ([corner[axis] for corner in corners] for axis in range(3))
    return (
        min(x) - ASIDE <= foot.x <= max(x) + ASIDE
        and min(z) - ASIDE <= foot.z <= max(z) + ASIDE
        and min(y) - FALLEN <= foot.y <= max(y) + FALLEN
    )


def _aside(point: Point, other: Point) -> float:
    return math.hypot(point.x - other.x, point.z - other.z)


# --- Which object of the scene takes which pose


@dataclass(frozen=True, slots=True)
class Placement:
    """A pose with the object that takes it: its name and type in this world."""

    pose: ObjectPose
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Matched:
    """The placements, in the order of the poses, and what is missing or there too often."""

    placements: tuple[Placement, ...]
    problems: tuple[Problem, ...]


def matched(view: AlfredView, poses: Sequence[ObjectPose], aliases: Mapping[str, str]) -> Matched:
    """Gives every pose an object of its type that can be picked up; ``aliases`` are the types that
    have another name here.

    Poses of one name get one object. Of all pairs of a name and an object of its type the nearest
    is taken first, by the name's nearest pose; equally near ones in the order of the poses, then of
    the metadata. Names that are left over share the nearest object: it is placed several times.
    """
    types = {each.type: aliases.get(each.type, each.type) for each in poses}
    chosen: dict[str, str] = {}
    problems: list[Problem] = []
    for kind, called in types.items():
        named = _by_name([each for each in poses if each.type == kind])
        found = [each for each in view.of_type(called) if each["pickupable"]]
        if found:
            chosen.update(_assigned(named, found))
        problems += _shortage(kind, named, found, chosen)
    placements = tuple(
        Placement(each, chosen[each.name], types[each.type])
        for each in poses
        if each.name in chosen
    )
    return Matched(placements, tuple(problems))


def nearest(
    items: Sequence[ThorObject], points: Sequence[Point]
) -> Mapping[int, tuple[ThorObject, float]]:
    """For the points, by number, an item each and how far off it is, metres: the nearest pair
    first; equally near ones in the order of the points, then of the items. What is left over on
    either side is left out."""
    pairs = sorted(
        (_apart(item, point), k, i)
        for k, point in enumerate(points)
        for i, item in enumerate(items)
    )
    taken: dict[int, tuple[ThorObject, float]] = {}
    used: set[int] = set()
    for apart, k, i in pairs:
        if k not in taken and i not in used:
            taken[k] = items[i], apart
            used.add(i)
    return taken


def _by_name(poses: Sequence[ObjectPose]) -> Mapping[str, Sequence[ObjectPose]]:
    named: dict[str, list[ObjectPose]] = {}
    for each in poses:
        named.setdefault(each.name, []).append(each)
    return named


def _assigned(
    named: Mapping[str, Sequence[ObjectPose]], found: Sequence[ThorObject]
) -> Mapping[str, str]:
    pairs = sorted(
        (min(_apart(item, pose.position) for pose in poses), rank, i)
        for rank, poses in enumerate(named.values())
        for i, item in enumerate(found)
    )
    names = list(named)
    chosen: dict[str, str] = {}
    used: set[int] = set()
    for _, rank, i in pairs:
        if names[rank] not in chosen and i not in used:
            chosen[names[rank]] = found[i]["name"]
            used.add(i)
    for _, rank, i in pairs:
        chosen.setdefault(names[rank], found[i]["name"])
    return chosen


def _shortage(
    kind: str,
    named: Mapping[str, Sequence[ObjectPose]],
    found: Sequence[ThorObject],
    chosen: Mapping[str, str],
) -> list[Problem]:
    if not found:
        reason = f"this scene has no {kind} that can be picked up"
        return [Problem(ProblemKind.ABSENT, name, reason) for name in named]
    owners: dict[str, str] = {}
    problems = []
    for name in named:
        owner = owners.setdefault(chosen[name], name)
        if owner != name:
            reason = f"this scene has {len(found)} of {len(named)}: it is a copy of {owner}"
            problems.append(Problem(ProblemKind.COPIED, name, reason))
    return problems


def _apart(item: ThorObject, point: Point) -> float:
    return math.dist(Point.read(item["position"]), point)


# --- What a set-up came to


class ProblemKind(Enum):
    """What of a task's opening could not be reproduced."""

    TOGGLE = "toggle"
    """An object could not be switched."""
    STATE = "state"
    """An object could not be made dirty or empty."""
    ABSENT = "absent"
    """The scene has no object of a posed type: it is missing."""
    COPIED = "copied"
    """The task poses more objects than the scene has: one exists twice."""
    MOVED = "moved"
    """An object does not stay at its pose."""
    OUTSIDE = "outside"
    """An object's pose is inside a receptacle with a door or lid, and the object is not."""
    OUT_OF_REACH = "out_of_reach"
    """An object cannot be seen from anywhere, even with its container open."""
    UNSUPPORTED = "unsupported"
    """An object is in or on nothing."""
    AGENT = "agent"
    """The agent's pose is not free."""
    MET = "met"
    """The goal is reached before anything is done."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that could not be reproduced: what, as the task names it, and why."""

    kind: ProblemKind
    subject: str
    reason: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the set-up did.

    Attributes:
        goal: the task's, with the object types of this world.
        aliases: types of AI2-THOR 2.1.0, as tasks and skills name them, that have another name in
            this world: {"Glassbottle": "Bottle"}.
        problems: what could not be reproduced, in the order of the set-up.
        astray: metres between the task's start and the agent's position; 0 if the task gives no
            start.
    """

    goal: Goal
    aliases: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    astray: float = 0.0
