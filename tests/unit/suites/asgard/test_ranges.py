from __future__ import annotations

import pytest

from env_service.suites.asgard.actions.body import (
    bearing,
    posture_for,
    range_of,
    should_crouch,
    turn,
)
from env_service.worlds.ai2thor_api.geometry import Point
from env_service.worlds.ai2thor_api.metadata_view import AgentPose
from tests.unit.suites.asgard.builders import room, thing

HERE = AgentPose(Point(0.0, 0.9, 0.0), yaw=0.0, horizon=0.0, standing=True)


def test_fridges_are_opened_from_afar_and_sinks_used_from_near():
    assert range_of("Fridge").excess(1.2) == pytest.approx(0.3)
    assert range_of("SinkBasin").excess(0.9) == pytest.approx(0.4)
    assert range_of("Apple").excess(1.2) == 0.0


@pytest.mark.parametrize(
    ("end", "degrees"), [((0, 0, 1), 0), ((1, 0, 0), 90), ((0, 0, -1), 180), ((-1, 0, 0), 270)]
)
def test_directions_count_clockwise_from_z(end: tuple[float, float, float], degrees: float):
    assert bearing(Point(0, 0, 0), Point(*end)) == pytest.approx(degrees)


def test_turns_take_the_short_way():
    assert turn(350.0, 10.0) == pytest.approx(20.0)
    assert turn(10.0, 350.0) == pytest.approx(-20.0)


def test_the_agent_crouches_for_low_small_things():
    low, high = thing("Apple", (0, 0.3, 1)), thing("Apple", (0, 0.9, 1))
    tall = thing("GarbageCan", (0, 0.3, 1), (0.3, 0.6, 0.3))
    view = room(low)
    assert [should_crouch(each, view) for each in (low, high, tall)] == [True, False, False]


def test_nobody_crouches_for_what_lies_in_a_drawer_nor_for_one_at_the_hip():
    drawer = thing("Drawer", (0, 0.5, 1), (0.4, 0.2, 0.4), receptacleObjectIds=["Fork"])
    fork = thing("Fork", (0, 0.5, 1), parentReceptacles=["Drawer"])
    view = room(drawer, fork)
    assert not should_crouch(fork, view)
    assert not should_crouch(drawer, view)


@pytest.mark.parametrize(
    ("height", "away", "horizon"),
    [(1.5, 2.0, 0.0), (0.9, 1.0, 30.0), (0.9, 0.3, 60.0), (2.5, 1.0, -30.0)],
)
def test_the_camera_tilts_in_steps_of_thirty_degrees(height: float, away: float, horizon: float):
    item = thing("Mug", (0, height, away))
    assert posture_for(item, room(item), HERE).horizon == horizon
