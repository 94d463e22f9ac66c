"""The expert solves official tasks in the household world, and one in a built-in room; the episode
agrees.

A sample, as each task takes seconds: `benchmarks.asgard_expert` plays all 108.
"""

from __future__ import annotations

import pytest

from env_service.domain.task import Task
from env_service.suites.asgard.expert import solve
from env_service.suites.asgard.expert.solver import best_attempt
from env_service.suites.asgard.task_sets import read_task
from env_service.worlds.ai2thor_api.floor_plans import VARIABLE as FLOOR_PLANS
from env_service.worlds.household.render.selection import VARIABLE as RENDERER
from tests.support.asgard_expert import order_of, orders, proved
from tests.support.data import reference_data
from tests.support.whole import sample
from tests.unit.suites.asgard.builders import plan_data, specifier

SOLVED = (
    "clean_mirror__FloorPlan406_V1",
    "cook__Egg_Plate(d)_FloorPlan11_V1",
    "distribute__Apple_Plate_Bowl_FloorPlan13_V1",
    "putaway__Silverware_FloorPlan11_V1",
)
SAMPLE = sample(SOLVED, [name for name in SOLVED if name.startswith("putaway")])
"""The other tests distribute things; `test_asgard_builtin` cleans a mirror, and
`test_asgard_solutions` cooks."""


@pytest.fixture(autouse=True)
def _no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RENDERER, "none")


@pytest.fixture
def _floor_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = reference_data("ithor/dev/data/objects_metadata_samples")
    monkeypatch.setenv(FLOOR_PLANS, str(folder))


@pytest.mark.data
@pytest.mark.usefixtures("_floor_plans")
@pytest.mark.parametrize("name", SAMPLE)
def test_the_expert_solves_a_task_in_no_more_steps_than_the_release(name: str) -> None:
    (order,) = orders(reference_data("asgard"), only=name)
    attempt = best_attempt(order)
    assert attempt.won, attempt.dead_ends
    assert proved(order, attempt).success
    assert len(attempt.steps) <= read_task(order.task).plan.step_count


@pytest.mark.data
@pytest.mark.usefixtures("_floor_plans")
def test_what_solves_a_task_is_the_same_each_time() -> None:
    (order,) = orders(reference_data("asgard"), only="turn_on_tv__FloorPlan212")
    run = solve(order)
    assert run.success
    assert run == solve(order)
    assert len(run.actions) == 4


def test_the_expert_works_in_a_built_in_room() -> None:
    room = "household-kitchen-2"
    every = specifier(types=["Apple", "Knife", "Plate", "Bowl"])
    goals = [
        {"object_type": "AppleSliced", "destination_type": each, "outcome": "success"}
        for each in ("Plate", "Bowl")
    ]
    plan = plan_data(
        name=f"distribute__Apple_Plate_Bowl_{room}_V1",
        scene=room,
        setup_actions=[],
        object_setup={
            "target_setup": {"object_specifier": every, "container_specifier": None},
            "distractor_setups": [],
            "employed_types": [],
        },
        goal={
            "location_goals": goals,
            "state_goals": [],
            "put_away_goals": [],
            "action_goals": {},
            "contents_goals": [],
        },
    )
    task = Task(id=plan["name"], group="", cluster=room, data={"plan": plan, "objects": []})
    order = order_of(task)
    attempt = best_attempt(order)
    assert attempt.won, attempt.dead_ends
    assert proved(order, attempt).success
