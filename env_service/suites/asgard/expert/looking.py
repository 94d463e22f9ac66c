"""Going to where things can be seen and acted on, and opening what has a door."""

from __future__ import annotations

from contextlib import suppress

from env_service.suites.asgard.expert.house import landmarks, whole
from env_service.suites.asgard.expert.play import Play, StuckError
from env_service.suites.asgard.ranges import center, distance
from env_service.suites.asgard.tables import tables
from env_service.suites.asgard.view import ThorObject
from env_service.suites.asgard.vocabulary import Verb

TRIES = 8
"""Ways of doing one thing that are tried before the expert plans anew."""

BESIDE = 1.2
"""Metres between the agent and the middle of what may keep it from walking if it stands open."""


def look_at(play: Play, kind: str, verb: Verb) -> None:
    """Goes where an action on something of a type can be done.

    Raises:
        StuckError: there is no such place.
    """
    seen_from: set[str] = set()
    for _ in range(TRIES):
        if play.expected(verb, kind) is not None:
            return
        item = whole(play.view, kind)
        if item is None:
            raise StuckError(f"there is no {kind}")
        if kind not in seen_from:
            seen_from.add(kind)
            play.do(Verb.FIND, kind)
        elif not go_near(play, item, seen_from):
            break
    raise StuckError(f"nowhere can one {verb} {kind}")


def act_on(play: Play, verb: Verb, kind: str) -> None:
    """Goes to something and acts on it. Raises StuckError if that cannot be done."""
    look_at(play, kind, verb)
    play.must(verb, kind)


def open_up(play: Play, container: ThorObject) -> None:
    """Opens one container; others of its type may be opened on the way.

    Raises:
        StuckError: it stays closed.
    """
    kind, name = container["objectType"], container["name"]
    seen_from: set[str] = set()
    for _ in range(TRIES):
        now = play.view.by_name(name)
        if now is None or now["isOpen"]:
            return
        if any(each["name"] == name for each in play.prospects(Verb.OPEN, kind)):
            play.do(Verb.OPEN, kind)
        elif not go_near(play, container, seen_from):
            break
    raise StuckError(f"{name} cannot be opened")


def go_near(play: Play, item: ThorObject, seen_from: set[str]) -> bool:
    """Goes to the next thing from which an object may be seen; whether there was one left."""
    kind = item["objectType"]
    found = play.expected(Verb.FIND, kind)
    direct = found is not None and found["name"] == item["name"]
    for place in ((kind,) if direct else ()) + tuple(landmarks(play.view, item, play.charge.words)):
        if place not in seen_from:
            seen_from.add(place)
            play.do(Verb.FIND, place)
            return True
    return False


def shut_beside(play: Play) -> None:
    """Closes what stands open beside the agent, as far as that can be done: an open drawer can
    shut it in."""
    for kind in sorted(tables().openable & play.view.types):
        if any(each["isOpen"] and _is_beside(play, each) for each in play.view.of_type(kind)):
            with suppress(StuckError):
                act_on(play, Verb.CLOSE, kind)


def _is_beside(play: Play, item: ThorObject) -> bool:
    return distance(center(item), play.view.agent.position) <= BESIDE
