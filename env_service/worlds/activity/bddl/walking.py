"""All parts of a condition."""

from __future__ import annotations

from collections.abc import Iterator

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


def parts(expression: Expression) -> tuple[Expression, ...]:
    """What a condition is directly made of, in order; of an atom nothing."""
    match expression:
        case Atom():
            return ()
        case And(parts) | Or(parts):
            return parts
        case Imply(premise, conclusion):
            return premise, conclusion
    return (expression.body,)


def within(expression: Expression) -> Iterator[Expression]:
    """A condition and all that it is made of, outermost first."""
    yield expression
    for part in parts(expression):
        yield from within(part)


def atoms(expression: Expression) -> Iterator[Atom]:
    """All facts that a condition speaks of, in its order."""
    return (each for each in within(expression) if isinstance(each, Atom))


def bounds(expression: Expression) -> tuple[Bound, ...]:
    """The variables that a condition itself binds."""
    match expression:
        case ForAll(bound) | Exists(bound) | ForN(_, bound):
            return (bound,)
        case ForPairs() | ForNPairs():
            return expression.first, expression.second
    return ()


def all_bounds(expression: Expression) -> Iterator[Bound]:
    """The variables that a condition binds anywhere, outermost first."""
    for each in within(expression):
        yield from bounds(each)


def bound_depth(expression: Expression) -> int:
    """How many variables are bound at once where most are: deciding a condition takes time that
    grows with the number of instances to that power."""
    inner = max(map(bound_depth, parts(expression)), default=0)
    return inner + len(bounds(expression))
