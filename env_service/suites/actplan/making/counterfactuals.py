"""From a normal problem to a counterfactual that passes its checks: can it be loaded, is it
another problem, can it be solved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import zip_longest
from random import Random
from typing import Any

from env_service.domain.text import counted
from env_service.suites.actplan.activity import Activity, Assertion
from env_service.suites.actplan.counterfactual_rule import by_kind
from env_service.suites.actplan.making.description import describe
from env_service.suites.actplan.making.files import (
    QuestionResult,
    SourceActivity,
    StatedCircumstance,
)
from env_service.suites.actplan.making.problem_rules import PROBLEM_RULES, drafts
from env_service.suites.actplan.making.requests import CounterfactualQuestion
from env_service.suites.actplan.overlay.lint import lint_text
from env_service.suites.actplan.task import Variant
from env_service.worlds.activity.bddl.expressions import (
    And,
    Atom,
    Expression,
    ForN,
    ForNPairs,
    Imply,
    Not,
    Or,
    bounds,
    parts,
)
from env_service.worlds.activity.bddl.parser import read_problem
from env_service.worlds.activity.bddl.problem import Literal, Problem, check_names
from env_service.worlds.activity.bddl.syntax import BddlError
from env_service.worlds.activity.bddl.wording import in_words, thing_in_words
from env_service.worlds.activity.bddl.writer import write_problem
from env_service.worlds.activity.lint_findings import Severity

Ask = Callable[[CounterfactualQuestion], QuestionResult]
"""Puts a question to a model. Raises ModelError."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One counterfactual that was tried. ``made``: what the model said, where one was asked;
    ``text``: its BDDL, empty where nothing usable came; ``problem``: why."""

    stated: StatedCircumstance
    text: str
    report: Report | None
    made: QuestionResult | None = None
    problem: str = ""

    @property
    def sound(self) -> bool:
        """Whether it passed all its checks."""
        return self.report is not None and self.report.sound

    @property
    def faults(self) -> str:
        """What was wrong, in words."""
        return "; ".join(self.report.faults) if self.report is not None else self.problem


def described_pair(activity: SourceActivity, text: str, circumstance: str) -> Pair:
    """The activity and a counterfactual of it; a template describes them where a description is
    missing. Raises BddlError."""
    normal = read_problem(activity.normal, f"{activity.name}/0")
    other = read_problem(text, f"{activity.name}/1")
    normal_text = activity.description or describe(activity.name, normal)
    changed = describe(activity.name, other, circumstance)
    return Pair(activity.name, (activity.normal, text), (normal_text, changed))


def by_rule(
    activity: SourceActivity, names: Sequence[str], seed: int, checker: Checker
) -> Iterator[Attempt]:
    """What rules make of an activity, in an order drawn from the seed, each checked. Raises
    BddlError where the normal problem cannot be read."""
    problem = read_problem(activity.normal, f"{activity.name}/0")
    rng = Random(f"{seed}/{activity.name}")  # noqa: S311 - no secret
    shuffled = _kinds_in_turn(rng.sample(list(names), len(names)), rng)
    for rule, draft in drafts(activity.name, problem, shuffled, seed):
        named = replace(draft.problem, name=f"{activity.name}_1")
        text = write_problem(named)
        stated = StatedCircumstance(activity.name, rule.kind, draft.text, rule=rule.name)
        report = checker.check(described_pair(activity, text, draft.text))
        yield Attempt(stated, text, report)


def by_model(
    activity: SourceActivity, stated: StatedCircumstance, ask: Ask, checker: Checker
) -> Attempt:
    """What a model makes of an activity under a circumstance. The model is asked again with the
    reasons if its answer fails the checks. Raises ModelError, and BddlError as `by_rule` does."""
    reports: dict[str, Report] = {}

    def faults(text: str) -> tuple[str, ...]:
        reports[text] = checker.check(_undescribed(activity, text))
        return reports[text].faults

    made = ask(CounterfactualQuestion(stated, activity.normal, faults))
    if not made.done:
        return Attempt(stated, "", None, made, made.problem)
    text = made.texts[0]
    report = reports.get(text) or checker.check(_undescribed(activity, text))
    return Attempt(stated, text, report, made)


def _undescribed(activity: SourceActivity, text: str) -> Pair:
    return Pair(activity.name, (activity.normal, text))


def _kinds_in_turn(names: Sequence[str], rng: Random) -> list[str]:
    """The rules, one of each kind before a second of any, the kinds in an order that is drawn:
    there are more rules of some kinds, and they apply more often."""
    groups = by_kind(PROBLEM_RULES[name] for name in names)
    kinds = rng.sample(sorted(groups, key=lambda each: each.value), len(groups))
    rounds = zip_longest(*(groups[kind] for kind in kinds))
    return [rule.name for each in rounds for rule in each if rule is not None]


# --- Checks a counterfactual: can it be loaded, is it another problem, can it be solved (paper,
# App. A)

Plan = tuple[str, ...]
Solve = Callable[[Activity], Plan | None]
"""A plan, its steps as text; None where none is found."""
Solves = Callable[[Activity, Plan], bool]
"""Whether a plan is correct for an activity."""


class Aspect(Enum):
    """What is checked, in this order; what builds on a failed aspect is not checked."""

    LOADABLE = "loadable"
    """It parses, every name is bound, and the linter finds nothing that it does not find in the
    normal problem."""
    DIFFERENT = "different"
    """Opening and goal, or opening and the assertions in addition to the goal, differ from the
    normal problem's."""
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
    """A normal problem and its counterfactual. ``texts``: their BDDL; ``descriptions``: theirs in
    English; ``assertions``: what the counterfactual's goal does not carry."""

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
        text = "opening and goal are those of the normal problem"
    elif not found.init:
        text = "the opening is that of the normal problem"
    elif not found.goals and not assertions:
        text = "the goal is that of the normal problem, and no assertion adds to it"
    else:
        return Checked(Aspect.DIFFERENT, passed=True, text=str(found))
    return Checked(Aspect.DIFFERENT, passed=False, text=text)


