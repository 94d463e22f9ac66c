"""Rules on what things are like: spoiled, dusty, frozen."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from env_service.making.editing import (
    is_so,
    members,
    placed,
    with_facts,
    with_goal,
    with_names,
    with_things,
)
from env_service.making.rewriting import over_another
from env_service.making.rules.rule import Draft, Rule
from env_service.making.rules.targets import Move, category_of, instances_of, moves
from env_service.making.rules.tools import absent, tool_beside
from env_service.making.things import Things
from env_service.suites.actplan.task import Circumstance
from env_service.worlds.activity.bddl.expressions import Atom, Bound, Expression, ForAll, Not
from env_service.worlds.activity.bddl.problem import Problem
from env_service.worlds.activity.categories import Trait, traits_of

FOODS = ("cracker.n.01", "muffin.n.01", "apple.n.01", "sandwich.n.01", "carrot.n.03")
"""Categories of published activities (spec: actplan.md section 2.2) that can take another food's
place."""

_SPOILED = {"burnt": "burnt", "perished": "spoiled"}
"""States in which food is of no use, and what they are called."""


def _spoil(problem: Problem, rng: Random) -> Draft | None:
    categories = [each for each in _carried(problem) if _solid_food(each)]
    others = absent(problem, FOODS)
    if not categories or not others:
        return None
    category, state = rng.choice(categories), rng.choice(tuple(_SPOILED))
    spoiled, instead = members(problem, category), rng.choice(others)
    places = [placed(problem, each) for each in spoiled]
    wanted = _left_alone(problem, category)
    problem, fresh = with_things(problem, instead, len(spoiled))
    beside = [
        Atom(place.predicate, (each, *place.terms[1:]))
        for each, place in zip(fresh, places, strict=True)
        if place is not None
    ]
    if len(beside) < len(spoiled):
        return None
    problem = with_facts(problem, *beside, *(Atom(state, (each,)) for each in spoiled))
    problem = with_names(problem, dict(zip(spoiled, fresh, strict=True)))
    problem = replace(problem, goal=over_another(problem.goal, category, instead))
    problem, things = with_goal(problem, *wanted), Things(problem)
    are = "are" if things.several(spoiled) else "is"
    there = "are" if things.several(fresh) else "is"
    return Draft(
        problem,
        f"{_begun(things.told(spoiled))} {are} {_SPOILED[state]} and must not be used;"
        f" {things.told(fresh)} {there} there instead.",
    )


def _soil(problem: Problem, rng: Random) -> Draft | None:
    categories = [
        each
        for each in _carried(problem)
        if traits_of(each).isdisjoint((Trait.FOOD, Trait.TOOL, Trait.SOAP, Trait.LIQUID))
        and not any(is_so(problem, "dusty", thing) for thing in members(problem, each))
    ]
    if not categories:
        return None
    soiled = members(problem, rng.choice(categories))
    found = tool_beside(problem, soiled[0], rng)
    if found is None:
        return None
    problem, tool = found
    problem = with_facts(problem, *(Atom("dusty", (each,)) for each in soiled))
    problem = with_goal(problem, _none_is(problem, "dusty", soiled))
    things = Things(problem)
    are, told = "are" if things.several(soiled) else "is", things.told(soiled)
    return Draft(
        problem,
        f"{_begun(told)} {are} covered with dust and must be clean at the end;"
        f" {things.the(tool)} is there to wipe with.",
    )


def _freeze(problem: Problem, rng: Random) -> Draft | None:
    categories = [
        each
        for each in _carried(problem)
        if _solid_food(each)
        and not any(
            is_so(problem, "frozen", thing) or _cold(problem, thing)
            for thing in members(problem, each)
        )
    ]
    if not categories:
        return None
    frozen = members(problem, rng.choice(categories))
    problem = with_facts(problem, *(Atom("frozen", (each,)) for each in frozen))
    problem = with_goal(problem, _none_is(problem, "frozen", frozen))
    things = Things(problem)
    are, told = "are" if things.several(frozen) else "is", things.told(frozen)
    return Draft(problem, f"{_begun(told)} {are} frozen and must be thawed at the end.")


def _none_is(problem: Problem, state: str, things: tuple[str, ...]) -> Expression:
    """That none of a category is in a state; ``things`` are all there are."""
    if len(things) == 1:
        return Not(Atom(state, things))
    category = problem.objects[things[0]]
    return ForAll(Bound(category, category), Not(Atom(state, (category,))))


def _carried(problem: Problem) -> tuple[str, ...]:
    """The categories of things that the goal has carried somewhere, and that can be carried."""
    found = (category_of(problem, each.item) for each in moves(problem))
    return tuple(
        each
        for each in dict.fromkeys(found)
        if members(problem, each) and Trait.MOVABLE in traits_of(each)
    )


def _left_alone(problem: Problem, category: str) -> list[Expression]:
    """That none of a kind is put into the places that the goal has for it, but for those that it is
    in at the start."""
    found: list[Expression] = []
    for move in moves(problem):
        if move.predicate == "inside" and category_of(problem, move.item) == category:
            away = (each for each in members(problem, category) if _away(problem, each, move))
            found += [_not_there(problem, each, move) for each in away]
    return found


def _not_there(problem: Problem, item: str, move: Move) -> Expression:
    if move.target in problem.objects:
        return Not(Atom("inside", (item, move.target)))
    bound = Bound(move.target, move.target)
    return ForAll(bound, Not(Atom("inside", (item, bound.variable))))


def _away(problem: Problem, item: str, move: Move) -> bool:
    """Whether the thing is somewhere else at the start."""
    atom = placed(problem, item)
    return atom is not None and atom.terms[1] not in instances_of(problem, move.target)


def _cold(problem: Problem, instance: str) -> bool:
    """Whether it is in something that keeps it cold: taken out, it thaws by itself."""
    atom = placed(problem, instance)
    return atom is not None and Trait.COLD in traits_of(category_of(problem, atom.terms[1]))


def _solid_food(category: str) -> bool:
    return Trait.FOOD in traits_of(category) and Trait.LIQUID not in traits_of(category)


def _begun(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


RULES = (
    Rule(
        "spoiled",
        Circumstance.PROPERTY,
        "Food that is wanted is burnt or spoiled; other food is added, which is to take its place.",
        _spoil,
    ),
    Rule(
        "dusty",
        Circumstance.PROPERTY,
        "Things that are carried are dusty and have to be clean; a tool is added.",
        _soil,
    ),
    Rule(
        "frozen",
        Circumstance.PROPERTY,
        "Food that is carried is frozen and has to be thawed.",
        _freeze,
    ),
)
