"""Plans that stop, or come to less than they seem to: what they are said to have left undone."""

from __future__ import annotations

from dataclasses import replace

from env_service.suites.alfred.house import House
from env_service.suites.alfred.judging.analysis import Code, Ended
from env_service.suites.alfred.judging.judge import judge
from env_service.suites.alfred.rules import STRICT_LOTA
from tests.unit.suites.alfred.judging.samples import BREAD, CLEAN, EGG, FORK, POTATO, SPOONS


def test_furniture_is_shut_in_by_nothing() -> None:
    case = POTATO.case(plan=POTATO.plan.replace("fridge", "refrigerator"))
    assert case.opening is not None
    objects = [
        {**each, "parentReceptacles": ["Cabinet|1"]} if each["objectType"] == "Fridge" else each
        for each in case.opening.objects
    ]
    beside = House({**case.opening.metadata, "objects": objects})

    assert judge(replace(case, opening=beside)) == judge(case)
    assert judge(case).types == (2,)


def test_what_was_taken_up_again_was_put_nowhere() -> None:
    washed = "find a fork, pick up the fork, " + CLEAN.format("fork")
    found = judge(FORK.case(plan=washed))

    assert found.codes == (Code.WRONG_DESTINATION.value, Code.PREMATURE_DONE.value)
    assert "Destination: the plan puts it nowhere, the goal wants Drawer." in found.explanation


def test_a_knife_that_was_put_away_is_not_what_the_plan_was_about() -> None:
    knife = "find a butter knife, pick up the butter knife, find a counter top"
    plan = f"{knife}, put down the butter knife, find a bread, slice the bread, pick up the bread"
    found = judge(BREAD.case(plan=plan))

    assert Code.WRONG_OBJECT.value not in found.codes
    assert found.codes[-1] == Code.PREMATURE_DONE.value


def test_one_that_is_brought_twice_is_not_two() -> None:
    found = judge(SPOONS.case(rules=STRICT_LOTA))

    assert (found.types, found.codes) == ((3,), (Code.WRONG_COUNT.value,))
    assert "Count: the plan comes to 1, the goal wants 2." in found.explanation


def test_what_was_no_plan_is_told_as_it_was_refused() -> None:
    case = replace(EGG.case(plan="", ended=Ended.UNREADABLE), refused="It begins 'I am sorry'.")

    assert judge(case).explanation == "Nothing was tried. It begins 'I am sorry'."


def test_a_plan_that_puts_nothing_down_was_not_misled_by_a_place_that_is_not_said() -> None:
    plan = "find an egg, pick up the egg, find a dining table, done"
    found = judge(EGG.case(command="Put away the egg.", plan=plan))

    assert (found.types, found.codes) == ((3,), (Code.PREMATURE_DONE.value,))
    assert "the command does not say DiningTable" in found.explanation
    assert "what it does say was not done either" in found.explanation
