"""Going where a type's name means the wanted instance.

A skill names a type, and the robot chooses the instance by distance. So the expert first goes to
something near the wanted instance: a landmark.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import zip_longest

from env_service.suites.alfred.expert.knowledge import (
    id_of,
    nearest_first,
    nearest_from,
    place,
    skill_type,
)
from env_service.suites.alfred.expert.play import Play
from env_service.suites.alfred.object_words import ALL
from env_service.suites.alfred.skills.steps import Verb
from env_service.worlds.ai2thor_api.metadata_view import ThorObject

MOST_LANDMARKS = 10
"""So many are tried on the way to one of the wanted instances."""

UNLIKELY_LANDMARKS = 3
"""How many landmarks to try that are likely to be nearer to another instance."""


def stand_by(
    play: Play, kind: str, wanted: Collection[str], verb: Verb | None = None
) -> Iterator[str]:
    """Goes to an instance with one of the wanted ids and yields its id, each time right after
    finding its type. The shortest way comes first; each further request goes over another
    landmark. Finds on all ways but the last count as wasted. No two ways end in the same pose.

    With a verb, a pose next to a landmark also counts if the wanted instance is visible from it
    and the verb would act on that instance.
    """
    tried: set[tuple[float, ...]] = set()
    start = len(play.taken)
    if play.expects(Verb.FIND, kind, wanted):
        found = _find(play, kind, wanted)
        if found and _is_new(play, tried):
            yield found
        play.waste(start)
    for landmark in _landmarks(play, kind, wanted):
        start = len(play.taken)
        name = skill_type(landmark)
        if not play.expects(Verb.FIND, name, {id_of(landmark)}):
            continue
        if not play.do(Verb.FIND, name).worked:
            continue
        seen = "" if verb is None else _seen(play, verb, kind, wanted)
        if seen and _is_new(play, tried):
            yield seen
        if play.expects(Verb.FIND, kind, wanted):
            found = _find(play, kind, wanted)
            if found and _is_new(play, tried):
                yield found
        play.waste(start)


def _is_new(play: Play, tried: set[tuple[float, ...]]) -> bool:
    """Whether the robot has not stood and looked so before; from now on it has."""
    view = play.view
    pose = (*view.agent.position, view.agent.yaw, view.agent.horizon)
    known = pose in tried
    tried.add(pose)
    return not known


def _seen(play: Play, verb: Verb, kind: str, wanted: Collection[str]) -> str:
    chosen = play.expected(verb, kind)
    if chosen is None or not chosen["visible"] or id_of(chosen) not in wanted:
        return ""
    return id_of(chosen)


def _find(play: Play, kind: str, wanted: Collection[str]) -> str:
    chosen = play.expected(Verb.FIND, kind)
    found = play.do(Verb.FIND, kind)
    if not found.worked or chosen is None:
        return ""
    return id_of(chosen) if id_of(chosen) in wanted else ""


def _landmarks(play: Play, kind: str, wanted: Collection[str]) -> list[ThorObject]:
    """Things from which the type's name is likely to mean a wanted instance, the nearest first, in
    turn for each instance; then a few things from which it is not."""
    view = play.view
    instances = [each for each in view.objects if id_of(each) in wanted]
    usable = [
        each
        for each in view.objects
        if each is not view.held
        and skill_type(each) in ALL
        and skill_type(each) != kind
        and id_of(each) == each["objectId"]
    ]
    likely: list[list[ThorObject]] = []
    doubtful: list[list[ThorObject]] = []
    for instance in nearest_first(instances, view.agent.position):
        near = nearest_first(usable, place(instance))
        leading = [each for each in near if _leads(play, each, kind, id_of(instance))]
        likely.append(leading)
        doubtful.append([each for each in near[:UNLIKELY_LANDMARKS] if each not in leading])
    return [*_in_turn(likely)[:MOST_LANDMARKS], *_in_turn(doubtful)[:UNLIKELY_LANDMARKS]]


def _in_turn(rows: Sequence[Sequence[ThorObject]]) -> list[ThorObject]:
    """The first of each row, then the second of each, each thing once."""
    found: dict[str, ThorObject] = {}
    for rank in zip_longest(*rows):
        for each in rank:
            if each is not None:
                found.setdefault(str(each["objectId"]), each)
    return list(found.values())


def _leads(play: Play, landmark: ThorObject, kind: str, wanted: str) -> bool:
    view = play.view
    beside = place(landmark)._replace(y=view.agent.position.y)
    chosen = nearest_from(view, beside, kind)
    return chosen is not None and id_of(chosen) == wanted
