"""The agent's body: what it does in the world, and what it perceives there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from env_service.suites.asgard.memory import Memory
from env_service.suites.asgard.view import AgentPose, HouseView, ThorObject
from env_service.worlds.thor.controller import ThorController
from env_service.worlds.thor.settling import Settled


@dataclass(frozen=True, slots=True)
class Attempt:
    """How the simulator took one action; ``error`` is its own text, empty for success."""

    success: bool
    error: str = ""


class Body:
    """One agent in one world. Looks at the world only when asked: what it sees may be costly.

    It plays the Pass steps after an interaction itself (`Settled`), so the controller must not.
    """

    def __init__(self, controller: ThorController, memory: Memory) -> None:
        self._world = Settled(controller)
        self._memory = memory
        self._view: HouseView | None = None

    @property
    def memory(self) -> Memory:
        """What it remembers of the episode."""
        return self._memory

    @property
    def view(self) -> HouseView:
        """The world now."""
        if self._view is None:
            metadata = self._world.last_event.metadata
            self._view = HouseView(metadata, self._memory.carried)
        return self._view

    @property
    def pose(self) -> AgentPose:
        """Where it stands and looks. Cheap."""
        return self.view.agent

    def do(self, action: str, **arguments: Any) -> Attempt:
        """Plays one of AI2-THOR's actions, and lets the world come to rest where that is due.

        Raises:
            WorldFault: the world broke.
        """
        self._view = None
        metadata = self._world.step(action, **arguments).metadata
        if metadata["lastActionSuccess"]:
            return Attempt(success=True)
        return Attempt(success=False, error=metadata["errorMessage"] or "")

    def act_on(self, action: str, item: ThorObject, **arguments: Any) -> Attempt:
        """Plays an action on an object; without force unless ``forceAction`` says so."""
        given = {"forceAction": False, **arguments}
        return self.do(action, objectId=item["objectId"], **given)

    def ask(self, action: str, **arguments: Any) -> list[dict[str, Any]]:
        """What a question is answered with; nothing where the world refuses to."""
        metadata = self._world.step(action, **arguments).metadata
        # A question changes nothing, so what was seen before it stands.
        return list(metadata["actionReturn"] or ()) if metadata["lastActionSuccess"] else []

    def fresh(self, item: ThorObject) -> ThorObject | None:
        """An object as it is now; None if it is gone."""
        return self.view.by_id(item["objectId"])
