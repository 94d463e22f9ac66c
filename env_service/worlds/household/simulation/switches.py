"""Turning things on and off. What follows from it is in `rules`."""

from __future__ import annotations

from dataclasses import replace

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.simulation import refusals
from env_service.worlds.household.simulation.action import Register, Result, Turn
from env_service.worlds.household.simulation.openings import MUST_BE_CLOSED_TO_TURN_ON
from env_service.worlds.household.simulation.refusals import RefusedError, answering
from env_service.worlds.household.simulation.targeting import TARGET, target
from env_service.worlds.household.simulation.timing import SECONDS
from env_service.worlds.household.state import ObjectState

ACTIONS = Register()


@ACTIONS.action("ToggleObjectOn", *TARGET)
@answering
def toggle_object_on(turn: Turn) -> Result:
    """Turns an object on."""
    item = _switchable(turn)
    if item.toggled:
        raise RefusedError(refusals.ALREADY_ON)
    if item.broken:
        raise RefusedError(refusals.BROKEN)
    if item.spec.type in MUST_BE_CLOSED_TO_TURN_ON and item.is_open:
        raise RefusedError(refusals.OPEN_WHILE_ON)
    return Result(turn.state.having(replace(item, toggled=True)), seconds=SECONDS)


@ACTIONS.action("ToggleObjectOff", *TARGET)
@answering
def toggle_object_off(turn: Turn) -> Result:
    """Turns an object off."""
    item = _switchable(turn)
    if not item.toggled:
        raise RefusedError(refusals.ALREADY_OFF)
    return Result(turn.state.having(replace(item, toggled=False)), seconds=SECONDS)


def _switchable(turn: Turn) -> ObjectState:
    """The target, if it has a switch of its own: a burner's is its knob."""
    item = target(turn)
    if item.spec.type == "StoveBurner":
        raise RefusedError(refusals.CONTROLLED)
    if not item.spec.can(Trait.TOGGLEABLE):
        raise RefusedError(refusals.NOT_TOGGLEABLE)
    return item
