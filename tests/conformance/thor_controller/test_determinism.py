"""The same scene and actions give the same events."""

from __future__ import annotations

from typing import Any

import numpy as np

from env_service.worlds.ai2thor_api.controller import ThorController
from tests.conformance.thor_controller.kit import (
    OTHER_SCENE,
    SCENE,
    START,
    objects,
    picture,
    reach,
)

Seen = list[tuple[dict[str, Any], np.ndarray]]


def play(thor: ThorController) -> Seen:
    """A short episode: its metadata and pictures."""
    thor.reset(SCENE, **START)
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


def test_an_episode_can_be_played_again(thor: ThorController) -> None:
    first = play(thor)
    thor.reset(OTHER_SCENE)
    thor.step("RotateRight")
    second = play(thor)
    for (metadata, frame), (same_metadata, same_frame) in zip(first, second, strict=True):
        assert metadata == same_metadata
        assert (frame == same_frame).all()
