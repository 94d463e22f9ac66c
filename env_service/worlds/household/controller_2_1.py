"""The household world behind the controller API of AI2-THOR 2.1, for clients written for it.

Import `Controller` from here instead of from `ai2thor.controller`. It differs from
`HouseholdController`, which has the API of AI2-THOR 5.0:

- The constructor opens nothing; `start` does.
- `step` takes a dictionary. An action that fails never raises, whatever the reason.
- Actions ignore arguments that they do not have.
- Old names work: `receptacleObjectId` of PutObject, and TeleportFull without `standing`.
- The field of view is 60 degrees unless Initialize sets another.
- Objects have `ObjectTemperature` too, and metadata `reachablePositions` and `hand`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from env_service.worlds.household.controller import HouseholdController
from env_service.worlds.household.event import HouseholdEvent
from env_service.worlds.household.scene.library import SceneLibrary
from env_service.worlds.household.simulation.dispatch import ALLOWED_EVERYWHERE
from env_service.worlds.household.simulator import ACTIONS

FIELD_OF_VIEW = 60.0
"""Degrees: the default of AI2-THOR 2.1."""


class Controller:
    """A controller of AI2-THOR 2.1. Use it from one thread at a time.

    Attributes:
        local_executable_path: taken and ignored, as this world has no Unity player.
    """

    def __init__(
        self,
        *,
        quality: str = "Ultra",
        headless: bool = False,
        library: SceneLibrary | None = None,
        **_ignored: Any,
    ) -> None:
        """Opens nothing yet; `library` is where scenes come from, as in `HouseholdController`."""
        self.local_executable_path: str | None = None
        self._parameters: dict[str, Any] = {"quality": quality, "headless": headless}
        self._library = library
        self._world: HouseholdController | None = None

    def start(
        self,
        *,
        player_screen_width: int = 300,
        player_screen_height: int = 300,
        **_ignored: Any,
    ) -> HouseholdEvent:
        """Opens the first scene, with pictures of this size.

        Other arguments of AI2-THOR's `start`, such as `x_display`, have no effect. A second call
        starts anew. Raises ValueError for an impossible size or quality.
        """
        self.stop()
        self._world = HouseholdController(
            library=self._library,
            width=player_screen_width,
            height=player_screen_height,
            fieldOfView=FIELD_OF_VIEW,
            **self._parameters,
        )
        return self.last_event

    @property
    def last_event(self) -> HouseholdEvent:
        """The event of the last reset or step; RuntimeError before `start`."""
        return _with_old_names(self._started.last_event)

    def reset(self, scene: str) -> HouseholdEvent:
        """Opens a scene by its name, `FloorPlan12`; an unknown one raises ValueError."""
        return _with_old_names(self._started.reset(scene))

    def step(self, action: Mapping[str, Any], *, raise_for_failure: bool = False) -> HouseholdEvent:
        """Carries out an action, a dictionary with the key "action".

        With `raise_for_failure`, an action that fails raises AssertionError.
        """
        world = self._started
        with suppress(ValueError):  # the event holds the error
            world.step(translated(action, standing=self._standing))
        event = self.last_event
        if raise_for_failure and not event:
            raise AssertionError(event.metadata["errorMessage"])
        return event

    def stop(self) -> None:
        """Ends it; `start` begins anew."""
        if self._world is not None:
            self._world.stop()
            self._world = None

    @property
    def _started(self) -> HouseholdController:
        if self._world is None:
            raise RuntimeError("the controller was not started: call start() first")
        return self._world

    @property
    def _standing(self) -> bool:
        return self._started.last_event.answer.state.agent.standing


def translated(action: Mapping[str, Any], *, standing: bool) -> dict[str, Any]:
    """An action of AI2-THOR 2.1 as one of 5.0, without arguments that it does not have.

    TeleportFull keeps `standing`, the agent's present posture.
    """
    written = dict(action)
    name = written.get("action")
    if name == "PutObject" and "receptacleObjectId" in written:
        written["objectId"] = written.pop("receptacleObjectId")
    if name == "TeleportFull":
        written.setdefault("standing", standing)
    if name == "Initialize":
        written.setdefault("fieldOfView", FIELD_OF_VIEW)
    known = ACTIONS.get(name) if isinstance(name, str) else None
    if known is None or known.lenient:
        return written
    names = ALLOWED_EVERYWHERE | {parameter.name for parameter in known.parameters}
    return {key: value for key, value in written.items() if key in names}


def _with_old_names(event: HouseholdEvent) -> HouseholdEvent:
    """The event, its metadata with the keys of AI2-THOR 2.1 too."""
    metadata = event.metadata
    metadata["hand"] = metadata["heldObjectPose"]
    if metadata["lastAction"] == "GetReachablePositions":
        metadata["reachablePositions"] = metadata["actionReturn"]
    for each in metadata["objects"]:
        each["ObjectTemperature"] = each["temperature"]
    return event
