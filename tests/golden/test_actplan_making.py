"""Making from the published activities: all are described, rules apply to nearly all, and the
checks find what is known to be wrong."""

from __future__ import annotations

import re
from functools import cache

from env_service.suites.actplan.judges.judge import is_correct
from env_service.suites.actplan.making.counterfactuals import (
    Aspect,
    Checker,
    Pair,
    by_rule,
)
from env_service.suites.actplan.making.description import INSTRUCTION, describe
from env_service.suites.actplan.making.files import SourceActivity, find_activities
from env_service.suites.actplan.making.problem_rules import PROBLEM_RULES
from env_service.suites.actplan.making.requests import left_out
from env_service.suites.actplan.planner.planner import plan_for
from env_service.worlds.activity.bddl.parser import read_problem
from tests.support.data import reference_data

BROKEN = ("collect_misplaced_items", "re-shelving_library_books")
"""Their normal problems do not compile (docs/actplan-making.md, Lint)."""


@cache
def published() -> tuple[SourceActivity, ...]:
    """The published activities."""
    return find_activities([reference_data("actplan/bddl/activity_definitions")])


def test_all_166_problems_that_have_a_place_are_described_whole() -> None:
    told = 0
    for each in published():
        for text in filter(None, (each.normal, each.counterfactual)):
            problem = read_problem(text, each.name)
            words = describe(each.name, problem).partition(INSTRUCTION)[0]
            assert not left_out(words, problem), each.name
            assert not re.search(r"_|\.n\.|  |\bNone\b|\bis are\b| \.", words), each.name
            told += 1
    assert told == 166


def test_rules_of_every_kind_apply_to_the_published_activities() -> None:
    kinds = {}
    checker = Checker()
    for each in published()[::2]:
        if each.name not in BROKEN:
            attempts = by_rule(each, list(PROBLEM_RULES), 0, checker)
            kinds[each.name] = {one.stated.kind for one in attempts if one.sound}
    assert len(kinds) == 49
    assert all(kinds.values())
    assert sum(len(each) == 3 for each in kinds.values()) >= 20


def test_what_rules_make_of_an_activity_is_solved_by_another_plan_than_before() -> None:
    checker = Checker(plan_for, is_correct)
    chosen = [each for each in published() if each.name not in BROKEN][::14]
    assert len(chosen) == 7
    for each in chosen:
        assert any(one.sound for one in by_rule(each, list(PROBLEM_RULES), 0, checker)), each.name


def test_published_counterfactuals_whose_difference_is_in_words_alone_are_found() -> None:
    """25 of the 53 have the normal problem's goal (docs/actplan.md, Differences from the
    publication); so have some that have no description."""
    pairs = [
        Pair(
            each.name,
            (each.normal, each.counterfactual),
            (each.description, each.counterfactual_description),
        )
        for each in published()
        if each.counterfactual
    ]
    assert len(pairs) == 66
    reports = {pair.activity: Checker().check(pair) for pair in pairs}
    failed = {
        aspect: {
            name
            for name, report in reports.items()
            if any(each.aspect is aspect and each.passed is False for each in report.checks)
        }
        for aspect in Aspect
    }
    assert failed[Aspect.LOADABLE] >= {*BROKEN, "cleaning_microwave_oven"}
    assert "packing_picnics" in failed[Aspect.DIFFERENT]
    assert len(failed[Aspect.DIFFERENT]) >= 25
