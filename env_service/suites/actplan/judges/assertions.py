"""Decides the constraints that a description states and its goal does not carry."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from env_service.suites.actplan.activity import Activity, Assertion, AssertionKind, Pattern
from env_service.suites.actplan.judges.execution import Done, Execution
from env_service.suites.actplan.judges.goal import condition_of
from env_service.suites.actplan.judges.judgement import Condition

_ANYTHING = Pattern()


def checked(activity: Activity, execution: Execution) -> tuple[Condition, ...]:
    """How each assertion fares, in their order."""
    return tuple(_checked(each, execution) for each in activity.assertions)


def matches(pattern: Pattern, done: Done, categories: Mapping[str, str]) -> bool:
    """Whether a deed is of a kind. ``categories``: of instances."""

    def one_of(wanted: tuple[str, ...], names: Collection[str]) -> bool:
        return not wanted or any(categories.get(name, name) in wanted for name in names)

    deed = done.deed
    return (
        (not pattern.verbs or deed.verb in pattern.verbs)
        and one_of(pattern.targets, (deed.target,))
        and one_of(pattern.items, (deed.item,))
        and one_of(pattern.tools, (*deed.tools, *done.held))
    )


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
        if matches(pattern or _ANYTHING, each, execution.categories)
    ]


def _steps(execution: Execution, places: list[int]) -> str:
    numbers = list(dict.fromkeys(str(execution.done[place].step) for place in places))
    return f"step {', '.join(numbers)}"


def _told(assertion: Assertion, *, met: bool, why: str) -> Condition:
    return Condition(assertion.text, met, "" if met else f"not so: {assertion.text}: {why}")
