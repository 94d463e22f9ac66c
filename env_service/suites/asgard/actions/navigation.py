"""Getting to where an object can be acted on ("auto-navigation"):
from which poses, and in which order they are tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from env_service.suites.asgard.actions.body import (
    CAMERA,
    HIGHEST,
    LOWEST,
    Attempt,
    Body,
    bearing,
    center,
    face,
    look_at,
    posture_for,
    range_of,
    should_crouch,
    turn,
)
from env_service.suites.asgard.wording import PLACEHOLDER
from env_service.worlds.ai2thor_api.geometry import Point, distance
from env_service.worlds.ai2thor_api.metadata_view import AgentPose, ThorObject

MOST_STEPS = 20
"""Steps of one walk."""

Try = Callable[[], Attempt]
Seen = Callable[[], bool]

HOPELESS = (
    "NOT a receptacle",
    "openable Receptacle is CLOSED",
    "cannot be sliced",
)
"""Parts of the simulator's errors after which neither another pose nor another instance is tried
(docs/asgard-rules.md, "Actions")."""

_SAME_ANYWHERE = (
    *HOPELESS,
    "object is not toggleable",
    "is controlled by another sim object",
    "not a valid Object Type to be placed in",
    "cannot be placed in",
    "is full right now",
    "must have the property",
    "is not an Openable object",
    "Does not have the CanBeSliced property",
    "Target must be",
    "can't toggle object",
)
"""Parts of errors that no other pose would change. After the first of them the executor tries no
further pose, as each would end in the same error."""


class Exhausted(Exception):  # noqa: N818 - an outcome of a search, which callers put into words
    """Every pose was tried in vain. ``error`` is the simulator's last, PLACEHOLDER if the agent
    never got near enough to try; ``hopeless``: see HOPELESS."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error
        self.hopeless = any(part in error for part in HOPELESS)


class Approach:
    """One object to be got at. ``seen`` says whether the agent sees what it is after, by default
    the object itself or something in or on it."""

    def __init__(self, body: Body, item: ThorObject, *, seen: Seen | None = None) -> None:
        self._body, self._item = body, item
        self._seen = seen or self._visible
        self._center = center(item)
        self._range = range_of(item["objectType"])

    def act(self, attempt: Try) -> None:
        """Tries an action from here, from near by, and from poses all around; returns as it
        succeeds. Raises Exhausted."""
        last = PLACEHOLDER
        for slack in self._places(start_here=True):
            if not self._within(slack) or not self._seen():
                continue
            result = attempt()
            if result.success:
                self._remember()
                return
            last = result.error
            if any(part in last for part in _SAME_ANYWHERE):
                break
        raise Exhausted(last)

    def find(self) -> bool:
        """Goes to where the object can be seen and reached. Whether there is such a place."""
        for slack in self._places(start_here=False):
            if self._within(slack) and self._seen():
                self._remember()
                return True
        return False

    def walk(self) -> None:
        """Walks straight towards the object as far as the way is free, and looks at it."""
        face(self._body, self._center)
        for _ in range(MOST_STEPS):
            if self._distance() <= self._range.farthest:
                break
            if not self._body.do("MoveAhead").success:
                break
            face(self._body, self._center)
        look_at(self._body, self._item)

    def _places(self, *, start_here: bool) -> Iterator[float]:
        """Brings the agent from place to place; yields how far out of range each may be."""
        known = self._body.memory.stances.get(self._item["name"])
        if start_here and known == self._body.pose:
            yield self._excess()
        elif start_here and self._within(0.0):
            yield from self._here()
        self.walk()
        if not start_here:
            self._back_off()
        yield 0.0
        if known is not None and self._stand(known):
            yield self._excess()
        for candidate in candidate_poses(self._body, self._item):
            if self._stand(candidate.pose):
                yield candidate.slack

    def _here(self) -> Iterator[float]:
        """Looks straight at it; where that hides it behind something, as it was seen before."""
        before, seen = self._body.pose, self._seen()
        look_at(self._body, self._item)
        yield 0.0
        if seen and not self._seen() and self._stand(before):
            yield 0.0

    def _back_off(self) -> None:
        """Steps back from something low that is too near to be looked at."""
        if not should_crouch(self._item, self._body.view):
            return
        for _ in range(MOST_STEPS):
            if self._distance() >= self._range.nearest or not self._body.do("MoveBack").success:
                break

    def _stand(self, pose: AgentPose) -> bool:
        if pose == self._body.pose:
            return True
        return self._body.do(
            "Teleport",
            position=pose.position._asdict(),
            rotation={"x": 0.0, "y": pose.yaw, "z": 0.0},
            horizon=pose.horizon,
            standing=pose.standing,
        ).success

    def _distance(self) -> float:
        return distance(self._body.pose.position, self._center)

    def _excess(self) -> float:
        return self._range.excess(self._distance())

    def _within(self, slack: float) -> bool:
        return self._excess() <= slack

    def _visible(self) -> bool:
        now = self._body.fresh(self._item)
        return now is not None and self._body.view.visible(now)

    def _remember(self) -> None:
        self._body.memory.stances[self._item["name"]] = self._body.pose


# --- Poses from which an object can be acted on, in the order in which they are tried

MOST_POSES = 25
"""Poses that are tried."""

SLACK = 0.5
"""Metres: poses are tried by how many of these they are out of range."""

SMALL = 0.6
"""Metres: the agent looks straight at anything no larger, whatever pose the world was asked for."""

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
