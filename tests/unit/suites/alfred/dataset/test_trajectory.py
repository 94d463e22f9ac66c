"""What is read of a trajectory, and what is said of a bad one."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from env_service.suites.alfred.dataset.trajectories import (
    HighAction,
    TrajectoryError,
    action_sequence,
    read_trajectory,
)
from env_service.suites.alfred.task import AgentStart, Goal, TaskType
from env_service.worlds.ai2thor_api.geometry import Point
from tests.unit.suites.alfred.dataset.builders import (
    SEQUENCE,
    TRIAL,
    trajectory_data,
    trajectory_text,
)

LOOK = {
    "task_type": "look_at_obj_in_light",
    "pddl_params.parent_target": "",
    "pddl_params.toggle_target": "FloorLamp",
    "scene.object_toggles": [{"objectType": "FloorLamp", "isOn": False}],
}


def test_a_trajectory_tells_goal_opening_commands_and_plan() -> None:
    found = read_trajectory(trajectory_text(), "traj_data.json")
    assert found.task_id == TRIAL
    assert found.goal == Goal(TaskType.CLEAN, "Mug", "Cabinet")
    setup = found.setup
    assert (setup.scene, setup.dirty_and_empty, setup.toggles) == ("FloorPlan7", True, ())
    assert setup.agent == AgentStart(Point(0.5, 0.9, -1.0), 90.0, 30.0)
    assert [pose.type for pose in setup.poses] == ["Mug", "Mug", "Knife"]
    assert setup.poses[2].position == Point(0.2, 0.9, -1.2)
    assert setup.poses[2].rotation == Point(0.0, 90.0, 0.0)
    assert found.annotations == ("Wash a cup and put it away.\n", "put a clean mug in the cupboard")
    assert len(found.low_actions) == 11
    assert found.action_sequence == SEQUENCE


def test_a_task_under_a_lamp_has_no_receptacle() -> None:
    found = read_trajectory(trajectory_text(LOOK), "traj_data.json")
    assert found.goal == Goal(TaskType.LOOK, "Mug", toggle="FloorLamp")
    assert found.setup.toggles == (("FloorLamp", False),)


def test_slices_in_a_movable_receptacle_go_to_the_basin_by_its_own_name() -> None:
    changes = {
        "task_type": "pick_and_place_with_movable_recep",
        "pddl_params.object_target": "Apple",
        "pddl_params.mrecep_target": "Bowl",
        "pddl_params.parent_target": "SinkBasin",
        "pddl_params.object_sliced": True,
    }
    found = read_trajectory(trajectory_text(changes), "traj_data.json")
    assert found.goal == Goal(TaskType.MOVABLE, "Apple", "SinkBasin", "Bowl", sliced=True)


def test_a_plan_without_an_end_is_told_without_done() -> None:
    plan = [HighAction("GotoLocation", ("cloth",)), HighAction("PutObject", ("cloth", "bed"))]
    assert action_sequence(plan) == "1. GotoLocation(cloth), 2. PutObject(cloth,bed)"
    assert action_sequence([]) == ""


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"scene": ...}, "", "lacks the key 'scene'"),
    ({"scene": None}, "scene", "is None, not an object"),
    ({"scene.floor_plan": ...}, "scene", "lacks the key 'floor_plan'"),
    ({"scene.floor_plan": "Kitchen"}, "scene.floor_plan", "as FloorPlan10"),
    ({"scene.scene_num": 8}, "scene.scene_num", "is 8, but scene.floor_plan is FloorPlan7"),
    ({"scene.object_poses": {}}, "scene.object_poses", "not a list"),
    ({"scene.object_poses.1.position": ...}, "scene.object_poses[1]", "lacks the key 'position'"),
    ({"scene.object_poses.1.position": 3}, "scene.object_poses[1].position", "not an object"),
    ({"scene.object_poses.1.position.y": "1"}, "scene.object_poses[1].position.y", "not a number"),
    ({"scene.object_poses.0.rotation.x": math.nan}, "scene.object_poses[0].rotation.x", "finite"),
    ({"scene.object_poses.0.position.x": 1e308}, "scene.object_poses[0].position.x", "1e+308 m"),
    ({"scene.init_action.rotation": -1e9}, "scene.init_action.rotation", "to 36000"),
    ({"scene.object_poses": [{}] * 10_000}, "scene.object_poses", "has 10000 poses"),
    ({"scene.object_poses.0.objectName": "Mug"}, "scene.object_poses[0].objectName", "TYPE_ID"),
    ({"scene.dirty_and_empty": "no"}, "scene.dirty_and_empty", "not true or false"),
    ({"scene.object_toggles": [{"objectType": "Lamp"}]}, "scene.object_toggles[0]", "'isOn'"),
    ({"scene.init_action.horizon": ...}, "scene.init_action", "lacks the key 'horizon'"),
    ({"pddl_params": ...}, "", "lacks the key 'pddl_params'"),
    ({"pddl_params": []}, "pddl_params", "not an object"),
    ({"pddl_params.object_target": "Mugg"}, "pddl_params.object_target", "mean 'Mug'"),
    ({"pddl_params.object_target": ""}, "pddl_params.object_target", "is empty"),
    ({"pddl_params.parent_target": "Sink"}, "pddl_params.parent_target", "mean 'SinkBasin'"),
    ({"pddl_params.mrecep_target": "Bowl"}, "pddl_params.mrecep_target", "has none"),
    ({"pddl_params.object_sliced": 0}, "pddl_params.object_sliced", "not true or false"),
    ({"task_type": "pick_and_place_simpel"}, "task_type", "mean 'pick_and_place_simple'"),
    ({"task_type": 4}, "task_type", "is 4, not a text"),
    ({"task_id": ...}, "", "lacks the key 'task_id'"),
    ({"plan": ...}, "", "lacks the key 'plan'"),
    ({"plan.low_actions": []}, "plan.low_actions", "is an empty list"),
    ({"plan.low_actions.0.api_action": None}, "plan.low_actions[0].api_action", "not an object"),
    (
        {"plan.low_actions.0.api_action.action": "MoveAhaed"},
        "plan.low_actions[0].api_action.action",
        "mean 'MoveAhead'",
    ),
    (
        {"plan.low_actions.3.api_action.receptacleObjectId": ...},
        "plan.low_actions[3].api_action",
        "lacks the key 'receptacleObjectId'",
    ),
    (
        {"plan.low_actions.1.api_action.objectId": "|1|2|3"},
        "plan.low_actions[1].api_action.objectId",
        "an object's id",
    ),
    (
        {"plan.high_pddl.0.discrete_action.args": [5]},
        "plan.high_pddl[0].discrete_action.args[0]",
        "not a text",
    ),
    ({"turk_annotations.anns": []}, "turk_annotations.anns", "an annotation at least"),
    (
        {"turk_annotations.anns.1.task_desc": " "},
        "turk_annotations.anns[1].task_desc",
        "is empty",
    ),
]


@pytest.mark.parametrize(("changes", "where", "problem"), BAD)
def test_what_is_wrong_is_named_with_its_place(
    changes: dict[str, Any], where: str, problem: str
) -> None:
    with pytest.raises(TrajectoryError, match=re.escape(problem)) as caught:
        read_trajectory(trajectory_text(changes), "a/traj_data.json")
    assert caught.value.where == where
    assert str(caught.value).startswith(f"a/traj_data.json: {where}")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "line 1: is not JSON: Expecting value at column 1"),
        ('{"scene": ', "is not JSON"),
        ("[]", "not an object"),
        ("null", "not an object"),
        (b'{"a": "\xff"}', "byte 7: is not text in UTF-8"),
        ("[" * 100_000, "nested too deeply"),
        ('{"scene": ' + "9" * 6000 + "}", "cannot be read"),
    ],
)
def test_a_text_that_is_no_trajectory_is_named(text: str | bytes, problem: str) -> None:
    with pytest.raises(TrajectoryError, match=re.escape(problem)):
        read_trajectory(text, "traj_data.json")


def test_files_of_the_test_splits_are_refused_with_what_to_use_instead() -> None:
    whole = trajectory_data()
    held = {key: whole[key] for key in ("scene", "task_id", "turk_annotations")}
    text = trajectory_text(dict.fromkeys(whole.keys() - held.keys(), ...))
    with pytest.raises(TrajectoryError, match=r"test splits.*use train, valid_seen"):
        read_trajectory(text, "traj_data.json")
