"""From where an object can be reached."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from env_service.worlds.household.simulation.settings import Settings
from env_service.worlds.household.state import HouseholdState
from tests.support.small_home import home, thing
from tests.support.turns import play

COUNTER = thing("CounterTop", (0.0, 0.0, 1.7), (3.0, 0.9, 0.6), yaw=180.0)
MUG = thing("Mug", (0.0, 0.9, 1.6), (0.1, 0.1, 0.1))
STATE = HouseholdState.at_start(home(COUNTER, MUG))
SETTINGS = Settings(visibility_distance=1.5)


def poses(state: HouseholdState = STATE, **arguments: Any) -> list[dict[str, Any]]:
    result = play(
        state, "GetInteractablePoses", settings=SETTINGS, objectId=MUG.object_id, **arguments
    )
    assert result.success, result.error
    found: list[dict[str, Any]] = result.value
    return found


def test_poses_are_near_the_object_and_face_it() -> None:
    found = poses(horizons=[0])
    assert found
    for pose in found:
        dx, dz = 0.0 - pose["x"], 1.6 - pose["z"]
        assert math.hypot(dx, dz) < 1.6
        towards = math.degrees(math.atan2(dx, dz))
        turn = (pose["rotation"] - towards + 180) % 360 - 180
        assert abs(turn) <= 60


def test_poses_have_what_a_full_teleport_takes() -> None:
    for pose in poses()[::10]:
        assert set(pose) == {"x", "y", "z", "rotation", "standing", "horizon"}
        rotation = {"y": pose["rotation"]}
        assert play(STATE, "TeleportFull", **{**pose, "rotation": rotation}).success


def test_only_what_is_asked_for_is_tried() -> None:
    spot = {"x": 0.0, "y": 0.901, "z": 0.75}
    found = poses(positions=[spot], rotations=[0, 180], horizons=[30], standings=[True])
    assert found == [{**spot, "rotation": 0.0, "standing": True, "horizon": 30.0}]
    assert len(poses(maxPoses=3)) == 3


def test_a_barrier_hides_it_from_who_crouches() -> None:
    barrier = thing("CounterTop", (0.0, 0.0, 1.0), (4.9, 1.15, 0.2), yaw=180.0)
    state = HouseholdState.at_start(home(COUNTER, MUG, barrier))
    spot = {"x": 0.0, "y": 0.901, "z": 0.5}
    found = poses(state, positions=[spot], rotations=[0])
    assert found
    assert all(pose["standing"] for pose in found)


def test_a_wall_between_hides_it() -> None:
    wall = thing("CounterTop", (0.0, 0.0, 1.1), (4.9, 2.4, 0.1), yaw=180.0)
    assert poses(HouseholdState.at_start(home(COUNTER, MUG, wall))) == []


def test_what_is_in_hand_is_in_reach_of_nothing() -> None:
    held = STATE.having(replace(STATE.objects[MUG.object_id], held=True))
    assert poses(held) == []


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"objectId": "Mug|nowhere"}, "is not the objectId on any object"),
        ({"horizons": [70]}, "Each horizon must be in [-30:60]"),
        ({"standings": [1]}, "Each standing"),
        ({"positions": [{"x": 1}]}, "'y'"),
        ({"rotations": ["north"]}, "north"),
        ({"maxPoses": 0}, "maxPoses must be > 0"),
    ],
)
def test_nonsense_is_refused(arguments: dict[str, Any], text: str) -> None:
    given = {"objectId": MUG.object_id, **arguments}
    result = play(STATE, "GetInteractablePoses", settings=SETTINGS, **given)
    assert text in result.error


def test_what_lies_at_the_bottom_of_a_deep_bin_is_seen_from_nowhere_far() -> None:
    bin_ = replace(thing("GarbageCan", (0.0, 0.0, 1.0), (0.3, 0.7, 0.3)), contents=())
    egg = replace(thing("Egg", (0.0, 0.03, 1.0), (0.05, 0.05, 0.05)), parents=(bin_.object_id,))
    bin_ = replace(bin_, contents=(egg.object_id,))
    state = HouseholdState.at_start(home(bin_, egg, at=(0.0, -1.5)))
    far = [{"x": 0.0, "y": 0.901, "z": z} for z in (-1.5, -1.0, -0.5)]
    result = play(state, "GetInteractablePoses", objectId=egg.object_id, positions=far)
    assert result.success
    assert result.value == []


def test_water_in_a_basin_hides_nothing() -> None:
    basin = thing("SinkBasin", (0.0, 0.75, 1.6), (0.5, 0.15, 0.4), yaw=180.0)
    bowl = thing("Bowl", (0.0, 0.755, 1.6), (0.18, 0.06, 0.18))
    state = HouseholdState.at_start(home(basin, bowl))
    full = state.having(replace(state.objects[basin.object_id], liquid="water"))

    def seen(now: HouseholdState) -> list[dict[str, Any]]:
        result = play(now, "GetInteractablePoses", settings=SETTINGS, objectId=bowl.object_id)
        found: list[dict[str, Any]] = result.value
        return found

    assert seen(state)
    assert seen(full) == seen(state)
