"""Putting things away."""

from __future__ import annotations

from env_service.suites.asgard.expert.carrying import fetch, put
from env_service.suites.asgard.expert.play import Play, StuckError
from env_service.suites.asgard.goals_met import homes
from env_service.suites.asgard.tables import compatible, tables
from env_service.suites.asgard.vocabulary import Verb


def store(play: Play, kind: str) -> None:
    """Puts an object of a type where it belongs, in the home that is nearest at hand first.

    Raises:
        StuckError: no home takes it.
    """
    fetch(play, kind)
    for place in _homes(play, kind):
        try:
            put(play, place)
        except StuckError:
            continue
        return
    raise StuckError(f"{kind} cannot be put away")


def _homes(play: Play, kind: str) -> list[str]:
    """Those that the room has: first what takes it from here, last what has a door."""
    found = [
        each
        for each in homes(kind, play.charge.rules)
        if each in play.view.types and compatible(kind, each)
    ]
    if not found:
        raise StuckError(f"the room has no home for {kind}")
    return sorted(
        found,
        key=lambda each: (
            play.expected(Verb.PUT, each) is None,
            each in tables().openable,
            each,
        ),
    )
