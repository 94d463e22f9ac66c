from dataclasses import replace

from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.judges.judge import described_goal, described_goals
from env_service.suites.actplan.task import Variant
from env_service.worlds.activity.bddl.expressions import And, Atom, Expression
from env_service.worlds.activity.bddl.problem import Problem

KEY = ("polishing_silver", 0)
MORE = Atom("inside", ("spoon.n.01_1", "cabinet.n.01_1"))


def activity(name: str, *goal: Expression) -> Activity:
    problem = Problem(name, "igibson", {}, (), And(tuple(goal)))
    return Activity(name, Variant.NORMAL, problem, "Polish the silver.")


def test_what_a_description_does_not_ask_for_is_left_out() -> None:
    entry = described_goals()[KEY]
    assert described_goal(activity(KEY[0], *entry.remove, MORE)) == (MORE, *entry.add)


def test_another_definition_is_left_as_it_is() -> None:
    assert described_goal(activity(KEY[0], MORE)) == (MORE,)
    counterfactual = replace(
        activity(KEY[0], *described_goals()[KEY].remove), variant=Variant.COUNTERFACTUAL
    )
    assert described_goal(counterfactual) == described_goals()[KEY].remove


def test_every_entry_says_why_and_leaves_something_out() -> None:
    assert all(each.reason and each.remove for each in described_goals().values())
