"""The world: the household world's rooms at dusk. Its entry point names this module.

See ``env_service.worlds.ai2thor_api.world_registry.Opening`` for each function's contract. To use
your own simulator, return your own controller from `open_scene`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.ai2thor_api.controller import ThorController, ThorEvent, ThorStart
from env_service.worlds.ai2thor_api.world_registry import Capabilities, open_world
from env_service.worlds.base import HostingLimits, describe_world
from env_service.worlds.base import hosting_limits as limits_of

BASE = "household"
"""The world whose rooms this one shows."""
LIGHT_PERCENT = 60
"""The brightness of a picture, compared with the same one by day."""

capabilities = Capabilities(built_in_rooms=True, floor_plans_from_pack=True, deterministic=True)
"""The base's capabilities: its rooms, and equal pictures for equal steps."""


def describe() -> Mapping[str, str]:
    """Everything that could change a picture; recorded with each run."""
    return {**describe_world(BASE), "light": f"{LIGHT_PERCENT} %"}


def hosting_limits(
    facts: Mapping[str, str], environment: Mapping[str, str]
) -> HostingLimits | None:
    """The resources for hosting: the same as for the base."""
    return limits_of(BASE, facts, environment)


def open_scene(scene: str, start: ThorStart) -> ThorController:
    """A controller, reset to a scene. Raises ValueError for an unknown scene."""
    return DuskController(open_world(BASE, scene, start))


class DuskController:
    """A ThorController that forwards every call and darkens the returned pictures."""

    def __init__(self, day: ThorController) -> None:
        self._day = day
        self._last_event = dusk(day.last_event)

    @property
    def last_event(self) -> ThorEvent:
        """The event of the last reset or step."""
        return self._last_event

    def reset(
        self, scene: str | Mapping[str, Any] | None = None, **initialization: Any
    ) -> ThorEvent:
        """Loads a scene, or reloads the current one."""
        return self._after(lambda: self._day.reset(scene, **initialization))

    def step(self, action: str | Mapping[str, Any], **arguments: Any) -> ThorEvent:
        """Plays one action."""
        return self._after(lambda: self._day.step(action, **arguments))

    def stop(self) -> None:
        """Ends the world. Idempotent."""
        self._day.stop()

    def _after(self, call: Any) -> ThorEvent:
        try:
            call()
        finally:
            # An invalid call raises, but also leaves an event.
            self._last_event = dusk(self._day.last_event)
        return self._last_event


class DuskEvent:
    """A ThorEvent with darker pictures; everything else is the event's own."""

    def __init__(self, event: ThorEvent) -> None:
        self._event = event

    @cached_property
    def frame(self) -> NDArray[np.uint8] | None:
        """The agent's view, uint8 [H, W, 3]."""
        return None if self._event.frame is None else darken(self._event.frame)

    @cached_property
    def third_party_camera_frames(self) -> Sequence[NDArray[np.uint8]]:
        """The views of the third-party cameras."""
        return [darken(frame) for frame in self._event.third_party_camera_frames]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._event, name)

    def __bool__(self) -> bool:
        return bool(self._event)


def dusk(event: ThorEvent) -> ThorEvent:
    """The event with darker pictures."""
    return cast(ThorEvent, DuskEvent(event))


def darken(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A picture, uint8 [H, W, C], with less light."""
    return (picture.astype(np.uint16) * LIGHT_PERCENT // 100).astype(np.uint8)
