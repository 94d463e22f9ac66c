"""A world that reports one thing wrongly: a comparison of worlds must find this, and only this."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from env_service.domain.failure import FaultClass, WorldFault
from env_service.worlds.ai2thor_api.controller import ThorController, ThorEvent, ThorStart
from env_service.worlds.ai2thor_api.parity.script_play import Side
from env_service.worlds.household.controller import HouseholdController
from tests.support.small_home import Homes, home, thing

Lie = Callable[[str, dict[str, Any]], None]
"""Changes the metadata of an event in place, given the name of the action."""

START = ThorStart(64, 48, "Low", {"visibilityDistance": 5, "fieldOfView": 60})

SCENE = "small-home"
COUNTER = thing("CounterTop", (0.0, 0.0, 1.7), (3.0, 0.9, 0.6), yaw=180.0)
MUG = thing("Mug", (0.0, 0.9, 1.6), (0.1, 0.1, 0.1))
APPLE = thing("Apple", (0.4, 0.9, 1.6), (0.08, 0.08, 0.08))
FRIDGE = thing("Fridge", (-2.0, 0.0, 1.5), (0.8, 1.8, 0.8), yaw=180.0)
LIBRARY = Homes(home(COUNTER, MUG, APPLE, FRIDGE, at=(0.0, 0.75)))


class DoctoredEvent:
    """An event with other metadata, and if so wished another picture."""

    def __init__(self, event: ThorEvent, metadata: dict[str, Any], shade: int = 0) -> None:
        self._event, self.metadata, self._shade = event, metadata, shade

    def __getattr__(self, name: str) -> Any:
        return getattr(self._event, name)

    def __bool__(self) -> bool:
        return bool(self.metadata["lastActionSuccess"])

    @property
    def frame(self) -> NDArray[np.uint8] | None:
        frame = self._event.frame
        return None if frame is None else np.minimum(frame // 2 + self._shade, 255).astype(np.uint8)


class Doctored:
    """A controller whose events a lie has changed."""

    def __init__(self, controller: ThorController, lie: Lie) -> None:
        self._controller, self._lie = controller, lie
        self._last = self._changed("Initialize", controller.last_event)

    @property
    def last_event(self) -> ThorEvent:
        return self._last

    def reset(
        self, scene: str | Mapping[str, Any] | None = None, **initialization: Any
    ) -> ThorEvent:
        self._last = self._changed("Initialize", self._controller.reset(scene, **initialization))
        return self._last

    def step(self, action: str | Mapping[str, Any], **arguments: Any) -> ThorEvent:
        name = action if isinstance(action, str) else str(action["action"])
        try:
            event = self._controller.step(action, **arguments)
        except ValueError:
            self._last = self._changed(name, self._controller.last_event)
            raise
        self._last = self._changed(name, event)
        return self._last

    def stop(self) -> None:
        self._controller.stop()

    def _changed(self, action: str, event: ThorEvent) -> Any:
        metadata = copy.deepcopy(dict(event.metadata))
        self._lie(action, metadata)
        return DoctoredEvent(event, metadata)


def household(name: str = "household") -> Side:
    """The household world without pictures."""
    return Side(name, _open)


def doctored(lie: Lie) -> Side:
    """The household world with a lie, as "doctored"."""
    return Side("doctored", lambda scene, start: Doctored(_open(scene, start), lie))


def breaking(action: str, times: int) -> Side:
    """The household world, which breaks at an action, so many times in all."""
    left = [times]

    def lie(name: str, _: dict[str, Any]) -> None:
        if name == action and left[0]:
            left[0] -= 1
            raise WorldFault(FaultClass.SIMULATOR_CRASH, f"broke at {action}")

    return doctored(lie)


def _open(scene: str, start: ThorStart) -> HouseholdController:
    size = {"width": start.width, "height": start.height, "quality": start.quality}
    return HouseholdController(
        scene, library=LIBRARY, renderer="none", **size, **start.initialization
    )
