"""What a goal does to things: which are moved, and to where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from env_service.worlds.activity.bddl.expressions import Atom, Expression, Not
from env_service.worlds.activity.bddl.problem import Problem
from env_service.worlds.activity.bddl.walking import all_bounds, atoms, parts

MOVES = ("inside", "ontop", "nextto", "under", "onfloor")
"""The predicates that a thing is carried for."""


@dataclass(frozen=True, slots=True)
class Move:
    """A fact of a goal that makes somebody carry a thing. ``item`` and ``target`` are instances, or
    categories where the goal means any or all of them."""

    predicate: str
    item: str
    target: str


def moves(problem: Problem) -> Iterator[Move]:
    """All that the goal asks for, negations aside."""
    variables = {each.variable: each.category for each in all_bounds(problem.goal)}
    for atom in _positive(problem.goal):
        if atom.predicate in MOVES and len(atom.terms) == 2:
            item, target = (variables.get(each, each) for each in atom.terms)
            yield Move(atom.predicate, item, target)


def named_in_goal(problem: Problem) -> frozenset[str]:
    """The instances that the goal names, and the categories that it ranges over."""
    found = {each.category for each in all_bounds(problem.goal)}
    for atom in atoms(problem.goal):
        found.update(atom.terms)
    return frozenset(found)


def category_of(problem: Problem, term: str) -> str:
    """Of an instance, or the category itself."""
    return problem.objects.get(term, term)


def instances_of(problem: Problem, term: str) -> tuple[str, ...]:
    """The instance itself, or those of the category."""
    if term in problem.objects:
        return (term,)
    return tuple(each for each, category in problem.objects.items() if category == term)


def _positive(expression: Expression) -> Iterator[Atom]:
    if isinstance(expression, Atom):
        yield expression
    elif not isinstance(expression, Not):
        for each in parts(expression):
            yield from _positive(each)
