"""Which instance a word will mean from another place, as far as that can be told without going
there (spec section 3.3, "Object choice by type")."""

from __future__ import annotations

from env_service.suites.alfred.expert.knowledge import apart, place, skill_type
from env_service.suites.alfred.house import House, ThorObject
from env_service.suites.alfred.skills.object_choice import OCCUPIED, SHUT_IN, SLICE, is_slice
from env_service.worlds.thor.geometry import Point


def nearest_from(house: House, point: Point, kind: str) -> ThorObject | None:
    """The instance that is likely to be found from a place: what will be seen there, and what the
    robot leaves alone, is not known. None if there is none."""
    found = [each for each in house.objects if skill_type(each) == kind and not each["isSliced"]]
    return min(found, key=lambda each: _score(house, point, each), default=None)


def _score(house: House, point: Point, item: ThorObject) -> float:
    total = apart(place(item), point)
    if house.closed_parent(item) is not None:
        total += SHUT_IN
    if item["objectType"] == "StoveBurner" and any(house.contents(item)):
        total += OCCUPIED
    return total + (SLICE if is_slice(item) else 0.0)
