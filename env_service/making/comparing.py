"""Whether two definitions really differ: order, blanks, and what variables are called do not
count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from env_service.worlds.activity.bddl.expressions import (
    And,
    Atom,
    Expression,
    ForN,
    ForNPairs,
    Imply,
    Not,
    Or,
)
from env_service.worlds.activity.bddl.problem import Literal, Problem
from env_service.worlds.activity.bddl.telling import in_words, thing_in_words
from env_service.worlds.activity.bddl.walking import bounds, parts


@dataclass(frozen=True, slots=True)
class Difference:
    """What a definition has that another one has not, and the other way round, in words."""

    things: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    goals: tuple[str, ...] = ()

    @property
    def init(self) -> bool:
        """Whether the openings differ."""
        return bool(self.things or self.facts)

    def __str__(self) -> str:
        """For people: "things +rag 1; facts +cookie 1 is burnt; goal -cookie 1 is in basket 1"."""
        told = (("things", self.things), ("facts", self.facts), ("goal", self.goals))
        return "; ".join(f"{name} {', '.join(each)}" for name, each in told if each) or "nothing"


def difference(one: Problem, other: Problem) -> Difference:
    """What ``other`` has (+) and has not (-) of ``one``."""
    return Difference(
        _changed(
            {each: thing_in_words(each) for each in one.objects},
            {each: thing_in_words(each) for each in other.objects},
        ),
        _changed(_facts(one), _facts(other)),
        _changed(_goals(one), _goals(other)),
    )


def canonical(expression: Expression, names: Mapping[str, str] | None = None) -> Any:
    """A form in which equal conditions are equal, whatever their order and variables."""
    names = names or {}
    if isinstance(expression, Atom):
        terms = tuple(names.get(each, each) for each in expression.terms)
        symmetric = expression.predicate in ("nextto", "touching")
        return expression.predicate, *(sorted(terms) if symmetric else terms)
    if isinstance(expression, Not) and isinstance(expression.body, Not):
        return canonical(expression.body.body, names)
    bound = {
        each.variable: f"?{len(names) + place}:{each.category}"
        for place, each in enumerate(bounds(expression))
    }
    inner = [canonical(each, {**names, **bound}) for each in parts(expression)]
    kind = type(expression).__name__
    if isinstance(expression, And | Or):
        flat = _flattened(kind, inner)
        return flat[0] if len(flat) == 1 else (kind, *flat)
    if isinstance(expression, Not | Imply):
        return kind, *inner
    count = expression.count if isinstance(expression, ForN | ForNPairs) else ""
    return kind, str(count), *bound.values(), *inner


def _flattened(kind: str, inner: list[Any]) -> list[Any]:
    """The parts of a conjunction or disjunction, nested ones too, sorted, each once."""
    flat: list[Any] = []
    for each in inner:
        flat += each[1:] if each[0] == kind else [each]
    return sorted({repr(each): each for each in flat}.values(), key=repr)


def _facts(problem: Problem) -> dict[Any, str]:
    return {(each.positive, canonical(each.atom)): _told(each) for each in problem.init}


def _told(literal: Literal) -> str:
    return in_words(literal.atom if literal.positive else Not(literal.atom))


def _goals(problem: Problem) -> dict[Any, str]:
    return {canonical(each): in_words(each) for each in problem.conjuncts}


def _changed(before: Mapping[Any, str], after: Mapping[Any, str]) -> tuple[str, ...]:
    more = (f"+{words}" for key, words in after.items() if key not in before)
    less = (f"-{words}" for key, words in before.items() if key not in after)
    return *more, *less
