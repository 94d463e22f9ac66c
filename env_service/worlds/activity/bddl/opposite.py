"""The opposite of a condition, with "not" as far inside as it goes."""

from __future__ import annotations

from env_service.worlds.activity.bddl.expressions import (
    And,
    Exists,
    Expression,
    ForAll,
    Imply,
    Not,
    Or,
)


def opposite(expression: Expression) -> Expression:
    """A condition that is true exactly where ``expression`` is false: "not" stands before facts and
    before counts (`ForN`, `ForPairs`, `ForNPairs`), whose opposite has no other form."""
    match expression:
        case Not(body):
            return body
        case And(parts):
            return Or(tuple(map(opposite, parts)))
        case Or(parts):
            return And(tuple(map(opposite, parts)))
        case Imply(premise, conclusion):
            return And((premise, opposite(conclusion)))
        case ForAll(bound, body):
            return Exists(bound, opposite(body))
        case Exists(bound, body):
            return ForAll(bound, opposite(body))
    return Not(expression)
