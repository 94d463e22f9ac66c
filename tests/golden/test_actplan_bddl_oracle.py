"""Goals hold where BEHAVIOR's own package, bddl 1.0.1, has them hold."""

from __future__ import annotations

from env_service.worlds.activity.bddl.expressions import evaluate
from env_service.worlds.activity.bddl.parser import read_problem
from env_service.worlds.activity.bddl.problem import check_names
from env_service.worlds.activity.bddl.syntax import BddlError
from tests.support.bddl_oracle import Oracle, State, own_problems
from tests.support.data import reference_data

STATES = 6
"""Random states a problem; benchmarks/actplan_bddl.py takes thousands."""


def agree(name: str, text: str) -> None:
    problem = read_problem(text, name)
    oracle = Oracle(text)
    for seed in range(STATES):
        state = State(seed)
        ours = [evaluate(each, problem.objects, state.holds) for each in problem.conjuncts]
        assert ours == oracle.satisfied(state), f"{name}, state {seed}"


def compiles(name: str, text: str) -> bool:
    try:
        check_names(read_problem(text, name), name)
    except BddlError:
        return False
    return True


def test_published_goals() -> None:
    folder = reference_data("actplan/bddl/activity_definitions")
    texts = {str(path): path.read_text(encoding="utf-8") for path in folder.glob("*/problem*.bddl")}
    compiling = {name: text for name, text in texts.items() if compiles(name, text)}
    assert (len(texts), len(compiling)) == (169, 166)
    for name, text in compiling.items():
        agree(name, text)


def test_goals_that_the_package_itself_carries() -> None:
    texts = dict(own_problems())
    assert len(texts) == 100
    for name, text in texts.items():
        agree(name, text)
