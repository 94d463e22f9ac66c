"""Checking counterfactuals, with a planner and a judge that are told what to say."""

from __future__ import annotations

import pytest

from env_service.suites.actplan.activity import Activity, Assertion, AssertionKind
from env_service.suites.actplan.making.counterfactuals import Aspect, Checker, Pair, Plan, Report
from env_service.suites.actplan.task import Variant
from tests.support.making_home import CLEAN_TABLE, NAME, NORMAL

OPENING_ALONE = CLEAN_TABLE.replace("(not (dusty ?table.n.02_1))", "")
OLD, NEW = ("grab(cookie_1)",), ("clean(table_1, rag_1)",)


def plans(activity: Activity) -> Plan | None:
    """A plan of its own for either problem."""
    return OLD if activity.variant is Variant.NORMAL else NEW


def passed(report: Report) -> list[bool | None]:
    """What was found, in the order of aspects."""
    assert [each.aspect for each in report.checks] == list(Aspect)
    return [each.passed for each in report.checks]


def check(other: str, right: tuple[Plan, ...] = (NEW,), *assertions: Assertion) -> Report:
    """The report on the home's counterfactual; ``right``: the plans that are correct for it."""
    checker = Checker(plans, lambda activity, plan: activity.variant and plan in right)
    return checker.check(Pair(NAME, (NORMAL, other), assertions=assertions))


def test_a_good_one_passes_with_its_plan() -> None:
    report = check(CLEAN_TABLE)
    assert passed(report) == [True] * 4
    assert report.sound
    assert report.plan == NEW


def test_a_normal_plan_that_still_does_is_told() -> None:
    report = check(CLEAN_TABLE, (NEW, OLD))
    assert passed(report) == [True, True, True, False]
    assert report.faults == (
        "new_plan: the planner's plan for the normal problem solves this one too",
    )


def test_a_plan_that_the_judge_does_not_take_solves_nothing() -> None:
    assert passed(check(CLEAN_TABLE, ())) == [True, True, False, None]


def test_no_plan_for_the_normal_problem_leaves_it_open() -> None:
    checker = Checker(
        lambda activity: None if activity.variant is Variant.NORMAL else NEW, lambda *_: True
    )
    report = checker.check(Pair(NAME, (NORMAL, CLEAN_TABLE)))
    assert passed(report) == [True, True, True, None]
    assert report.sound


def test_an_equal_goal_needs_an_assertion_beside_it() -> None:
    assert passed(check(OPENING_ALONE)) == [True, False, None, None]
    asserted = Assertion(AssertionKind.NEVER, "nothing is burnt")
    assert passed(check(OPENING_ALONE, (NEW,), asserted)) == [True] * 4


def test_what_cannot_be_loaded_is_not_looked_at_further() -> None:
    report = check(CLEAN_TABLE.replace("(:init", "(:initially"))
    assert passed(report) == [False, None, None, None]
    assert "packing_sweets/1:" in report.faults[0]


def test_a_defect_of_the_normal_problem_is_not_held_against_the_other() -> None:
    odd = "(exists (?table.n.02 - table.n.02) (ontop ?cookie.n.01_1 ?table.n.02_1))"
    normal, other = (text.replace("(and", f"(and {odd}", 1) for text in (NORMAL, CLEAN_TABLE))
    assert passed(Checker().check(Pair(NAME, (NORMAL, other))))[0] is False
    assert passed(Checker().check(Pair(NAME, (normal, other))))[0] is True


def test_without_a_planner_the_rest_stays_open() -> None:
    report = Checker().check(Pair(NAME, (NORMAL, CLEAN_TABLE)))
    assert passed(report) == [True, True, None, None]
    assert report.sound


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "(ontop rag.n.01_1 table.n.02_1)",
            "(ontop rag.n.01_1 rag.n.01_1)",
            "on itself",
        ),
        (
            "(not (dusty ?table.n.02_1))",
            "(inside ?basket.n.01_1 ?basket.n.01_1)",
            "is itself",
        ),
        ("(define", "; assertion: {}\n(define", "states no assertion"),
    ],
)
def test_what_the_linter_finds_in_the_counterfactual_alone_fails_it(
    old: str, new: str, told: str
) -> None:
    report = check(CLEAN_TABLE.replace(old, new))
    assert passed(report) == [False, None, None, None]
    assert told in report.faults[0]
