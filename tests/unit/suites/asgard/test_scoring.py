import pytest

from env_service.domain.episode import FinishReason
from env_service.suites.asgard.ai2thor_start import PICTURE, start_for
from env_service.suites.asgard.conditions import NAMED, named_condition
from env_service.suites.asgard.limits import Ending, Limits, StepLimits, Turn
from env_service.suites.asgard.plan_reader import read_plan
from env_service.suites.asgard.rules import PAPER
from env_service.suites.asgard.scoring import (
    TurnTally,
    ending_labels,
    goal_metrics,
    plan_labels,
    turn_metrics,
)
from tests.unit.suites.asgard.builders import plan_data

PLAN = read_plan(plan_data(), "a plan")


def condition(name="baseline", **changes):
    return {**named_condition(name), PICTURE.name: PICTURE.default, **changes}


def limits(turns):
    counted = Limits(StepLimits.of(PLAN.step_count), PAPER)
    for number in range(turns):
        counted.after(Turn(f"FIND {number}", str(number), succeeded=True), all_met=False)
    return counted


@pytest.mark.parametrize(
    ("opening", "end", "reached", "gained"),
    [
        ((True, True, False, False), (True, True, True, False), 0.75, 0.5),
        ((True, False), (False, False), 0.0, 0.0),
        ((True, True), (True, True), 1.0, 1.0),
    ],
)
def test_goals_that_hold_from_the_start_are_reached_but_not_gained(opening, end, reached, gained):
    assert goal_metrics(opening, end) == {"goals_reached": reached, "goals_gained": gained}


def test_steps_are_measured_against_the_published_solution():
    found = turn_metrics(PLAN, limits(17), TurnTally())
    assert found["step_ratio"] == 17 / PLAN.step_count
    assert found["extended"] == 0.0


def test_an_extension_is_told():
    found = limits(52)
    assert turn_metrics(PLAN, found, TurnTally())["extended"] == 1.0
    labels = ending_labels(found, Ending.MAX_STEPS, FinishReason.OVER)
    assert labels == {"ending": "Max_Steps", "extension": "Extended"}


def test_what_ended_an_episode_that_no_rule_ended_is_the_houses_word():
    assert ending_labels(limits(1), None, FinishReason.AGENT_CRASH)["ending"] == "agent_crash"


@pytest.mark.parametrize("name", NAMED)
def test_conditions_have_the_papers_names(name):
    assert plan_labels(PLAN, condition(name))["condition"] == name


def test_other_conditions_and_smaller_pictures_are_not_mistaken_for_the_papers():
    def named(*name, **changes):
        return plan_labels(PLAN, condition(*name, **changes))["condition"]

    assert named(hand="30") == "other"
    assert named(picture="300") == "baseline, 300 pixels"
    assert named("text-only-simple", picture="300") == "text-only-simple"
    assert named(rules="upstream") == "baseline, upstream rules"
    assert named("detailed", rules="upstream", picture="300") == (
        "detailed, upstream rules, 300 pixels"
    )


def test_the_plan_says_what_kind_of_task_it_is():
    labels = plan_labels(PLAN, condition())
    assert (labels["task_type"], labels["variation"]) == ("cook_egg", "Pan(d)")


def test_the_world_starts_as_the_released_code_starts_it():
    start = start_for(condition())
    assert (start.width, start.height, start.quality) == (1024, 1024, "High")
    assert start.initialization["fieldOfView"] == 60
    assert start_for(condition(picture="300")).width == 300
