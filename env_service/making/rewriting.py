"""Conditions made of other conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
    Imply,
    Or,
)

Quantified = ForAll | Exists | ForN | ForPairs | ForNPairs


def parts(expression: Expression) -> tuple[Expression, ...]:
    """The conditions that a condition is made of."""
    match expression:
        case And(inner) | Or(inner):
            return inner
        case Imply(premise, conclusion):
            return premise, conclusion
        case Atom():
            return ()
    return (expression.body,)


def atoms(expression: Expression) -> Iterator[Atom]:
    """All facts that a condition speaks of, in its order."""
    if isinstance(expression, Atom):
        yield expression
    for each in parts(expression):
        yield from atoms(each)


def bounds(expression: Expression) -> tuple[Bound, ...]:
    """The variables that a condition itself binds."""
    match expression:
        case ForAll(bound) | Exists(bound) | ForN(_, bound):
            return (bound,)
        case ForPairs() | ForNPairs():
            return expression.first, expression.second
    return ()


def all_bounds(expression: Expression) -> Iterator[Bound]:
    """The variables that a condition binds anywhere."""
    yield from bounds(expression)
    for each in parts(expression):
        yield from all_bounds(each)


def rebuilt(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The condition with ``change`` of each of its own parts."""
    match expression:
        case And(inner):
            return And(tuple(map(change, inner)))
        case Or(inner):
            return Or(tuple(map(change, inner)))
        case Imply(premise, conclusion):
            return Imply(change(premise), change(conclusion))
        case Atom():
            return expression
    return replace(expression, body=change(expression.body))


def renamed(expression: Expression, names: Mapping[str, str]) -> Expression:
    """The condition with other names for instances. What a quantifier binds stays."""
    if isinstance(expression, Atom):
        return Atom(expression.predicate, tuple(names.get(each, each) for each in expression.terms))
    bound = {each.variable for each in bounds(expression)}
    free = {old: new for old, new in names.items() if old not in bound}
    return rebuilt(expression, lambda each: renamed(each, free))


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
