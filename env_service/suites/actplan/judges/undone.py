"""Which pieces of a condition are not so, by the names of the things."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from env_service.worlds.activity.bddl.evaluation import evaluate, instances
from env_service.worlds.activity.bddl.expressions import (
    And,
    Atom,
    Exists,
    Expression,
    ForAll,
    ForN,
    ForNPairs,
    ForPairs,
    Imply,
    Not,
    Or,
)

Holds = Callable[[Atom], bool]


def pieces_undone(
    expression: Expression, objects: Mapping[str, str], holds: Holds
) -> Iterator[Expression]:
    """The parts of a condition that does not hold and whose holding would make it hold: of a
    conjunction those that do not hold, of "every" the instances of which it is not so; else the
    condition itself. Nothing of one that holds."""
    if evaluate(expression, objects, holds):
        return
    match expression:
        case And(parts):
            for part in parts:
                yield from pieces_undone(part, objects, holds)
        case ForAll(bound, body):
            for name in instances(objects, bound):
                part = stand_in(body, bound.variable, name)
                yield from pieces_undone(part, objects, holds)
        case _:
            yield expression


def stand_in(expression: Expression, variable: str, name: str) -> Expression:
    """The condition with an instance in place of a variable, where no quantifier within it binds
    the same one."""
    match expression:
        case Atom(predicate, terms):
            return Atom(predicate, tuple(name if each == variable else each for each in terms))
        case Not(body):
            return Not(stand_in(body, variable, name))
        case And(parts):
            return And(tuple(stand_in(part, variable, name) for part in parts))
        case Or(parts):
            return Or(tuple(stand_in(part, variable, name) for part in parts))
        case Imply(premise, conclusion):
            return Imply(stand_in(premise, variable, name), stand_in(conclusion, variable, name))
    if variable in _variables(expression):
        return expression
    return replace(expression, body=stand_in(expression.body, variable, name))


def _variables(
    expression: ForAll | Exists | ForN | ForPairs | ForNPairs,
) -> tuple[str, ...]:
    if isinstance(expression, ForPairs | ForNPairs):
        return (expression.first.variable, expression.second.variable)
    return (expression.bound.variable,)
