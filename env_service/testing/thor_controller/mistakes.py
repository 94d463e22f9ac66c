"""Tests of wrong calls: which error they raise, and that they change nothing."""

from __future__ import annotations

from typing import Any

import pytest

from env_service.testing.thor_controller.kit import (
    START,
    UNSEEN,
    ThorTests,
    objects,
    state_of,
)
from env_service.worlds.ai2thor_api.controller import ThorController


class MistakeTests(ThorTests):
    """Tests of wrong calls: which error they raise, and that they change nothing."""

    parameters = UNSEEN

    @pytest.mark.parametrize(
        ("action", "text"),
        [
            ({"action": "FlyAway"}, "FlyAway"),
            ({"action": "PickupObjekt", "objectId": "Mug"}, "PickupObjekt"),
            ({"action": "GetObjectInFrame", "x": 0.5}, "missing the following arguments: y"),
            ({"action": "GetObjectInFrame", "x": "left", "y": 0.5}, "x"),
            ({"action": "Crouch", "speed": 3}, "speed"),
            ({"action": "GetInteractablePoses"}, "objectId"),
        ],
    )
    def test_a_call_that_cannot_be_understood_raises(
        self, thor: ThorController, action: dict[str, Any], text: str
    ) -> None:
        before = state_of(thor.last_event)
        with pytest.raises(ValueError, match=text):
            thor.step(action)
        assert not thor.last_event
        assert state_of(thor.last_event) == before
        assert thor.step("Pass")

    def test_a_refusal_is_an_event_that_is_false(self, thor: ThorController) -> None:
        before = state_of(thor.last_event)
        event = thor.step("PickupObject", objectId="Mug|+99.00|+00.00|+00.00")
        assert not event
        assert event.metadata["lastActionSuccess"] is False
        assert "is not the objectId on any object in the scene!" in event.metadata["errorMessage"]
        assert state_of(event) == before

    def test_a_refusal_raises_if_it_is_told_to(self, thor: ThorController) -> None:
        with pytest.raises(RuntimeError):
            thor.step("PickupObject", objectId="Mug|+99.00|+00.00|+00.00", raise_for_failure=True)
        assert thor.step("Pass", raise_for_failure=True)

    def test_an_object_that_cannot_be_picked_up(self, thor: ThorController) -> None:
        fixed = next(
            each for each in objects(thor.last_event, "receptacle") if not each["pickupable"]
        )
        event = thor.step("PickupObject", objectId=fixed["objectId"], forceAction=True)
        assert not event
        assert "picked up" in event.metadata["errorMessage"]

    @pytest.mark.parametrize(("x", "y"), [(-0.5, 0.5), (0.5, 2.0)])
    def test_points_beside_the_picture(self, thor: ThorController, x: float, y: float) -> None:
        event = thor.step("GetObjectInFrame", x=x, y=y)
        assert not event
        assert "must be in [0:1]" in event.metadata["errorMessage"]

    @pytest.mark.parametrize(
        ("width", "height"), [(0, 90), (120, 0), (-1, 90), (20_000, 90), (float("nan"), 90)]
    )
    def test_a_size_that_is_none_leaves_the_world_usable(
        self, thor: ThorController, width: float, height: float
    ) -> None:
        with pytest.raises((ValueError, RuntimeError)):
            thor.reset(width=width, height=height)
        event = thor.reset(self.scene, **START)
        assert event.frame is not None
        assert event.frame.shape == (90, 120, 3)

    @pytest.mark.parametrize(
        "parameters", [{"gridSize": -1}, {"fieldOfView": 200}, {"rotateStepDegrees": 0}]
    )
    def test_parameters_that_make_no_sense_leave_the_world_usable(
        self, thor: ThorController, parameters: dict[str, Any]
    ) -> None:
        with pytest.raises((ValueError, RuntimeError)):
            thor.reset(**parameters)
        assert thor.reset(self.scene, **UNSEEN)

    def test_arguments_are_not_changed(self, thor: ThorController) -> None:
        action = {"action": "Teleport", "rotation": 90}
        thor.step(action)
        assert action == {"action": "Teleport", "rotation": 90}
