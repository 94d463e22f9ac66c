"""A scene becomes the opening of a task."""

from __future__ import annotations

import math

import pytest

from env_service.domain.failure import FaultClass, WorldFault
from env_service.suites.alfred.setup.opening import ProblemKind, set_up
from env_service.suites.alfred.task import AgentStart, Goal, TaskType
from env_service.worlds.ai2thor_api.geometry import Point
from tests.unit.suites.alfred.setup.rooms import Kitchen, carried, pose, poses, task, with_goal


@pytest.fixture
def world():
    kitchen = Kitchen()
    yield kitchen
    kitchen.stop()


def kinds(prepared):
    return [each.kind for each in prepared.problems]


def places(house):
    return {each["objectId"]: each["position"] for each in house.objects}


def test_a_task_without_poses_leaves_everything_where_it_is(world):
    before = places(world.view)
    prepared = set_up(world, task())
    assert places(world.view) == before
    assert prepared.problems == ()
    assert prepared.astray == 0.0
    assert prepared.goal == task().goal


def test_poses_under_other_names_find_their_objects(world):
    before = world.view
    prepared = set_up(world, task(poses(before)))
    assert prepared.problems == ()
    assert places(world.view) == places(before)
    assert [each["name"] for each in world.view.objects] == [
        each["name"] for each in before.objects
    ]


def test_what_has_no_pose_leaves_and_furniture_stays(world):
    before = world.view
    kept = [each for each in poses(before) if each.type in ("Mug", "Tomato")]
    set_up(world, task(kept))
    assert {each["objectType"] for each in carried(world.view)} == {"Mug", "Tomato"}
    fixed = [each["objectId"] for each in before.objects if not each["pickupable"]]
    assert [e["objectId"] for e in world.view.objects if not e["pickupable"]] == fixed


def test_a_name_with_two_poses_is_there_twice(world):
    tomato = world.view.of_type("Tomato")[0]
    other = pose(tomato, 0, x=tomato["position"]["x"] + 0.15)
    given = [each for each in poses(world.view) if each.type != "Tomato"]
    prepared = set_up(world, task([*given, pose(tomato, 0), other]))
    assert prepared.problems == ()
    first, second = world.view.of_type("Tomato")
    assert second["position"]["x"] - first["position"]["x"] == pytest.approx(0.15)
    assert second["parentReceptacles"] == first["parentReceptacles"]


def test_more_names_than_objects_are_told_of(world):
    tomato = world.view.of_type("Tomato")[0]
    prepared = set_up(world, task([*poses(world.view), pose(tomato, 999)]))
    told = [each for each in prepared.problems if each.kind is ProblemKind.COPIED]
    assert [each.subject for each in told] == ["Tomato_000003e7"]
    assert "copy of" in told[0].reason


def test_a_type_that_the_scene_lacks_is_told_of(world):
    tomato = world.view.of_type("Tomato")[0]
    strange = pose({**tomato, "objectType": "Plunger"}, 7)
    prepared = set_up(world, task([*poses(world.view), strange]))
    assert [(each.kind, each.subject) for each in prepared.problems] == [
        (ProblemKind.ABSENT, "Plunger_00000007")
    ]


def test_what_does_not_stay_at_its_pose_is_told_of(world):
    given = [each for each in poses(world.view) if each.type != "Tomato"]
    tomato = world.view.of_type("Tomato")[0]
    high = tomato["position"]["y"] + 0.2
    prepared = set_up(world, task([*given, pose(tomato, 7, y=high)]))
    assert [(each.kind, each.subject) for each in prepared.problems] == [
        (ProblemKind.MOVED, "Tomato_00000007")
    ]
    assert world.view.of_type("Tomato")[0]["parentReceptacles"]


def test_dirt_and_liquids_are_as_the_task_says(world):
    mug = world.view.of_type("Mug")[0]
    world.step("FillObjectWithLiquid", objectId=mug["objectId"], fillLiquid="water")
    set_up(world, task(dirty_and_empty=True))
    assert all(each["isDirty"] for each in world.view.objects if each["dirtyable"])
    assert not any(e["isFilledWithLiquid"] for e in world.view.objects if e["canFillWithLiquid"])


def test_things_are_switched_by_type(world):
    set_up(world, task(toggles=(("Faucet", True),)))
    assert all(each["isToggled"] for each in world.view.of_type("Faucet"))
    world.calls.clear()
    set_up(world, task(toggles=(("Faucet", True),)))
    assert world.calls == []
    set_up(world, task(toggles=(("Faucet", False),)))
    assert not any(each["isToggled"] for each in world.view.of_type("Faucet"))


