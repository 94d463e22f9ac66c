"""Definitions made of other definitions: things and facts that are added, left out, renamed;
and conditions over other things.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from env_service.worlds.activity.bddl.expressions import (
    And,
    Atom,
    Bound,
    Exists,
    Expression,
    ForAll,
    ForN,
    ForNPairs,
    ForPairs,
    bounds,
    rebuilt,
    renamed,
)
from env_service.worlds.activity.bddl.problem import INROOM, Literal, Problem

PLACING = ("inside", "ontop", "onfloor", "under")
"""The predicates that say where a thing is."""

_NUMBER = re.compile(r"_(\d+)$")


def members(problem: Problem, category: str) -> tuple[str, ...]:
    """The instances of a category."""
    return tuple(each for each, kind in problem.objects.items() if kind == category)


def placed(problem: Problem, instance: str) -> Atom | None:
    """The fact that says where a thing is; None where nothing does."""
    for each in problem.init:
        atom = each.atom
        if each.positive and atom.predicate in PLACING and atom.terms[0] == instance:
            return atom
    return None


def room_of(problem: Problem, instance: str) -> str:
    """The room that a thing is in, whatever it is in or on; empty if unknown."""
    rooms = {
        each.atom.terms[0]: each.atom.terms[1]
        for each in problem.init
        if each.positive and each.atom.predicate == INROOM
    }
    met = set[str]()
    while instance not in rooms and instance not in met:
        met.add(instance)
        atom = placed(problem, instance)
        if atom is None:
            return ""
        instance = atom.terms[1]
    return rooms.get(instance, "")


def is_so(problem: Problem, predicate: str, instance: str) -> bool:
    """Whether a state is a fact of the opening."""
    return Literal(Atom(predicate, (instance,))) in problem.init


def with_things(problem: Problem, category: str, count: int = 1) -> tuple[Problem, tuple[str, ...]]:
    """The problem with so many more things of a category, and their names. They are nowhere yet."""
    numbers = [
        int(found[1]) for each in members(problem, category) if (found := _NUMBER.search(each))
    ]
    first = max(numbers, default=0) + 1
    names = tuple(f"{category}_{number}" for number in range(first, first + count))
    objects: dict[str, str] = {}
    left = dict.fromkeys(names, category)
    for each, kind in problem.objects.items():
        objects[each] = kind
        if each in members(problem, category)[-1:]:
            objects |= left
            left = {}
    return replace(problem, objects={**objects, **left}), names


def without_things(problem: Problem, gone: Iterable[str]) -> Problem:
    """The problem without some things and what its opening says of them. The goal stays."""
    names = frozenset(gone)
    return replace(
        problem,
        objects={each: kind for each, kind in problem.objects.items() if each not in names},
        init=tuple(each for each in problem.init if names.isdisjoint(each.atom.terms)),
    )


def with_facts(problem: Problem, *atoms: Atom) -> Problem:
    """The problem with more facts, and without their contraries."""
    kept = tuple(each for each in problem.init if each.atom not in atoms)
    return replace(problem, init=(*kept, *map(Literal, atoms)))


def with_names(problem: Problem, names: Mapping[str, str]) -> Problem:
    """The problem with other names for things in its goal."""
    return replace(problem, goal=renamed(problem.goal, names))


def with_goal(problem: Problem, *more: Expression) -> Problem:
    """The problem with more conjuncts in its goal, each once."""
    fresh = tuple(each for each in dict.fromkeys(more) if each not in problem.conjuncts)
    return replace(problem, goal=And((*problem.conjuncts, *fresh)))


# --- Conditions over other things


def over_another(expression: Expression, old: str, new: str) -> Expression:
    """The condition with its quantifiers over another category. Variables that are called like the
    old one are called like the new one."""

    def moved(bound: Bound) -> Bound:
        if bound.category != old:
            return bound
        return Bound(new if bound.variable == old else bound.variable, new)

    inner = rebuilt(expression, lambda each: over_another(each, old, new))
    if any(each == Bound(old, old) for each in bounds(inner)):
        inner = rebuilt(inner, lambda each: renamed(each, {old: new}))
    match inner:
        case ForAll(bound) | Exists(bound) | ForN(_, bound):
            return replace(inner, bound=moved(bound))
        case ForPairs() | ForNPairs():
            return replace(inner, first=moved(inner.first), second=moved(inner.second))
    return inner
