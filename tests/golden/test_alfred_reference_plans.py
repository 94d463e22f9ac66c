"""Official trajectories, converted to skills, reach their goals in the household world.

A sample; `benchmarks.alfred_plans` plays all.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from env_service.suites.alfred.ai2thor_start import thor_start
from env_service.suites.alfred.dataset.trajectories import Trajectory, read_trajectory, steps_of
from env_service.suites.alfred.goals import evaluate
from env_service.suites.alfred.rules import EXACT, STRICT_LOTA, Rules
from env_service.suites.alfred.setup.opening import set_up
from env_service.suites.alfred.skills.robot import Robot
from env_service.suites.alfred.skills.steps import SkillResult
from env_service.suites.alfred.task import AlfredTask, TaskType
from env_service.worlds.ai2thor_api.floor_plans import VARIABLE as FLOOR_PLANS
from env_service.worlds.ai2thor_api.world_registry import open_world
from env_service.worlds.household.render.selection import VARIABLE as RENDERER
from tests.support.data import reference_data
from tests.support.whole import sample

pytestmark = pytest.mark.data

SOLVED = (
    "trial_T20190907_070857_687585",
    "trial_T20190907_114323_767231",
    "trial_T20190909_032340_274147",
    "trial_T20190907_114931_692464",
    "trial_T20190908_233333_221307",
    "trial_T20190908_133804_285739",
    "trial_T20190908_064808_086925",
    "trial_T20190908_212725_836398",
    "trial_T20190909_004531_429065",
    "trial_T20190910_173916_331859",
    "trial_T20190909_014639_335717",
    "trial_T20190907_161729_798002",
)

ONE_OF_EACH = SOLVED[1:10:2] + SOLVED[10:]
"""One of each type."""

PLAYED = sample(SOLVED, [SOLVED[place] for place in (1, 7)])
"""A light and something clean."""

TWO = "trial_T20190908_122244_451639"
"""Two of a type, next to each other in the open."""


@pytest.fixture(autouse=True)
def _scenes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = reference_data("ithor/dev/data/objects_metadata_samples")
    monkeypatch.setenv(FLOOR_PLANS, str(folder))
    monkeypatch.setenv(RENDERER, "none")
    yield


def _trajectory(name: str) -> Trajectory:
    folder = reference_data("alfred/data/json_2.1.0/valid_seen")
    (path,) = folder.glob(f"*/{name}/traj_data.json")
    return read_trajectory(path.read_text(), name)


def _played(trajectory: Trajectory, rules: Rules = EXACT) -> tuple[bool, list[SkillResult]]:
    """Whether the goal is met after all steps, and how they went."""
    task = AlfredTask(trajectory.task_id, trajectory.goal, trajectory.setup)
    world = open_world("household", task.setup.scene, thor_start())
    try:
        prepared = set_up(world, task)
        robot = Robot(world, rules, prepared.aliases)
        results = [robot.do(step) for step in steps_of(trajectory)]
        conditions = evaluate(prepared.goal, robot.view, robot.marks, rules)
        return all(each.met for each in conditions), results
    finally:
        world.stop()


@pytest.mark.parametrize("name", PLAYED)
def test_a_reference_plan_reaches_its_goal(name: str) -> None:
    solved, results = _played(_trajectory(name))
    assert solved, [each.message for each in results if not each.worked]


def test_the_sample_has_all_types() -> None:
    assert {_trajectory(each).goal.type for each in ONE_OF_EACH} == set(TaskType)


def test_two_of_a_type_are_placed_by_exact_rules_alone() -> None:
    trajectory = _trajectory(TWO)
    assert _played(trajectory)[0]
    assert not _played(trajectory, STRICT_LOTA)[0]


def test_a_plan_goes_the_same_each_time() -> None:
    trajectory = _trajectory(SOLVED[0])
    assert _played(trajectory) == _played(trajectory)
