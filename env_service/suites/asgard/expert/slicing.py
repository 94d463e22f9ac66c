"""Slicing food on a surface with the knife."""

from __future__ import annotations

from env_service.suites.asgard.actions.slicing import LOWEST
from env_service.suites.asgard.expert.carrying import fetch, put
from env_service.suites.asgard.expert.house import slices_of, whole
from env_service.suites.asgard.expert.looking import act_on
from env_service.suites.asgard.expert.play import Play, StuckError
from env_service.suites.asgard.tables import tables
from env_service.suites.asgard.view import ThorObject
from env_service.suites.asgard.vocabulary import Verb

KNIFE = "Knife"
_BOARDS = ("CounterTop", "DiningTable", "SideTable")


def slice_food(play: Play, kind: str) -> None:
    """Cuts a food unless it is cut already. The knife stays in the hand.

    Raises:
        StuckError: it cannot be had on a surface, or the knife cannot be had.
    """
    if play.view.of_type(slices_of(kind)):
        return
    food = whole(play.view, kind)
    if food is None:
        raise StuckError(f"there is no {kind}")
    if not on_a_board(play, food):
        fetch(play, kind)
        _lay_down(play, kind)
    fetch(play, KNIFE)
    act_on(play, Verb.SLICE, kind)


def on_a_board(play: Play, food: ThorObject) -> bool:
    """Whether a food lies where it may be sliced (spec section 2.3, SLICE)."""
    if play.view.is_held(food):
        return False
    parents = {each["objectType"] for each in play.view.parents(food)}
    return parents <= tables().surfaces and food["position"]["y"] >= LOWEST


def _lay_down(play: Play, kind: str) -> None:
    here = [each for each in _BOARDS if play.expected(Verb.PUT, each) is not None]
    for board in dict.fromkeys((*here, *_BOARDS)):
        try:
            put(play, board)
        except StuckError:
            continue
        food = whole(play.view, kind)
        if food is not None and on_a_board(play, food):
            return
        fetch(play, kind)
    raise StuckError(f"there is no surface to slice {kind} on")
