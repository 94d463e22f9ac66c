"""Checks a counterfactual: can it be loaded, is it another problem, can it be solved (paper,
App. A)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from env_service.domain.english import counted
from env_service.making.comparing import difference
from env_service.suites.actplan.activity import Activity, Assertion
from env_service.suites.actplan.overlay.linting import lint_text
from env_service.suites.actplan.task import Variant
from env_service.worlds.activity.bddl.errors import BddlError
from env_service.worlds.activity.bddl.finding import Severity
from env_service.worlds.activity.bddl.names import check_names
from env_service.worlds.activity.bddl.problem import Problem
from env_service.worlds.activity.bddl.reading import read_problem

Plan = tuple[str, ...]
Solve = Callable[[Activity], Plan | None]
"""A plan, its steps as text; None where none is found."""
Solves = Callable[[Activity, Plan], bool]
"""Whether a plan is correct for an activity."""


class Aspect(Enum):
    """What is checked, in this order; what builds on a failed aspect is not checked."""

    LOADABLE = "loadable"
    """It parses, every name stands for something, and the linter finds nothing that it does not
    find in the normal problem."""
    DIFFERENT = "different"
    """Opening and goal, or opening and the assertions beside the goal, differ from the normal
    problem's."""
    SOLVABLE = "solvable"
    """The planner finds a plan, and that is correct."""
    NEW_PLAN = "new_plan"
    """The planner's plan for the normal problem is not correct any more."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found of one aspect. ``passed`` None: it was not looked at. ``text``: why."""

    aspect: Aspect
    passed: bool | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """All aspects of one counterfactual. ``plan``: what solves it; empty: nothing is known."""

    activity: str
    checks: tuple[Checked, ...]
    plan: Plan = ()

    @property
    def sound(self) -> bool:
        """Whether nothing failed."""
        return all(each.passed is not False for each in self.checks)

    @property
    def faults(self) -> tuple[str, ...]:
        """What failed, in words."""
        return tuple(
            f"{each.aspect.value}: {each.text}" for each in self.checks if each.passed is False
        )


@dataclass(frozen=True, slots=True)
class Pair:
    """A normal problem and its counterfactual. ``texts``: their BDDL, ``descriptions``: what is
    told of them; ``assertions``: what the counterfactual's goal does not carry."""

    activity: str
    texts: tuple[str, str]
    descriptions: tuple[str, str] = ("", "")
    assertions: tuple[Assertion, ...] = ()


@dataclass(frozen=True, slots=True)
class Checker:
    """Checks counterfactuals. Without ``solve`` and ``solves`` the last two aspects stay open."""

    solve: Solve | None = None
    solves: Solves | None = None

    def check(self, pair: Pair) -> Report:
        """Checks one. Never raises for what its files hold."""
        checks: list[Checked] = []
        problems = self._loaded(pair, checks)
        if problems is None:
            return _report(pair, checks)
        checks.append(_different(*problems, pair.assertions))
        if self.solve is None or self.solves is None or not checks[-1].passed:
            return _report(pair, checks)
        normal, other = (
            Activity(pair.activity, variant, problem, description, assertions)
            for variant, problem, description, assertions in zip(
                Variant, problems, pair.descriptions, ((), pair.assertions), strict=True
            )
        )
        plan = self.solve(other)
        checks.append(_solved(self.solves, other, plan))
        if checks[-1].passed:
            checks.append(_outdated(self.solves, other, self.solve(normal)))
        return _report(pair, checks, plan or ())

    def _loaded(self, pair: Pair, checks: list[Checked]) -> tuple[Problem, Problem] | None:
        """Both problems; None where one cannot be loaded."""
        loaded = []
        for variant, text in zip(Variant, pair.texts, strict=True):
            source = f"{pair.activity}/{variant.number}"
            try:
                problem = read_problem(text, source)
                check_names(problem, source)
            except BddlError as error:
                checks.append(Checked(Aspect.LOADABLE, passed=False, text=str(error)))
                return None
            loaded.append(problem)
        found = _new_findings(pair)
        checks.append(Checked(Aspect.LOADABLE, passed=not found, text="; ".join(found)))
        normal, other = loaded
        return None if found else (normal, other)


def _new_findings(pair: Pair) -> tuple[str, ...]:
    """What the linter finds in the counterfactual and not in the normal problem."""
    old = {each.what for each in lint_text(pair.texts[0], pair.activity)}
    found = lint_text(pair.texts[1], f"{pair.activity}/{Variant.COUNTERFACTUAL.number}")
    return tuple(
        f"{each.what}; {each.mend}"
        for each in found
        if each.what not in old and each.severity is not Severity.NOTE
    )


def _different(normal: Problem, other: Problem, assertions: Sequence[Assertion]) -> Checked:
    found = difference(normal, other)
    if not found.init and not found.goals:
        told = "opening and goal are those of the normal problem"
    elif not found.init:
        told = "the opening is that of the normal problem"
    elif not found.goals and not assertions:
        told = "the goal is that of the normal problem, and no assertion goes beyond it"
    else:
        return Checked(Aspect.DIFFERENT, passed=True, text=str(found))
    return Checked(Aspect.DIFFERENT, passed=False, text=told)


def _solved(solves: Solves, other: Activity, plan: Plan | None) -> Checked:
    if plan is None:
        return Checked(Aspect.SOLVABLE, passed=False, text="the planner finds no plan")
    if not solves(other, plan):
        told = "the planner's plan is not correct by the judge"
        return Checked(Aspect.SOLVABLE, passed=False, text=told)
    return Checked(Aspect.SOLVABLE, passed=True, text=f"a plan of {counted(len(plan), 'step')}")


def _outdated(solves: Solves, other: Activity, plan: Plan | None) -> Checked:
    if plan is None:
        told = "the planner finds no plan for the normal problem"
        return Checked(Aspect.NEW_PLAN, passed=None, text=told)
    if solves(other, plan):
        told = "the planner's plan for the normal problem solves this one too"
        return Checked(Aspect.NEW_PLAN, passed=False, text=told)
    return Checked(Aspect.NEW_PLAN, passed=True, text="the normal problem's plan fails")


def _report(pair: Pair, checks: list[Checked], plan: Plan = ()) -> Report:
    done = {each.aspect for each in checks}
    rest = (Checked(each, passed=None) for each in Aspect if each not in done)
    return Report(pair.activity, (*checks, *rest), plan)
