"""How near a state is to a goal, for choosing between readings of a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from env_service.worlds.activity.bddl.evaluation import evaluate
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
    Not,
    Or,
)
from env_service.worlds.activity.bddl.problem import Problem
from env_service.worlds.activity.bddl.walking import all_bounds, atoms

Holds = Callable[[Atom], bool]
_Names = Mapping[str, str]


def nearness(problem: Problem, holds: Holds) -> float:
    """How much of a goal holds, 0 … 1; 1 exactly where all of it does.

    Of conditions that have to hold together it is the mean, of alternatives the best.
    """
    conjuncts = problem.conjuncts
    if not conjuncts:
        return 1.0
    return sum(_part(each, problem.objects, holds, {}) for each in conjuncts) / len(conjuncts)


def spoken_of(problem: Problem) -> frozenset[str]:
    """The instances and categories that a goal names."""
    named = (name for atom in atoms(problem.goal) for name in atom.terms)
    return frozenset((*named, *(each.category for each in all_bounds(problem.goal))))


def _part(expression: Expression, objects: _Names, holds: Holds, bound: _Names) -> float:
    match expression:
        case Atom(predicate, terms):
            return float(holds(Atom(predicate, tuple(bound.get(each, each) for each in terms))))
        case Not(Atom() as atom):
            return 1.0 - _part(atom, objects, holds, bound)
        case And(parts):
            return _mean([_part(each, objects, holds, bound) for each in parts])
        case Or(parts):
            return max((_part(each, objects, holds, bound) for each in parts), default=0.0)
        case ForAll(one, body):
            return _mean(_over(one, body, objects, holds, bound))
        case Exists(one, body):
            return max(_over(one, body, objects, holds, bound), default=0.0)
        case ForN(count, one, body):
            exact = sum(each == 1.0 for each in _over(one, body, objects, holds, bound))
            return 1.0 - min(1.0, abs(exact - count) / max(1, count))
        case ForPairs(first, second, body):
            return _pairs(None, (first, second), body, (objects, holds, bound))
        case ForNPairs(count, first, second, body):
            return _pairs(count, (first, second), body, (objects, holds, bound))
    return float(evaluate(expression, objects, lambda atom: holds(_put(atom, bound))))


def _over(
    one: Bound, body: Expression, objects: _Names, holds: Holds, bound: _Names
) -> list[float]:
    return [
        _part(body, objects, holds, {**bound, one.variable: name})
        for name, category in objects.items()
        if category == one.category
    ]


def _pairs(
    count: int | None,
    sides: tuple[Bound, Bound],
    body: Expression,
    where: tuple[_Names, Holds, _Names],
) -> float:
    objects, holds, bound = where
    first, second = (
        [name for name, category in objects.items() if category == side.category] for side in sides
    )
    least = min(len(first), len(second)) if count is None else count
    rows, columns = set(), set()
    for one in first:
        for two in second:
            names = {**bound, sides[0].variable: one, sides[1].variable: two}
            if one != two and _part(body, objects, holds, names) == 1.0:
                rows.add(one)
                columns.add(two)
    return min(1.0, min(len(rows), len(columns)) / least) if least else 1.0


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 1.0


def _put(atom: Atom, bound: _Names) -> Atom:
    return Atom(atom.predicate, tuple(bound.get(each, each) for each in atom.terms))
