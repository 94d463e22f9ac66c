"""Putting down what is in the hand."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice

from env_service.suites.alfred.expert.doors import open_here, open_up, shut
from env_service.suites.alfred.expert.knowledge import (
    has_door,
    id_of,
    nearest_first,
    shut_in,
    skill_type,
    skill_type_of,
    whole_id,
)
from env_service.suites.alfred.expert.play import Play, StuckError
from env_service.suites.alfred.expert.steering import stand_by
from env_service.suites.alfred.house import ThorObject
from env_service.suites.alfred.names import OPENABLE, RECEPTACLES
from env_service.suites.alfred.skills.step import Verb

_SMALL = ("Pot", "Pan", "Mug", "Bowl", "Box", "Cup", "Plate")
_PARTICULAR = ("StoveBurner", "CoffeeMachine", "ToiletPaperHanger")
_WET_OR_FOUL = ("Sink", "Bathtub", "Toilet", "GarbageCan")

SURFACES = tuple(each for each in RECEPTACLES if each not in (*OPENABLE, *_SMALL, *_PARTICULAR))
"""Types of receptacles on which anything may be left for a while."""

MOST_STANDPOINTS = 3
"""Places to stand from which putting something down into one receptacle is tried."""

MOST_RECEPTACLES = 6
"""Receptacles that are tried before room is made, and surfaces to put something aside."""


def put(play: Play, receptacle_ids: Collection[str]) -> str:
    """Puts what is in the hand into or onto one of these, the likeliest first. The id of where it
    went.

    Raises:
        StuckError: none takes it, or the hand is empty now.
    """
    kind, refused = play.held_type, play.experience.refused
    start = len(play.taken)
    open_to_it = [each for each in _in_order(play, receptacle_ids) if (kind, each) not in refused]
    for each in open_to_it[:MOST_RECEPTACLES]:
        found = _put_into(play, each)
        if found:
            return found
        refused.add((kind, each))
        if play.house.held is None:
            break
    raise StuckError(f"put {kind} into {_named(receptacle_ids)}: {play.trouble(start)}")


def put_aside(play: Play, *, away_from: Collection[str] = ()) -> None:
    """Leaves what is in the hand on an open surface, such that the goal is not about if there is
    one.

    Raises:
        StuckError: none takes it.
    """
    parent = skill_type_of(play.goal.parent)
    surfaces = {
        id_of(each): skill_type(each) in (*_WET_OR_FOUL, parent)
        for each in play.house.objects
        if skill_type(each) in SURFACES
        and id_of(each) not in away_from
        and shut_in(play.house, each) is None
    }
    ordered = sorted(_in_order(play, surfaces), key=surfaces.__getitem__)
    for each in ordered[:MOST_RECEPTACLES]:
        if _put_into(play, each) or play.house.held is None:
            return
    raise StuckError(f"put {play.held_type} aside")


def _named(ids: Collection[str]) -> str:
    """Ids in a message: one, or how many."""
    return next(iter(ids), "nothing") if len(ids) < 2 else f"{len(ids)} of {min(ids)}"


def _in_order(play: Play, receptacle_ids: Collection[str]) -> list[str]:
    """Those that the robot would find by itself first, then the nearest."""
    items = [each for each in play.house.objects if each["objectId"] in receptacle_ids]

    def unlikely(item: ThorObject) -> bool:
        return not play.expects(Verb.FIND, skill_type(item), {id_of(item)})

    ordered = sorted(nearest_first(items, play.house.position), key=unlikely)
    return [id_of(each) for each in ordered]


def _put_into(play: Play, receptacle_id: str) -> str:
    """Puts what is in the hand there; where it went, empty if it did not work."""
    item = play.house.by_id(receptacle_id)
    if item is None:
        return ""
    try:
        outer = shut_in(play.house, item)
        if outer is not None:
            open_up(play, id_of(outer))
        start = len(play.taken)
        bad = play.experience.badly_put[play.held_type, receptacle_id]
        ways = islice(stand_by(play, skill_type(item), {receptacle_id}), bad, None)
        for number, _ in enumerate(ways, start=1):
            found = _put_down(play, receptacle_id)
            if found:
                shut(play, found)
                return found
            if play.house.held is None or number >= MOST_STANDPOINTS:
                play.waste(start)
                break
    except StuckError:
        pass
    return ""


def _put_down(play: Play, receptacle_id: str) -> str:
    item = play.house.by_id(receptacle_id)
    if item is None or (has_door(item) and not open_here(play, receptacle_id)):
        return ""
    if play.at != receptacle_id:
        # A step that did not work has made the robot forget where things are to go.
        play.do(Verb.FIND, skill_type(item))
    key = (play.held_type, receptacle_id)
    result = play.do(Verb.PUT_DOWN, play.held_type)
    if not result.worked:
        return ""
    play.put[whole_id(result.object_id)] = key
    return whole_id(result.receptacle_id)
