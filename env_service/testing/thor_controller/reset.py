"""Tests of a reset's effects, and of every event's metadata."""

from __future__ import annotations

import pytest

from env_service.testing.thor_controller.kit import (
    FRAME_KEYS,
    OBJECT_KEYS,
    START,
    ThorTests,
    objects,
    picture,
    state_of,
)
from env_service.worlds.ai2thor_api.controller import ThorController


class ResetTests(ThorTests):
    """Tests of a reset's effects, and of every event's metadata."""

    def test_a_reset_gives_a_picture_and_all_metadata(self, thor: ThorController) -> None:
        event = thor.reset()
        assert event
        assert picture(event).shape == (90, 120, 3)
        metadata = event.metadata
        assert set(metadata.keys()) >= FRAME_KEYS
        assert metadata["sceneName"] == self.scene
        assert metadata["lastAction"] == "Initialize"
        assert metadata["errorMessage"] == ""
        assert metadata["errorCode"] in (None, "")
        assert (metadata["screenWidth"], metadata["screenHeight"]) == (120, 90)
        assert metadata["fov"] == 90
        assert metadata["inventoryObjects"] == []
        assert metadata["actionReturn"]["cameraFarPlane"] == pytest.approx(20.0, abs=0.1)

    def test_the_agent_stands_at_its_height(self, thor: ThorController) -> None:
        agent = thor.last_event.metadata["agent"]
        assert agent["name"] == "agent"
        assert agent["position"]["y"] == pytest.approx(0.901, abs=0.01)
        assert agent["isStanding"] is True
        assert thor.last_event.metadata["cameraPosition"]["y"] == pytest.approx(1.576, abs=0.01)

    def test_every_object_has_the_keys_of_a_real_one(self, thor: ThorController) -> None:
        seen = set()
        for each in thor.last_event.metadata["objects"]:
            assert set(each.keys()) >= OBJECT_KEYS, each["objectId"]
            assert each["objectId"].startswith(f"{each['objectType']}|") or "|" in each["objectId"]
            assert each["objectId"] not in seen
            seen.add(each["objectId"])
            assert len(each["axisAlignedBoundingBox"]["cornerPoints"]) == 8
            assert isinstance(each["visible"], bool)
            assert each["temperature"] in {"RoomTemp", "Hot", "Cold"}
        assert len(seen) > 20

    def test_containment_is_told_both_ways(self, thor: ThorController) -> None:
        every = {each["objectId"]: each for each in thor.last_event.metadata["objects"]}
        for key, each in every.items():
            for parent in each["parentReceptacles"] or ():
                assert key in every[parent]["receptacleObjectIds"]
            for content in each["receptacleObjectIds"] or ():
                assert key in every[content]["parentReceptacles"]

    def test_a_reset_undoes_everything(self, thor: ThorController) -> None:
        before, frame = state_of(thor.last_event), picture(thor.last_event)
        thor.step("RotateRight")
        thor.step("Crouch")
        openable = next(objects(thor.last_event, "openable"))["objectId"]
        thor.step("OpenObject", objectId=openable, forceAction=True)
        thor.step(
            "AddThirdPartyCamera",
            position={"x": 0, "y": 2, "z": 0},
            rotation={"x": 0, "y": 0, "z": 0},
        )
        again = thor.reset()
        assert state_of(again) == before
        assert (picture(again) == frame).all()

    def test_parameters_stay_until_they_are_changed(self, thor: ThorController) -> None:
        thor.reset(fieldOfView=60, width=64, height=48)
        event = thor.reset()
        assert event.metadata["fov"] == 60
        assert picture(event).shape == (48, 64, 3)

    def test_a_scene_stays_until_another_is_named(self, thor: ThorController) -> None:
        assert thor.reset(self.other_scene).metadata["sceneName"] == self.other_scene
        assert thor.reset().metadata["sceneName"] == self.other_scene

    def test_an_unknown_scene_is_refused_and_the_world_stays_usable(
        self, thor: ThorController
    ) -> None:
        with pytest.raises(ValueError, match="FloorPlan9999"):
            thor.reset("FloorPlan9999")
        assert thor.step("Pass")
        assert thor.reset(self.scene, **START)

    def test_initialize_takes_unknown_parameters_in_silence(self, thor: ThorController) -> None:
        assert thor.reset(makeAgentsVisible=False, someTypo=1)
