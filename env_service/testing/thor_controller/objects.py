"""Tests of actions on objects, each from a position that reaches the object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from env_service.testing.thor_controller.kit import (
    START,
    UNSEEN,
    ThorTests,
    answer,
    go_to,
    objects,
    picture,
    reach,
    state_of,
)
from env_service.worlds.ai2thor_api.controller import ThorController


def now(thor: ThorController, object_id: str) -> Mapping[str, Any]:
    found = thor.last_event.get_object(object_id)
    assert found is not None
    return found


class ObjectTests(ThorTests):
    """Tests of actions on objects, each from a position that reaches the object."""

    parameters = UNSEEN

    def test_poses_to_touch_an_object_are_ones_from_which_it_can_be_touched(
        self,
        thor: ThorController,
    ) -> None:
        hits = tries = 0
        for each in list(objects(thor.last_event, "pickupable"))[:6]:
            poses = answer(thor, "GetInteractablePoses", objectId=each["objectId"])
            for pose in poses[:: max(len(poses) // 5, 1)]:
                where = {axis: pose[axis] for axis in "xyz"}
                assert thor.step(
                    "TeleportFull",
                    position=where,
                    rotation=pose["rotation"],
                    horizon=pose["horizon"],
                    standing=pose["standing"],
                )
                tries += 1
                hits += bool(now(thor, each["objectId"])["isInteractable"])
        assert tries >= 5
        assert hits >= 0.9 * tries

    def test_picking_up_and_putting_back(self, thor: ThorController) -> None:
        mug = reach(thor, "pickupable", "Mug", "Cup", "Plate", "Bowl")
        assert answer(thor, "PickupObject", objectId=mug) == mug
        assert now(thor, mug)["isPickedUp"] is True
        held = thor.last_event.metadata["inventoryObjects"]
        assert held[0] == {"objectId": mug, "objectType": mug.split("|")[0]}
        counter = reach(thor, "receptacle", "CounterTop", "DiningTable")
        assert thor.step("PutObject", objectId=counter), thor.last_event.metadata["errorMessage"]
        assert now(thor, mug)["isPickedUp"] is False
        assert mug in now(thor, counter)["receptacleObjectIds"]
        assert counter in now(thor, mug)["parentReceptacles"]
        assert thor.last_event.metadata["inventoryObjects"] == []

    def test_only_one_thing_can_be_held(self, thor: ThorController) -> None:
        first = reach(thor, "pickupable")
        answer(thor, "PickupObject", objectId=first)
        for each in list(objects(thor.last_event, "pickupable")):
            if each["objectId"] != first and go_to(thor, each["objectId"]):
                break
        before = state_of(thor.last_event)
        event = thor.step("PickupObject", objectId=each["objectId"])
        assert not event
        assert state_of(event) == before

    def test_what_is_held_moves_with_the_agent(self, thor: ThorController) -> None:
        thing = reach(thor, "pickupable")
        answer(thor, "PickupObject", objectId=thing)
        before = now(thor, thing)["position"]
        thor.step("RotateRight")
        after = now(thor, thing)["position"]
        assert before != after
        assert now(thor, thing)["visible"] is True

    def test_opening_and_closing(self, thor: ThorController) -> None:
        door = reach(thor, "openable", "Fridge", "Cabinet", "Drawer", "Microwave")
        assert thor.step("OpenObject", objectId=door), thor.last_event.metadata["errorMessage"]
        assert now(thor, door)["isOpen"] is True
        assert now(thor, door)["openness"] == pytest.approx(1.0)
        assert thor.step("CloseObject", objectId=door, forceAction=True)
        assert now(thor, door)["isOpen"] is False
        assert not thor.step("CloseObject", objectId=door, forceAction=True)

    def test_an_open_door_can_be_seen(self, thor: ThorController) -> None:
        thor.reset(**START)
        door = reach(thor, "openable", "Fridge", "Cabinet", "Microwave")
        before = picture(thor.last_event)
        assert thor.step("OpenObject", objectId=door), thor.last_event.metadata["errorMessage"]
        assert (picture(thor.last_event) != before).any()

    def test_switching_on_and_off(self, thor: ThorController) -> None:
        switch = reach(thor, "toggleable", "Faucet", "StoveKnob", "LightSwitch")
        turned = now(thor, switch)["isToggled"]
        first, second = ("Off", "On") if turned else ("On", "Off")
        assert thor.step(f"ToggleObject{first}", objectId=switch)
        assert now(thor, switch)["isToggled"] is not turned
        assert not thor.step(f"ToggleObject{first}", objectId=switch)
        assert thor.step(f"ToggleObject{second}", objectId=switch)
        assert now(thor, switch)["isToggled"] is turned

    def test_getting_dirty_and_clean(self, thor: ThorController) -> None:
        plate = reach(thor, "dirtyable")
        if now(thor, plate)["isDirty"]:
            assert thor.step("CleanObject", objectId=plate)
        assert thor.step("DirtyObject", objectId=plate)
        assert now(thor, plate)["isDirty"] is True
        assert thor.step("CleanObject", objectId=plate)
        assert now(thor, plate)["isDirty"] is False

    def test_filling_and_emptying(self, thor: ThorController) -> None:
        vessel = reach(thor, "canFillWithLiquid")
        if now(thor, vessel)["isFilledWithLiquid"]:
            assert thor.step("EmptyLiquidFromObject", objectId=vessel)
        assert thor.step("FillObjectWithLiquid", objectId=vessel, fillLiquid="coffee")
        assert now(thor, vessel)["isFilledWithLiquid"] is True
        assert now(thor, vessel)["fillLiquid"] == "coffee"
        assert thor.step("EmptyLiquidFromObject", objectId=vessel)
        assert now(thor, vessel)["isFilledWithLiquid"] is False

    def test_slicing(self, thor: ThorController) -> None:
        food = reach(thor, "sliceable", "Apple", "Tomato", "Potato", "Bread", "Lettuce")
        kind = food.split("|")[0]
        assert thor.step("SliceObject", objectId=food), thor.last_event.metadata["errorMessage"]
        pieces = thor.last_event.objects_by_type(f"{kind}Sliced")
        assert len(pieces) > 1
        assert all(f"|{kind}Sliced_" in each["objectId"] for each in pieces)

    def test_breaking(self, thor: ThorController) -> None:
        thing = reach(thor, "breakable")
        assert thor.step("BreakObject", objectId=thing)
        broken = thor.last_event.get_object(thing)
        assert broken is None or broken["isBroken"] is True

    def test_disabling(self, thor: ThorController) -> None:
        thing = next(objects(thor.last_event, "pickupable"))["objectId"]
        assert thor.step("DisableObject", objectId=thing)
        assert thor.last_event.get_object(thing) is None

    def test_a_random_spawn_is_its_seeds(self, thor: ThorController) -> None:
        def places(seed: int) -> list[Any]:
            thor.reset()
            assert thor.step("InitialRandomSpawn", randomSeed=seed, forceVisible=False)
            return [each["position"] for each in thor.last_event.metadata["objects"]]

        first = places(3)
        assert places(3) == first
        assert places(4) != first
