"""What the expert reads in the true state of the scene."""

from collections.abc import Callable, Collection

from env_service.suites.asgard.actions.body import center
from env_service.suites.asgard.metadata_view import AsgardView
from env_service.suites.asgard.object_types import object_tables
from env_service.worlds.ai2thor_api.geometry import distance
from env_service.worlds.ai2thor_api.metadata_view import ThorObject, largest_first

COFFEE = "coffee"

Wanted = Callable[[ThorObject], bool]
"""Which of several instances will do."""


def anything(item: ThorObject) -> bool:
    """Any instance will do."""
    del item
    return True


def whole(view: AsgardView, kind: str) -> ThorObject | None:
    """The first object of a type that is still in one piece; None if there is none."""
    return next((each for each in view.of_type(kind) if not each["isSliced"]), None)


def is_dirty(view: AsgardView, kind: str) -> bool:
    """Whether the object of a type has to be washed before anything is put into it."""
    item = view.first(kind)
    return item is not None and bool(item["isDirty"])


def lies_in(view: AsgardView, item: ThorObject, kind: str) -> bool:
    """Whether an object is in or on something of a type."""
    return any(each["objectType"] == kind for each in view.parents(item))


def contains(view: AsgardView, kind: str, wanted: Wanted) -> ThorObject | None:
    """The first wanted object in or on things of a type; None if they contain none."""
    inside = (each for holder in view.of_type(kind) for each in view.contents(holder))
    return next((each for each in inside if wanted(each)), None)


def foreign(view: AsgardView, holder: ThorObject, welcome: Collection[str]) -> list[ThorObject]:
    """What an object contains that can be carried away and has no welcome type."""
    return largest_first(
        each for each in view.contents(holder) if each["objectType"] not in welcome
    )


def running(view: AsgardView, kind: str) -> ThorObject | None:
    """An object of a type that is switched on; None if all are off."""
    return next((each for each in view.of_type(kind) if each["isToggled"]), None)


def landmarks(view: AsgardView, item: ThorObject, words: Collection[str]) -> list[str]:
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
