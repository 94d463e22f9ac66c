"""Decides the constraints that a description states and its goal does not carry."""

from __future__ import annotations

from env_service.suites.actplan.activity import Activity, Assertion, AssertionKind, Pattern
from env_service.suites.actplan.judges.execution import Execution
from env_service.suites.actplan.judges.goal import condition_of
from env_service.suites.actplan.judges.judgement import Condition

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
    """Where in ``done`` deeds of this kind stand."""
    return [
        place
        for place, each in enumerate(execution.done)
        if (pattern or _ANYTHING).matches(each.deed, each.held, execution.categories)
    ]


def _steps(execution: Execution, places: list[int]) -> str:
    numbers = list(dict.fromkeys(str(execution.done[place].step) for place in places))
    return f"step {', '.join(numbers)}"


def _told(assertion: Assertion, *, met: bool, why: str) -> Condition:
    return Condition(assertion.text, met, "" if met else f"not so: {assertion.text}: {why}")