def test_a_switch_that_is_refused_is_told_of():
    world = Kitchen(refuse="ToggleObjectOn")
    prepared = set_up(world, task(toggles=(("Faucet", True),)))
    assert set(kinds(prepared)) == {ProblemKind.TOGGLE}
    assert prepared.problems[0].reason.startswith("ToggleObjectOn: ")
    world.stop()


def test_the_calls_come_in_the_benchmarks_order(world):
    start = AgentStart(world.view.agent.position, yaw=90.0, horizon=30.0)
    given = task(poses(world.view), toggles=(("Faucet", True),), dirty_and_empty=True, agent=start)
    set_up(world, given)
    known = ("ToggleObjectOn", "DirtyObject", "SetObjectPoses", "Teleport")
    assert list(dict.fromkeys(each for each in world.calls if each in known)) == list(known)
    assert (world.view.agent.yaw, world.view.agent.horizon) == (90.0, 30.0)


def test_the_agents_height_is_that_of_this_world(world):
    at = world.view.agent.position
    start = AgentStart(at._replace(y=at.y + 0.2), yaw=450.0, horizon=75.0)
    assert set_up(world, task(agent=start)).astray == 0.0
    assert world.view.agent.position == at
    assert (world.view.agent.yaw, world.view.agent.horizon) == (90.0, 60.0)


def test_an_agent_whose_pose_is_taken_stands_as_near_as_it_can(world):
    fridge = Point.read(world.view.of_type("Fridge")[0]["position"])
    prepared = set_up(world, task(agent=AgentStart(fridge, yaw=0.0, horizon=0.0)))
    at = world.view.agent.position
    assert prepared.astray == pytest.approx(math.hypot(at.x - fridge.x, at.z - fridge.z))
    assert kinds(prepared) == [ProblemKind.AGENT]
    free = world.step("GetReachablePositions").metadata["actionReturn"]
    nearest = min(math.hypot(p["x"] - fridge.x, p["z"] - fridge.z) for p in free)
    assert prepared.astray == pytest.approx(nearest)


def test_a_goal_that_is_met_from_the_start_is_told_of(world):
    tomato = world.view.of_type("Tomato")[0]
    holder = world.view.parents(tomato)[0]
    goal = Goal(TaskType.SIMPLE, "Tomato", str(holder["objectType"]))
    assert kinds(set_up(world, with_goal(task(), goal))) == [ProblemKind.MET]


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (Goal(TaskType.SIMPLE, "Plunger", "Fridge"), "no pickupable Plunger"),
        (Goal(TaskType.SIMPLE, "Mug", "Toilet"), "no receptacle Toilet"),
        (Goal(TaskType.LOOK, "Mug", toggle="DeskLamp"), "no toggleable DeskLamp"),
        (Goal(TaskType.MOVABLE, "Tomato", "Fridge", "Box"), "no receptacle Box"),
        (Goal(TaskType.SIMPLE, "Mug", "Fridge", sliced=True), "no sliceable Mug"),
        (Goal(TaskType.TWO, "Tomato", "Fridge"), "has 1 pickupable Tomato, and 2 of them"),
    ],
)
def test_a_goal_that_cannot_be_reached_is_a_fault_of_the_data(world, goal, words):
    with pytest.raises(WorldFault, match=words) as caught:
        set_up(world, with_goal(task(), goal))
    assert caught.value.fault is FaultClass.DATA_FAULT
    assert "a_task cannot be set up in household-kitchen-1" in caught.value.detail


@pytest.mark.parametrize("refused", ["SetObjectPoses", "Teleport"])
def test_a_world_that_refuses_the_opening_is_a_fault(refused):
    world = Kitchen(refuse=refused)
    start = AgentStart(world.view.agent.position, yaw=0.0, horizon=0.0)
    with pytest.raises(WorldFault, match="a_task cannot be set up") as caught:
        set_up(world, task(poses(world.view), agent=start))
    assert caught.value.fault is FaultClass.DATA_FAULT
    world.stop()


def test_equal_tasks_open_equally(world):
    given = task([each for each in poses(world.view) if each.type != "Fork"], dirty_and_empty=True)
    first = (set_up(world, given), [dict(each) for each in world.view.objects])
    world.reset()
    assert (set_up(world, given), [dict(each) for each in world.view.objects]) == first
