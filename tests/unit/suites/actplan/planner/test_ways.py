"""Taking goals apart: who is for whom."""

from __future__ import annotations

from itertools import islice

from env_service.suites.actplan.planner.desired_state import DesiredState, StatePredictor
from env_service.suites.actplan.planner.planner import GoalSearch
from env_service.worlds.activity.bddl.parser import read_problem
from env_service.worlds.activity.world import ActivityWorld

OBJECTS = """cup.n.01_1 cup.n.01_2 cup.n.01_3 - cup.n.01 shelf.n.01_1 shelf.n.01_2 - shelf.n.01
    table.n.02_1 - table.n.02 agent.n.01_1 - agent.n.01"""
INIT = """(ontop cup.n.01_1 shelf.n.01_1) (ontop cup.n.01_2 table.n.02_1)
    (ontop cup.n.01_3 table.n.02_1) (inroom shelf.n.01_1 kitchen) (inroom shelf.n.01_2 kitchen)
    (inroom table.n.02_1 kitchen)"""


def ways(goal: str, most: int = 50) -> list[DesiredState]:
    """The first ways to a goal."""
    text = f"(define (problem p) (:domain d) (:objects {OBJECTS}) (:init {INIT}) (:goal {goal}))"
    problem = read_problem(text, "test")
    judge = StatePredictor(ActivityWorld(problem))
    return list(
        islice(GoalSearch(problem.objects, judge).alternatives(problem.goal, DesiredState()), most)
    )


def test_what_is_there_already_is_chosen_first() -> None:
    first = ways("(exists (?cup.n.01 - cup.n.01) (ontop ?cup.n.01 ?shelf.n.01_1))")[0]
    assert first.places == {"cup.n.01_1": ("ontop", "shelf.n.01_1")}


def test_exactly_two_bars_the_third() -> None:
    first = ways("(forn (2) (?cup.n.01 - cup.n.01) (ontop ?cup.n.01 ?table.n.02_1))")[0]
    assert set(first.places) == {"cup.n.01_2", "cup.n.01_3"}
    assert [each.terms[0] for each in first.forbidden] == ["cup.n.01_1"]


def test_pairs_take_different_things() -> None:
    goal = """(forpairs (?shelf.n.01 - shelf.n.01) (?cup.n.01 - cup.n.01)
        (ontop ?cup.n.01 ?shelf.n.01))"""
    for each in ways(goal):
        assert len(set(each.places)) == len({target for _, target in each.places.values()}) == 2


def test_other_ways_follow_the_first() -> None:
    found = ways("(exists (?shelf.n.01 - shelf.n.01) (ontop ?cup.n.01_2 ?shelf.n.01))")
    assert [each.places["cup.n.01_2"][1] for each in found] == ["shelf.n.01_1", "shelf.n.01_2"]


def test_no_way_puts_a_thing_in_two_places() -> None:
    goal = "(and (ontop ?cup.n.01_1 ?table.n.02_1) (ontop ?cup.n.01_1 ?shelf.n.01_2))"
    assert ways(goal) == []


def test_nothing_goes_into_itself() -> None:
    goal = "(and (ontop ?cup.n.01_1 ?cup.n.01_2) (ontop ?cup.n.01_2 ?cup.n.01_1))"
    assert ways(goal) == []


def test_a_goal_without_end_is_given_up() -> None:
    parts = " ".join(
        f"(exists (?cup.n.01 - cup.n.01) (ontop ?cup.n.01 ?shelf.n.01_{1 + k % 2}))"
        for k in range(12)
    )
    impossible = "(burnt ?cup.n.01_1)"
    assert ways(f"(and {parts} {impossible})") == []
