"""ActPlan's built-in tasks are the same on every machine, differ where they should, and can be
solved; and what the planner makes of the published problems.

A sample of the sets: ``python -m benchmarks.actplan_planner --builtin 240`` looks at as many as it
is told.
"""

from __future__ import annotations

import numpy as np
import pytest

from env_service.domain.observation import ObservationRequest
from env_service.domain.task import Task
from env_service.suites.actplan.builtin.activity_kinds import KINDS
from env_service.suites.actplan.builtin.pictures import HEIGHT, WIDTH, take_pictures
from env_service.suites.actplan.builtin.task_set import builtin_task_set
from env_service.suites.actplan.expert import solve
from env_service.suites.actplan.judges.judge import judge
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.planner.planner import PlanningAssumptions, plan_for, plan_under
from env_service.suites.actplan.plans.plan_reader import read_plan
from env_service.suites.actplan.suite import ActPlanSuite
from env_service.suites.actplan.task import ActPlanTask, Circumstance, Variant, read_task
from env_service.suites.base import EpisodeOrder
from env_service.worlds.activity.commonsense import PROFILES
from env_service.worlds.household.render.selection import VARIABLE as RENDERER
from tests.support.data import reference_data

SET = "builtin-8"

DRAWN = (
    "household-kitchen-85248/sorting_cutlery/0/sample_0",
    "household-kitchen-85248/sorting_cutlery/1/sample_0",
    "household-kitchen-64989/tossing_a_salad/0/sample_0",
    "household-kitchen-64989/tossing_a_salad/1/sample_0",
    "household-living-room-72515/decorating_a_coffee_table/0/sample_0",
    "household-living-room-72515/decorating_a_coffee_table/1/sample_0",
    "household-living-room-85201/tidying_a_living_room/0/sample_0",
    "household-living-room-85201/tidying_a_living_room/1/sample_0",
)
"""The names of its tasks."""

STRICT, ALL = 155, 164
"""Of the 166 published problems that compile: how many are solved as stated, and by all means, at
least."""


@pytest.fixture(scope="module")
def tasks() -> tuple[Task, ...]:
    found = builtin_task_set(SET)
    assert found is not None
    return found.tasks


@pytest.fixture(scope="module")
def read(tasks: tuple[Task, ...]) -> list[ActPlanTask]:
    return [read_task(each) for each in tasks]


def test_tasks_are_the_same_on_every_machine(tasks: tuple[Task, ...]) -> None:
    assert tuple(each.id for each in tasks) == DRAWN


def test_fewer_tasks_are_the_first_of_more(tasks: tuple[Task, ...]) -> None:
    fewer = builtin_task_set("builtin-3")
    assert fewer is not None
    assert fewer.tasks == tasks[:3]


def test_normal_and_counterfactual_tasks_take_turns(read: list[ActPlanTask]) -> None:
    assert [each.variant for each in read] == [*Variant] * (len(read) // 2)
    for each in read:
        normal = each.variant is Variant.NORMAL
        assert (each.circumstance is Circumstance.NONE) == normal


def test_a_counterfactual_asks_for_something_else(read: list[ActPlanTask]) -> None:
    for normal, changed in zip(read[::2], read[1::2], strict=True):
        one, other = (understand(each, corrections=True) for each in (normal, changed))
        assert normal.description != changed.description
        assert one.problem.goal != other.problem.goal
        normal_plan = read_plan("\n".join(plan_for(one) or ()))
        assert judge(one, normal_plan, PROFILES["standard"]).correct
        assert not judge(other, normal_plan, PROFILES["standard"]).correct


@pytest.mark.parametrize("play", ["plan", "steps"])
def test_the_expert_solves_them(tasks: tuple[Task, ...], play: str) -> None:
    suite = ActPlanSuite()
    condition = {each.name: each.default for each in suite.settings} | {"play": play}
    for task in tasks:
        order = EpisodeOrder(task, "activity", condition, ObservationRequest(text=True), 0)
        assert solve(order).success, task.id


def test_pictures_are_as_large_as_published_ones_and_show_something(
    read: list[ActPlanTask], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RENDERER, "soft")
    pictures = read[1].pictures
    frames = take_pictures(pictures)
    assert 2 <= len(frames) <= 5
    assert [each.view for each in frames] == [each.name for each in pictures.views]
    for frame in frames:
        assert frame.pixels.shape == (HEIGHT, WIDTH, 3)
        assert float(np.std(frame.pixels)) > 10


def test_no_activity_has_the_name_of_a_published_one() -> None:
    folder = reference_data("actplan/bddl/activity_definitions")
    published = {each.name for each in folder.iterdir()}
    assert not published & {kind.__name__ for kinds in KINDS.values() for kind in kinds}


def test_the_planner_solves_the_published_problems() -> None:
    folder = reference_data("actplan/bddl/activity_definitions")
    strict = solved = 0
    for path in sorted(folder.glob("*/problem[01].bddl")):
        variant = tuple(Variant)[int(path.stem[-1])]
        name = path.parent.name
        task = ActPlanTask(name, name, variant, path.read_text(encoding="utf-8"), "")
        activity = understand(task, corrections=True)
        strict += plan_under(activity, PlanningAssumptions()) is not None
        solved += plan_for(activity) is not None
    assert strict >= STRICT
    assert solved >= ALL
