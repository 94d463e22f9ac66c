"""Lets a world come to rest after an interaction, as AsgardBench does.

After an action AI2-THOR needs one or two more frames until all motion has ended (docs/parity.md,
"What is compared"). AsgardBench plays two Pass after an interaction that succeeded and one after an
interaction that failed, and shows the agent the scene after them (docs/asgard-rules.md, "An
episode").
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from env_service.worlds.ai2thor_api.controller import ThorController, ThorEvent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INTERACTIONS = frozenset(
    {
        "PickupObject",
        "PutObject",
        "OpenObject",
        "CloseObject",
        "ToggleObjectOn",
        "ToggleObjectOff",
        "SliceObject",
        "CleanObject",
        "DirtyObject",
        "FillObjectWithLiquid",
        "EmptyLiquidFromObject",
    }
)
"""AsgardBench's actions on an object (docs/asgard-rules.md, "An episode"): those that an agent's
skills come to, and those of a set-up. What moves the agent or the camera, pushes, asks, spawns or
disables is none."""

OF_THE_ACTION = ("lastAction", "lastActionSuccess", "errorMessage", "errorCode", "actionReturn")
"""Metadata that tell how an action went; all others tell how the world is."""


@dataclass(frozen=True, slots=True)
class Settling:
    """How long to wait after which actions.

    ``interactions`` are names of actions. After one that succeeded come ``after_success`` steps
    of Pass, after one that failed ``after_failure``; each at least 0, else ValueError.
    """

    interactions: frozenset[str] = INTERACTIONS
    after_success: int = 2
    after_failure: int = 1

    def __post_init__(self) -> None:
        for name in ("after_success", "after_failure"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)} steps; it has to be at least 0")


class SettledEvent:
    """An action's event: how the action went, and what the world shows once it came to rest."""

    def __init__(self, acted: ThorEvent, settled: ThorEvent) -> None:
        """``acted`` is the event of the action itself, ``settled`` the last one after it."""
        self._acted, self._settled = acted, settled

    def __bool__(self) -> bool:
        return bool(self._acted)

    @cached_property
    def metadata(self) -> Mapping[str, Any]:
        """See `ThorEvent`: OF_THE_ACTION of the action, everything else of the settled world."""
        acted = self._acted.metadata
        # A chain leaves unread what a world works out only when somebody reads it.
        return ChainMap(
            {key: acted[key] for key in OF_THE_ACTION if key in acted},
            self._settled.metadata,  # type: ignore[arg-type] # the chain writes to its head alone
        )

    @property
    def frame(self) -> NDArray[np.uint8] | None:
        """See `ThorEvent`."""
        return self._settled.frame

    @property
    def depth_frame(self) -> NDArray[np.float32] | None:
        """See `ThorEvent`."""
        return self._settled.depth_frame

    @property
    def instance_segmentation_frame(self) -> NDArray[np.uint8] | None:
        """See `ThorEvent`."""
        return self._settled.instance_segmentation_frame

    @property
    def semantic_segmentation_frame(self) -> NDArray[np.uint8] | None:
        """See `ThorEvent`."""
        return self._settled.semantic_segmentation_frame

    @property
    def instance_masks(self) -> Mapping[str, NDArray[np.bool_]]:
        """See `ThorEvent`."""
        return self._settled.instance_masks

    @property
    def instance_detections2D(self) -> Mapping[str, Sequence[int]]:  # noqa: N802 - AI2-THOR's name
        """See `ThorEvent`."""
        return self._settled.instance_detections2D

    @property
    def third_party_camera_frames(self) -> Sequence[NDArray[np.uint8]]:
        """See `ThorEvent`."""
        return self._settled.third_party_camera_frames

    def get_object(self, object_id: str) -> Mapping[str, Any] | None:
        """See `ThorEvent`."""
        return self._settled.get_object(object_id)

    def objects_by_type(self, object_type: str) -> Sequence[Mapping[str, Any]]:
        """See `ThorEvent`."""
        return self._settled.objects_by_type(object_type)


class Settled:
    """A controller that waits after interactions until the world is at rest. See `ThorController`.

    It never looks at the pictures of the steps in between, so a world that draws on demand does
    not draw them. It does not forbid them either (renderImage=False): AI2-THOR waits for the end
    of a frame only where it draws one, so without pictures less of the world's time would pass.
    """

    def __init__(self, controller: ThorController, settling: Settling | None = None) -> None:
        """Takes the controller over: `stop` stops it. No settling: AsgardBench's."""
        self._controller = controller
        self._settling = settling or Settling()
        self._last: ThorEvent = controller.last_event

    @property
    def last_event(self) -> ThorEvent:
        """See `ThorController`."""
        return self._last

    def reset(
        self, scene: str | Mapping[str, Any] | None = None, **initialization: Any
    ) -> ThorEvent:
        """See `ThorController`."""
        self._last = self._controller.reset(scene, **initialization)
        return self._last

    def step(
        self, action: str | Mapping[str, Any], *, raise_for_failure: bool = False, **arguments: Any
    ) -> ThorEvent:
        """See `ThorController`. A failed interaction settles before RuntimeError is raised."""
        try:
            acted = self._controller.step(action, **arguments)
        except ValueError:  # such an action was not played, and set nothing going
            self._last = self._controller.last_event
            raise
        self._last = self._settle(action, acted)
        if raise_for_failure and not acted:
            raise RuntimeError(acted.metadata["errorMessage"])
        return self._last

    def stop(self) -> None:
        """See `ThorController`."""
        self._controller.stop()

    def _settle(self, action: str | Mapping[str, Any], acted: ThorEvent) -> ThorEvent:
        name = action if isinstance(action, str) else action.get("action")
        settling = self._settling
        if name not in settling.interactions:
            return acted
        settled = acted
        for _ in range(settling.after_success if acted else settling.after_failure):
            settled = self._controller.step("Pass")
        return acted if settled is acted else SettledEvent(acted, settled)
