"""Getting something into the hand."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from env_service.suites.alfred.expert.doors import open_here, open_up, shut
from env_service.suites.alfred.expert.knowledge import (
    container_of,
    id_of,
    nearest_first,
    shut_in,
    skill_type,
)
from env_service.suites.alfred.expert.placing import put_aside
from env_service.suites.alfred.expert.play import Play, StuckError
from env_service.suites.alfred.expert.steering import stand_by
from env_service.suites.alfred.house import ThorObject
from env_service.suites.alfred.skills.step import Verb


def hold(play: Play, wanted: Collection[str]) -> str:
    """Gets one of the objects with these ids, all of one skill type, into the hand: what lies
    open before what is shut in. The id of the one that was got.

    Raises:
        StuckError: none of them can be had.
    """
    held = play.house.held
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
            held = play.house.held
            return "" if held is None else id_of(held)
    raise StuckError("; ".join(reasons) or f"nothing of {len(wanted)} is left to be picked up")


def _whereabouts(play: Play, group: Collection[str]) -> tuple[str, ...]:
    items = [each for each in play.house.objects if each["objectId"] in group]
    around = {id_of(holder) for each in items for holder in play.house.parents(each)}
    return (*sorted(group), *sorted(around))


def reachable_first(play: Play, items: Collection[ThorObject]) -> list[ThorObject]:
    """What lies open, then the rest; of each what the robot would find by itself, then what is
    near; and last what could not be reached before."""

    def rank(item: ThorObject) -> tuple[bool, bool, bool]:
        missed = id_of(item) in play.experience.out_of_reach
        closed = shut_in(play.house, item) is not None
        return missed, closed, not play.expects(Verb.FIND, skill_type(item), {id_of(item)})

    return sorted(nearest_first(items, play.house.position), key=rank)


def _groups(play: Play, wanted: Collection[str]) -> Iterator[list[str]]:
    """Ids that may be taken alike: all that lie open, then those behind each door."""
    items = [each for each in play.house.objects if id_of(each) in wanted]
    groups: dict[tuple[bool, str], list[str]] = {}
    for each in reachable_first(play, items):
        closed = shut_in(play.house, each)
        missed = id_of(each) in play.experience.out_of_reach
        key = (missed, "" if closed is None else id_of(closed))
        groups.setdefault(key, []).append(id_of(each))
    yield from groups.values()


def _take(play: Play, group: Sequence[str]) -> None:
    first = play.house.by_id(group[0])
    if first is None:
        raise StuckError(f"there is no {group[0]} any more")
    container = container_of(play.house, first)
    door = "" if container is None else id_of(container)
    if door:
        _open_for(play, door, first)
    _pick_up(play, skill_type(first), group)
    if door:
        shut(play, door)


def _open_for(play: Play, door: str, inside: ThorObject) -> None:
    """Opens a door by its own name; or, where that means another one, as that of what it hides."""
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
