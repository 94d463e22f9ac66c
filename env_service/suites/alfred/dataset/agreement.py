"""Whether a trajectory is the one that its folder is named after."""

from __future__ import annotations

from collections.abc import Iterator

from env_service.suites.alfred.dataset.goal_reading import read_task_name
from env_service.suites.alfred.dataset.trajectory import Trajectory, TrajectoryError
from env_service.suites.alfred.task import Goal


def check_name(trajectory: Trajectory, folder: str, source: str) -> None:
    """That a trajectory is what its folder, "NAME/TRIAL", says: the task's name tells goal and
    scene, and agrees with the trajectory in all tasks that are published (spec section 1).

    Raises:
        TaskNameError: the name is no task's.
        TrajectoryError: the trajectory is another one.
    """
    name, _, trial = folder.partition("/")
    goal, scene = read_task_name(name, source)
    pairs = [
        ("task_id", trajectory.task_id, trial),
        ("scene.floor_plan", trajectory.setup.scene, scene),
        *_goals(trajectory.goal, goal),
    ]
    for where, found, said in pairs:
        if found != said:
            raise TrajectoryError(
                source,
                where,
                f"is {found!r:.60}, but its folder {folder} says {said!r:.60}: the file belongs to"
                " another task",
            )


def _goals(found: Goal, said: Goal) -> Iterator[tuple[str, object, object]]:
    yield "task_type", found.type.value, said.type.value
    yield "pddl_params.object_target", found.object, said.object
    yield "pddl_params.parent_target", found.parent, said.parent
    yield "pddl_params.mrecep_target", found.movable, said.movable
    yield "pddl_params.toggle_target", found.toggle, said.toggle
    yield "pddl_params.object_sliced", found.sliced, said.sliced
