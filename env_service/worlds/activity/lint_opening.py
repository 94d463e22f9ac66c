"""The linter's checks of declarations and openings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from env_service.worlds.activity.bddl.expressions import Atom, all_bounds, atoms
from env_service.worlds.activity.bddl.problem import AGENT, INROOM, Literal
from env_service.worlds.activity.bddl.syntax import Node, Word
from env_service.worlds.activity.bddl.wording import in_words
from env_service.worlds.activity.lint_findings import Check, Finding, Subject

_SUPPORTS = ("inside", "ontop", "onfloor")
"""A thing is in one of these relations at a time, to one other thing."""

OBJECTS, INIT = ":objects", ":init"

_ONE = "keep one of the two"


def opening_findings(subject: Subject) -> Iterator[Finding]:
    """All that is wrong with what is declared and how it begins."""
    yield from _declarations(subject)
    yield from _agents(subject)
    yield from _unplaced(subject)
    yield from _repeated(subject)
    yield from _denied(subject)
    yield from _places(subject)
    yield from _cycles(subject)


def is_support(fact: Atom) -> bool:
    """Whether a fact says in or on what a thing lies."""
    return fact.predicate in _SUPPORTS and len(fact.terms) == 2


def circle(name: str, supports: Mapping[str, str]) -> tuple[str, ...]:
    """The things from one to itself, each lying in or on the next; empty where it does not come
    back to itself."""
    chain = [name]
    while (below := supports.get(chain[-1])) is not None:
        if below == name:
            return tuple(chain)
        if below in chain:
            break
        chain.append(below)
    return ()


def _declarations(subject: Subject) -> Iterator[Finding]:
    problem = subject.problem
    for name, category in problem.objects.items():
        stem, _, number = name.rpartition("_")
        if stem != category or not number.isdecimal():
            what = f'"{name}" is declared as {category}'
            mend = f'call it "{category}_N", or declare it under its own category'
            yield subject.found(Check.WRONG_CATEGORY, name, OBJECTS, what, mend)
    seen: set[str] = set()
    for word in _declared(subject):
        if word.text in seen:
            what = f'"{word.text}" is declared twice'
            mend = "write the instance that is meant, or drop it"
            yield subject.found_at(Check.REPEATED_OBJECT, word, what, mend)
        seen.add(word.text)


def _declared(subject: Subject) -> Iterator[Word]:
    words = iter(subject.places.words(OBJECTS))
    for word in words:
        if word.text == "-":
            next(words, None)
        else:
            yield word


def _agents(subject: Subject) -> Iterator[Finding]:
    agents = [name for name, kind in subject.problem.objects.items() if kind == AGENT]
    if not _placed(subject).intersection(agents):
        mend = f"declare {AGENT}_1, and put it on a floor"
        yield subject.found(Check.NO_AGENT, "", OBJECTS, "no agent is in the house", mend)
    for name in agents[1:]:
        what = f'"{name}" is one agent more; {agents[0]} alone acts'
        yield subject.found(Check.MANY_AGENTS, name, OBJECTS, what, "declare one agent")


def _unplaced(subject: Subject) -> Iterator[Finding]:
    problem, placed = subject.problem, _placed(subject)
    goals = (problem.goal, *problem.dropped)
    named = {term for each in problem.init for term in each.atom.terms}
    named |= {term for goal in goals for each in atoms(goal) for term in each.terms}
    kinds = {bound.category for goal in goals for bound in all_bounds(goal)}
    for name, category in problem.objects.items():
        if category == AGENT or name in placed:
            continue
        if name not in named and category not in kinds:
            what = f'nothing is said of "{name}": it is nowhere, and no goal is about it'
            mend = "put it somewhere under :init, or do not declare it"
            yield subject.found(Check.UNUSED_OBJECT, name, OBJECTS, what, mend)
        else:
            what = f'"{name}" is nowhere at the opening'
            mend = "put it somewhere under :init, or do not declare it"
            yield subject.found(Check.UNPLACED, name, OBJECTS, what, mend)


def _placed(subject: Subject) -> frozenset[str]:
    """What a fact of the opening puts somewhere."""
    return frozenset(
        each.atom.terms[0]
        for each in subject.problem.init
        if each.positive and len(each.atom.terms) == 2
    )


def _facts(subject: Subject) -> Iterator[tuple[Literal, Node]]:
    """The opening's facts with their places."""
    return zip(subject.problem.init, subject.places.entries(INIT), strict=True)


def _repeated(subject: Subject) -> Iterator[Finding]:
    seen: set[Literal] = set()
    for each, node in _facts(subject):
        if each in seen:
            what = f"that {in_words(each.atom)} is {'said' if each.positive else 'denied'} twice"
            mend = "write the instance that is meant, or drop it"
            yield subject.found_at(Check.REPEATED_FACT, node, what, mend)
        seen.add(each)


def _denied(subject: Subject) -> Iterator[Finding]:
    denied = {each.atom for each in subject.problem.init if not each.positive}
    for each, node in _facts(subject):
        if each.positive and each.atom in denied:
            denied.discard(each.atom)
            name = each.atom.terms[0]
            what = f'that "{each.atom.predicate}" holds of "{name}" is both said and denied'
            yield subject.found_at(Check.CONTRADICTION, node, what, _ONE)


def _places(subject: Subject) -> Iterator[Finding]:
    """Things in two places: in or on two others, in two rooms, or in another room than what they
    are in or on."""
    supports: dict[str, Atom] = {}
    rooms: dict[str, Atom] = {}
    for each, node in _facts(subject):
        known = rooms if each.atom.predicate == INROOM else supports
        if not each.positive or (known is supports and not is_support(each.atom)):
            continue
        first = known.setdefault(each.atom.terms[0], each.atom)
        if first != each.atom:
            yield _torn(subject, node, first, each.atom)
    below = {name: atom.terms[-1] for name, atom in supports.items()}
    for each, node in _facts(subject):
        if rooms.get(each.atom.terms[0]) == each.atom and each.positive:
            under = _roomed(each.atom.terms[0], below, rooms)
            if under is not None and under.terms[1] != each.atom.terms[1]:
                yield _torn(subject, node, supports[each.atom.terms[0]], each.atom, under)


def _roomed(name: str, below: Mapping[str, str], rooms: Mapping[str, Atom]) -> Atom | None:
    """In which room the next thing below is that has one."""
    seen = {name}
    while (name := below.get(name, "")) and name not in seen:
        if name in rooms:
            return rooms[name]
        seen.add(name)
    return None


def _torn(subject: Subject, node: Node, *facts: Atom) -> Finding:
    told = ", and ".join(map(in_words, facts))
    what = f'"{facts[0].terms[0]}" is in two places: {told}'
    return subject.found_at(Check.CONTRADICTION, node, what, _ONE)


def _cycles(subject: Subject) -> Iterator[Finding]:
    supports: dict[str, str] = {}
    for each in subject.problem.init:
        if each.positive and is_support(each.atom):
            supports.setdefault(each.atom.terms[0], each.atom.terms[1])
    told: set[str] = set()
    for each, node in _facts(subject):
        name = each.atom.terms[0]
        around = circle(name, supports) if each.positive else ()
        if not around or name in told or each.atom.terms[-1] != supports[name]:
            continue
        told.update(around)
        what = f'"{name}" lies in or on itself'
        if len(around) > 1:
            what += f", by way of {', '.join(around[1:])}"
        mend = "put one of them on the floor, or into something else"
        yield subject.found_at(Check.CYCLE, node, what, mend)
