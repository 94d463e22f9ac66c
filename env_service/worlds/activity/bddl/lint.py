"""Finds the defects that published definitions have (spec: actplan.md section 2.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from env_service.worlds.activity.bddl.errors import BddlError
from env_service.worlds.activity.bddl.finding import Check, Finding
from env_service.worlds.activity.bddl.lint_goal import goal_findings
from env_service.worlds.activity.bddl.lint_subject import Subject
from env_service.worlds.activity.bddl.names import terms, unbound
from env_service.worlds.activity.bddl.places import Places
from env_service.worlds.activity.bddl.problem import AGENT, Literal
from env_service.worlds.activity.bddl.reading import read_problem
from env_service.worlds.activity.bddl.syntax import read_group

SUPPORTS = ("inside", "ontop", "onfloor")
"""A thing is in one of these relations at a time, to one other thing."""


def lint(text: str, source: str, name: str = "") -> tuple[Finding, ...]:
    """What is wrong with a definition, in the order of its text.

    Args:
        source: what findings call it: the file's path.
        name: what the problem should be called; empty: anything.
    """
    try:
        subject = Subject(
            source, name, read_problem(text, source), Places(read_group(text, source))
        )
    except BddlError as error:
        return (
            Finding(Check.UNREADABLE, source, error.line, error.column, error.what, error.mend),
        )
    found = chain.from_iterable(check(subject) for check in _CHECKS)
    return tuple(sorted(found, key=lambda each: (each.line, each.column)))


def _unknown_names(subject: Subject) -> Iterator[Finding]:
    known = frozenset(subject.problem.objects)
    opening = chain.from_iterable(terms(each.atom) for each in subject.problem.init)
    strangers = (name for name in opening if name not in known)
    goal = unbound(subject.problem.goal, known)
    for section, names in ((":init", strangers), (":goal", goal)):
        for name in dict.fromkeys(names):
            what = f'"{name}" is not declared, and no quantifier binds it'
            mend = "declare it under :objects, or write the name that is meant"
            yield subject.found(Check.UNKNOWN_NAME, name, section, what, mend)


def _wrong_categories(subject: Subject) -> Iterator[Finding]:
    for name, category in subject.problem.objects.items():
        stem, _, number = name.rpartition("_")
        if stem != category or not number.isdecimal():
            what = f'"{name}" is declared as {category}'
            mend = f'call it "{category}_N", or declare it under its own category'
            yield subject.found(Check.WRONG_CATEGORY, name, ":objects", what, mend)


def _opening(subject: Subject) -> Iterator[Finding]:
    problem = subject.problem
    placed = {each.atom.terms[0] for each in problem.init if len(each.atom.terms) == 2}
    agents = [name for name, category in problem.objects.items() if category == AGENT]
    if not any(name in placed for name in agents):
        mend = f"declare {AGENT}_1, and put it on a floor"
        yield subject.found(Check.NO_AGENT, "", ":objects", "no agent is in the house", mend)
    for name in problem.objects:
        if name not in placed and name not in agents:
            what = f'"{name}" is nowhere at the opening'
            mend = "put it somewhere under :init, or do not declare it"
            yield subject.found(Check.UNPLACED, name, ":objects", what, mend)


def _contradictions(subject: Subject) -> Iterator[Finding]:
    supports: dict[str, Literal] = {}
    facts = set(subject.problem.init)
    for each in subject.problem.init:
        name = each.atom.terms[0]
        if each.positive and Literal(each.atom, positive=False) in facts:
            what = f'that "{each.atom.predicate}" holds of "{name}" is both said and denied'
            yield subject.found(Check.CONTRADICTION, name, ":init", what, "keep one of the two")
        supported = each.positive and each.atom.predicate in SUPPORTS
        if supported and supports.setdefault(name, each) != each:
            where = supports[name].atom.terms[-1], each.atom.terms[-1]
            what = f'"{name}" is in two places: at {where[0]} and at {where[1]}'
            yield subject.found(Check.CONTRADICTION, name, ":init", what, "keep one of the two")


def _other_name(subject: Subject) -> Iterator[Finding]:
    if subject.name and subject.problem.name != subject.name.lower():
        what = f'the problem is called "{subject.problem.name}"'
        mend = f'call it "{subject.name.lower()}", or do not key on its name'
        yield subject.found(Check.OTHER_NAME, subject.problem.name, "problem", what, mend)


_CHECKS: tuple[Callable[[Subject], Iterator[Finding]], ...] = (
    _unknown_names,
    _wrong_categories,
    _opening,
    _contradictions,
    _other_name,
    goal_findings,
)
