"""A task's name tells its goal, and shows a trajectory that lies in another one's folder."""

from __future__ import annotations

import re
from typing import Any

import pytest

from env_service.suites.alfred.dataset.trajectories import (
    TaskNameError,
    TrajectoryError,
    check_name,
    read_task_name,
    read_trajectory,
)
from env_service.suites.alfred.task import Goal, TaskType
from tests.unit.suites.alfred.dataset.builders import NAME, TRIAL, trajectory_text


@pytest.mark.parametrize(
    ("name", "goal", "scene"),
    [
        (NAME, Goal(TaskType.CLEAN, "Mug", "Cabinet"), "FloorPlan7"),
        (
            "pick_heat_then_place_in_recep-PotatoSliced-None-SinkBasin-13",
            Goal(TaskType.HEAT, "Potato", "SinkBasin", sliced=True),
            "FloorPlan13",
        ),
        (
            "look_at_obj_in_light-CD-None-DeskLamp-302",
            Goal(TaskType.LOOK, "CD", toggle="DeskLamp"),
            "FloorPlan302",
        ),
        (
            "pick_and_place_with_movable_recep-Pen-Mug-Desk-301",
            Goal(TaskType.MOVABLE, "Pen", "Desk", "Mug"),
            "FloorPlan301",
        ),
    ],
)
def test_a_name_stands_for_a_goal_and_a_scene(name: str, goal: Goal, scene: str) -> None:
    assert read_task_name(name, "oct21.json") == (goal, scene)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "is not a task's name"),
        ("pick_and_place_simple-Mug-None-Cabinet", "TYPE-OBJECT-MOVABLE-RECEPTACLE-SCENE"),
        ("pick_and_place-Mug-None-Cabinet-7", "no task type 'pick_and_place'. Did you mean"),
        ("pick_and_place_simple-Mugs-None-Cabinet-7", "no object type 'Mugs'"),
        ("pick_and_place_simple-Mug-None-Cupbord-7", "no receptacle type 'Cupbord'"),
        ("pick_and_place_simple-Mug-Bowl-Cabinet-7", "names the movable receptacle 'Bowl'"),
        ("pick_and_place_with_movable_recep-Pen-None-Desk-301", "movable receptacle 'None'"),
        ("look_at_obj_in_light-Mug-None-Cabinet-7", "no lamp 'Cabinet'"),
    ],
)
def test_a_malformed_name_is_told(name: str, problem: str) -> None:
    with pytest.raises(TaskNameError, match=re.escape(problem)) as caught:
        read_task_name(name, "oct21.json")
    assert caught.value.source == "oct21.json"


def test_a_trajectory_in_its_own_folder_agrees() -> None:
    check_name(read_trajectory(trajectory_text(), "f"), f"{NAME}/{TRIAL}", "f")


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"task_id": "trial_other"}, "task_id"),
        ({"scene.floor_plan": "FloorPlan8", "scene.scene_num": 8}, "scene.floor_plan"),
        ({"task_type": "pick_heat_then_place_in_recep"}, "task_type"),
        ({"pddl_params.object_target": "Cup"}, "pddl_params.object_target"),
        ({"pddl_params.parent_target": "Shelf"}, "pddl_params.parent_target"),
        ({"pddl_params.object_sliced": True}, "pddl_params.object_sliced"),
    ],
)
def test_a_trajectory_in_another_folder_is_told(changes: dict[str, Any], where: str) -> None:
    trajectory = read_trajectory(trajectory_text(changes), "f")
    with pytest.raises(TrajectoryError, match="belongs to another task") as caught:
        check_name(trajectory, f"{NAME}/{TRIAL}", "f")
    assert caught.value.where == where
