"""From a task to what judges, grounding and planners work with."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from env_service.suites.actplan.activity import Activity, Assertion
from env_service.suites.actplan.overlay.corrections import mended
from env_service.suites.actplan.overlay.counterfactuals import assertions_of, fits
from env_service.suites.actplan.stated_assertions import MARK, assertions_in
from env_service.suites.actplan.task import ActPlanTask, Variant
from env_service.worlds.activity.bddl.expressions import And
from env_service.worlds.activity.bddl.parser import read_problem
from env_service.worlds.activity.bddl.problem import Problem, check_names, terms
from env_service.worlds.activity.bddl.syntax import BddlError


def understand(task: ActPlanTask, *, corrections: bool) -> Activity:
    """A task's activity. Equal tasks share one.

    A definition that cannot be read has no objects and an empty goal; of one whose names do not
    stand for anything, the opening's facts about these are left out. Either is told in ``defects``.
    Assertions are those that the definition's own comments state, as built-in ones do, and the
    overlay's.

    Args:
        corrections: whether known defects of published definitions are mended.
    """
    facts = (task.activity, task.variant, task.problem, task.description)
    return _understood(*facts, corrections=corrections)


@lru_cache(maxsize=512)
def _understood(
    name: str, variant: Variant, text: str, description: str, *, corrections: bool
) -> Activity:
    source = f"{name}/{variant.number}"
    try:
        problem = read_problem(text, source)
    except BddlError as error:
        problem = Problem(name, "", {}, (), And(()))
        return Activity(name, variant, problem, description, defects=(str(error),))
    if corrections:
        problem = mended(problem, name, variant.number)
    stated, defects = _stated(text, source)
    published = (each for each in assertions_of(name, variant) if fits(each, problem))
    assertions = (*stated, *published)
    try:
        check_names(problem, source)
    except BddlError as error:
        problem = _without_strangers(problem)
        defects = (str(error), *defects)
    return Activity(name, variant, problem, description, assertions, defects)


def _stated(text: str, source: str) -> tuple[tuple[Assertion, ...], tuple[str, ...]]:
    """The assertions in a text's comments, and what is wrong with these."""
    try:
        return assertions_in(text), ()
    except ValueError as error:
        return (), (f'{source}: a comment "{MARK.strip()} …" states none ({error}); mend it',)


def _without_strangers(problem: Problem) -> Problem:
    known = problem.objects.keys()
    facts = tuple(each for each in problem.init if known >= set(terms(each.atom)))
    return replace(problem, init=facts)
