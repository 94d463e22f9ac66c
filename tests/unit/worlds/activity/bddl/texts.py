"""Definitions for tests."""

from __future__ import annotations

from env_service.worlds.activity.bddl.parser import read_problem
from env_service.worlds.activity.bddl.problem import Problem

GOAL = "(and (forall (?cup.n.01 - cup.n.01) (inside ?cup.n.01 ?sink.n.01_1)))"
INIT = "(onfloor agent.n.01_1 floor.n.01_1) (ontop cup.n.01_1 floor.n.01_1)"


def definition(goal: str = GOAL, init: str = INIT, name: str = "tidying_0") -> str:
    """A text: two cups, a sink, a floor and the agent."""
    return f"""(define (problem {name})
    (:domain igibson)
    (:objects
        cup.n.01_1 cup.n.01_2 - cup.n.01
        sink.n.01_1 - sink.n.01
        floor.n.01_1 - floor.n.01
        agent.n.01_1 - agent.n.01
    )
    (:init (inroom sink.n.01_1 kitchen) (inroom floor.n.01_1 kitchen)
        (ontop cup.n.01_2 sink.n.01_1) {init})
    (:goal {goal})
)"""


def problem(goal: str = GOAL, init: str = INIT) -> Problem:
    """What the text defines."""
    return read_problem(definition(goal, init), "tidying/0")
