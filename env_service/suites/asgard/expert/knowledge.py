"""What the expert reads in the true state of the house."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from env_service.suites.asgard.actions.body import center, distance
from env_service.suites.asgard.metadata_view import MetadataView, ThorObject
from env_service.suites.asgard.object_types import object_tables

COFFEE = "coffee"

Wanted = Callable[[ThorObject], bool]
"""Which of several instances will do."""


def anything(item: ThorObject) -> bool:
    """Any instance will do."""
    del item
    return True


def whole(view: MetadataView, kind: str) -> ThorObject | None:
    """The first object of a type that is still in one piece; None if there is none."""
    return next((each for each in view.of_type(kind) if not each["isSliced"]), None)


def is_dirty(view: MetadataView, kind: str) -> bool:
    """Whether the object of a type has to be washed before anything is put into it."""
    item = view.first(kind)
    return item is not None and bool(item["isDirty"])


def lies_in(view: MetadataView, item: ThorObject, kind: str) -> bool:
    """Whether an object is in or on something of a type."""
    return any(each["objectType"] == kind for each in view.parents(item))


def contains(view: MetadataView, kind: str, wanted: Wanted) -> ThorObject | None:
    """What is wanted of all that lies in or on things of a type; None if it is not there."""
    inside = (each for holder in view.of_type(kind) for each in view.contents(holder))
    return next((each for each in inside if wanted(each)), None)


def loose(items: Iterable[ThorObject]) -> list[ThorObject]:
    """Those that can be carried away, the largest footprint first."""

    def footprint(item: ThorObject) -> float:
        size = item["axisAlignedBoundingBox"]["size"]
        return float(size["x"] * size["z"])

    return sorted((each for each in items if each["pickupable"]), key=footprint, reverse=True)


def foreign(view: MetadataView, holder: ThorObject, welcome: Collection[str]) -> list[ThorObject]:
    """What lies in or on something, can be carried away, and is of no welcome type."""
    return loose(each for each in view.contents(holder) if each["objectType"] not in welcome)


def running(view: MetadataView, kind: str) -> ThorObject | None:
    """An object of a type that is switched on; None if all are off."""
    return next((each for each in view.of_type(kind) if each["isToggled"]), None)


def landmarks(view: MetadataView, item: ThorObject, words: Collection[str]) -> list[str]:
    """Words that name one thing each, those nearest to an object first: FIND of the first takes
    the agent to where the object may be seen."""
    middle = center(item)
    single = [
        each
        for each in view.objects
        if len(view.of_type(each["objectType"])) == 1
        and each["objectType"] in words
        and each["objectType"] != "Floor"
        and not view.is_held(each)
        and view.closed_parent(each) is None
    ]
    single.sort(key=lambda each: distance(center(each), middle))
    return [each["objectType"] for each in single]


def slices_of(kind: str) -> str:
    """The type of a food's pieces."""
    return object_tables().slices[kind]
