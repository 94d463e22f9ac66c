"""Opening what hides a thing, and closing it again."""

from __future__ import annotations

from env_service.suites.alfred.expert.knowledge import has_door, skill_type
from env_service.suites.alfred.expert.play import Play, StuckError
from env_service.suites.alfred.expert.steering import stand_by
from env_service.suites.alfred.skills.step import Verb


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
    """Opens it from where the robot stands; whether it is open now. What runs is turned off
    first."""
    kind = _kind(play, container_id)
    item = play.house.by_id(container_id)
    if item is not None and item["toggleable"] and item["isToggled"]:
        play.do(Verb.TURN_OFF, kind)
    if not _is_open(play, container_id) and play.expects(Verb.OPEN, kind, {container_id}):
        play.do(Verb.OPEN, kind)
    return _is_open(play, container_id)


def shut(play: Play, container_id: str) -> None:
    """Closes what the expert has opened, if it is to leave things tidy and the word means that
    one from where it stands."""
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
    item = play.house.by_id(container_id)
    return item is None or not has_door(item) or bool(item["isOpen"])


def _kind(play: Play, container_id: str) -> str:
    item = play.house.by_id(container_id)
    if item is None:
        raise StuckError(f"there is no {container_id} any more")
    return skill_type(item)
