"""Tests that the same scene and actions give the same events."""

from __future__ import annotations

from typing import Any

import numpy as np

from env_service.testing.thor_controller.kit import (
    START,
    ThorTests,
    objects,
    picture,
    reach,
)
from env_service.worlds.ai2thor_api.controller import ThorController

Seen = list[tuple[dict[str, Any], np.ndarray]]


def play(thor: ThorController, scene: str) -> Seen:
    """Plays a short episode and returns its metadata and pictures."""
    thor.reset(scene, **START)
    thing = reach(thor, "pickupable")
    door = next(objects(thor.last_event, "openable"))["objectId"]
    seen: Seen = []
    for action, arguments in (
        ("PickupObject", {"objectId": thing}),
        ("RotateLeft", {}),
        ("LookDown", {}),
        ("MoveAhead", {}),
        ("OpenObject", {"objectId": door, "forceAction": True}),
        ("InitialRandomSpawn", {"randomSeed": 5}),
        ("Crouch", {}),
        ("Pass", {}),
    ):
        event = thor.step(action, **arguments)
        seen.append((dict(event.metadata), picture(event)))
    return seen


class DeterminismTests(ThorTests):
    """Tests that the same scene and actions give the same events."""

    def test_an_episode_can_be_played_again(self, thor: ThorController) -> None:
        first = play(thor, self.scene)
        thor.reset(self.other_scene)
        thor.step("RotateRight")
        second = play(thor, self.scene)
        for (metadata, frame), (same_metadata, same_frame) in zip(first, second, strict=True):
            assert metadata == same_metadata
            assert (frame == same_frame).all()
