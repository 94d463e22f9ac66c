"""Poses from which an object can be acted on, in the order in which they are tried (spec section
2.4)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from env_service.suites.asgard.body import Body
from env_service.suites.asgard.ranges import (
    CAMERA,
    HIGHEST,
    LOWEST,
    bearing,
    center,
    distance,
    posture_for,
    range_of,
    should_crouch,
    turn,
)
from env_service.suites.asgard.view import AgentPose, ThorObject
from env_service.worlds.thor.geometry import Point

MOST_POSES = 25
"""Poses that are tried."""

SLACK = 0.5
"""Metres: poses are tried by how many of these they are out of range."""

SMALL = 0.6
"""Metres: what is no larger is looked at straight, whatever the world was asked."""

HORIZONS = (0.0, 15.0, 30.0)
"""Degrees: tilts of the camera that the world is asked for."""

_ROTATIONS = tuple(30.0 * k for k in range(12))
"""Degrees: directions that the world is asked for. With a view of 60 degrees something in the
middle shows from one of them if it shows from any; the agent then faces it straight."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """``slack``: how far out of range the pose may be, metres."""

    pose: AgentPose
    slack: float


def candidate_poses(body: Body, item: ThorObject) -> Iterator[Candidate]:
    """At most MOST_POSES, nearest to the object's range first, then those from where most of them
    look at it."""
    places = [Point.read(each) for each in body.ask("GetReachablePositions")]
    given = 0
    for slack, near in _bins(places, item):
        poses = _interactable(body, item, near)
        for pose in _ordered(poses)[: MOST_POSES - given]:
            given += 1
            yield Candidate(pose, slack)
        if given >= MOST_POSES:
            return
    if not given:
        for slack, near in _bins(places, item):
            for pose in _ordered([_facing(body, item, place) for place in near]):
                given += 1
                yield Candidate(pose, slack)
                if given >= MOST_POSES:
                    return


def _bins(places: Iterable[Point], item: ThorObject) -> list[tuple[float, list[Point]]]:
    middle, limits = center(item), range_of(item["objectType"])
    bins: dict[int, list[Point]] = {}
    for place in places:
        excess = limits.excess(distance(place, middle))
        bins.setdefault(math.ceil(excess / SLACK), []).append(place)
    return [(number * SLACK, bins[number]) for number in sorted(bins)]


def _interactable(body: Body, item: ThorObject, places: Sequence[Point]) -> list[AgentPose]:
    """One pose for each place from which the world says that the object is within reach."""
    found = body.ask(
        "GetInteractablePoses",
        objectId=item["objectId"],
        positions=[place._asdict() for place in places],
        rotations=list(_ROTATIONS),
        horizons=list(HORIZONS),
        standings=[True, False],
    )
    by_place: dict[Point, list[dict[str, Any]]] = {}
    for each in found:
        by_place.setdefault(Point.read(each), []).append(each)
    crouching = should_crouch(item, body.view)
    return [_best(place, item, poses, crouching=crouching) for place, poses in by_place.items()]


def _best(
    place: Point, item: ThorObject, poses: Sequence[dict[str, Any]], *, crouching: bool
) -> AgentPose:
    """Of the poses at one place, the one most like looking straight at the object, in the posture
    that shows it from more of them."""
    yaw = bearing(place, center(item))
    upright = sum(pose["standing"] for pose in poses)
    lower = len(poses) - upright
    standing = upright > lower or (upright == lower and not crouching)

    def unlike(pose: dict[str, Any]) -> tuple[bool, int, float]:
        down = _down(place, item, standing=pose["standing"])
        off = abs(turn(yaw, pose["rotation"]))
        return pose["standing"] != standing, round(off / 15.0), abs(down - pose["horizon"])

    best = min(poses, key=unlike)
    if max(item["axisAlignedBoundingBox"]["size"].values()) <= SMALL:
        down = _down(place, item, standing=best["standing"])
        return AgentPose(place, yaw, min(max(down, HIGHEST), LOWEST), best["standing"])
    # What shows only at the side of the view would be lost by facing the middle of a large thing.
    straight = abs(turn(yaw, best["rotation"])) <= 15.0
    return AgentPose(
        place, yaw if straight else best["rotation"], best["horizon"], best["standing"]
    )


def _down(place: Point, item: ThorObject, *, standing: bool) -> float:
    """Degrees by which the eye looks down at the middle of an object."""
    middle = center(item)
    eye = place.y + (CAMERA if standing else 0.0)
    level = math.dist((place.x, place.z), (middle.x, middle.z))
    return math.degrees(math.atan2(eye - middle.y, level))


def _facing(body: Body, item: ThorObject, place: Point) -> AgentPose:
    """Looking at the object from a place of which the world does not say that it can be seen."""
    yaw = bearing(place, center(item))
    posture = posture_for(item, body.view, AgentPose(place, yaw, 0.0, standing=True))
    return AgentPose(place, yaw, posture.horizon, posture.standing)


def _ordered(poses: Sequence[AgentPose]) -> list[AgentPose]:
    """By the angle between a pose's direction and the mean of all."""
    x = sum(math.sin(math.radians(pose.yaw)) for pose in poses)
    z = sum(math.cos(math.radians(pose.yaw)) for pose in poses)
    mean = math.degrees(math.atan2(x, z))
    return sorted(poses, key=lambda pose: round(abs(turn(mean, pose.yaw)), 6))
