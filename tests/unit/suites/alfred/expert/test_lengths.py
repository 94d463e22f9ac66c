"""L* of the path-weighted scores."""

from __future__ import annotations

from env_service.suites.alfred.expert.solver import path_length
from env_service.suites.alfred.task import AlfredTask, Goal, SceneSetup, TaskType


def test_the_length_of_a_way_is_the_skills_of_the_reference() -> None:
    goal = Goal(TaskType.SIMPLE, "Apple", "Fridge")
    task = AlfredTask("t", goal, SceneSetup("FloorPlan1"), reference=("find an apple",) * 4)
    assert path_length(task) == 4
