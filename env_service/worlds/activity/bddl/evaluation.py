"""Whether conditions hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
    Not,
    Or,
)

Holds = Callable[[Atom], bool]
"""Whether a fact about instances holds."""

_Names = Mapping[str, str]


def evaluate(expression: Expression, objects: Mapping[str, str], holds: Holds) -> bool:
    """Whether a condition holds.

    Args:
        objects: instance to category: what quantifiers run over, in this order.
        holds: asked of facts whose variables stand for instances. A name that no quantifier binds
            is passed as it is, declared or not.
    """
    return _truth(expression, objects, holds, {})


def _truth(expression: Expression, objects: _Names, holds: Holds, bound: _Names) -> bool:
    match expression:
        case Atom(predicate, terms):
            if bound:
                expression = Atom(predicate, tuple(bound.get(each, each) for each in terms))
            return holds(expression)
        case Not(body):
            return not _truth(body, objects, holds, bound)
        case And(parts):
            return all(_truth(part, objects, holds, bound) for part in parts)
        case Or(parts):
            return any(_truth(part, objects, holds, bound) for part in parts)
        case Imply(premise, conclusion):
            return not _truth(premise, objects, holds, bound) or _truth(
                conclusion, objects, holds, bound
            )
    return _quantified(expression, objects, holds, bound)


def _quantified(
    expression: ForAll | Exists | ForN | ForPairs | ForNPairs,
    objects: _Names,
    holds: Holds,
    bound: _Names,
) -> bool:
    if isinstance(expression, ForPairs | ForNPairs):
        return _pairs(expression, objects, holds, bound)
    variable, body = expression.bound.variable, expression.body
    cells = (
        _truth(body, objects, holds, {**bound, variable: each})
        for each in instances(objects, expression.bound)
    )
    match expression:
        case ForAll():
            return all(cells)
        case Exists():
            return any(cells)
    return sum(cells) == expression.count


def _pairs(expression: ForPairs | ForNPairs, objects: _Names, holds: Holds, bound: _Names) -> bool:
    first, second = expression.first, expression.second
    rows, columns = instances(objects, first), instances(objects, second)
    needed = expression.count if isinstance(expression, ForNPairs) else min(len(rows), len(columns))
    full = [
        (row, column)
        for row in rows
        for column in columns
        if row != column
        and _truth(
            expression.body,
            objects,
            holds,
            {**bound, first.variable: row, second.variable: column},
        )
    ]
    return len({row for row, _ in full}) >= needed and len({each for _, each in full}) >= needed


def instances(objects: Mapping[str, str], bound: Bound) -> tuple[str, ...]:
    """The instances that a variable stands for, in order of declaration."""
    return tuple(name for name, category in objects.items() if category == bound.category)
