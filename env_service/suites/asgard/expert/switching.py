"""Switching things on and off, opening and closing them, as goals ask for it."""

from __future__ import annotations

from env_service.suites.asgard.expert.carrying import fetch
from env_service.suites.asgard.expert.looking import act_on, open_up
from env_service.suites.asgard.expert.play import Play, StuckError
from env_service.suites.asgard.plan import State, StateGoal
from env_service.suites.asgard.view import ThorObject
from env_service.suites.asgard.vocabulary import Verb

_REMOTE = {"Television": "RemoteControl"}
_SWITCHED_FOR = {"StoveKnob": "StoveBurner"}
"""What an agent names in place of a type that it is not told of."""


def bring_about(play: Play, goal: StateGoal) -> None:
    """Switches, opens or closes until all objects of the goal's type are as it says.

    Raises:
        StuckError: one stays as it is.
    """
    left = len(play.view.of_type(goal.object_type))
    while (odd := _odd_one(play, goal)) is not None:
        if not left:
            raise StuckError(f"{odd['name']} stays as it is")
        left -= 1
        _change(play, goal, odd)


def _odd_one(play: Play, goal: StateGoal) -> ThorObject | None:
    found = play.view.of_type(goal.object_type)
    return next((each for each in found if each[goal.state.value] is not goal.value), None)


def _change(play: Play, goal: StateGoal, item: ThorObject) -> None:
    kind = _SWITCHED_FOR.get(goal.object_type, goal.object_type)
    if goal.state is State.OPEN:
        if goal.value:
            open_up(play, item)
        else:
            act_on(play, Verb.CLOSE, kind)
        return
    if kind in _REMOTE:
        fetch(play, _REMOTE[kind])
    act_on(play, Verb.TOGGLE_ON if goal.value else Verb.TOGGLE_OFF, kind)
