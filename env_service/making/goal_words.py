"""A goal in English sentences."""

from __future__ import annotations

from env_service.making.nouns import plural
from env_service.making.things import Things
from env_service.worlds.activity.bddl.expressions import (
    Expression,
    ForN,
    ForNPairs,
    ForPairs,
)
from env_service.worlds.activity.bddl.problem import Problem
from env_service.worlds.activity.bddl.rewriting import renamed
from env_service.worlds.activity.bddl.telling import in_words, thing_in_words
from env_service.worlds.activity.bddl.walking import atoms

_COUNTS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def goal_sentences(problem: Problem, things: Things) -> tuple[str, ...]:
    """What is to be true at the end, a sentence for each conjunct, each once; without a full stop
    and with a small letter at the front."""
    names = {instance: things.the(instance) for instance in problem.objects}
    told = (_sentence(renamed(each, names)) for each in problem.conjuncts)
    return tuple(dict.fromkeys(told))


def _sentence(conjunct: Expression) -> str:
    match conjunct:
        case ForPairs():
            return _paired(conjunct, "as far as both go")
        case ForNPairs():
            return _paired(conjunct, f"in at least {_count(conjunct.count)} pairs")
        case ForN(count, bound, body):
            kind = thing_in_words(bound.category)
            that = in_words(renamed(body, {bound.variable: f"that {kind}"}))
            return f"this is true of exactly {_count(count)} of the {plural(kind)}: {that}"
    return in_words(conjunct)


def _paired(pairs: ForPairs | ForNPairs, many: str) -> str:
    first, second = (thing_in_words(each.category) for each in (pairs.first, pairs.second))
    named = {term for atom in atoms(pairs.body) for term in atom.terms}
    if named.isdisjoint((pairs.first.variable, pairs.second.variable)):
        return in_words(pairs.body)
    if first == second:
        names = {pairs.first.variable: f"one {first}", pairs.second.variable: "the other"}
        things = f"the {plural(first)}"
    else:
        names = {pairs.first.variable: f"the {first}", pairs.second.variable: f"the {second}"}
        things = f"the {plural(first)} and the {plural(second)}"
    body = in_words(renamed(pairs.body, names))
    return f"{things} can be paired one to one, {many}, so that in each pair {body}"


def _count(number: int) -> str:
    return _COUNTS[number] if number < len(_COUNTS) else str(number)
