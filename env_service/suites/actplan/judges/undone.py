"""Which pieces of a condition are not so, by the names of the things."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from env_service.worlds.activity.bddl.evaluation import evaluate, instances
from env_service.worlds.activity.bddl.expressions import And, Atom, Expression, ForAll
from env_service.worlds.activity.bddl.rewriting import renamed

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
                part = renamed(body, {bound.variable: name})
                yield from pieces_undone(part, objects, holds)
        case _:
            yield expression
