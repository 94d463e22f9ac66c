"""Plays single actions of the household world on a state, without a simulator around it."""

from __future__ import annotations

from typing import Any

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.simulation.action import ActionContext, Result
from env_service.worlds.household.simulation.dispatch import Call, read_call
from env_service.worlds.household.simulation.settings import Settings
from env_service.worlds.household.simulator import ACTIONS
from env_service.worlds.household.state import HouseholdState


class Told:
    """A sight with a given list of visible things."""

    def __init__(self, *visible: str, at: str | None = None, point: Vec3 | None = None) -> None:
        self._visible, self._at, self._point = visible, at, point

    def visible(self, object_id: str) -> bool:
        """Whether it is in the list."""
        return object_id in self._visible

    def interactable(self, object_id: str) -> bool:
        """The same."""
        return object_id in self._visible

    def object_at(self, x: float, y: float) -> str | None:
        """The same everywhere."""
        return self._at

    def point_at(self, x: float, y: float) -> Vec3 | None:
        """The same everywhere."""
        return self._point

    def after(self, state: HouseholdState) -> Told:
        """The same in every state."""
        return self


PLAIN = Settings()
BLIND = Told()


def play(
    state: HouseholdState,
    action: str,
    *,
    settings: Settings = PLAIN,
    sight: Told = BLIND,
    **arguments: Any,
) -> Result:
    """What an action does. A call that is not even understood raises ValueError."""
    call = read_call(ACTIONS, {"action": action, **arguments})
    if not isinstance(call, Call):
        raise ValueError(call.error)
    return call.action.handler(ActionContext(state, settings, call.arguments, sight))