def _solved(solves: Solves, other: Activity, plan: Plan | None) -> Checked:
    if plan is None:
        return Checked(Aspect.SOLVABLE, passed=False, text="the planner finds no plan")
    if not solves(other, plan):
        text = "the planner's plan is not correct by the judge"
        return Checked(Aspect.SOLVABLE, passed=False, text=text)
    return Checked(Aspect.SOLVABLE, passed=True, text=f"a plan of {counted(len(plan), 'step')}")


def _outdated(solves: Solves, other: Activity, plan: Plan | None) -> Checked:
    if plan is None:
        text = "the planner finds no plan for the normal problem"
        return Checked(Aspect.NEW_PLAN, passed=None, text=text)
    if solves(other, plan):
        text = "the planner's plan for the normal problem solves this one too"
        return Checked(Aspect.NEW_PLAN, passed=False, text=text)
    return Checked(Aspect.NEW_PLAN, passed=True, text="the normal problem's plan fails")


def _report(pair: Pair, checks: list[Checked], plan: Plan = ()) -> Report:
    done = {each.aspect for each in checks}
    rest = (Checked(each, passed=None) for each in Aspect if each not in done)
    return Report(pair.activity, (*checks, *rest), plan)


# --- Whether two definitions really differ: order, blanks, and what variables are called do not
# count


@dataclass(frozen=True, slots=True)
class Difference:
    """What a definition has that another one has not, and the other way round, in words."""

    things: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    goals: tuple[str, ...] = ()

    @property
    def init(self) -> bool:
        """Whether the openings differ."""
        return bool(self.things or self.facts)

    def __str__(self) -> str:
        """For people: "things +rag 1; facts +cookie 1 is burnt; goal -cookie 1 is in basket 1"."""
        text = (("things", self.things), ("facts", self.facts), ("goal", self.goals))
        return "; ".join(f"{name} {', '.join(each)}" for name, each in text if each) or "nothing"


def difference(one: Problem, other: Problem) -> Difference:
    """What ``other`` has (+) and has not (-) of ``one``."""
    return Difference(
        _changed(
            {each: thing_in_words(each) for each in one.objects},
            {each: thing_in_words(each) for each in other.objects},
        ),
        _changed(_facts(one), _facts(other)),
        _changed(_goals(one), _goals(other)),
    )


def canonical(expression: Expression, names: Mapping[str, str] | None = None) -> Any:
    """A form in which equal conditions are equal, whatever their order and variables."""
    names = names or {}
    if isinstance(expression, Atom):
        terms = tuple(names.get(each, each) for each in expression.terms)
        symmetric = expression.predicate in ("nextto", "touching")
        return expression.predicate, *(sorted(terms) if symmetric else terms)
    if isinstance(expression, Not) and isinstance(expression.body, Not):
        return canonical(expression.body.body, names)
    bound = {
        each.variable: f"?{len(names) + place}:{each.category}"
        for place, each in enumerate(bounds(expression))
    }
    inner = [canonical(each, {**names, **bound}) for each in parts(expression)]
    kind = type(expression).__name__
    if isinstance(expression, And | Or):
        flat = _flattened(kind, inner)
        return flat[0] if len(flat) == 1 else (kind, *flat)
    if isinstance(expression, Not | Imply):
        return kind, *inner
    count = expression.count if isinstance(expression, ForN | ForNPairs) else ""
    return kind, str(count), *bound.values(), *inner


def _flattened(kind: str, inner: list[Any]) -> list[Any]:
    """The parts of a conjunction or disjunction, nested ones too, sorted, each once."""
    flat: list[Any] = []
    for each in inner:
        flat += each[1:] if each[0] == kind else [each]
    return sorted({repr(each): each for each in flat}.values(), key=repr)


def _facts(problem: Problem) -> dict[Any, str]:
    return {(each.positive, canonical(each.atom)): _fact_in_words(each) for each in problem.init}


def _fact_in_words(literal: Literal) -> str:
    return in_words(literal.atom if literal.positive else Not(literal.atom))


def _goals(problem: Problem) -> dict[Any, str]:
    return {canonical(each): in_words(each) for each in problem.conjuncts}


def _changed(before: Mapping[Any, str], after: Mapping[Any, str]) -> tuple[str, ...]:
    more = (f"+{words}" for key, words in after.items() if key not in before)
    less = (f"-{words}" for key, words in before.items() if key not in after)
    return *more, *less
