"""Which object of the scene takes which pose.

The poses name objects of AI2-THOR 2.1.0, and 5.0.0 has named all of them anew (of the 8,243 poses
of valid_seen none has a name that is in its scene). So an object is known by its type and by how
near it is to where it is to go.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from env_service.suites.alfred.house import House, ThorObject
from env_service.suites.alfred.setup.prepared import Problem, ProblemKind
from env_service.suites.alfred.task import ObjectPose
from env_service.worlds.thor.geometry import Point


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


def matched(house: House, poses: Sequence[ObjectPose], aliases: Mapping[str, str]) -> Matched:
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
        found = [each for each in house.of_type(called) if each["pickupable"]]
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
