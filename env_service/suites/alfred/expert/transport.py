"""Getting something into the hand and putting it down where it is wanted: doors in the way, and
room that has to be made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from env_service.suites.alfred.expert.knowledge import (
    container_of,
    contents,
    has_door,
    id_of,
    nearest_first,
    shut_in,
    skill_type,
    skill_type_of,
    targets,
    whole_id,
)
from env_service.suites.alfred.expert.navigation import stand_by
from env_service.suites.alfred.expert.play import Play, StuckError
from env_service.suites.alfred.object_words import OPENABLE, PICKABLE, RECEPTACLES
from env_service.suites.alfred.skills.steps import Verb
from env_service.worlds.ai2thor_api.metadata_view import ThorObject, largest_first


def hold(play: Play, wanted: Collection[str]) -> str:
    """Gets one of the objects with these ids, all of one skill type, into the hand: what lies
    open before what is shut in. The id of the one that was got.

    Raises:
        StuckError: none of them can be taken.
    """
    held = play.view.held
    if held is not None and id_of(held) not in wanted:
        put_aside(play)
    elif held is not None:
        return id_of(held)
    reasons = []
    for group in list(_groups(play, wanted)):
        where = _whereabouts(play, group)
        if where in play.missed:
            continue
        try:
            _take(play, group)
        except StuckError as stuck:
            reasons.append(str(stuck))
            play.missed.add(where)
            play.experience.out_of_reach.update(group)
            play.experience.badly_put.update(play.put[each] for each in group if each in play.put)
        else:
            held = play.view.held
            return "" if held is None else id_of(held)
    raise StuckError("; ".join(reasons) or f"nothing of {len(wanted)} is left to be picked up")


def _whereabouts(play: Play, group: Collection[str]) -> tuple[str, ...]:
    items = [each for each in play.view.objects if each["objectId"] in group]
    around = {id_of(holder) for each in items for holder in play.view.parents(each)}
    return (*sorted(group), *sorted(around))


def reachable_first(play: Play, items: Collection[ThorObject]) -> list[ThorObject]:
    """What lies open, then the rest; of each what the robot would find by itself, then what is
    near; and last what could not be reached before."""

    def rank(item: ThorObject) -> tuple[bool, bool, bool]:
        missed = id_of(item) in play.experience.out_of_reach
        closed = shut_in(play.view, item) is not None
        return missed, closed, not play.expects(Verb.FIND, skill_type(item), {id_of(item)})

    return sorted(nearest_first(items, play.view.agent.position), key=rank)


def _groups(play: Play, wanted: Collection[str]) -> Iterator[list[str]]:
    """Ids that may be taken alike: all that lie open, then those behind each door."""
    items = [each for each in play.view.objects if id_of(each) in wanted]
    groups: dict[tuple[bool, str], list[str]] = {}
    for each in reachable_first(play, items):
        closed = shut_in(play.view, each)
        missed = id_of(each) in play.experience.out_of_reach
        key = (missed, "" if closed is None else id_of(closed))
        groups.setdefault(key, []).append(id_of(each))
    yield from groups.values()


def _take(play: Play, group: Sequence[str]) -> None:
    first = play.view.by_id(group[0])
    if first is None:
        raise StuckError(f"{group[0]} does not exist any more")
    container = container_of(play.view, first)
    door = "" if container is None else id_of(container)
    if door:
        _open_for(play, door, first)
    _pick_up(play, skill_type(first), group)
    if door:
        shut(play, door)


def _open_for(play: Play, door: str, inside: ThorObject) -> None:
    """Opens a door by its name or, if that means another door, by the name of what it hides."""
    try:
        open_up(play, door)
    except StuckError:
        for _ in stand_by(play, skill_type(inside), {id_of(inside)}):
            if open_here(play, door):
                return
        raise


def _pick_up(play: Play, kind: str, group: Sequence[str]) -> None:
    # What something was just put into can be picked up at once.
    beside = {play.at}.intersection(group)
    if play.expects(Verb.PICK_UP, kind, beside) and play.do(Verb.PICK_UP, kind).worked:
        return
    start = len(play.taken)
    for _ in stand_by(play, kind, group, Verb.PICK_UP):
        if play.expects(Verb.PICK_UP, kind, group) and play.do(Verb.PICK_UP, kind).worked:
            return
    raise StuckError(f"pick up {group[0]}: {play.trouble(start)}")


# --- Putting down what is in the hand

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
        if play.view.held is None:
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
        for each in play.view.objects
        if skill_type(each) in SURFACES
        and id_of(each) not in away_from
        and shut_in(play.view, each) is None
    }
    ordered = sorted(_in_order(play, surfaces), key=surfaces.__getitem__)
    for each in ordered[:MOST_RECEPTACLES]:
        if _put_into(play, each) or play.view.held is None:
            return
    raise StuckError(f"put {play.held_type} aside")


def _named(ids: Collection[str]) -> str:
    """Ids in a message: one, or how many."""
    return next(iter(ids), "nothing") if len(ids) < 2 else f"{len(ids)} of {min(ids)}"


def _in_order(play: Play, receptacle_ids: Collection[str]) -> list[str]:
    """Those that the robot would find by itself first, then the nearest."""
    items = [each for each in play.view.objects if each["objectId"] in receptacle_ids]

    def unlikely(item: ThorObject) -> bool:
        return not play.expects(Verb.FIND, skill_type(item), {id_of(item)})

    ordered = sorted(nearest_first(items, play.view.agent.position), key=unlikely)
    return [id_of(each) for each in ordered]


def _put_into(play: Play, receptacle_id: str) -> str:
    """Puts what is in the hand there; where it went, empty if it did not work."""
    item = play.view.by_id(receptacle_id)
    if item is None:
        return ""
    try:
        outer = shut_in(play.view, item)
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
            if play.view.held is None or number >= MOST_STANDPOINTS:
                play.waste(start)
                break
    except StuckError:
        pass
    return ""


def _put_down(play: Play, receptacle_id: str) -> str:
    item = play.view.by_id(receptacle_id)
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


# --- Putting something into a full place: other things are carried away first

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
    held = play.view.held
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
        StuckError: the receptacle holds no such thing, or it cannot be carried away.
    """
    clutter = _clutter(play, receptacle_id)
    if play.view.held is not None:
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
    keep = {id_of(each) for each in targets(play.goal, play.view)}
    keep |= {id_of(each) for each in play.view.of_type(play.goal.movable)}
    inside = largest_first(contents(play.view, receptacle_id))
    return [
        id_of(each) for each in inside if id_of(each) not in keep and skill_type(each) in PICKABLE
    ]


