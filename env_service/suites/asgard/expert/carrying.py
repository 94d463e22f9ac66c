"""Fetching things, and putting them where they are wanted or out of the way."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from env_service.suites.asgard.expert.house import Wanted, anything, landmarks, loose
from env_service.suites.asgard.expert.looking import TRIES, go_near, open_up
from env_service.suites.asgard.expert.play import Play, StuckError
from env_service.suites.asgard.ranges import center, distance
from env_service.suites.asgard.tables import compatible, tables
from env_service.suites.asgard.view import ThorObject
from env_service.suites.asgard.vocabulary import Verb

_OPEN_PLACES = ("CounterTop", "DiningTable", "SideTable", "CoffeeTable", "TVStand", "Desk", "Shelf")
_LAST_PLACES = ("StoveBurner", "Fridge", "Cabinet", "Drawer", "Sofa", "ArmChair", "Toilet")


def fetch(play: Play, kind: str, wanted: Wanted = anything) -> None:
    """Takes an object of a type, one that is wanted, into the hand; puts down what is there.

    Raises:
        StuckError: it cannot be had.
    """
    held = play.view.held
    if held is not None and held["objectType"] == kind and wanted(held):
        return
    if held is not None:
        stow(play)
    seen_from: set[str] = set()
    for _ in range(TRIES):
        item = _next_to_pick_up(play, kind, wanted)
        if item is not None and play.do(Verb.PICKUP, kind):
            taken = play.view.held
            if taken is not None and wanted(taken):
                return
            stow(play)
        elif item is None:
            _bring_into_view(play, kind, wanted, seen_from)
        else:
            _clear_the_way(play, item)
    raise StuckError(f"no {kind} can be picked up")


def _next_to_pick_up(play: Play, kind: str, wanted: Wanted) -> ThorObject | None:
    item = play.expected(Verb.PICKUP, kind)
    return item if item is not None and wanted(item) else None


def _bring_into_view(play: Play, kind: str, wanted: Wanted, seen_from: set[str]) -> None:
    """Goes where the wanted object can be seen, and opens what it is shut in."""
    item = _wanted(play, kind, wanted)
    if item is None:
        raise StuckError(f"there is no such {kind}")
    closed = play.view.closed_parent(item)
    if closed is not None:
        open_up(play, closed)
        return
    found = play.expected(Verb.FIND, kind)
    if kind not in seen_from and found is not None and wanted(found):
        seen_from.add(kind)
        play.do(Verb.FIND, kind)
        return
    for place in landmarks(play.view, item, play.charge.words):
        if place not in seen_from:
            seen_from.add(place)
            play.do(Verb.FIND, place)
            return
    raise StuckError(f"{kind} cannot be seen from anywhere")


def _wanted(play: Play, kind: str, wanted: Wanted) -> ThorObject | None:
    for each in play.view.of_type(kind):
        if not each["isSliced"] and wanted(each):
            return each
    return None


def _clear_the_way(play: Play, item: ThorObject) -> None:
    """Takes away the thing nearest to one that cannot be grasped."""
    view, middle = play.view, center(item)
    beside = [each for holder in view.parents(item) for each in view.contents(holder)]
    near = [
        each
        for each in loose(beside)
        if each["objectId"] != item["objectId"]
        and not play.experience.hopeless(Verb.PICKUP, "", each)
    ]
    if not near:
        raise StuckError(f"{item['objectType']} cannot be grasped")
    blocking = min(near, key=lambda each: distance(center(each), middle))
    play.must(Verb.PICKUP, blocking["objectType"])
    stow(play)


def put(play: Play, place: str, onto: str | None = None) -> None:
    """Puts what is held into or onto something of a type; onto the one of that name, if given.

    Raises:
        StuckError: no such place takes it.
    """
    held = play.held
    if not compatible(held, place):
        raise StuckError(f"{held} does not go to {place}")
    seen_from: set[str] = set()
    for _ in range(TRIES * 2):
        target = play.expected(Verb.PUT, place)
        if target is not None and _will_do(play, target, place, onto):
            if play.do(Verb.PUT, place):
                return
        elif not _prepare(play, place, onto, seen_from):
            break
    play.experience.note_full(held, place)
    play.experience.forget(Verb.PUT, held)
    raise StuckError(f"{held} finds no room in {place}")


def _will_do(play: Play, target: ThorObject, place: str, onto: str | None) -> bool:
    """Whether it is the place that was meant, and no surface that stands in for it."""
    if target["objectType"] != place or onto not in (None, target["name"]):
        return False
    return not play.experience.hopeless(Verb.PUT, play.held, target)


def _prepare(play: Play, place: str, onto: str | None, seen_from: set[str]) -> bool:
    """Opens the next container, or goes where the next place can be seen; whether there was one."""
    closed = play.expected(Verb.OPEN, place) if place in tables().openable else None
    if closed is not None:
        play.do(Verb.OPEN, place)
        return True
    left = [
        each
        for each in play.view.of_type(place)
        if (onto is None or each["name"] == onto)
        and not play.experience.hopeless(Verb.PUT, play.held, each)
        and not each["isDirty"]
    ]
    if not left:
        return False
    found = play.expected(Verb.FIND, place)
    if place not in seen_from and found is not None:
        seen_from.add(place)
        play.do(Verb.FIND, place)
        return True
    return any(go_near(play, each, seen_from) for each in left)


def stow(play: Play, avoid: Collection[str] = ()) -> None:
    """Puts what is held out of the way, where that takes the fewest steps.

    Raises:
        StuckError: no place takes it.
    """
    shunned = play.charge.kept_clear | set(avoid)
    places = [each for each in _OPEN_PLACES if each not in shunned and compatible(play.held, each)]
    for place in _in_reach(play, places):
        if play.do(Verb.PUT, place):
            return
    for place in (*places, *_LAST_PLACES):
        if place in play.view.types and compatible(play.held, place):
            try:
                put(play, place)
            except StuckError:
                continue
            return
    raise StuckError(f"there is no room for {play.held}")


def _in_reach(play: Play, places: Sequence[str]) -> list[str]:
    """Those that take what is held from here, the nearest first."""
    here = play.view.agent.position
    found: list[tuple[float, str]] = []
    for place in places:
        target = play.expected(Verb.PUT, place)
        if target is not None and _will_do(play, target, place, None):
            found.append((distance(center(target), here), place))
    return [place for _, place in sorted(found)]
