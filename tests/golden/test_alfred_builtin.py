"""Built-in tasks of ALFRED's types are the same on every machine, and can be solved: their
reference plans do it, and the expert does.

A sample, as each task takes a second: `houseguest expert --suite alfred --task-set builtin-70-3`
plays as many as it is told.
"""

from __future__ import annotations

from functools import cache

import pytest

from env_service.suites.alfred.builtin.task_set import builtin_task_set
from env_service.suites.alfred.expert.solver import ExpertSite, plan_for
from env_service.suites.alfred.skills.vocabulary import parse_skill
from env_service.suites.alfred.task import AlfredTask, TaskType, read_task
from env_service.worlds.household.render.selection import VARIABLE as RENDERER
from tests.support.whole import sample

SET = "builtin-7"
"""The seven types."""

DRAWN = (
    "pick_heat_then_place_in_recep-PotatoSliced-None-Fridge-household-kitchen-52891",
    "pick_and_place_with_movable_recep-LettuceSliced-Pot-Fridge-household-kitchen-65107",
    "pick_two_obj_and_place-SoapBottle-None-GarbageCan-household-bathroom-55578",
    "look_at_obj_in_light-Candle-None-DeskLamp-household-bedroom-57257",
    "pick_cool_then_place_in_recep-Tomato-None-CounterTop-household-kitchen-11252",
    "pick_and_place_simple-HandTowel-None-SinkBasin-household-bathroom-83627",
    "pick_clean_then_place_in_recep-DishSponge-None-Drawer-household-kitchen-21919",
)
"""The names of its tasks."""


@pytest.fixture(autouse=True)
def _no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RENDERER, "none")


@cache
def tasks() -> tuple[AlfredTask, ...]:
    found = builtin_task_set(SET)
    assert found is not None
    return tuple(map(read_task, found.tasks))


def test_a_set_is_the_same_on_every_machine() -> None:
    assert tuple(each.id for each in tasks()) == DRAWN


@pytest.mark.parametrize("place", sample(range(7), (1, 2, 5)))
def test_the_reference_plan_of_a_task_solves_it(place: int) -> None:
    task = tasks()[place]
    site = ExpertSite(task)
    steps = [parse_skill(each) for each in task.reference]
    assert site.proves([each for each in steps if each])


@pytest.mark.parametrize("place", [1, 2, 5])
def test_a_goal_that_is_a_place_alone_is_not_met_as_the_room_opens(place: int) -> None:
    task = tasks()[place]
    assert task.goal.type in (TaskType.MOVABLE, TaskType.TWO, TaskType.SIMPLE)
    assert not ExpertSite(task).proves(())


@pytest.mark.parametrize("place", [2, 4])
def test_the_expert_solves_a_task(place: int) -> None:
    task = tasks()[place]
    assert len(plan_for(task)) <= len(task.reference) + 4
