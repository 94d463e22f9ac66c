"""Going to things, fetching them, putting them where they are wanted or out of the way, and
making room.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress

from env_service.suites.asgard.action_language import Verb
from env_service.suites.asgard.actions.body import center
from env_service.suites.asgard.expert.knowledge import (
    Wanted,
    anything,
    foreign,
    landmarks,
    whole,
)
from env_service.suites.asgard.expert.play import Play, StuckError
from env_service.suites.asgard.goals import homes
from env_service.suites.asgard.object_types import compatible, object_tables
from env_service.worlds.ai2thor_api.geometry import distance
from env_service.worlds.ai2thor_api.metadata_view import ThorObject, largest_first

TRIES = 8
"""Ways of doing one thing that are tried before the expert plans anew."""

BESIDE = 1.2
"""Metres between the agent and the middle of an object that may block its way while open."""


def look_at(play: Play, kind: str, verb: Verb) -> None:
    """Goes to a place where an action on something of a type can be done.

    Raises:
        StuckError: no such place exists.
    """
    seen_from: set[str] = set()
    for _ in range(TRIES):
        if play.expected(verb, kind) is not None:
            return
        item = whole(play.view, kind)
        if item is None:
            raise StuckError(f"the scene has no {kind}")
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
    for place in ((kind,) if direct else ()) + tuple(
        landmarks(play.view, item, play.objective.words)
    ):
        if place not in seen_from:
            seen_from.add(place)
            play.do(Verb.FIND, place)
            return True
    return False


def shut_beside(play: Play) -> None:
    """Closes the open objects next to the agent, as far as possible: an open drawer can trap
    it."""
    for kind in sorted(object_tables().openable & play.view.types):
        if any(each["isOpen"] and _is_beside(play, each) for each in play.view.of_type(kind)):
            with suppress(StuckError):
                act_on(play, Verb.CLOSE, kind)


def _is_beside(play: Play, item: ThorObject) -> bool:
    return distance(center(item), play.view.agent.position) <= BESIDE


# --- Fetching things, and putting them where they are wanted or out of the way

_OPEN_PLACES = ("CounterTop", "DiningTable", "SideTable", "CoffeeTable", "TVStand", "Desk", "Shelf")
_LAST_PLACES = ("StoveBurner", "Fridge", "Cabinet", "Drawer", "Sofa", "ArmChair", "Toilet")


def fetch(play: Play, kind: str, wanted: Wanted = anything) -> None:
    """Takes a wanted object of a type into the hand; puts down what the hand holds before.

    Raises:
        StuckError: the object cannot be taken.
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
        raise StuckError(f"the scene has no such {kind}")
    closed = play.view.closed_parent(item)
    if closed is not None:
        open_up(play, closed)
        return
    found = play.expected(Verb.FIND, kind)
    if kind not in seen_from and found is not None and wanted(found):
        seen_from.add(kind)
        play.do(Verb.FIND, kind)
        return
    for place in landmarks(play.view, item, play.objective.words):
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
        for each in largest_first(beside)
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
    """Whether the action would reach the intended place, and no surface in its stead."""
    if target["objectType"] != place or onto not in (None, target["name"]):
        return False
    return not play.experience.hopeless(Verb.PUT, play.held, target)


def _prepare(play: Play, place: str, onto: str | None, seen_from: set[str]) -> bool:
    """Opens the next container, or goes where the next place can be seen; whether there was one."""
    closed = play.expected(Verb.OPEN, place) if place in object_tables().openable else None
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
    shunned = play.objective.kept_clear | set(avoid)
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
    raise StuckError(f"no receptacle has room for {play.held}")


def _in_reach(play: Play, places: Sequence[str]) -> list[str]:
    """Those that take what is held from here, the nearest first."""
    here = play.view.agent.position
    found: list[tuple[float, str]] = []
    for place in places:
        target = play.expected(Verb.PUT, place)
        if target is not None and _will_do(play, target, place, None):
            found.append((distance(center(target), here), place))
    return [place for _, place in sorted(found)]


# --- Making room where something is to go


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
    """Fetches an object of a type and puts it into or onto something of another type. If that has
    no room, or had none in an earlier attempt, it first removes the contents that are not welcome
    there. An empty dish without room is moved to another place: something hangs over it.

    Raises:
        StuckError: the object cannot be taken, or no such place takes it.
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


# --- Putting things away


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
        for each in homes(kind, play.objective.rules)
        if each in play.view.types and compatible(kind, each)
    ]
    if not found:
        raise StuckError(f"the room has no home for {kind}")
    return sorted(
        found,
        key=lambda each: (
            play.expected(Verb.PUT, each) is None,
            each in object_tables().openable,
            each,
        ),
    )
