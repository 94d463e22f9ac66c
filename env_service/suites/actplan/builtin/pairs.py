"""A normal activity and its counterfactual, with their plans, checked against each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.builtin.assertions import assertions_in
from env_service.suites.actplan.builtin.circumstances.changing import Rule
from env_service.suites.actplan.builtin.describing import description_of
from env_service.suites.actplan.builtin.kinds.finding import UnsuitableError
from env_service.suites.actplan.builtin.others import widened, with_others
from env_service.suites.actplan.builtin.problems import Written, fits, problem_of
from env_service.suites.actplan.builtin.scenario import Scenario
from env_service.suites.actplan.grounding.grounding import ground
from env_service.suites.actplan.judges.correct import CRITERIA, PROFILE, conditions_of
from env_service.suites.actplan.judges.execution import carry_out
from env_service.suites.actplan.planner.planner import plan_for
from env_service.suites.actplan.plans.reading import read_plan
from env_service.suites.actplan.task import Variant
from env_service.worlds.activity.bddl.errors import BddlError
from env_service.worlds.activity.bddl.names import check_names
from env_service.worlds.activity.bddl.reading import read_problem


@dataclass(frozen=True, slots=True)
class Staged:
    """A scenario as a problem, with a plan that solves it."""

    scenario: Scenario
    written: Written
    activity: Activity
    plan: tuple[str, ...]


def staged(given: Scenario, normal: Staged | None = None) -> Staged:
    """A scenario's problem and plan; ``normal``: of a counterfactual what it was made from.

    Raises UnsuitableError where the problem has too many objects or too few, its text cannot be
    read again, no plan is found, or the judge ``correct`` does not take the plan.
    """
    scenario = widened(given)
    variant = Variant.NORMAL if normal is None else Variant.COUNTERFACTUAL
    written = problem_of(scenario, variant)
    description = description_of(scenario, normal.scenario if normal else None)
    meant = Activity(scenario.activity, variant, written.problem, description)
    activity = _understood(scenario, meant, written.text)
    if not fits(written.problem) or activity is None:
        raise UnsuitableError
    plan = plan_for(activity)
    if plan is None or not is_correct(activity, plan):
        raise UnsuitableError
    return Staged(scenario, written, activity, plan)


def counterfactual(normal: Staged, rule: Rule, draw: Random) -> Staged:
    """A staged scenario under a rule's circumstances.

    Raises UnsuitableError where the rule does not apply, or its result is no counterfactual: it
    has the same goal, or the normal plan is right for it, too.
    """
    changed = staged(with_others(rule(normal.scenario, draw), draw), normal)
    if changed.activity.problem.goal == normal.activity.problem.goal:
        raise UnsuitableError
    if is_correct(changed.activity, normal.plan):
        raise UnsuitableError
    return changed


def is_correct(activity: Activity, plan: tuple[str, ...]) -> bool:
    """Whether the judge ``correct`` takes a plan."""
    read = read_plan("\n".join(plan))
    run = carry_out(activity, ground(activity, read, CRITERIA.level), CRITERIA.level, PROFILE)
    return all(each.met for each in conditions_of(activity, read, run))


def _understood(scenario: Scenario, activity: Activity, text: str) -> Activity | None:
    """As judges will understand it; None where its text does not say what it is to say."""
    try:
        problem = read_problem(text, scenario.activity)
        check_names(problem, scenario.activity)
    except BddlError:
        return None
    found = assertions_in(text)
    if problem != activity.problem or found != scenario.assertions:
        return None
    return replace(activity, assertions=found)
