"""Conditions made of other conditions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from env_service.worlds.activity.bddl.expressions import And, Atom, Expression, Imply, Not, Or
from env_service.worlds.activity.bddl.walking import bounds


def rebuilt(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The condition with ``change`` of each of its own parts."""
    match expression:
        case Atom():
            return expression
        case Not(body):
            return Not(change(body))
        case And(inner):
            return And(tuple(map(change, inner)))
        case Or(inner):
            return Or(tuple(map(change, inner)))
        case Imply(premise, conclusion):
            return Imply(change(premise), change(conclusion))
    return replace(expression, body=change(expression.body))


def renamed(expression: Expression, names: Mapping[str, str]) -> Expression:
    """The condition with other names for instances, or instances in place of variables. What a
    quantifier binds stays."""
    if isinstance(expression, Atom):
        return Atom(expression.predicate, tuple(names.get(each, each) for each in expression.terms))
    bound = {each.variable for each in bounds(expression)}
    free = {old: new for old, new in names.items() if old not in bound} if bound else names
    return rebuilt(expression, lambda each: renamed(each, free))
