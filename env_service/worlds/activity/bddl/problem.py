"""An activity's definition, and whether every name in it is bound."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from env_service.worlds.activity.bddl.expressions import (
    And,
    Atom,
    Exists,
    Expression,
    ForAll,
    ForN,
    Imply,
    Not,
    Or,
)
from env_service.worlds.activity.bddl.syntax import BddlError

AGENT = "agent.n.01"
"""The category of who acts."""


@dataclass(frozen=True, slots=True)
class Literal:
    """One fact of an opening; ``positive`` False: that it does not hold."""

    atom: Atom
    positive: bool = True


@dataclass(frozen=True, slots=True)
class Problem:
    """One activity, as a file defines it. All names are in lower case.

    Attributes:
        name: what the file calls it; not to be keyed on (docs/actplan-making.md, Lint).
        domain: "igibson" in published files.
        objects: instance ("basket.n.01_1") to category ("basket.n.01"), in order of declaration.
        init: the opening's facts, in the file's order.
        goal: what is to be true at the end.
        dropped: expressions after the first one of the goal, which BEHAVIOR's own parser drops in
            silence (docs/actplan-making.md, Lint).
    """

    name: str
    domain: str
    objects: Mapping[str, str]
    init: tuple[Literal, ...]
    goal: Expression
    dropped: tuple[Expression, ...] = ()

    @property
    def conjuncts(self) -> tuple[Expression, ...]:
        """The goal's parts, which have to hold all at once; one unless it is a conjunction."""
        return self.goal.parts if isinstance(self.goal, And) else (self.goal,)


# --- Whether every name of a definition is bound: what BEHAVIOR's code calls to
# compile (docs/actplan-making.md, heading Lint)

INROOM = "inroom"
"""The predicate whose second term is a room, which needs no declaration."""


def check_names(problem: Problem, source: str = "") -> None:
    """Checks the opening and the goal; what is dropped of the goal is not looked at.

    Args:
        source: what errors call the definition; empty: by the problem's name.

    Raises:
        BddlError: a name is neither declared nor bound by a quantifier around it.
    """
    known = frozenset(problem.objects)
    for literal in problem.init:
        for name in terms(literal.atom):
            if name not in known:
                raise _unknown(problem, source, name, ":init")
    for name in unbound(problem.goal, known):
        raise _unknown(problem, source, name, ":goal")


def terms(atom: Atom) -> tuple[str, ...]:
    """The terms that stand for instances: all but the room of `INROOM`."""
    return atom.terms[:1] if atom.predicate == INROOM else atom.terms


def unbound(expression: Expression, known: frozenset[str]) -> Iterator[str]:
    """The names in a condition that are neither ``known`` nor bound where they stand, in order."""
    match expression:
        case Atom():
            yield from (name for name in terms(expression) if name not in known)
        case Not(body):
            yield from unbound(body, known)
        case And(parts) | Or(parts):
            for part in parts:
                yield from unbound(part, known)
        case Imply(premise, conclusion):
            yield from unbound(premise, known)
            yield from unbound(conclusion, known)
        case ForAll(bound, body) | Exists(bound, body):
            yield from unbound(body, known | {bound.variable})
        case ForN(_, bound, body):
            yield from unbound(body, known | {bound.variable})
        case _:
            both = {expression.first.variable, expression.second.variable}
            yield from unbound(expression.body, known | both)


def _unknown(problem: Problem, source: str, name: str, section: str) -> BddlError:
    near = get_close_matches(name, problem.objects, n=1)
    instead = f", or write {near[0]}" if near else ""
    what = f'"{name}" in {section} is not declared, and no quantifier binds it'
    mend = f"declare it under :objects{instead}"
    return BddlError(source or problem.name, 0, 0, what, mend)
