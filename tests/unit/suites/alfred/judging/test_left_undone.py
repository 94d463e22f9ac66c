"""Plans that stop, or come to less than they seem to: what they are said to have left undone."""

from __future__ import annotations

from dataclasses import replace

from env_service.suites.alfred.judging.analysis import EpisodeEnd, FailureCode
from env_service.suites.alfred.judging.judge import judge
from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.rules import STRICT_LOTA
from env_service.suites.alfred.task import Goal, TaskType
from tests.unit.suites.alfred.judging.samples import (
    BREAD,
    CLEAN,
    CUP,
    EGG,
    FORK,
    POTATO,
    SPOONS,
)


def test_furniture_is_shut_in_by_nothing() -> None:
    case = POTATO.case(plan=POTATO.plan.replace("fridge", "refrigerator"))
    assert case.opening is not None
    objects = [
        {**each, "parentReceptacles": ["Cabinet|1"]} if each["objectType"] == "Fridge" else each
        for each in case.opening.objects
    ]
    beside = AlfredView({**case.opening.metadata, "objects": objects})

    assert judge(replace(case, opening=beside)) == judge(case)
    assert judge(case).types == (2,)


def test_what_was_taken_up_again_was_put_nowhere() -> None:
    washed = "find a fork, pick up the fork, " + CLEAN.format("fork")
    found = judge(FORK.case(plan=washed))

    assert found.codes == (FailureCode.WRONG_DESTINATION.value, FailureCode.PREMATURE_DONE.value)
    assert "Destination: the plan puts it nowhere, the goal wants Drawer." in found.explanation


def test_a_knife_that_was_put_away_is_not_what_the_plan_was_about() -> None:
    knife = "find a butter knife, pick up the butter knife, find a counter top"
    plan = f"{knife}, put down the butter knife, find a bread, slice the bread, pick up the bread"
    found = judge(BREAD.case(plan=plan))

    assert FailureCode.WRONG_OBJECT.value not in found.codes
    assert found.codes[-1] == FailureCode.PREMATURE_DONE.value


def test_one_that_is_brought_twice_is_not_two() -> None:
    found = judge(SPOONS.case(rules=STRICT_LOTA))

    assert (found.types, found.codes) == ((3,), (FailureCode.WRONG_COUNT.value,))
    assert "Count: the plan comes to 1, the goal wants 2." in found.explanation


def test_what_was_no_plan_is_told_as_it_was_refused() -> None:
    case = replace(
        EGG.case(plan="", ended=EpisodeEnd.UNREADABLE), refused="It begins 'I am sorry'."
    )

    assert judge(case).explanation == "Nothing was tried. It begins 'I am sorry'."


def test_a_plan_that_puts_nothing_down_was_not_misled_by_a_place_that_is_not_said() -> None:
    plan = "find an egg, pick up the egg, find a dining table, done"
    found = judge(EGG.case(command="Put away the egg.", plan=plan))

    assert (found.types, found.codes) == ((3,), (FailureCode.PREMATURE_DONE.value,))
    assert "the command does not say DiningTable" in found.explanation
    assert "what it does say was not done either" in found.explanation


def test_a_goal_that_was_reached_and_undone_is_told_as_that() -> None:
    found = judge(EGG.case(plan=EGG.plan.replace("done", "pick up the egg, done")))

    assert (found.types, found.codes) == ((3,), (FailureCode.GOAL_UNDONE.value,))
    assert 'reach the goal at step 4, and step 5, "pick up the egg", undoes it' in found.explanation


def test_a_vessel_that_was_carried_empty_is_told_as_carried() -> None:
    plan = "find a cup, pick up the cup, find a sink, put down the cup, done"
    found = judge(CUP.case(plan=plan))

    assert FailureCode.WRONG_MOVABLE.value in found.codes
    assert "the plan carries Cup, but not with the object in it" in found.explanation
    assert "takes no vessel along" not in found.explanation


def test_a_vessel_that_was_left_where_it_is_is_told_as_left() -> None:
    knife = "find a butter knife, pick up the butter knife, find a sink, put down the butter knife"
    found = judge(CUP.case(plan=knife))

    assert "the plan takes no vessel along" in found.explanation


def test_the_place_of_cooling_is_no_guess_at_the_usual_spot() -> None:
    cooled = (
        "find a potato, pick up the potato, find a fridge, open the fridge, put down the potato,"
        " close the fridge"
    )
    told = "Chill the potato and put it in its usual spot."
    found = judge(POTATO.case(command=told, plan=cooled))

    assert found.types == (3,)
    assert FailureCode.WRONG_DESTINATION.value in found.codes
    assert "the plan comes to Fridge, the goal wants SideTable" in found.explanation
    assert judge(POTATO.case(command="Chill the potato.", plan=cooled)).types == (1,)


def test_the_appliance_of_the_last_treatment_is_where_it_ends() -> None:
    goal = Goal(TaskType.COOL, "Potato", "Microwave")
    told = "Chill the potato, then warm it in the microwave."
    case = replace(POTATO.case(command=told, plan="find a potato, pick up the potato"), goal=goal)
    found = judge(replace(case, task=replace(case.task, goal=goal)))

    assert found.types == (3,)
    assert "does not say Microwave" not in found.explanation
