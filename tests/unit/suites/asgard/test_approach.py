from __future__ import annotations

from collections.abc import Iterator

import pytest

from env_service.suites.asgard.actions.body import (
    Attempt,
    Body,
    ReleaseMemory,
    center,
    glance,
    range_of,
)
from env_service.suites.asgard.actions.navigation import (
    MOST_POSES,
    Approach,
    Exhausted,
    candidate_poses,
)
from env_service.suites.asgard.ai2thor_start import INITIALIZATION
from env_service.worlds.ai2thor_api.geometry import distance
from env_service.worlds.household.controller import HouseholdController
from tests.support.small_home import Homes, home, thing

SCENE = home(
    thing("CounterTop", (0.0, 0.0, 1.6), (2.0, 0.9, 0.6)),
    thing("Apple", (0.3, 0.9, 1.5), (0.08, 0.08, 0.08)),
    thing("DiningTable", (0.0, 0.0, 0.2), (2.4, 0.8, 0.4)),
    thing("Mug", (-2.0, 0.0, -1.5), (0.1, 0.1, 0.1)),
    at=(0.0, -1.0),
)
FAILS = Attempt(success=False, error="it does not go")


@pytest.fixture
def body() -> Iterator[Body]:
    with HouseholdController(
        "small-home", library=Homes(SCENE), width=64, height=64, **INITIALIZATION
    ) as world:
        yield Body(world, ReleaseMemory())


def test_an_object_behind_a_table_is_reached_around_it(body):
    apple = body.view.first("Apple")
    assert Approach(body, apple).find()
    assert body.view.visible(body.fresh(apple))
    assert distance(body.pose.position, center(apple)) <= range_of("Apple").farthest


def test_the_pose_that_served_is_remembered(body):
    mug = body.view.first("Mug")
    assert Approach(body, mug).find()
    assert body.memory.stances[mug["name"]] == body.pose
    assert not body.pose.standing


def test_an_attempt_is_made_from_pose_after_pose_until_it_succeeds(body):
    apple = body.view.first("Apple")
    poses = []

    def third() -> Attempt:
        poses.append(body.pose)
        return Attempt(success=True) if len(poses) == 3 else FAILS

    Approach(body, apple).act(third)
    assert len(set(poses)) == 3


def test_when_all_poses_are_used_up_the_last_error_is_told(body):
    with pytest.raises(Exhausted) as raised:
        Approach(body, body.view.first("Mug")).act(lambda: FAILS)
    assert raised.value.error == "it does not go"
    assert not raised.value.hopeless


def test_nothing_is_tried_again_that_no_pose_would_change(body):
    tries = []

    def attempt() -> Attempt:
        tries.append(body.pose)
        return Attempt(success=False, error="This target object is NOT a receptacle!")

    with pytest.raises(Exhausted) as raised:
        Approach(body, body.view.first("Mug")).act(attempt)
    assert len(tries) == 1
    assert raised.value.hopeless


def test_poses_come_nearest_to_the_range_first_and_are_few(body):
    table = body.view.first("DiningTable")
    found = list(candidate_poses(body, table))
    assert 0 < len(found) <= MOST_POSES
    assert [each.slack for each in found] == sorted(each.slack for each in found)


def test_a_glance_tilts_but_never_turns_and_undoes_what_did_not_help(body):
    mug = body.view.first("Mug")
    body.do("Teleport", rotation={"x": 0.0, "y": 240.0, "z": 0.0}, horizon=-30.0)
    yaw = body.pose.yaw
    assert not body.view.visible(mug)
    assert glance(body, mug)
    assert body.pose.yaw == yaw
    body.do("Teleport", rotation={"x": 0.0, "y": 60.0, "z": 0.0}, horizon=0.0)
    before = body.pose
    assert not glance(body, mug)
    assert body.pose == before
