"""What the start-up takes out of a room, whatever the task (docs/asgard.md, "An episode")."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from env_service.suites.asgard.metadata_view import AsgardView
from env_service.worlds.ai2thor_api.metadata_view import ThorObject

BROKEN = frozenset({"Cup_344dbbfb"})
"""Names of objects with which nothing can be done."""

BROKEN_SINK = "SinkBasin_ae09d571"
"""Name of a basin; where it is, nothing is placed in any."""

CROWDED = ("CounterTop", "DiningTable", "CoffeeTable", "Desk")
"""Types of surfaces on which room is made."""

LEAST_FREE = 0.2
"""Square metres that are free afterwards, as far as things can be taken away."""

NEVER_THERE = "PepperShaker"
"""Type that is taken out last."""


def broken(view: AsgardView) -> list[ThorObject]:
    """What is taken out first."""
    return [each for each in view.objects if each["name"] in BROKEN]


def duplicates(view: AsgardView) -> list[ThorObject]:
    """All but the first object of each type that can be picked up."""
    found: list[ThorObject] = []
    known: set[str] = set()
    for each in view.objects:
        if not each["pickupable"]:
            continue
        if each["objectType"] in known:
            found.append(each)
        known.add(each["objectType"])
    return found


def in_the_way(view: AsgardView, targets: Collection[str]) -> Iterator[ThorObject]:
    """What has to go so that each surface has room, surface by surface, the largest first. Objects
    with an id in ``targets`` stay."""
    for kind in CROWDED:
        for surface in view.of_type(kind):
            yield from _in_the_way_on(view, surface, targets)


def _in_the_way_on(
    view: AsgardView, surface: ThorObject, targets: Collection[str]
) -> Iterator[ThorObject]:
    things = [each for each in view.contents(surface) if each["pickupable"]]
    free = _area(surface) - sum(map(_footprint, things)) - _sinks(view, surface)
    loose = [each for each in things if each["objectId"] not in targets]
    for each in sorted(loose, key=_footprint, reverse=True):
        if free >= LEAST_FREE:
            return
        free += _footprint(each)
        yield each


def _area(item: ThorObject) -> float:
    size = item["axisAlignedBoundingBox"]["size"]
    return float(size["x"] * size["z"])


def _footprint(item: ThorObject) -> float:
    """The square that a thing takes however it is turned."""
    size = item["axisAlignedBoundingBox"]["size"]
    return float(max(size["x"], size["z"]) ** 2)


def _sinks(view: AsgardView, surface: ThorObject) -> float:
    """The area of the sinks that are let into a surface."""
    return sum(_overlap(surface, each) for each in view.of_type("Sink"))


def _overlap(one: ThorObject, other: ThorObject) -> float:
    sides = 1.0
    for axis in ("x", "z"):
        a, b = one["axisAlignedBoundingBox"], other["axisAlignedBoundingBox"]
        reach = (a["size"][axis] + b["size"][axis]) / 2
        apart = abs(a["center"][axis] - b["center"][axis])
        side = min(reach - apart, a["size"][axis], b["size"][axis])
        sides *= max(side, 0.0)
    return sides
