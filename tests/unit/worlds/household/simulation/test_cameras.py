"""Cameras that are added to the scene."""

from __future__ import annotations

import pytest

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.simulation.actions.cameras import agent_camera, third_party_camera
from env_service.worlds.household.simulation.settings import Settings
from env_service.worlds.household.state import AgentState, HouseholdState, ThirdPartyCamera
from tests.support.small_home import home
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
    assert moved.cameras == (ThirdPartyCamera(Vec3(0.0, 1.0, 0.0), Vec3(90.0, 45.0, 0.0)),)
    assert not play(state, "UpdateThirdPartyCamera", thirdPartyCameraId=1).success


@pytest.mark.parametrize("angle", [0, 180, -10])
def test_an_angle_has_limits(angle: float) -> None:
    assert not play(STATE, "AddThirdPartyCamera", **THERE, fieldOfView=angle).success


def test_cameras_look_where_they_are_told() -> None:
    settings = Settings(width=64, height=32, field_of_view=70.0)
    agent = AgentState(Vec3(1.0, 0.901, 2.0), 30.0, 15.0)
    own = agent_camera(agent, settings)
    assert (own.position, own.yaw, own.pitch) == (Vec3(1.0, 0.901 + 0.675, 2.0), 30.0, 15.0)
    assert (own.width, own.height, own.field_of_view) == (64, 32, 70.0)
    other = third_party_camera(ThirdPartyCamera(Vec3(0, 2, 0), Vec3(1, 2, 3), 50.0), settings)
    assert (other.pitch, other.yaw, other.roll, other.field_of_view) == (1, 2, 3, 50.0)