def _retry(play: Play, receptacle_id: str) -> str:
    try:
        return put(play, {receptacle_id})
    except StuckError:
        return ""


# --- Opening what hides a thing, and closing it again


def open_up(play: Play, container_id: str) -> None:
    """Goes to a thing with a door and opens it, if it is closed.

    Raises:
        StuckError: nothing opens it.
    """
    if _is_open(play, container_id):
        return
    kind = _kind(play, container_id)
    if play.at == container_id and open_here(play, container_id):
        return
    start = len(play.taken)
    for _ in stand_by(play, kind, {container_id}, Verb.OPEN):
        if open_here(play, container_id):
            return
    raise StuckError(f"open {container_id}: {play.trouble(start)}")


def open_here(play: Play, container_id: str) -> bool:
    """Opens it from the robot's place; whether it is open now. Turns a running appliance off
    first."""
    kind = _kind(play, container_id)
    item = play.view.by_id(container_id)
    if item is not None and item["toggleable"] and item["isToggled"]:
        play.do(Verb.TURN_OFF, kind)
    if not _is_open(play, container_id) and play.expects(Verb.OPEN, kind, {container_id}):
        play.do(Verb.OPEN, kind)
    return _is_open(play, container_id)


def shut(play: Play, container_id: str) -> None:
    """Closes what the expert has opened, if the play is tidy and the word means this object from
    the robot's place."""
    kind = _kind(play, container_id)
    if play.tidy and container_id in play.opened and play.expects(Verb.CLOSE, kind, {container_id}):
        play.do(Verb.CLOSE, kind)


def must_shut(play: Play, container_id: str) -> None:
    """Closes it, going there if need be. Raises StuckError if nothing closes it."""
    kind = _kind(play, container_id)
    if not _is_open(play, container_id):
        return
    if play.expects(Verb.CLOSE, kind, {container_id}) and play.do(Verb.CLOSE, kind).worked:
        return
    start = len(play.taken)
    for _ in stand_by(play, kind, {container_id}):
        if play.expects(Verb.CLOSE, kind, {container_id}) and play.do(Verb.CLOSE, kind).worked:
            return
    raise StuckError(f"close {container_id}: {play.trouble(start)}")


def _is_open(play: Play, container_id: str) -> bool:
    item = play.view.by_id(container_id)
    return item is None or not has_door(item) or bool(item["isOpen"])


def _kind(play: Play, container_id: str) -> str:
    item = play.view.by_id(container_id)
    if item is None:
        raise StuckError(f"{container_id} does not exist any more")
    return skill_type(item)
