"""Counterfactuals by rule: each is another problem, of the kind that it says."""

from __future__ import annotations

from random import Random

import pytest

from env_service.suites.actplan.making.counterfactuals import difference
from env_service.suites.actplan.making.edits import over_another
from env_service.suites.actplan.making.problem_rules import PROBLEM_RULES, Draft, drafts
from env_service.suites.actplan.task import Circumstance
from env_service.worlds.activity.bddl.parser import read_expression, read_problem
from env_service.worlds.activity.bddl.problem import Problem, check_names
from env_service.worlds.activity.bddl.writer import write_expression, write_problem
from env_service.worlds.activity.lint import lint
from env_service.worlds.activity.lint_findings import Severity
from tests.support.small_activity import OBJECTS, OPENING

GOAL = """(and
    (forall (?apple.n.01 - apple.n.01) (inside ?apple.n.01 ?basket.n.01_1))
    (ontop ?plate.n.04_1 ?table.n.02_1)
    (forall (?plate.n.04 - plate.n.04) (nextto ?plate.n.04 ?sink.n.01_1))
)"""


@pytest.fixture
def problem() -> Problem:
    """A home that every rule applies to."""
    text = (
        f"(define (problem x) (:domain igibson) (:objects {OBJECTS}) (:init {OPENING})"
        f" (:goal {GOAL}))"
    )
    return read_problem(text, "x")


def draft(problem: Problem, name: str, seed: int = 0) -> Draft:
    """What a rule makes."""
    return PROBLEM_RULES[name].apply(problem, Random(seed))


def test_there_are_rules_of_every_kind() -> None:
    kinds = {each.kind for each in PROBLEM_RULES.values()}
    assert kinds == {Circumstance.PROPERTY, Circumstance.FUNCTION, Circumstance.CAUSALITY}


@pytest.mark.parametrize("name", PROBLEM_RULES)
@pytest.mark.parametrize("seed", range(4))
def test_opening_and_goal_change_and_the_definition_stays_sound(
    problem: Problem, name: str, seed: int
) -> None:
    made = draft(problem, name, seed).problem
    changed = difference(problem, made)
    assert changed.init
    assert changed.goals
    check_names(made)
    text = write_problem(made)
    assert read_problem(text, "x") == made
    old = {each.what for each in lint(write_problem(problem), "x")}
    found = lint(text, "x")
    new = [each for each in found if each.severity is not Severity.NOTE and each.what not in old]
    assert not new


@pytest.mark.parametrize("name", PROBLEM_RULES)
def test_the_circumstance_is_a_sentence_without_identifiers(problem: Problem, name: str) -> None:
    text = draft(problem, name).text
    assert text[0].isupper()
    assert text.endswith(".")
    assert "_" not in text
    assert ".n." not in text


def test_equal_seeds_make_equal_drafts(problem: Problem) -> None:
    one, two = (list(drafts("x", problem, PROBLEM_RULES, 7)) for _ in range(2))
    assert one == two
    others = [list(drafts("x", problem, PROBLEM_RULES, seed)) for seed in range(5)]
    assert any(each != one for each in others)


def test_spoiled_food_is_left_alone_and_replaced_in_the_goal(problem: Problem) -> None:
    made = draft(problem, "spoiled")
    goals = " ".join(write_expression(each) for each in made.problem.conjuncts)
    assert "must not be used" in made.text
    assert "(forall (?apple.n.01 - apple.n.01)" not in goals
    for apple in ("?apple.n.01_1", "?apple.n.01_2"):
        assert f"(not (inside {apple} ?basket.n.01_1))" in goals


def test_a_tool_that_is_gone_is_nowhere_any_more(problem: Problem) -> None:
    made = draft(problem, "tool_gone").problem
    assert set(problem.objects) - set(made.objects)
    terms = {term for each in made.init for term in each.atom.terms}
    assert not terms & (set(problem.objects) - set(made.objects))


def test_frozen_food_does_not_come_out_of_the_cold(problem: Problem) -> None:
    assert "pple" in draft(problem, "frozen").text


def test_a_home_without_things_has_no_drafts() -> None:
    bare = read_problem(
        "(define (problem x) (:domain igibson) (:objects agent.n.01_1 - agent.n.01) (:init)"
        " (:goal (and)))",
        "x",
    )
    assert not list(drafts("x", bare, PROBLEM_RULES, 0))


def test_quantifiers_go_over_to_another_category_with_their_variables() -> None:
    goal = "(forpairs (?cup - cup) (?v - box) (and (inside ?cup ?v) (not (dusty ?cup))))"
    moved = over_another(read_expression(goal, "x"), "cup", "mug")
    assert write_expression(moved) == goal.replace("cup", "mug")
    kept = "(exists (?a - cup) (dusty ?a))"
    moved = over_another(read_expression(kept, "x"), "cup", "mug")
    assert write_expression(moved) == "(exists (?a - mug) (dusty ?a))"
