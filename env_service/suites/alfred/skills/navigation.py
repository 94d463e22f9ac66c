"""find: goes to where an object can be looked at (docs/alfred-rules.md, "Skills"; no walking, a
teleport)."""

import math
from collections.abc import Iterator, Sequence

from env_service.suites.alfred.ai2thor_start import VISIBILITY
from env_service.suites.alfred.skills.context import SkillContext
from env_service.suites.alfred.skills.object_choice import ObjectQuery, choose
from env_service.suites.alfred.skills.steps import Cause, SkillResult, failure, success
from env_service.worlds.ai2thor_api.geometry import Point
from env_service.worlds.ai2thor_api.metadata_view import ThorObject

NEAR = 1.0
"""Metres: the robot stays where it is if what it looks for is visible and nearer than that."""

MOST_TRIES = 20
"""Reachable positions to try, the nearest first. By exact rules `find` then tries the others from
which the object can be visible: the nearest 20 around a safe are next to it and too close to look
under its top."""

FACED = ("Fridge", "Microwave")
FACED_TRIES = 10
"""Tries in which these are approached from their front alone."""
FRONT = 20.0
"""Degrees from straight in front.

LoTa-Bench asks for a fridge's side and a microwave's front or back, by the turn that 2.1.0 gave
their models. In 5.0.0 both face along their rotation: in all 72 approaches of valid_seen's official
plans to a fridge, and in 53 of 55 to a microwave, the agent looks the opposite way.
"""

HIGHEST, LOWEST = -30.0, 60.0
"""Degrees down: the tilts that 5.0.0 allows."""

TILT = 0.9
"""Of the angle down to the object."""

ASIDE = 20.0
"""Degrees by which the robot looks past what its hand hides: the object stays in the picture, whose
half is 30 degrees wide. See `Rules.nearest_place`."""


def find(context: SkillContext, object_type: str) -> SkillResult:
    """Goes to an object of a type, and remembers the type as where to put things."""
    context.memory.destination = object_type
    context.memory.found = ("", "")
    item = choose(context, ObjectQuery(object_type, seen=True, carried=True))
    if item is None:
        return failure(Cause.NO_SUCH_OBJECT, f"Cannot find {object_type}")
    context.memory.found = (object_type, item["objectId"])
    if item["distance"] < NEAR and _seen(context, item):
        return success(item)
    if not _go(context, item):
        return failure(Cause.NOT_REACHED, f"Cannot move to {object_type}", item)
    return success(item)


def comes_into_sight(context: SkillContext, item: ThorObject) -> bool:
    """Goes to an object as `find` does; whether it is seen well enough there to be touched."""
    return _go(context, item) and _seen(context, item)


def _go(context: SkillContext, item: ThorObject) -> bool:
    """Moves the agent to where it sees the object, or else to the first free place."""
    blind = context.rules.nearest_place or context.view.closed_parent(item) is not None
    places = list(_places(context.body.floor, item))
    first: Point | None = None
    for place, aside in _views(context, item, places):
        if not _stand(context, place, item, aside):
            continue
        if blind or _seen(context, item):
            return True
        first = first or place
    return first is not None and _stand(context, first, item)


def _views(
    context: SkillContext, item: ThorObject, places: Sequence[Point]
) -> Iterator[tuple[Point, float]]:
    """Places, and degrees to look past the object: straight at it from all of them, then, if
    something is held that may hide it, past it on either side; last, straight at it from what is
    further away. Rules of the nearest place know the first of these alone."""
    yield from ((each, 0.0) for each in places)
    if context.rules.nearest_place:
        return
    if context.view.held is not None:
        yield from ((each, side) for each in places for side in (ASIDE, -ASIDE))
    yield from ((each, 0.0) for each in _further(context.body.floor, item, places))


def _seen(context: SkillContext, item: ThorObject) -> bool:
    """By exact rules what is behind glass is not seen well enough: it cannot be touched."""
    now = context.view.by_id(item["objectId"])
    if now is None or not now["visible"]:
        return False
    return context.rules.nearest_place or bool(now.get("isInteractable", True))


def _places(floor: tuple[Point, ...], item: ThorObject) -> Iterator[Point]:
    """The positions to try, the nearest first; twice, first in front, for what has a front."""
    nearest = _nearest(floor, item)
    if item["objectType"] not in FACED:
        yield from nearest[:MOST_TRIES]
        return
    tried = nearest[:FACED_TRIES]
    yield from (each for each in tried if _in_front(each, item))
    yield from nearest[: MOST_TRIES - FACED_TRIES]


def _further(floor: tuple[Point, ...], item: ThorObject, tried: Sequence[Point]) -> Iterator[Point]:
    """The other positions from which the object's middle can be visible, the nearest first."""
    known, target = set(tried), Point.read(item["position"])
    yield from (
        each
        for each in _nearest(floor, item)
        if each not in known and _away(each, target) <= VISIBILITY
    )


def _nearest(floor: tuple[Point, ...], item: ThorObject) -> list[Point]:
    target = Point.read(item["position"])
    return sorted(floor, key=lambda each: _away(each, target))


def _away(place: Point, target: Point) -> float:
    """Metres along the floor."""
    return math.hypot(target.x - place.x, target.z - place.z)


def _in_front(place: Point, item: ThorObject) -> bool:
    back = _bearing(place, Point.read(item["position"])) + 180.0 - item["rotation"]["y"]
    aside: float = abs((back + 180.0) % 360.0 - 180.0)
    return aside <= FRONT


def _stand(context: SkillContext, place: Point, item: ThorObject, aside: float = 0.0) -> bool:
    target, here = Point.read(item["position"]), context.view
    eye = here.metadata["cameraPosition"]["y"] - here.agent.position.y + place.y
    down = math.degrees(math.atan2(eye - target.y, _away(place, target))) * TILT
    event = context.body.do(
        "Teleport",
        position=place._asdict(),
        rotation={"x": 0.0, "y": (_bearing(place, target) + aside) % 360.0, "z": 0.0},
        horizon=min(max(down, HIGHEST), LOWEST),
        standing=True,
    )
    return bool(event)


def _bearing(place: Point, target: Point) -> float:
    return math.degrees(math.atan2(target.x - place.x, target.z - place.z)) % 360.0
