"""Decides the constraints that a description states and its goal does not carry, and the goal
as a description asks for it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from env_service.suites.actplan.activity import Activity, Assertion, AssertionKind, Pattern
from env_service.suites.actplan.judges.execution import Execution, condition_of
from env_service.suites.actplan.judges.judgement import Condition
from env_service.worlds.activity.bddl.expressions import Expression
from env_service.worlds.activity.bddl.parser import read_expression

_ANYTHING = Pattern()


def checked(activity: Activity, execution: Execution) -> tuple[Condition, ...]:
    """How each assertion fares, in their order."""
    return tuple(_checked(each, execution) for each in activity.assertions)


def _checked(assertion: Assertion, execution: Execution) -> Condition:
    if assertion.kind is AssertionKind.GOAL:
        if assertion.goal is None:
            raise ValueError(f"assertion {assertion.text!r} lacks its goal")
        return condition_of(assertion.goal, execution, assertion.text)
    first = _places(assertion.first, execution)
    if assertion.kind is AssertionKind.DOES:
        return _told(assertion, met=bool(first), why="no step does so")
    if assertion.kind is AssertionKind.NEVER:
        return _told(assertion, met=not first, why=_steps(execution, first))
    second = _places(assertion.second, execution)
    met = not second or (bool(first) and first[0] < second[0])
    return _told(assertion, met=met, why=f"{_steps(execution, second[:1])} comes too early")


def _places(pattern: Pattern | None, execution: Execution) -> list[int]:
    """Where in ``done`` actions of this kind stand."""
    return [
        place
        for place, each in enumerate(execution.done)
        if (pattern or _ANYTHING).matches(each.action, each.held, execution.categories)
    ]


def _steps(execution: Execution, places: list[int]) -> str:
    numbers = list(dict.fromkeys(str(execution.done[place].step) for place in places))
    return f"step {', '.join(numbers)}"


def _told(assertion: Assertion, *, met: bool, why: str) -> Condition:
    return Condition(assertion.text, met, "" if met else f"not so: {assertion.text}: {why}")


# --- The goal as a description asks for it

TABLE = "asked.toml"


@dataclass(frozen=True, slots=True)
class AskedGoal:
    """What one description does not ask for, and what it asks for instead."""

    reason: str
    remove: tuple[Expression, ...]
    add: tuple[Expression, ...]


def asked_of(activity: Activity) -> tuple[Expression, ...]:
    """The conditions that a plan is to bring about, by the description. Without a difference that
    is known, or where the definition is not the published one, the goal's own."""
    conjuncts = activity.problem.conjuncts
    entry = table().get((activity.name, activity.variant.number))
    if entry is None or not all(each in conjuncts for each in entry.remove):
        return conjuncts
    return (*(each for each in conjuncts if each not in entry.remove), *entry.add)


@cache
def table() -> Mapping[tuple[str, int], AskedGoal]:
    """By activity and the number of its problem: 0 is normal, 1 counterfactual."""
    text = (files(__package__) / TABLE).read_text(encoding="utf-8")
    return {
        (entry["activity"], entry["problem"]): AskedGoal(
            entry["reason"],
            tuple(read_expression(each, TABLE) for each in entry["remove"]),
            tuple(read_expression(each, TABLE) for each in entry.get("add", ())),
        )
        for entry in tomllib.loads(text)["asked"]
    }
