"""Making room where something is to go."""

from __future__ import annotations

from collections.abc import Collection

from env_service.suites.asgard.expert.carrying import fetch, put, stow
from env_service.suites.asgard.expert.house import Wanted, anything, foreign
from env_service.suites.asgard.expert.play import Play, StuckError


def clear(play: Play, place: str, welcome: Collection[str] = ()) -> bool:
    """Takes off or out of all things of a type what is of no welcome type. Whether there was any.

    Raises:
        StuckError: something cannot be taken away.
    """
    cleared = False
    for holder in play.view.of_type(place):
        for each in foreign(play.view, holder, welcome):
            fetch(play, each["objectType"])
            stow(play, avoid=(place,))
            cleared = True
    return cleared


def bring(
    play: Play,
    kind: str,
    place: str,
    *,
    welcome: Collection[str] = (),
    wanted: Wanted = anything,
) -> None:
    """Fetches an object of a type and puts it into or onto something of another. If there is no
    room, or was none in an earlier attempt, what is not welcome there goes first. A dish without
    room that holds nothing is taken to another place: something stands over it.

    Raises:
        StuckError: it cannot be had, or no such place takes it.
    """
    if play.experience.was_full(kind, place):
        clear(play, place, welcome)
    fetch(play, kind, wanted)
    try:
        put(play, place)
    except StuckError:
        if not (clear(play, place, welcome) or _lift(play, place)):
            raise
        fetch(play, kind, wanted)
        put(play, place)


def _lift(play: Play, place: str) -> bool:
    """Takes the thing of a type from where it is to an open place. Whether it can be carried."""
    item = play.view.first(place)
    if item is None or not item["pickupable"]:
        return False
    fetch(play, place)
    stow(play)
    return True
