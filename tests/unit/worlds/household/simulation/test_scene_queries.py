"""Questions about the scene, filters and hidden objects."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.render.selection import choose
from env_service.worlds.household.simulation.action import ErrorCode
from env_service.worlds.household.simulator import HouseholdSimulator
from env_service.worlds.household.state import HouseholdState
from tests.support.small_home import Homes, home, thing
from tests.support.turns import Told, play

TABLE = thing("DiningTable", (0.0, 0.0, 1.2), (1.0, 0.7, 0.6))
MUG = thing("Mug", (0.0, 0.7, 1.2), (0.1, 0.1, 0.1))
SEGMENTED = {"action": "Pass", "renderInstanceSegmentation": True}
STATE = HouseholdState.at_start(home(TABLE, MUG))


@pytest.fixture
def simulator() -> Iterator[HouseholdSimulator]:
    built = HouseholdSimulator(Homes(home(TABLE, MUG)), "small-home", pictures=choose("soft"))
    built.perform({"action": "LookDown"})
    yield built
    built.close()


def listed(simulator: HouseholdSimulator, action: str, **arguments: object) -> set[str]:
    event = simulator.event(simulator.perform({"action": action, **arguments}))
    return {each["objectId"] for each in event.metadata["objects"]}


def test_metadata_list_only_what_the_filter_lets_through(simulator: HouseholdSimulator) -> None:
    every = listed(simulator, "Pass")
    assert listed(simulator, "SetObjectFilter", objectIds=[MUG.object_id]) == {MUG.object_id}
    assert listed(simulator, "SetObjectFilter", objectIds=[]) == set()
    assert simulator.perform({"action": "PickupObject", "objectId": MUG.object_id}).success
    assert listed(simulator, "ResetObjectFilter", objectIds=[]) == every
    assert not simulator.perform({"action": "SetObjectFilter", "objectIds": ["Mug"]}).success


def test_a_hidden_object_is_neither_drawn_nor_seen(simulator: HouseholdSimulator) -> None:
    before = simulator.event(simulator.perform({"action": "Pass"}))
    answer = simulator.perform({"action": "HideObject", "objectId": MUG.object_id})
    event = simulator.event(answer)
    assert before.frame is not None
    assert event.frame is not None
    assert not np.array_equal(event.frame, before.frame)
    mug = event.get_object(MUG.object_id)
    assert mug is not None
    assert not mug["visible"]
    again = simulator.event(simulator.perform({"action": "UnhideAllObjects"}))
    assert again.frame is not None
    assert np.array_equal(again.frame, before.frame)
    simulator.perform({"action": "HideAllObjects"})
    assert not simulator.perform({"action": "PickupObject", "objectId": MUG.object_id}).success


def test_a_picture_can_be_asked_for_once(simulator: HouseholdSimulator) -> None:
    asked = simulator.event(
        simulator.perform({"action": "Pass", "renderInstanceSegmentation": True})
    )
    assert asked.instance_segmentation_frame is not None
    assert MUG.object_id in asked.instance_masks
    assert asked.metadata["colors"]
    later = simulator.event(simulator.perform({"action": "Pass"}))
    assert later.instance_segmentation_frame is None
    assert later.metadata["colors"] is None


def test_a_line_of_sight_ends_on_a_surface(simulator: HouseholdSimulator) -> None:
    event = simulator.event(
        simulator.perform({"action": "Pass", "renderInstanceSegmentation": True})
    )
    rows, columns = np.nonzero(event.instance_masks[TABLE.object_id])
    at = {"x": (columns[0] + 0.5) / 300, "y": (rows[0] + 0.5) / 300}
    answer = simulator.perform({"action": "GetCoordinateFromRaycast", **at})
    point = Vec3.from_json(answer.value)
    assert TABLE.body.contains(point, 0.02)
    outside = simulator.perform({"action": "GetCoordinateFromRaycast", "x": 1.5, "y": 0.5})
    assert outside.error == "x and y must be in [0:1] not (x=1.5, y=0.5)."
    assert play(STATE, "GetCoordinateFromRaycast", sight=Told(), x=0.5, y=0.5).error


def test_hulls_are_outlines_from_above() -> None:
    found = play(STATE, "Get2DSemanticHulls", objectTypes=["DiningTable"])
    assert list(found.value) == [TABLE.object_id]
    corners = np.array(found.value[TABLE.object_id])
    assert corners.min(0) == pytest.approx((-0.5, 0.9), abs=0.02)
    assert corners.max(0) == pytest.approx((0.5, 1.5), abs=0.02)
    x, z = corners.T
    area = (x * np.roll(z, -1) - z * np.roll(x, -1)).sum() / 2
    assert area == pytest.approx(0.6, abs=0.03), "counterclockwise"
    one = play(STATE, "Get2DSemanticHull", objectId=TABLE.object_id)
    assert one.value == found.value[TABLE.object_id]
    some = play(STATE, "Get2DSemanticHulls", objectIds=[MUG.object_id]).value
    assert set(some) == {MUG.object_id}
    every = play(STATE, "Get2DSemanticHulls").value
    assert set(every) == set(STATE.objects)
    both = play(STATE, "Get2DSemanticHulls", objectIds=[], objectTypes=[])
    assert "Only one of" in both.error


def test_ids_of_a_type_are_listed() -> None:
    assert play(STATE, "ObjectTypeToObjectIds", objectType="Mug").value == [MUG.object_id]
    assert not play(STATE, "ObjectTypeToObjectIds", objectType="Cup holder").success


def test_an_action_that_only_ai2thor_has_is_refused_with_the_reason(
    simulator: HouseholdSimulator,
) -> None:
    answer = simulator.perform({"action": "FlyAhead"})
    assert answer.code is ErrorCode.INVALID_ACTION
    assert (
        answer.error == "Invalid action: FlyAhead. This world does not support it: it has no drone"
    )


def test_metadata_of_some_objects_come_on_request(simulator: HouseholdSimulator) -> None:
    whole = simulator.event(simulator.perform({"action": "SetObjectFilter", "objectIds": []}))
    asked = simulator.perform({"action": "GetObjectMetadata", "objectIds": [MUG.object_id]})
    assert whole.metadata["objects"] == []
    assert [each["objectId"] for each in asked.value] == [MUG.object_id]
    assert asked.value[0]["visible"]


def test_a_thing_can_be_put_down_where_the_picture_is_pointed_at() -> None:
    held = play(STATE, "PickupObject", objectId=MUG.object_id, forceAction=True).state
    corner = Told(TABLE.object_id, at=TABLE.object_id, point=Vec3(0.42, 0.7, 1.42))
    put = play(held, "PutObject", sight=corner, x=0.7, y=0.6, putNearXY=True)
    place = put.state.objects[MUG.object_id].pose.position
    assert (place.x, place.z) == pytest.approx((0.42, 1.42), abs=0.08)
    near = play(held, "PutObject", sight=corner, x=0.7, y=0.6)
    assert near.state.objects[MUG.object_id].pose.position.z < 1.1, "otherwise near the agent"
