"""Finds the defects that published definitions have, and others that a writer's own may have
(spec: actplan.md section 2.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from itertools import chain

from env_service.worlds.activity.bddl.errors import BddlError
from env_service.worlds.activity.bddl.finding import Check, Finding
from env_service.worlds.activity.bddl.lint_goal import goal_findings
from env_service.worlds.activity.bddl.lint_opening import opening_findings
from env_service.worlds.activity.bddl.lint_reach import reach_findings
from env_service.worlds.activity.bddl.lint_rooms import room_findings
from env_service.worlds.activity.bddl.lint_subject import Subject
from env_service.worlds.activity.bddl.names import terms, unbound
from env_service.worlds.activity.bddl.places import Places
from env_service.worlds.activity.bddl.reading import read_problem
from env_service.worlds.activity.bddl.syntax import read_group

_GUESSES = 20
"""Unknown names of a section for which a known one is looked for, which takes time."""


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
        for number, name in enumerate(dict.fromkeys(names)):
            few = subject.problem.objects if number < _GUESSES else ()
            near = get_close_matches(name, few, n=1)
            what = f'"{name}" is not declared, and no quantifier binds it'
            mend = f"declare it under :objects, or write {near[0] if near else 'what is meant'}"
            yield subject.found(Check.UNKNOWN_NAME, name, section, what, mend)


def _other_name(subject: Subject) -> Iterator[Finding]:
    if subject.name and subject.problem.name != subject.name.lower():
        what = f'the problem is called "{subject.problem.name}"'
        mend = f'call it "{subject.name.lower()}", or do not key on its name'
        yield subject.found(Check.OTHER_NAME, subject.problem.name, "problem", what, mend)


_CHECKS: tuple[Callable[[Subject], Iterator[Finding]], ...] = (
    _unknown_names,
    opening_findings,
    _other_name,
    room_findings,
    goal_findings,
    reach_findings,
)
