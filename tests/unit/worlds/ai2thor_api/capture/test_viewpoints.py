"""Where pictures are taken from."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from env_service.worlds.ai2thor_api.capture.recording import viewpoints

ROOM = [{"x": 0.25 * i, "y": 0.901, "z": 0.25 * k} for i in range(9) for k in range(5)]


def spots(count: int) -> list[tuple[float, float]]:
    return [(each.x, each.z) for each in viewpoints(ROOM, count)]


def test_first_come_the_corners_then_the_middle() -> None:
    assert sorted(spots(4)) == [(0.0, 0.0), (0.0, 1.0), (2.0, 0.0), (2.0, 1.0)]
    assert spots(5)[4] == (1.0, 0.5)


def test_they_look_to_the_middle() -> None:
    for pose in viewpoints(ROOM, 4):
        ahead = (math.sin(math.radians(pose.yaw)), math.cos(math.radians(pose.yaw)))
        to_middle = (1.0 - pose.x, 0.5 - pose.z)
        length = math.hypot(*to_middle)
        cosine = (ahead[0] * to_middle[0] + ahead[1] * to_middle[1]) / length
        assert cosine == pytest.approx(1.0, abs=1e-3)


def test_the_order_of_points_does_not_matter() -> None:
    assert viewpoints(ROOM[::-1], 12) == viewpoints(ROOM, 12)
    assert viewpoints(ROOM, 12)[:7] == viewpoints(ROOM, 7)


def test_further_ones_keep_their_distance() -> None:
    chosen = spots(9)
    assert len(set(chosen)) == 9
    assert all(math.dist(a, b) >= 0.5 for a, b in pairwise(chosen))


def test_there_are_no_more_than_points() -> None:
    assert len(viewpoints(ROOM[:3], 9)) == 3
    assert viewpoints(ROOM, 0) == viewpoints([], 4) == []
    (alone,) = viewpoints(ROOM[:1], 4)
    assert alone.yaw == 0.0


def test_a_pose_is_what_teleport_takes() -> None:
    (pose,) = viewpoints(ROOM, 1)
    arguments = pose.arguments()
    assert arguments["position"] == {"x": 0.0, "y": 0.901, "z": 0.0}
    assert arguments["rotation"] == {"x": 0.0, "y": pose.yaw, "z": 0.0}
    assert -30 <= arguments["horizon"] <= 60
    assert arguments["standing"] is True
