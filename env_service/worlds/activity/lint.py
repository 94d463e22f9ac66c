"""What is wrong with a definition, before anybody plays it."""

import re
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from itertools import chain

from env_service.domain.text import with_article
from env_service.worlds.activity.bddl.expressions import Atom, Expression, bounds
from env_service.worlds.activity.bddl.parser import read_problem
from env_service.worlds.activity.bddl.problem import INROOM, terms, unbound
from env_service.worlds.activity.bddl.syntax import BddlError, Node, read_group
from env_service.worlds.activity.bddl.wording import thing_in_words
from env_service.worlds.activity.categories import Trait, traits_of
from env_service.worlds.activity.lint_findings import Check, Finding, Places, Subject, inner
from env_service.worlds.activity.lint_rules import goal_findings, opening_findings, reach_findings
from env_service.worlds.activity.scene import ROOMS

# --- The linter's checks of rooms, and of what things are put into or onto

_NEAR = 0.85
"""How alike a misspelt room is to another one, by `difflib`: "kichen" is, "guest_bedroom" not."""

_NUMBER = re.compile(r"_?\d+$")

_NEEDS = {"inside": Trait.CONTAINER, "ontop": Trait.SURFACE, "onfloor": Trait.FLOOR}
_SAYS = {
    "inside": "nothing can be put inside",
    "ontop": "nothing can be put on",
    "onfloor": "no floor is",
}

_Fact = tuple[Atom, Node, Mapping[str, str]]
"""With its place, and the categories of the names around it."""


def room_findings(subject: Subject) -> Iterator[Finding]:
    """Rooms that are none, and things in or on what they cannot be in or on."""
    facts = (*_opening(subject), *_goal(subject))
    yield from _rooms(subject, facts)
    told: set[tuple[str, str]] = set()
    for atom, node, kinds in facts:
        kind = kinds.get(atom.terms[-1], "")
        need = _NEEDS.get(atom.predicate) if len(atom.terms) == 2 else None
        if need is None or not kind or need in traits_of(kind):
            continue
        if (atom.predicate, kind) not in told:
            told.add((atom.predicate, kind))
            what = f"{_SAYS[atom.predicate]} {with_article(thing_in_words(kind))}"
            mend = "use another relation, or another thing"
            yield subject.found_at(Check.MISFIT, node, what, mend)


def _opening(subject: Subject) -> Iterator[_Fact]:
    entries = subject.places.entries(":init")
    for each, node in zip(subject.problem.init, entries, strict=True):
        yield each.atom, node, subject.problem.objects


def _goal(subject: Subject) -> Iterator[_Fact]:
    problem, entries = subject.problem, subject.places.entries(":goal")
    for goal, node in zip((problem.goal, *problem.dropped), entries, strict=True):
        yield from _facts(goal, node, problem.objects)


def _facts(expression: Expression, node: Node, kinds: Mapping[str, str]) -> Iterator[_Fact]:
    if isinstance(expression, Atom):
        yield expression, node, kinds
        return
    if own := bounds(expression):
        kinds = {**kinds, **{each.variable: each.category for each in own}}
    for part, place in inner(expression, node):
        yield from _facts(part, place, kinds)


def _rooms(subject: Subject, facts: tuple[_Fact, ...]) -> Iterator[Finding]:
    opening = {
        each.atom.terms[1]
        for each in subject.problem.init
        if each.positive and each.atom.predicate == INROOM
    }
    told: set[str] = set()
    for atom, node, _ in facts:
        room = atom.terms[-1]
        if atom.predicate != INROOM or room in told:
            continue
        told.add(room)
        if room not in ROOMS:
            yield _unknown(subject, node, room)
        if room not in opening:
            what = f'nothing is in the room "{room}" at the opening'
            mend = f"put a floor there: (inroom floor.n.01_N {room}), or name another room"
            yield subject.found_at(Check.EMPTY_ROOM, node, what, mend)


def _unknown(subject: Subject, node: Node, room: str) -> Finding:
    near = get_close_matches(room, sorted(ROOMS), n=1, cutoff=_NEAR)
    if near and _NUMBER.sub("", room) not in ROOMS:
        what, mend = f'unknown room "{room}"', f'write "{near[0]}" if that is meant'
        return subject.found_at(Check.MISSPELT_ROOM, node, what, mend)
    what = f'"{room}" is a room that no published task has'
    mend = "nothing, if it is one of your own"
    return subject.found_at(Check.UNKNOWN_ROOM, node, what, mend)


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
