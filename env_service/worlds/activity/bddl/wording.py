"""Conditions in words, for people."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from env_service.domain.text import with_article
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
    opposite,
)

_IS = {
    "inside": "is in",
    "ontop": "is on",
    "onfloor": "is on",
    "nextto": "is next to",
    "under": "is under",
    "touching": "touches",
    "inroom": "is in the",
    "toggled_on": "is switched on",
    "perished": "is spoiled",
}
_IS_NOT = {"touching": "does not touch"}
_NAME = re.compile(r"(?P<lemma>.+?)\.[nvars]\.\d+(?:_(?:(?P<number>\d+)|p\d+))?")
"""The number of a phantom ("sink.n.01_p3") means nothing to people."""


def in_words(expression: Expression) -> str:
    """A condition as people say it: "candle 1 is in basket 1", "no rag is stained", "every plate is
    in some cabinet"."""
    return _Wording().text(expression)


def thing_in_words(name: str) -> str:
    """An instance, or a category: "electric_refrigerator.n.01_1" is "electric refrigerator 1". A
    phantom comes without its number, a name of another form without its underscores."""
    match = _NAME.fullmatch(name)
    if match is None:
        return name.replace("_", " ")
    number = f" {match['number']}" if match["number"] else ""
    return match["lemma"].replace("_", " ") + number


@dataclass(frozen=True, slots=True)
class _Wording:
    """``called``: what variables are called."""

    called: Mapping[str, str] = field(default_factory=dict)

    def text(self, expression: Expression) -> str:
        match expression:
            case Atom():
                return self._fact(expression)
            case Not(Atom() as fact):
                return self._fact(fact, negated=True)
            case Not(ForN() | ForPairs() | ForNPairs() as counted):
                return f"it is not so that {self.text(counted)}"
            case Not(body):
                return self.text(opposite(body))
            case And(parts):
                return ", and ".join(map(self._part, parts)) or "nothing is asked"
            case Or(parts):
                return f"either {', or '.join(map(self._part, parts))}"
            case Imply(premise, conclusion):
                return f"if {self.text(premise)}, then {self.text(conclusion)}"
        return self._quantified(expression)

    def _part(self, expression: Expression) -> str:
        words = self.text(expression)
        return f"({words})" if isinstance(expression, And | Or | Imply) else words

    def _quantified(self, expression: ForAll | Exists | ForN | ForPairs | ForNPairs) -> str:
        match expression:
            case ForPairs() | ForNPairs():
                return self._pairs(expression)
            case ForN(count, bound, body):
                every = f"exactly {count} of the kind"
            case ForAll(bound, body) | Exists(bound, body):
                if sentence := self._sentence(expression):
                    return sentence
                every = "every" if isinstance(expression, ForAll) else "some"
        inner = self._with({bound.variable: f"that {thing_in_words(bound.category)}"})
        return f"for {every} {thing_in_words(bound.category)}: {inner.text(body)}"

    def _sentence(self, expression: Expression) -> str:
        """ "every cup is in some sink"; empty where that would be ambiguous."""
        every, some, kernel = _taken_apart(expression)
        fact = kernel.body if isinstance(kernel, Not) else kernel
        bounds = (*every, *some)
        if not isinstance(fact, Atom) or any(fact.terms.count(b.variable) != 1 for b in bounds):
            return ""
        kinds = {each.variable: thing_in_words(each.category) for each in bounds}
        if isinstance(kernel, Atom):
            called = {b.variable: f"every {kinds[b.variable]}" for b in every}
            called |= {b.variable: f"some {kinds[b.variable]}" for b in some}
            return self._with(called)._fact(fact)
        if not some:
            order = [term for term in fact.terms if term in kinds]
            called = {term: f"any {kinds[term]}" for term in order}
            called[order[0]] = f"no {kinds[order[0]]}"
            return self._with(called)._fact(fact)
        if not every and [b.variable for b in some] == [fact.terms[0]]:
            called = {fact.terms[0]: f"some {kinds[fact.terms[0]]}"}
            return self._with(called)._fact(fact, negated=True)
        return ""

    def _pairs(self, expression: ForPairs | ForNPairs) -> str:
        first, second = (thing_in_words(b.category) for b in (expression.first, expression.second))
        called = {
            expression.first.variable: with_article(first),
            expression.second.variable: f"another {second}"
            if first == second
            else with_article(second),
        }
        counted = f", {expression.count} times" if isinstance(expression, ForNPairs) else ""
        return f"one by one{counted}, {self._with(called).text(expression.body)}"

    def _with(self, names: Mapping[str, str]) -> _Wording:
        return replace(self, called={**self.called, **names})

    def _fact(self, atom: Atom, *, negated: bool = False) -> str:
        names = [self.called.get(each) or thing_in_words(each) for each in atom.terms]
        says = _IS.get(atom.predicate, f"is {atom.predicate.replace('_', ' ')}")
        if negated:
            says = _IS_NOT.get(atom.predicate, says.replace("is", "is not", 1))
        return " ".join((names[0], says, *names[1:]))


def _taken_apart(
    expression: Expression,
) -> tuple[tuple[Bound, ...], tuple[Bound, ...], Expression]:
    """The leading "for all", the "there is" after them, and what they are about."""
    every: list[Bound] = []
    some: list[Bound] = []
    while isinstance(expression, ForAll):
        every.append(expression.bound)
        expression = expression.body
    while isinstance(expression, Exists):
        some.append(expression.bound)
        expression = expression.body
    return tuple(every), tuple(some), expression
