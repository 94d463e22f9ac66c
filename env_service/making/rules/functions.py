"""Rules on what things are for: one is out of use, and another one serves."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from env_service.making.editing import (
    members,
    placed,
    room_of,
    with_goal,
    with_names,
    with_things,
    without_things,
)
from env_service.making.rewriting import over_another
from env_service.making.rules.rule import Draft, Rule
from env_service.making.rules.targets import category_of, instances_of, moves, named_in_goal
from env_service.making.rules.tools import BOXES, SUBSTITUTES, absent, on_floor
from env_service.making.things import Things
from env_service.suites.actplan.task import Circumstance
from env_service.worlds.activity.bddl.expressions import Atom
from env_service.worlds.activity.bddl.problem import Literal, Problem
from env_service.worlds.activity.bddl.walking import all_bounds, atoms
from env_service.worlds.activity.categories import Trait, traits_of

_KEEPING = (Trait.COLD, Trait.BASIN, Trait.WASHER, Trait.HEAT, Trait.FLOOR)
"""Containers that are chosen for what they do, so that no box serves in their place."""


def _tool(problem: Problem, rng: Random) -> Draft | None:
    choices = [
        (category, substitutes)
        for category in dict.fromkeys(problem.objects.values())
        for trait, every in SUBSTITUTES.items()
        if trait in traits_of(category) and (substitutes := absent(problem, every))
    ]
    if not choices:
        return None
    category, substitutes = rng.choice(choices)
    gone, told = members(problem, category), Things(problem).told(members(problem, category))
    instead = rng.choice(substitutes)
    before = problem
    problem, fresh = with_things(problem, instead, len(gone))
    names = dict(zip(gone, fresh, strict=True))
    copied = tuple(_renamed(each, names) for each in before.init if each.atom.terms[0] in names)
    problem = replace(problem, init=(*problem.init, *copied))
    problem = without_things(with_names(problem, names), gone)
    problem = replace(problem, goal=over_another(problem.goal, category, instead))
    problem, back = _put_back(problem, fresh)
    are = "are" if Things(before).several(gone) else "is"
    things = Things(problem)
    return Draft(
        problem,
        f"{_begun(told)} {are} worn out and thrown away; {things.told(fresh)} can be used"
        f" instead{back}.",
    )


def _put_back(problem: Problem, tools: tuple[str, ...]) -> tuple[Problem, str]:
    """The problem whose goal has tools at their places at the end, unless it speaks of them."""
    if not named_in_goal(problem).isdisjoint((*tools, problem.objects[tools[0]])):
        return problem, ""
    places = [atom for each in tools if (atom := placed(problem, each)) is not None]
    told = " and must be back in place at the end" if places else ""
    return with_goal(problem, *places), told


def _container(problem: Problem, rng: Random) -> Draft | None:
    targets = {
        each.target: category_of(problem, each.target)
        for each in moves(problem)
        if each.predicate == "inside" and instances_of(problem, each.target)
    }
    choices = [
        each
        for each, category in targets.items()
        if Trait.CONTAINER in traits_of(category)
        and traits_of(category).isdisjoint(_KEEPING)
        and not _has_states(problem, each)
    ]
    boxes = absent(problem, BOXES)
    if not choices or not boxes:
        return None
    target = rng.choice(choices)
    closed = instances_of(problem, target)
    category, before = rng.choice(boxes), problem
    names: dict[str, str] = {}
    for each in closed:
        found = on_floor(problem, category, room_of(before, each)) or on_floor(
            problem, category, ""
        )
        if found is None:
            return None
        problem, names[each] = found
    problem = with_names(problem, names)
    if target not in before.objects:
        problem = replace(problem, goal=over_another(problem.goal, target, category))
    things = Things(problem)
    have = "have come apart and hold" if things.several(closed) else "has come apart and holds"
    return Draft(
        problem,
        f"{_begun(things.told(closed))} {have} nothing any more; what belongs there goes into"
        f" {things.told(names.values())} instead.",
    )


def _has_states(problem: Problem, term: str) -> bool:
    """Whether the goal asks for a state of a thing, or of one of its kind: closed, clean."""
    categories = {each.variable: each.category for each in all_bounds(problem.goal)}
    meant = {term, category_of(problem, term)}
    return any(
        len(atom.terms) == 1 and categories.get(atom.terms[0], atom.terms[0]) in meant
        for atom in atoms(problem.goal)
    )


def _renamed(literal: Literal, names: dict[str, str]) -> Literal:
    terms = tuple(names.get(each, each) for each in literal.atom.terms)
    return Literal(Atom(literal.atom.predicate, terms), literal.positive)


def _begun(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


RULES = (
    Rule(
        "tool_gone",
        Circumstance.FUNCTION,
        "A knife or a cleaning tool is not there any more; another one is, which does as well.",
        _tool,
    ),
    Rule(
        "container_broken",
        Circumstance.FUNCTION,
        "What things are to be put into is out of use; another container is added for them.",
        _container,
    ),
)
