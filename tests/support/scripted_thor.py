"""A controller that answers from a script, for tests of what asks a simulator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from env_service.domain.failure import FaultClass, WorldFault
from env_service.worlds.ai2thor_api.controller import ThorStart
from tests.support.thor_house import AGENT, house_objects
from tests.support.thor_objects import kitchen, xyz

CRASH = WorldFault(FaultClass.SIMULATOR_CRASH, "the player died, exit status 139\nstack")


@dataclass(eq=False)
class ScriptedEvent:
    """An event with little more than its metadata."""

    metadata: Mapping[str, Any]
    frame: NDArray[np.uint8] | None
    success: bool = True
    depth_frame: None = None
    instance_segmentation_frame: None = None
    semantic_segmentation_frame: None = None
    instance_masks: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    third_party_camera_frames: Sequence[NDArray[np.uint8]] = ()

    @property
    def instance_detections2D(self) -> Mapping[str, Sequence[int]]:  # noqa: N802 - AI2-THOR's name
        return dict.fromkeys(self.instance_masks, (0, 1, 2, 3))

    def get_object(self, object_id: str) -> Mapping[str, Any] | None:
        return next((o for o in self.metadata["objects"] if o["objectId"] == object_id), None)

    def objects_by_type(self, object_type: str) -> Sequence[Mapping[str, Any]]:
        return [o for o in self.metadata["objects"] if o["objectType"] == object_type]

    def __bool__(self) -> bool:
        return self.success


class ScriptedThor:
    """See `ThorController`. Scenes are those of the world, and any house.

    Attributes:
        calls: all actions, with "Reset" for resets.
    """

    def __init__(self, world: ScriptedWorld, scene: str | Mapping[str, Any]) -> None:
        self._world = world
        self.calls: list[tuple[str, Any]] = []
        self._unrest = world.unrest
        self._position, self._yaw, self._horizon = AGENT, 0.0, 0.0
        self.last_event = self.reset(scene)

    def reset(
        self, scene: str | Mapping[str, Any] | None = None, **initialization: Any
    ) -> ScriptedEvent:
        self._check()
        self.calls.append(("Reset", scene))
        if isinstance(scene, str) and scene in self._world.faults:
            left = self._world.faults[scene]
            self._world.faults[scene] = left - 1
            if left > 0:
                raise CRASH
        if isinstance(scene, str) and scene not in self._world.scenes:
            raise ValueError(f"\nScene '{scene}' not contained in build\n\nA, B, C")
        self._objects = kitchen() if isinstance(scene, str) else house_objects()
        for item in self._objects:
            item["visible"] = item["objectType"] == "Floor"
        self._name = scene if isinstance(scene, str) else "Procedural"
        if not isinstance(scene, str) and self._world.refuses_houses:
            return self._event("CreateHouse", error="no asset Bed_99. trace: at Unity")
        return self._event("Initialize", {"cameraNearPlane": 0.01, "cameraFarPlane": 20.0})

    def step(self, action: str | Mapping[str, Any], **arguments: Any) -> ScriptedEvent:
        self._check()
        name = str(action if isinstance(action, str) else action["action"])
        self.calls.append((name, arguments))
        if name in self._world.refused:
            return self._event(name, error=f"{name} does not work here. trace: at Unity")
        if name == "Pass":
            self._unrest -= 1
        if name == "GetScenesInBuild":
            return self._event(name, list(self._world.scenes))
        if name == "GetReachablePositions":
            return self._event(name, grid())
        if name in ("Teleport", "TeleportFull"):
            at = arguments["position"]
            if (at["x"], at["z"]) in self._world.blocked:
                return self._event(name, error="something is in the way")
            self._position = (at["x"], at["y"], at["z"])
            self._yaw, self._horizon = arguments["rotation"]["y"], arguments["horizon"]
        return self._event(name)

    def stop(self) -> None:
        self._world.stopped += 1

    def _check(self) -> None:
        if self._world.broken:
            raise CRASH

    def _event(self, action: str, value: Any = None, *, error: str = "") -> ScriptedEvent:
        metadata = {
            "objects": self._objects,
            "agent": {
                "position": xyz(self._position),
                "rotation": xyz((0.0, self._yaw, 0.0)),
                "cameraHorizon": self._horizon,
                "isStanding": True,
            },
            "sceneName": self._name,
            "sceneBounds": {"center": xyz((0.0, 1.0, 0.0)), "size": xyz((9.0, 3.0, 9.0))},
            "isSceneAtRest": self._unrest <= 0,
            "fov": 90.0,
            "screenWidth": 4,
            "screenHeight": 3,
            "lastAction": action,
            "lastActionSuccess": not error,
            "errorMessage": error,
            "actionReturn": value,
        }
        # AI2-THOR's pictures are views of what it read, upside down
        picture = np.full((3, 4, 3), len(self.calls), np.uint8)[::-1] if self._world.draws else None
        masks = {self._objects[0]["objectId"]: np.ones((3, 4), np.bool_)}
        self.last_event = ScriptedEvent(metadata, picture, not error, instance_masks=masks)
        return self.last_event


def grid() -> list[dict[str, float]]:
    """Points 0.25 apart, from -0.5 to 0.5 along x and to 1 along z."""
    return [xyz((-0.5 + 0.25 * i, 0.901, 0.25 * k)) for i in range(5) for k in range(5)]


@dataclass
class ScriptedWorld:
    """A world to open: how it behaves, and what became of it.

    Attributes:
        scenes: that it has.
        faults: how often the reset to a scene breaks it.
        refused: actions that it refuses.
        blocked: points, (x, z), that the agent cannot enter.
        unrest: steps until a scene is at rest.
        broken: whether every call breaks it.
        opened: the controllers that were given out, the oldest first.
        stopped: how many of them were stopped.
    """

    scenes: tuple[str, ...] = ("FloorPlan1_physics", "FloorPlan2_physics", "FloorPlan3_physics")
    faults: dict[str, int] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
    blocked: frozenset[tuple[float, float]] = frozenset()
    unrest: int = 0
    draws: bool = True
    broken: bool = False
    refuses_houses: bool = False
    opened: list[ScriptedThor] = field(default_factory=list)
    stopped: int = 0

    def open(self, world: str, scene: str, start: ThorStart) -> ScriptedThor:
        """See `worlds.thor.opening.open_world`."""
        del world, start
        controller = ScriptedThor(self, scene)
        self.opened.append(controller)
        return controller
