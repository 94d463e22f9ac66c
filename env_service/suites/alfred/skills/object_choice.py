"""Which instance a skill means that names a type: the one with the smallest score
(docs/alfred-rules.md, "Skills").

It follows LoTa-Bench, which ranks by distance; AsgardBench's release ranks by direction and memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.skills.context import SkillContext
from env_service.worlds.ai2thor_api.metadata_view import ThorObject

SHUT_IN = 100_000.0
"""Added for an object in something closed."""
OCCUPIED = 10_000.0
"""Added for a stove burner that holds something."""
MEANT = 5_000.0
"""Taken off for what the plan seems to mean, added for what it does not: ours, see
`Rules.nearest_instance`. More than UNSEEN: it is looked for also where it is not in view."""
UNSEEN = 1_000.0
"""Added for what is not visible."""
SLICE = -100.0
"""Added for slices, where they are preferred."""


@dataclass(frozen=True, slots=True)
class ObjectQuery:
    """What is looked for.

    Attributes:
        object_type: as the skills name it.
        able: metadata that has to be true of it: "pickupable", "toggleable"; empty for none.
        seen: whether what is visible is preferred, and slices are.
        carried: whether it is to be carried.
        opened: whether it is to be opened.
        but: id of an instance that is not meant.
    """

    object_type: str
    able: str = ""
    seen: bool = False
    carried: bool = False
    opened: bool = False
    but: str = ""


def choose(context: SkillContext, query: ObjectQuery) -> ThorObject | None:
    """The instance with the smallest score, metres plus what is added; the first of equals. None
    if there is none."""
    found = [
        each
        for each in named(context.view, query.object_type, context.aliases.get(query.object_type))
        if each["objectId"] != query.but and (not query.able or each[query.able])
    ]
    if not context.rules.nearest_instance:
        before = _meant(context, query)
        found = [each for each in found if each["objectId"] == before] or found
    return min(found, key=lambda each: _score(context, query, each), default=None)


def _meant(context: SkillContext, query: ObjectQuery) -> str:
    """What was found right before, or the door behind which that lies; empty for neither."""
    kind, name = context.memory.found
    if kind == query.object_type or not query.opened:
        return name if kind == query.object_type else ""
    item = context.view.by_id(name)
    door = None if item is None else context.view.closed_parent(item)
    return "" if door is None else str(door["objectId"])


def named(view: AlfredView, object_type: str, alias: str | None = None) -> Iterator[ThorObject]:
    """The objects whose id begins with a type: slices and basins too, as in LoTa-Bench. What is
    there as slices alone is left out: 5.0.0 lists it on, 2.1.0 did not."""
    names = {object_type.lower(), (alias or object_type).lower()}
    for each in view.objects:
        if each["objectId"].partition("|")[0].lower() in names and not _in_pieces(each):
            yield each


def is_slice(item: ThorObject) -> bool:
    """Whether its name marks it as a slice."""
    return "Sliced" in item["objectType"]


def _in_pieces(item: ThorObject) -> bool:
    return bool(item["isSliced"] or (item["objectType"] == "Egg" and item["isBroken"]))


def _score(context: SkillContext, query: ObjectQuery, item: ThorObject) -> float:
    view, score = context.view, float(item["distance"])
    if view.closed_parent(item) is not None:
        score += SHUT_IN
    if item["objectType"] == "StoveBurner" and any(view.contents(item)):
        score += OCCUPIED
    if not context.rules.nearest_instance:
        score += _unmeant(context, query, item)
    if query.seen:
        score += 0.0 if item["visible"] else UNSEEN
        score += _slice_bonus(context, query, item)
    return score


def _unmeant(context: SkillContext, query: ObjectQuery, item: ThorObject) -> float:
    view, memory, name = context.view, context.memory, item["objectId"]
    held = view.held
    if held is None:
        if not query.carried:
            return 0.0
        return MEANT * ((name in memory.left) - (name in memory.treated))
    if name == held["objectId"]:
        return MEANT
    # With a full hand nothing is looked for to be carried: what was put down is to be used.
    alike = (view.by_id(each) for each, place in memory.placed.items() if place == name)
    home = any(each is not None and each["objectType"] == held["objectType"] for each in alike)
    return -MEANT if home or name in memory.placed else 0.0


def _slice_bonus(context: SkillContext, query: ObjectQuery, item: ThorObject) -> float:
    wanted = query.object_type in context.memory.sliced
    if context.rules.sliced_flag:
        wanted = context.memory.slicing
    if not (wanted and is_slice(item)):
        return 0.0
    return SLICE if context.rules.nearest_instance else -MEANT
