"""Where the agent's body fits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.simulation.actions.reachable_positions import reachable
from env_service.worlds.household.simulation.space.walkable_floor import Floor, floor_of
from env_service.worlds.household.state import HouseholdState
from tests.support.small_home import home, thing
from tests.support.turns import play

FRIDGE = thing("Fridge", (-2.0, 0.0, 1.5), (0.8, 1.8, 0.8), yaw=180.0)
CORNER = (
    thing("CounterTop", (0.0, 0.0, 1.7), (3.0, 0.9, 0.6), yaw=180.0),
    thing("CounterTop", (1.7, 0.0, 0.5), (3.0, 0.9, 0.6), yaw=270.0),
)


def floor(scene: SceneSpec) -> Floor:
    return floor_of(HouseholdState.at_start(scene))


def way(plan: Floor, start: tuple[float, float], end: tuple[float, float]) -> bool:
    return bool(plan.clear(np.array([start]), np.array([end]))[0])


def test_the_body_stops_its_radius_from_a_counter() -> None:
    plan = floor(home(CORNER[0]))
    assert way(plan, (0.0, 0.0), (0.0, 1.15))
    assert not way(plan, (0.0, 0.0), (0.0, 1.25))


def test_nothing_blocks_an_empty_floor() -> None:
    plan = floor(home())
    assert way(plan, (-2.2, -1.7), (2.2, 1.7))


def test_the_room_ends_at_its_walls() -> None:
    plan = floor(home())
    assert not way(plan, (0.0, 0.0), (2.4, 0.0))
    assert not plan.fits(2.45, 0.0)
    assert not plan.fits(100.0, 0.0)


def test_a_long_step_hits_what_lies_between() -> None:
    plan = floor(home(thing("GarbageCan", (0.0, 0.0, 0.0), (0.3, 0.6, 0.3))))
    assert not way(plan, (-2.0, 0.0), (2.0, 0.0))
    assert way(plan, (-2.0, 1.0), (2.0, 1.0))


def test_low_things_are_stepped_over() -> None:
    plan = floor(home(thing("Newspaper", (0.0, 0.0, 0.0), (0.4, 0.03, 0.3))))
    assert plan.fits(0.0, 0.0)


def test_a_closed_box_is_solid_inside() -> None:
    plan = floor(home(FRIDGE))
    assert not plan.fits(-2.0, 1.5)


def test_the_free_corner_of_two_counters_can_be_stood_in() -> None:
    plan = floor(home(*CORNER))
    assert plan.fits(1.1, 1.1)
    assert not plan.fits(1.3, 1.1)


def test_an_open_door_is_in_the_way() -> None:
    state = HouseholdState.at_start(home(FRIDGE))
    fridge = state.objects[FRIDGE.object_id]
    opened = state.having(replace(fridge, openness=1.0))
    in_front = np.array([[-2.0, 0.2]]), np.array([[-2.0, 0.85]])
    assert floor_of(state).clear(*in_front)[0]
    taken = floor_of(opened).taken.sum()
    assert taken > floor_of(state).taken.sum()


def test_what_is_in_hand_blocks_nothing() -> None:
    pot = thing("GarbageCan", (0.0, 0.0, 0.0), (0.3, 0.6, 0.3))
    state = HouseholdState.at_start(home(pot))
    held = state.having(replace(state.objects[pot.object_id], held=True))
    assert not floor_of(state).fits(0.0, 0.0)
    assert floor_of(held).fits(0.0, 0.0)
    assert not floor_of(state).fits(0.0, 0.0), "an older state has its own floor"


def test_who_touches_something_may_leave_it_but_come_no_closer() -> None:
    plan = floor(home(CORNER[0]))
    assert way(plan, (0.0, 1.3), (0.0, 1.0))
    assert not way(plan, (0.0, 1.3), (0.0, 1.35))


def test_the_nearest_blocker_is_named_first() -> None:
    near = thing("GarbageCan", (0.0, 0.0, 0.6), (0.3, 0.6, 0.3))
    plan = floor(home(CORNER[0], near))
    names = plan.blockers(Vec3(0.0, 0.9, 0.0), Vec3(0.0, 0.9, 1.5))
    assert names == (near.object_id, CORNER[0].object_id)
    assert plan.blockers(Vec3(0.0, 0.9, 0.0), Vec3(0.0, 0.9, -1.0)) == ()


def test_a_changed_object_gives_the_floor_that_a_fresh_look_gives() -> None:
    scene = home(FRIDGE, *CORNER)
    state = HouseholdState.at_start(scene)
    floor_of(state)
    opened = state.having(replace(state.objects[FRIDGE.object_id], openness=0.7))
    step_by_step = floor_of(opened).taken
    fresh = floor_of(replace(opened, scene=replace(scene))).taken
    np.testing.assert_array_equal(step_by_step, fresh)


def test_reachable_points_are_grid_points_that_hang_together() -> None:
    wall = thing("ShelvingUnit", (0.5, 0.0, 0.0), (4.0, 2.0, 0.3), yaw=90.0)
    state = HouseholdState.at_start(home(wall, at=(-1.0, 0.0)))
    points = reachable(state, 0.25)
    assert Vec3(-1.0, 0.901, 0.0) in points
    assert all(point.x < 0.2 for point in points), "nobody walks through a shelf"
    assert all((point.x * 4).is_integer() and (point.z * 4).is_integer() for point in points)
    assert list(points) == sorted(points, key=lambda point: (point.x, point.z))


@pytest.mark.parametrize("grid", [0.25, 0.5, 0.1])
def test_single_steps_lead_to_every_reachable_point(grid: float) -> None:
    state = HouseholdState.at_start(home(FRIDGE, *CORNER))
    plan, points = floor_of(state), reachable(state, grid)
    spots = {(round(p.x / grid), round(p.z / grid)) for p in points}
    found, queue = {(0, 0)}, [(0, 0)]
    while queue:
        i, k = queue.pop()
        for other in ((i + 1, k), (i - 1, k), (i, k + 1), (i, k - 1)):
            start, end = (i * grid, k * grid), (other[0] * grid, other[1] * grid)
            if other not in found and way(plan, start, end):
                found.add(other)
                queue.append(other)
    assert found == spots


@pytest.mark.parametrize("size", [0.001, 5.5, 1000.0, -1.0, 0.0])
def test_grids_that_nobody_can_walk_are_refused(size: float) -> None:
    result = play(HouseholdState.at_start(home(FRIDGE)), "GetReachablePositions", gridSize=size)
    assert not result.success
    assert "gridSize" in result.error


def test_a_grid_wider_than_the_room_is_where_the_agent_stands() -> None:
    assert len(reachable(HouseholdState.at_start(home(FRIDGE)), 5.0)) == 1


def test_a_way_from_far_outside_costs_no_more_than_the_room() -> None:
    plan = floor(home(FRIDGE))
    assert plan.blockers(Vec3(-9e5, 0.9, 1.5), Vec3(2.0, 0.9, 1.5))
    assert not way(plan, (-9e5, 0.0), (-9e5, 0.1))


def test_many_ways_are_judged_like_few() -> None:
    plan = floor(home(FRIDGE))
    numbers = np.random.default_rng(3).uniform(-2.5, 2.5, (5000, 2))
    ends = numbers + np.array([0.25, 0.0])
    together = plan.untouched(numbers, ends)
    apart = [plan.untouched(numbers[k : k + 500], ends[k : k + 500]) for k in range(0, 5000, 500)]
    assert (together == np.concatenate(apart)).all()
