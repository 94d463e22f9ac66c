"""A world of no substance behind AI2-THOR's controller API: it records its calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_unity.settings import ThorSettings


class FakeEvent:
    """The event of an action. Its picture is of one colour: how many actions came before."""

    def __init__(self, action: str, number: int, error: str = "") -> None:
        self.metadata: Mapping[str, Any] = {
            "lastAction": action,
            "lastActionSuccess": not error,
            "errorMessage": error,
            "errorCode": None,
            "actionReturn": action if action != "Pass" else None,
            "currentTime": number / 10,
            "objects": [{"objectId": "Mug|1", "objectType": "Mug", "number": number}],
        }
        self._number = number
        self.looks = 0

    def __bool__(self) -> bool:
        return bool(self.metadata["lastActionSuccess"])

    @property
    def frame(self) -> NDArray[np.uint8] | None:
        self.looks += 1
        return np.full((2, 3, 3), self._number, np.uint8)

    @property
    def depth_frame(self) -> NDArray[np.float32] | None:
        return np.full((2, 3), self._number, np.float32)

    @property
    def instance_segmentation_frame(self) -> NDArray[np.uint8] | None:
        return self.frame

    @property
    def semantic_segmentation_frame(self) -> NDArray[np.uint8] | None:
        return self.frame

    @property
    def instance_masks(self) -> Mapping[str, NDArray[np.bool_]]:
        return {"Mug|1": np.full((2, 3), self._number % 2 == 0)}

    @property
    def instance_detections2D(self) -> Mapping[str, Sequence[int]]:  # noqa: N802 - AI2-THOR's name
        return {"Mug|1": (0, 0, self._number, self._number)}

    @property
    def third_party_camera_frames(self) -> Sequence[NDArray[np.uint8]]:
        return [np.full((2, 3, 3), self._number, np.uint8)]

    def get_object(self, object_id: str) -> Mapping[str, Any] | None:
        return next(
            (each for each in self.metadata["objects"] if each["objectId"] == object_id), None
        )

    def objects_by_type(self, object_type: str) -> Sequence[Mapping[str, Any]]:
        return [each for each in self.metadata["objects"] if each["objectType"] == object_type]


class FakePlayer:
    """A player as a pool lends it. Set ``fails`` to have the next call raise it, ``refuses`` to
    have the actions of these names refused."""

    def __init__(
        self,
        scene: str = "household-kitchen-1",
        start: ThorStart | None = None,
        settings: ThorSettings | None = None,
    ) -> None:
        self.scene, self.start = scene, start or ThorStart()
        self.alive, self.memory, self.stops = True, 0, 0
        self.platform = "Linux64"
        self.fails: BaseException | None = None
        self.refuses: frozenset[str] = frozenset()
        self.played: list[str] = []
        self.resets: list[tuple[str | Mapping[str, Any] | None, dict[str, Any]]] = []
        self.events: list[FakeEvent] = [FakeEvent("Initialize", 0)]

    @property
    def last_event(self) -> FakeEvent:
        return self.events[-1]

    @property
    def facts(self) -> Mapping[str, str]:
        return {"platform": self.platform}

    def resident_bytes(self) -> int:
        return self.memory

    def reset(
        self, scene: str | Mapping[str, Any] | None = None, **initialization: Any
    ) -> FakeEvent:
        self.resets.append((scene, initialization))
        return self._answer("Initialize")

    def step(
        self, action: str | Mapping[str, Any], *, raise_for_failure: bool = False, **arguments: Any
    ) -> FakeEvent:
        name = action if isinstance(action, str) else str(action["action"])
        self.played.append(name)
        event = self._answer(name, "refused" if name in self.refuses else "")
        if raise_for_failure and not event:
            raise RuntimeError("refused")
        return event

    def stop(self) -> None:
        self.stops += 1
        self.alive = False

    def _answer(self, action: str, error: str = "") -> FakeEvent:
        if self.fails is not None:
            failure, self.fails = self.fails, None
            raise failure
        self.events.append(FakeEvent(action, len(self.events), error))
        return self.last_event


class Starter:
    """Starts fake players, and remembers them. ``before`` is called with each one's number."""

    def __init__(self, before: Callable[[int], None] = lambda _: None) -> None:
        self.players: list[FakePlayer] = []
        self.platform = "Linux64"
        self._before = before

    def __call__(self, scene: str, start: ThorStart, settings: ThorSettings) -> FakePlayer:
        self._before(len(self.players))
        player = FakePlayer(scene, start, settings)
        player.platform = self.platform
        self.players.append(player)
        return player

    @property
    def running(self) -> list[int]:
        """The numbers of the players that were not stopped."""
        return [number for number, player in enumerate(self.players) if not player.stops]
