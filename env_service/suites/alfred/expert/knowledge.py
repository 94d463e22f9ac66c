"""What the expert reads in the true state of the scene, and which instance a word will mean
from another place.
"""

from collections.abc import Collection, Iterable

from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.object_words import ALL, BASINS, OPENABLE
from env_service.suites.alfred.setup.opening import ALIASES
from env_service.suites.alfred.skills.object_choice import OCCUPIED, SHUT_IN, SLICE, is_slice
from env_service.suites.alfred.task import Goal
from env_service.worlds.ai2thor_api.geometry import Point, distance
from env_service.worlds.ai2thor_api.metadata_view import ThorObject

_BASIN = "Basin"
_NAMES = {
    **{part: whole for whole, part in BASINS.items()},
    **{each.new: each.old for each in ALIASES if each.new not in ALL},
}


def id_of(item: ThorObject) -> str:
    """The object's id; that of the whole for a basin, as skills name the whole."""
    return whole_id(str(item["objectId"]))


def whole_id(object_id: str) -> str:
    """The id of a sink for the id of its basin, and so with bathtubs; all others stay."""
    return object_id.rpartition("|")[0] if object_id.endswith(_BASIN) else object_id


def skill_type(item: ThorObject) -> str:
    """The type by which skills mean an object: slices and basins go by the whole's name."""
    return skill_type_of(str(item["objectId"]).partition("|")[0])


def skill_type_of(kind: str) -> str:
    """The type by which skills mean what the world calls so: "Sink" for "SinkBasin"."""
    return _NAMES.get(kind, kind)


def place(item: ThorObject) -> Point:
    """Where an object is."""
    return Point.read(item["position"])


def target_type(goal: Goal) -> str:
    """The object type that a goal is about; its slices' type where slices are meant."""
    return f"{goal.object}Sliced" if goal.sliced else goal.object


def targets(goal: Goal, view: AlfredView) -> list[ThorObject]:
    """All objects that the goal could be about, whole ones only unless slices are meant."""
    found = view.of_type(target_type(goal))
    return [each for each in found if goal.sliced or not each["isSliced"]]


def receptacles(view: AlfredView, kind: str) -> list[ThorObject]:
    """The things of a goal's receptacle type."""
    return list(view.of_type(kind))


def contents(view: AlfredView, holder_id: str) -> list[ThorObject]:
    """What lies directly in or on a thing, or in its basin."""
    holders = [each for each in view.objects if id_of(each) == holder_id]
    inside = {each["objectId"]: each for holder in holders for each in view.contents(holder)}
    return list(inside.values())


def lies_in(view: AlfredView, item: ThorObject, holders: Collection[str]) -> bool:
    """Whether an object is in or on one of the things with these ids, or in its basin."""
    return any(id_of(each) in holders for each in view.parents(item))


def container_of(view: AlfredView, item: ThorObject) -> ThorObject | None:
    """The thing that skills open, open or closed now, that an object is in, also with a dish; a
    closed one where there are several."""
    found = [each for each in _around(view, item) if has_door(each)]
    return min(found, key=lambda each: bool(each["isOpen"]), default=None)


def has_door(item: ThorObject) -> bool:
    """Whether it has to be opened before anything is put in, and skills do that: a toilet's lid is
    none."""
    return bool(item["openable"]) and skill_type(item) in OPENABLE


def shut_in(view: AlfredView, item: ThorObject) -> ThorObject | None:
    """The closed thing that an object is in, also with a dish; None if there is none."""
    container = container_of(view, item)
    return None if container is None or container["isOpen"] else container


def nearest_first(items: Iterable[ThorObject], point: Point) -> list[ThorObject]:
    """Sorted by distance from a point; objects at equal distance keep their order."""
    return sorted(items, key=lambda each: distance(place(each), point))


def _around(view: AlfredView, item: ThorObject) -> list[ThorObject]:
    found: dict[str, ThorObject] = {}
    waiting = list(view.parents(item))
    while waiting:
        outer = waiting.pop()
        if outer["objectId"] not in found:
            found[outer["objectId"]] = outer
            if outer["pickupable"]:
                waiting.extend(view.parents(outer))
    return list(found.values())


# --- Which instance a word will mean from another place, as far as the expert can predict that
# without going there (docs/alfred-rules.md, "Skills")


def nearest_from(view: AlfredView, point: Point, kind: str) -> ThorObject | None:
    """The instance that is likely to be found from a place: what will be seen there, and what the
    robot leaves alone, is not known. None if there is none."""
    found = [each for each in view.objects if skill_type(each) == kind and not each["isSliced"]]
    return min(found, key=lambda each: _score(view, point, each), default=None)


def _score(view: AlfredView, point: Point, item: ThorObject) -> float:
    total = distance(place(item), point)
    if view.closed_parent(item) is not None:
        total += SHUT_IN
    if item["objectType"] == "StoveBurner" and any(view.contents(item)):
        total += OCCUPIED
    return total + (SLICE if is_slice(item) else 0.0)
