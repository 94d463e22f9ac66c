"""Plays actions of the household world one after the other, the rules after each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from env_service.worlds.household.simulation.action import Result
from env_service.worlds.household.simulation.contextual_rules import settle
from env_service.worlds.household.state import HouseholdState, ObjectState
from tests.support.household_scenes import everything, the
from tests.support.turns import Told, play


class Player:
    """Plays on a state. Objects are named by type, or by id."""

    def __init__(self, state: HouseholdState) -> None:
        self.state = settle(state)
        self.last: Result = Result(self.state)

    def do(self, action: str, target: str | None = None, **arguments: Any) -> Result:
        """Carries out an action; a refusal fails the test."""
        result = self.attempt(action, target, **arguments)
        assert result.success, f"{action} {target}: {result.error}"
        return result

    def attempt(
        self, action: str, target: str | None = None, *, sight: Told | None = None, **arguments: Any
    ) -> Result:
        """Carries out an action or sees it refused."""
        if target is not None:
            arguments["objectId"] = self.id(target)
        seen = sight or everything(self.state)
        self.last = result = play(self.state, action, sight=seen, **arguments)
        if result.success:
            seconds = round(self.state.seconds + result.seconds, 6)
            self.state = settle(replace(result.state, seconds=seconds))
        return result

    def wait(self, seconds: float) -> None:
        """Lets simulated time pass."""
        self.state = settle(replace(self.state, seconds=self.state.seconds + seconds))

    def put(self, item: str, receptacle: str, **arguments: Any) -> None:
        """Picks something up and puts it somewhere."""
        self.do("PickupObject", item)
        self.do("PutObject", receptacle, **arguments)

    def id(self, name: str) -> str:
        """The id of an object."""
        return name if "|" in name else the(self.state, name).id

    def __getitem__(self, name: str) -> ObjectState:
        return self.state.objects[self.id(name)]
