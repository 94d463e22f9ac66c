"""Keeps what was worked out about a scene, for the last few scenes that were used."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from env_service.worlds.household.scene.spec import SceneSpec

T = TypeVar("T")

KEPT = 2
"""Scenes of which things stay in memory: the one that is played, and the one before, which is often
played again. A kitchen takes 15 to 25 MiB, nearly all for its sight lines."""


class PerScene(Generic[T]):
    """One value per scene, made when first asked for. Scenes are told apart by identity."""

    def __init__(self, make: Callable[[SceneSpec], T]) -> None:
        self._make = make
        self._kept: OrderedDict[int, tuple[SceneSpec, T]] = OrderedDict()
        self._lock = Lock()

    def __call__(self, scene: SceneSpec) -> T:
        """The value of a scene."""
        with self._lock:
            if id(scene) not in self._kept:  # a kept scene lives, so its id is no other's
                self._kept[id(scene)] = (scene, self._make(scene))
                while len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(id(scene))
            return self._kept[id(scene)][1]
