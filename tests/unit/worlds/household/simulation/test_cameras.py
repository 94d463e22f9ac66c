"""Cameras that are added to the scene."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from env_service.worlds.household.event import HouseholdEvent
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.render.selection import choose
from env_service.worlds.household.simulation.actions.cameras import agent_camera, third_party_camera
from env_service.worlds.household.simulation.settings import Settings
from env_service.worlds.household.simulator import HouseholdSimulator
from env_service.worlds.household.state import (
    AgentState,
    HouseholdState,
    ThirdPartyCamera,
    digest,
)
from tests.support.small_home import Homes, home, thing
from tests.support.turns import play

STATE = HouseholdState.at_start(home())
THERE = {"position": {"x": 1, "y": 2, "z": 0}, "rotation": {"x": 90, "y": 45, "z": 0}}


def test_added_cameras_are_kept_in_order() -> None:
    one = play(STATE, "AddThirdPartyCamera", **THERE).state
    two = play(one, "AddThirdPartyCamera", **THERE, fieldOfView=30).state
    assert [camera.field_of_view for camera in two.cameras] == [90.0, 30.0]
    assert STATE.cameras == ()


def test_an_added_camera_can_be_moved() -> None:
    state = play(STATE, "AddThirdPartyCamera", **THERE).state
    moved = play(state, "UpdateThirdPartyCamera", thirdPartyCameraId=0, position={"y": 1}).state
    assert moved.cameras == (ThirdPartyCamera(Vec3(1.0, 1.0, 0.0), Vec3(90.0, 45.0, 0.0)),)
    flat = play(moved, "UpdateThirdPartyCamera", rotation={"z": 5}, orthographic=True).state
    assert flat.cameras == (
        ThirdPartyCamera(Vec3(1.0, 1.0, 0.0), Vec3(90.0, 45.0, 5.0), orthographic=True),
    )
    assert not play(state, "UpdateThirdPartyCamera", thirdPartyCameraId=1).success


@pytest.mark.parametrize("angle", [0, 180, -10])
def test_an_angle_has_limits(angle: float) -> None:
    assert not play(STATE, "AddThirdPartyCamera", **THERE, fieldOfView=angle).success
    state = play(STATE, "AddThirdPartyCamera", **THERE).state
    assert not play(state, "UpdateThirdPartyCamera", fieldOfView=angle).success


@pytest.mark.parametrize("size", [0, -1, 1e6])
def test_a_size_has_limits(size: float) -> None:
    given = {**THERE, "orthographic": True, "orthographicSize": size}
    assert not play(STATE, "AddThirdPartyCamera", **given).success


def test_cameras_look_where_they_are_told() -> None:
    settings = Settings(width=64, height=32, field_of_view=70.0)
    agent = AgentState(Vec3(1.0, 0.901, 2.0), 30.0, 15.0)
    own = agent_camera(agent, settings)
    assert (own.position, own.yaw, own.pitch) == (Vec3(1.0, 0.901 + 0.675, 2.0), 30.0, 15.0)
    assert (own.width, own.height, own.field_of_view) == (64, 32, 70.0)
    other = third_party_camera(ThirdPartyCamera(Vec3(0, 2, 0), Vec3(1, 2, 3), 50.0), settings)
    assert (other.pitch, other.yaw, other.roll, other.field_of_view) == (1, 2, 3, 50.0)


TABLE = thing("DiningTable", (1.0, 0.0, 0.5), (1.0, 0.7, 0.6))
SIZE = 220


@pytest.fixture(scope="module")
def mapped() -> Iterator[HouseholdEvent]:
    """An event with a map of the home, a camera far above it, and the map as the agent's view."""
    library = Homes(home(TABLE))
    simulator = HouseholdSimulator(library, "small-home", pictures=choose("soft"))
    given = {"renderDepthImage": True, "renderInstanceSegmentation": True}
    simulator.perform({"action": "Initialize", **given})
    simulator.perform({"action": "ChangeResolution", "x": SIZE, "y": SIZE})
    properties = simulator.perform({"action": "GetMapViewCameraProperties"}).value
    simulator.perform({"action": "AddThirdPartyCamera", **properties})
    above = {"position": {"x": 0, "y": 6, "z": 0}, "rotation": {"x": 90, "y": 0, "z": 0}}
    simulator.perform({"action": "AddThirdPartyCamera", **above})
    yield simulator.event(simulator.perform({"action": "ToggleMapView"}))
    simulator.close()


def test_a_map_shows_things_in_their_places_and_sizes(mapped: HouseholdEvent) -> None:
    half = mapped.metadata["cameraOrthSize"]
    assert half == (5.0 + 0.4) / 2
    mask = mapped.third_party_instance_masks[0][TABLE.object_id]
    rows, columns = np.nonzero(mask)
    pixel = 2 * half / SIZE
    left, right = columns.min() * pixel - half, (columns.max() + 1) * pixel - half
    far, near = half - rows.min() * pixel, half - (rows.max() + 1) * pixel
    assert (left, right, near, far) == pytest.approx((0.5, 1.5, 0.2, 0.8), abs=1.5 * pixel)


def test_a_maps_depth_counts_from_its_camera(mapped: HouseholdEvent) -> None:
    depth = mapped.third_party_depth_frames[0]
    on_table = mapped.third_party_instance_masks[0][TABLE.object_id]
    assert float(np.median(depth[on_table])) == pytest.approx(2.5 - 0.7, abs=0.002)
    assert float(depth[SIZE // 2, SIZE // 4]) == pytest.approx(2.5, abs=0.002)


def test_the_agents_view_can_be_the_map(mapped: HouseholdEvent) -> None:
    assert mapped.frame is not None
    assert np.array_equal(mapped.frame, mapped.third_party_camera_frames[0])
    assert mapped.metadata["cameraPosition"] == {"x": 0.0, "y": 2.5, "z": 0.0}


def test_a_camera_above_the_ceiling_sees_the_room(mapped: HouseholdEvent) -> None:
    assert mapped.third_party_instance_masks[1][TABLE.object_id].any()
    depth = mapped.third_party_depth_frames[1]
    assert float(depth[SIZE // 2, SIZE // 2]) == pytest.approx(6.0, abs=0.002)


def test_the_map_is_toggled_and_changes_no_sight() -> None:
    once = play(STATE, "ToggleMapView").state
    assert digest(once) != digest(STATE)
    assert once.objects is STATE.objects
    assert digest(play(once, "ToggleMapView").state) == digest(STATE)
