"""Built-in activities and their counterfactuals, in a few rooms."""

from __future__ import annotations

from random import Random

import pytest

from env_service.suites.actplan.activity import AssertionKind
from env_service.suites.actplan.builtin.activity_kinds import (
    KINDS,
    brewing_coffee,
    doing_the_dishes,
    scrubbing_a_bathroom,
    tossing_a_salad,
)
from env_service.suites.actplan.builtin.rooms import Room, room_of
from env_service.suites.actplan.builtin.scenario import Scenario, put
from env_service.suites.actplan.builtin.scenario_rules import (
    dirty_thing,
    exchanged,
    never,
    no_water,
    no_wipe,
    storm,
    stubborn_stains,
)
from env_service.suites.actplan.builtin.task_set import (
    SolvedScenario,
    make_counterfactual,
    solve_scenario,
)
from env_service.suites.actplan.counterfactual_rule import (
    CounterfactualRule,
    UnsuitableError,
    counterfactual_rule,
)
from env_service.suites.actplan.judges.judge import is_correct
from env_service.suites.actplan.task import Circumstance
from env_service.worlds.activity.actions import Verb

KITCHEN, BATHROOM = "household-kitchen-3", "household-bathroom-3"


def room(name: str) -> Room:
    found = room_of(name)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def dishes() -> SolvedScenario:
    return solve_scenario(doing_the_dishes(room(KITCHEN), Random(1)))


def changed(normal: SolvedScenario, rule: CounterfactualRule[Scenario, Scenario]) -> SolvedScenario:
    return make_counterfactual(normal, rule, Random(1))


@pytest.mark.parametrize("home", KINDS)
def test_what_can_be_set_in_a_room_has_a_plan_that_the_judge_takes(home: str) -> None:
    place = room(f"household-{home}-3")
    solved = set()
    for kind in KINDS[home]:
        try:
            made = solve_scenario(kind(place, Random(3)))
        except UnsuitableError:
            continue
        assert is_correct(made.activity, made.plan)
        assert 4 <= len(made.activity.problem.objects) <= 35
        solved.add(kind)
    assert len(solved) >= len(KINDS[home]) / 2


def test_where_the_water_is_off_nobody_runs_it(dishes: SolvedScenario) -> None:
    made = changed(dishes, no_water)
    assert any(step.startswith("soak(") for step in dishes.plan)
    assert not any(step.startswith(("soak(", "switch_on(sink")) for step in made.plan)
    assert "water has been cut off" in made.activity.description
    assert {each.kind for each in made.activity.assertions} == {AssertionKind.NEVER}


def test_a_counterfactual_has_a_goal_of_its_own_that_the_normal_plan_does_not_reach(
    dishes: SolvedScenario,
) -> None:
    for rule in (no_water, no_wipe, stubborn_stains):
        made = changed(dishes, rule)
        assert made.activity.problem.goal != dishes.activity.problem.goal
        assert is_correct(made.activity, made.plan)
        assert not is_correct(made.activity, dishes.plan)


def test_orders_stay_the_normal_ones_and_the_rest_is_left_to_the_reader() -> None:
    normal = solve_scenario(brewing_coffee(room(KITCHEN), Random(1)))
    made = changed(normal, dirty_thing)
    asked = normal.activity.description.partition("What is asked for: ")[2].partition("\n")[0]
    assert asked in made.activity.description
    assert "the mug is dirty" in made.activity.description
    assert "Clean the mug" not in made.activity.description
    assert any(step.startswith("clean(mug_1") for step in made.plan)
    assert made.activity.problem.goal != normal.activity.problem.goal


def test_a_rule_that_leaves_the_goal_as_it_is_makes_no_counterfactual(
    dishes: SolvedScenario,
) -> None:
    @counterfactual_rule(Circumstance.CAUSALITY, "Nobody cleans.")
    def forbidden(scenario: Scenario, draw: Random) -> Scenario:
        del draw
        return scenario.with_assertions(never("Nobody cleans today.", Verb.CLEAN))

    with pytest.raises(UnsuitableError):
        changed(dishes, forbidden)


def test_what_serves_instead_is_put_where_the_description_says(dishes: SolvedScenario) -> None:
    made = changed(dishes, no_wipe)
    where = made.activity.description.partition("has to serve, and is to be in the ")[2]
    place = where.partition(" at the end.")[0].replace(" ", "_")
    name = made.scenario.tools[0].category.partition(".")[0]
    assert f"place_inside({place}_1, {name}_1)" in made.plan


def test_where_something_lies_already_it_is_not_to_be_put(dishes: SolvedScenario) -> None:
    scenario = dishes.scenario
    held = next(each for each in scenario.needed if each.movable and each.holder)
    here = scenario.room.by_id[held.holder]
    there = next(each for each in scenario.room.of("Cabinet", "Drawer") if each != here)
    asked = scenario.with_subgoals(put((held,), there))
    with pytest.raises(UnsuitableError):
        exchanged(asked, there, here)


def test_a_tool_that_is_gone_is_nowhere_in_the_problem() -> None:
    normal = solve_scenario(scrubbing_a_bathroom(room(BATHROOM), Random(1)))
    made = changed(normal, no_wipe)
    assert "scrub_brush.n.01" in normal.activity.problem.objects.values()
    assert "scrub_brush.n.01" not in made.activity.problem.objects.values()


def test_a_rule_that_does_not_apply_says_so() -> None:
    salad = solve_scenario(tossing_a_salad(room(KITCHEN), Random(1)))
    with pytest.raises(UnsuitableError):
        changed(salad, no_water)


def test_a_storm_asks_for_closed_windows(dishes: SolvedScenario) -> None:
    made = changed(dishes, storm)
    assert "close(window_1)" in made.plan


def test_equal_draws_give_equal_activities() -> None:
    first, second = (solve_scenario(tossing_a_salad(room(KITCHEN), Random(4))) for _ in range(2))
    assert first.written == second.written
    assert first.plan == second.plan
