"""Putting something where there is no room: other things are carried away first."""

from __future__ import annotations

from collections.abc import Collection

from env_service.suites.alfred.expert.fetching import hold
from env_service.suites.alfred.expert.knowledge import (
    bulkiest_first,
    contents,
    id_of,
    skill_type,
    targets,
)
from env_service.suites.alfred.expert.placing import put, put_aside
from env_service.suites.alfred.expert.play import Play, StuckError
from env_service.suites.alfred.names import PICKABLE

MOST_CARRIED = 3
"""Things that are carried away from one receptacle."""

MOST_CLEARED = 3
"""Receptacles that are cleared."""


def put_for_sure(play: Play, receptacle_ids: Collection[str]) -> str:
    """Puts what is in the hand into or onto one of these, and makes room where it has to. The id
    of where it went.

    Raises:
        StuckError: none takes it.
    """
    held = play.house.held
    if held is None:
        raise StuckError("nothing is held")
    try:
        return put(play, receptacle_ids)
    except StuckError:
        crowded = [each for each in receptacle_ids if _clutter(play, each)]
        for each in crowded[:MOST_CLEARED]:
            found = _put_after_clearing(play, id_of(held), each)
            if found:
                return found
        raise


def _put_after_clearing(play: Play, item_id: str, receptacle_id: str) -> str:
    """Carries one thing after the other away until there is room; where it went, empty if there
    is none still."""
    try:
        for _ in range(MOST_CARRIED):
            clear(play, receptacle_id)
            hold(play, {item_id})
            found = _retry(play, receptacle_id)
            if found:
                play.experience.crowded.add(receptacle_id)
                return found
    except StuckError:
        pass
    return ""


def clear(play: Play, receptacle_id: str) -> None:
    """Carries the bulkiest thing away that no goal is about.

    Raises:
        StuckError: there is no such thing, or it cannot be carried away.
    """
    clutter = _clutter(play, receptacle_id)
    if play.house.held is not None:
        put_aside(play, away_from={receptacle_id})
    for each in clutter:
        try:
            hold(play, {each})
        except StuckError:
            continue
        put_aside(play, away_from={receptacle_id})
        play.experience.refused = {
            pair for pair in play.experience.refused if pair[1] != receptacle_id
        }
        return
    raise StuckError(f"clear {receptacle_id}")


def _clutter(play: Play, receptacle_id: str) -> list[str]:
    keep = {id_of(each) for each in targets(play.goal, play.house)}
    keep |= {id_of(each) for each in play.house.of_type(play.goal.movable)}
    inside = bulkiest_first(contents(play.house, receptacle_id))
    return [
        id_of(each) for each in inside if id_of(each) not in keep and skill_type(each) in PICKABLE
    ]


def _retry(play: Play, receptacle_id: str) -> str:
    try:
        return put(play, {receptacle_id})
    except StuckError:
        return ""
