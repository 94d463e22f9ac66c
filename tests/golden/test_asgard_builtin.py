"""Built-in tasks of AsgardBench are the same on every machine, and the expert solves them; the
episode agrees.

A sample, as each task takes seconds: `benchmarks.asgard_builtin` plays as many as it is told.
"""

from __future__ import annotations

import pytest

from env_service.suites.asgard.action_language import objects_in
from env_service.suites.asgard.ai2thor_start import thor_start
from env_service.suites.asgard.builtin.task_set import builtin_task_set
from env_service.suites.asgard.expert.solver import best_attempt
from env_service.suites.asgard.limits import StepLimits
from env_service.suites.asgard.metadata_view import AsgardView
from env_service.suites.asgard.task_sets import read_task
from env_service.worlds.ai2thor_api.world_registry import open_world
from env_service.worlds.household.render.selection import VARIABLE as RENDERER
from tests.support.asgard_expert import order_of, proved
from tests.support.whole import sample

SET = "builtin-7-75"
"""Seven families."""

DRAWN = {
    "coffee__has_coffee_household-kitchen-56204_V1": 9187,
    "clean_mirror__household-bathroom-26994_V1": 5010,
    "putaway__Dishes_Cup(d)_household-kitchen-72450_V1-Bowl Plate Cup Pot": 7325,
    "cook__PotatoSliced_Plate(d)_household-kitchen-19782_V1": 1625,
    "distribute__Lettuce_Pot_household-kitchen-54899_V1": 530,
    "turn_on_tv__household-living-room-69596_V1": 5333,
    "cook__Egg_Pan(d)_household-kitchen-25011_V1": 9501,
}
"""The names of its tasks, and the seeds of their start-ups."""

SOLVED = sample(range(len(DRAWN)), (1, 5))
"""The places of tasks that are played. The sample leaves out the families that take long:
`test_asgard_expert` and the tests of the command line play them."""


@pytest.fixture(autouse=True)
def _no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RENDERER, "none")


def tasks():
    found = builtin_task_set(SET)
    assert found is not None
    return found.tasks


def test_a_set_is_the_same_on_every_machine() -> None:
    assert {task.id: read_task(task).plan.seed for task in tasks()} == DRAWN


@pytest.mark.parametrize("place", SOLVED)
def test_the_expert_solves_a_task_within_its_limits(place: int) -> None:
    task = tasks()[place]
    order = order_of(task)
    attempt = best_attempt(order)
    assert attempt.won, attempt.dead_ends
    result = proved(order, attempt)
    assert result.success
    assert result.metrics["astray"] == 0.0
    assert len(attempt.steps) <= StepLimits.of(read_task(task).plan.step_count).hard


def test_the_words_are_those_of_the_room_that_opens() -> None:
    task = read_task(tasks()[0])
    world = open_world("household", task.plan.scene, thor_start(pixels=64))
    try:
        assert task.available == objects_in(AsgardView(world.last_event.metadata))
    finally:
        world.stop()
